"""Developers for identity decisions, and the merge suggestions of a build.

Keep out: figures. Only people who see all developers make these decisions, so the reads cover the whole organization.
"""

from collections.abc import Iterable, Sequence
from typing import Annotated

from pydantic import Field

from api.access.row_access import RowAccess
from api.control.identities.known_developers import Address, KnownDeveloper
from api.errors import NotFound
from api.query.conditions import Condition, one_of
from api.query.fields import Id, Stored, columns_of
from api.query.pages import Page, Position
from api.query.parameters import Filter, OrderBy, PageQuery
from api.read.developers import COLUMNS as DEVELOPER_COLUMNS
from api.read.entities import DEVELOPERS
from api.read.ids import current_id, visible_ids
from api.read.lists import Listing
from api.shapes import Shape
from api.snapshot.build import Build, Row


class MergeSuggestion(Shape):
    """Two developers that may be the same person."""

    id: Annotated[Id, Stored("suggestion_id")]
    developer_id: Id
    developer_name: str = Field(examples=["Ada Lovelace"])
    developer_email: str | None = Field(examples=["ada@acme.example"])
    other_id: Id
    other_name: str = Field(examples=["Ada M. Lovelace"])
    other_email: str | None
    reasons: list[str] = Field(
        description="SAME_FULL_NAME, SIMILAR_NAME (another order or spelling of the name, or an addition such as "
        "`(EXT)`), SAME_LOCAL_PART (the part of the address before the @), SAME_LOGIN (a login with and without an "
        "address), NAME_IS_LOGIN (a display name is the login in a host's noreply address) or MAILMAP (a `.mailmap` "
        "file in a repository joins them), then a colon and the common text.",
        examples=[["SAME_FULL_NAME:ada lovelace"]],
    )


class SuggestionQuery(PageQuery):
    """Parameters of the list."""

    filter: Filter = ""
    order_by: OrderBy = ""


COLUMNS = columns_of(MergeSuggestion)
SUGGESTIONS = Listing(COLUMNS, "developerName, otherName", (COLUMNS["id"],))
DATES = ("joiningDate", "probationEndDate", "leavingDate")


def known_developers(build: Build, access: RowAccess, developer_ids: Sequence[str]) -> list[KnownDeveloper]:
    """The developers with these current or former ids, in their order, each once. Raises NotFound for the first
    unknown one.
    """
    ids = visible_ids(build, access, DEVELOPERS, developer_ids)
    rows = build.rows(
        "select developer_id, name, primary_email, is_bot, known_ids, addresses "
        f"from {access.table(build, 'developers')} where {one_of('developer_id', ids).sql}"
    )
    found = {row["developer_id"]: _known(row) for row in rows}
    return [found[key] for key in ids]


def names_of(build: Build, access: RowAccess, developer_ids: Iterable[str]) -> dict[str, str]:
    """The names of those developers who are among the visible rows, by the given ids, current or former ones."""
    now = {one: current_id(build, DEVELOPERS, one) for one in developer_ids}
    condition = one_of("developer_id", filter(None, now.values()))
    table = access.table(build, "developers")
    rows = build.rows(f"select developer_id, name from {table} where {condition.sql}")
    names = {row["developer_id"]: row["name"] for row in rows}
    return {one: names[key] for one, key in now.items() if key in names}


def ids_of(build: Build, access: RowAccess, developer_id: str) -> tuple[str, ...]:
    """Every id that the developer of this id has or had; only this id if the build does not know it."""
    known = current_id(build, DEVELOPERS, developer_id)
    if known is None:
        return (developer_id,)
    rows = build.rows(
        f"select known_ids from {access.table(build, 'developers')} where {one_of('developer_id', [known]).sql}"
    )
    return tuple(rows[0]["known_ids"])


def is_visible(build: Build, access: RowAccess, developer_id: str) -> bool:
    """Whether a developer, by whichever id, is among the visible rows."""
    known = current_id(build, DEVELOPERS, developer_id)
    if known is None:
        return False
    table = access.table(build, "developers")
    return bool(build.rows(f"select 1 from {table} where {one_of('developer_id', [known]).sql}"))


def dates_of(build: Build, access: RowAccess, developer_id: str) -> Row:
    """The three dates of a developer, by their names in SQL of the control database."""
    shown = {name: DEVELOPER_COLUMNS[name] for name in DATES}
    chosen = ", ".join(f"{column.sql} as {column.name}" for column in shown.values())
    condition = one_of("developer_id", [developer_id])
    return build.rows(f"select {chosen} from {access.table(build, 'developers')} where {condition.sql}")[0]


def suggestion(build: Build, access: RowAccess, suggestion_id: str) -> tuple[str, str]:
    """The two developers of a suggestion. Raises NotFound."""
    condition = one_of("suggestion_id", [suggestion_id])
    rows = build.rows(
        f"select developer_id, other_id from {access.table(build, 'merge_suggestions')} where {condition.sql}"
    )
    if not rows:
        raise NotFound(f"no suggestion {suggestion_id!r} in this organization; …/mergeSuggestions lists them")
    return rows[0]["developer_id"], rows[0]["other_id"]


def list_merge_suggestions(
    build: Build,
    access: RowAccess,
    query: SuggestionQuery,
    position: Position | None,
    *,
    decided: Sequence[str],
) -> Page:
    """A page of the suggestions, without the decided ones. Default order: by name. Raises InvalidArgument."""
    is_decided = one_of("suggestion_id", decided)
    table = access.table(build, "merge_suggestions")
    return SUGGESTIONS.page(build, query, position, table, Condition(f"not ({is_decided.sql})"))


def _known(row: Row) -> KnownDeveloper:
    return KnownDeveloper(
        id=row["developer_id"],
        name=row["name"],
        primary_email=row["primary_email"],
        is_bot=row["is_bot"],
        known_ids=tuple(row["known_ids"]),
        addresses=tuple(
            Address(entry["address_id"], entry["name"], entry["email"], entry["reason"] == "SPLIT")
            for entry in row["addresses"]
        ),
    )
