"""Telemetry of AI tools beside the reports of their vendors, by tool, developer and day."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Annotated, Any

from pydantic import Field

from api.access.row_access import RowAccess
from api.presentation.usage_measures import capped
from api.query.columns import Column, Kind
from api.query.conditions import Condition
from api.query.fields import columns_of
from api.query.pages import Page, Position
from api.query.parameters import OneOf
from api.query.periods import Range
from api.read.ai_usage.shapes import AiSpendReconciliationRow
from api.read.ai_usage.spend import UNATTRIBUTED
from api.read.ai_usage.usage_query import UsageQuery, usage_of_people
from api.read.lists import Listing
from api.snapshot.build import Build

TABLE = "ai_usage_reconciliation"
RECONCILIATION = Listing(
    columns_of(AiSpendReconciliationRow),
    "differenceTokens desc",
    (Column("group_key", Kind.TEXT, "group_key"),),
)
NOTHING = "No tool has both telemetry and a vendor's report of tokens, so there is nothing to compare."
GROUPINGS = {"TOOL": (), "DEVELOPER": ("person_key",), "DAY": ("person_key", "used_on")}
"""Columns besides the tool that a row of the list stands for."""


class AiSpendReconciliationQuery(UsageQuery):
    """Parameters of the list of telemetry beside the reports of vendors."""

    group_by: Annotated[str, OneOf(*GROUPINGS)] = Field(
        "TOOL",
        description="What a row stands for: a tool; a tool and developer; or a tool, developer and day.",
    )


def list_reconciliation(
    build: Build, access: RowAccess, query: AiSpendReconciliationQuery, position: Position | None
) -> Page:
    """A page of telemetry beside the reports of vendors. Default order: what the vendor reports most more.

    Raises InvalidArgument, PermissionDenied, and the error of `RowAccess.unknown` for an unknown id.
    """
    source, asked = _source(build, access, query)
    found = RECONCILIATION.page(build, query, position, source)
    any_row = build.value(f"select count(*) from (select 1 from {access.table(build, TABLE)} limit 1)")
    facts = {
        "nextStep": None if any_row else NOTHING,
        "startDate": asked.first,
        "endDate": asked.last,
    }
    return replace(found, after_rows=facts)


def reconciliation_batches(
    build: Build, access: RowAccess, query: AiSpendReconciliationQuery
) -> Iterator[list[tuple[Any, ...]]]:
    """All rows in batches. Raises as `list_reconciliation`."""
    yield from RECONCILIATION.batches(build, query, _source(build, access, query)[0])


def _source(build: Build, access: RowAccess, query: AiSpendReconciliationQuery) -> tuple[Condition, Range]:
    """A query with the columns of the list, and the days that it sums."""
    wanted, asked = usage_of_people(build, access, TABLE, query)
    return _rows(build, access, query.group_by, wanted), asked


def _rows(build: Build, access: RowAccess, grouping: str, wanted: Condition) -> Condition:
    """A query with the columns of the list."""
    keys = ("tool", *GROUPINGS[grouping])
    of_people = "person_key" in keys
    sums = {
        "developer_id": "max(developer_id)" if of_people else "null::varchar",
        "unknown": f"case when max(developer_id) is null then coalesce(max(actor), '{UNATTRIBUTED}') end"
        if of_people
        else "null::varchar",
        "day": "used_on" if "used_on" in keys else "null::date",
        **{
            name: capped(f"sum({name})")
            for name in ("vendor_tokens", "telemetry_tokens", "difference_tokens")
        },
        "captured_share_micro": "case when sum(vendor_tokens) > 0 then "
        + capped("floor(sum(telemetry_tokens) * 1000000.0 / sum(vendor_tokens))")
        + " end",
        **{f"{name}_cost_micro": _money(f"{name}_nano") for name in ("vendor", "telemetry", "difference")},
    }
    summed = ", ".join(f"{sql} as {name}" for name, sql in sums.items())
    sql = (
        f"select concat_ws(' ', {', '.join(f'{key}::varchar' for key in keys)}) as group_key, tool, {summed} "
        f"from {access.table(build, TABLE)} where {wanted.sql} group by {', '.join(keys)}"
    )
    people = access.table(build, "developers")
    return Condition(
        "select summed.* exclude (unknown), summed.unknown as actor, people.name as developer_name "
        f"from ({sql}) as summed left join {people} as people on summed.developer_id = people.developer_id",
        wanted.parameters,
    )


def _money(column: str) -> str:
    """SQL of a sum of money in millionths; null where a part is unknown."""
    total = capped(f"round(sum({column}) / 1000)")
    return f"case when count(*) = count({column}) then {total} end"
