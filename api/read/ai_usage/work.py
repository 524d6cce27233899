"""AI spend by the work for which the tools were used: commits, pull requests, issues, objectives, repositories."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Annotated, Any

from pydantic import Field

from api.access.row_access import RowAccess
from api.presentation.usage_measures import capped, mean_confidence
from api.query.columns import Column, Kind
from api.query.conditions import Condition
from api.query.fields import columns_of
from api.query.pages import Page, Position
from api.query.parameters import OneOf
from api.query.periods import Range
from api.read.ai_usage.shapes import AiSpendWorkRow
from api.read.ai_usage.spend import NO_USAGE
from api.read.ai_usage.usage_query import UsageQuery, usage_of_people
from api.read.lists import Listing
from api.snapshot.build import Build

TABLE = "ai_costs"
WORK = Listing(columns_of(AiSpendWorkRow), "cost desc", (Column("group_key", Kind.TEXT, "group_key"),))


@dataclass(frozen=True)
class Grouping:
    """A table with the commits of each thing: `key`, `name` and `title` are SQL over its rows.

    Several things of a commit (`is_shared`) share its cost and ETV equally, to the last unit. `unknown` says what the
    commit of no row lacks, `missing` what a row without key lacks.
    """

    table: str
    key: str
    name: str
    title: str = "null::varchar"
    is_shared: bool = False
    unknown: str = "NO_COMMIT"
    missing: str = "NO_COMMIT"

    @property
    def is_of_commits(self) -> bool:
        """Whether each thing is a commit."""
        return self.key == "commit_id"


_COMMITS = "commits_by_time"
OF_USED = "commit_id in (select commit_id from used)"
GROUPINGS = {
    "COMMIT": Grouping(_COMMITS, "commit_id", "substr(commit_sha, 1, 10)", "subject"),
    "PULL_REQUEST": Grouping(
        _COMMITS, "pull_request_id", "concat(repository_name, '#', pull_request_number)",
        unknown="NO_PULL_REQUEST", missing="NO_PULL_REQUEST",
    ),
    "ISSUE": Grouping(
        "commit_issues", "item_id", "item_key", "item_title", is_shared=True, unknown="NO_ISSUE", missing="NO_ISSUE",
    ),
    "OBJECTIVE": Grouping(
        "commit_issues", "objective_id", "objective_title", "objective_title", is_shared=True, unknown="NO_ISSUE",
        missing="NO_OBJECTIVE",
    ),
    "REPOSITORY": Grouping(_COMMITS, "repository_id", "repository_name"),
}  # fmt: skip


class AiSpendWorkQuery(UsageQuery):
    """Parameters of the list of AI spend by work."""

    group_by: Annotated[str, OneOf(*GROUPINGS)] = Field("REPOSITORY", description="What a row stands for.")


def list_work(build: Build, access: RowAccess, query: AiSpendWorkQuery, position: Position | None) -> Page:
    """A page of AI spend by work. Default order: highest cost first.

    Raises InvalidArgument, PermissionDenied, and the error of `RowAccess.unknown` for an unknown id.
    """
    source, asked = _source(build, access, query)
    found = WORK.page(build, query, position, source)
    any_row = build.value(f"select count(*) from (select 1 from {access.table(build, TABLE)} limit 1)")
    facts = {"nextStep": None if any_row else NO_USAGE, "startDate": asked.first, "endDate": asked.last}
    return replace(found, after_rows=facts)


def work_batches(build: Build, access: RowAccess, query: AiSpendWorkQuery) -> Iterator[list[tuple[Any, ...]]]:
    """All rows of AI spend by work in batches. Raises as `list_work`."""
    yield from WORK.batches(build, query, _source(build, access, query)[0])


def _source(build: Build, access: RowAccess, query: AiSpendWorkQuery) -> tuple[Condition, Range]:
    """A query with the columns of the list, and the days that it sums."""
    wanted, asked = usage_of_people(build, access, TABLE, query)
    return _rows(build, access, GROUPINGS[query.group_by], wanted), asked


def _rows(build: Build, access: RowAccess, grouping: Grouping, wanted: Condition) -> Condition:
    """A query with the columns of the list, and rows without id for what reaches none of the things.

    Each currency has rows of its own. Cost is shared among all that a commit belongs to, whether or not it leads to a
    thing, so that none is lost: an issue that the caller does not see is in the rows without id too.
    """
    things = (
        f"select commit_id, {grouping.key} as id, {grouping.name} as name, {grouping.title} as title, etv_micro, "
        f"{'issue_count, place' if grouping.is_shared else '1 as issue_count, 1 as place'} "
        f"from {access.table(build, grouping.table)} where {OF_USED}"
    )
    # A commit of several issues may reach an objective with some of them.
    ways = (
        f"ways as (select commit_id, bool_or(objective_id is null) as lacks "
        f"from {access.table(build, 'commit_issues')} where {OF_USED} group by commit_id), "
    )
    of_commits = "case when ways.commit_id is null then 'NO_ISSUE' when ways.lacks then 'NO_OBJECTIVE' end"
    # Integers: shares of a commit differ by one unit at most. Corrections of vendors are negative.
    share = "sign(cost_nano)::bigint * ((abs(cost_nano) + issue_count - place) // issue_count)"
    sql = (
        f"with used as (select * from {access.table(build, TABLE)} where {wanted.sql}), "
        f"things as ({things}), {ways if grouping.is_of_commits else ''}"
        "shares as (select things.* exclude (commit_id), used.*, "
        "case when used.commit_id is null then 'NO_COMMIT' "
        f"when things.commit_id is null then '{grouping.unknown}' "
        f"when id is null then '{grouping.missing}' "
        f"{f'else {of_commits}' if grouping.is_of_commits else ''} end as missing_link, "
        f"case when things.commit_id is null then cost_nano else {share} end as share_nano "
        "from used left join things on things.commit_id = used.commit_id"
        f"{' left join ways on ways.commit_id = used.commit_id' if grouping.is_of_commits else ''}), "
        "summed as (select id, cost_currency, missing_link, "
        "any_value(name) filter (id is not null) as name, any_value(title) filter (id is not null) as title, "
        f"{capped('sum(share_nano)')} as nano, sum(share_nano) filter (method = 'session') as certain, "
        f"{mean_confidence('share_nano', 'confidence_micro')} as mean, "
        "count(distinct commit_id)::bigint as commits, count(distinct developer_id)::bigint as people "
        "from shares group by id, cost_currency, missing_link having id is not null or sum(share_nano) <> 0), "
        # A commit has costs of several days, but its ETV once.
        "worth as (select id, cost_currency, sum(etv_micro)::bigint as etv_micro "
        "from (select distinct id, cost_currency, commit_id, place, etv_micro from shares where id is not null) "
        "group by id, cost_currency) "
        "select concat_ws(' ', id, cost_currency, missing_link) as group_key, id, name, title, "
        "id is not null as is_linked, missing_link, "
        "cost_currency as currency, round(nano / 1000)::bigint as cost_micro, "
        "case when id is not null then round(coalesce(certain, 0) / 1000)::bigint else 0 end as certain_cost_micro, "
        "case when id is not null then mean end as confidence_micro, "
        "commits, people, etv_micro, "
        f"case when etv_micro > 0 then {capped('round(nano * 1000.0 / etv_micro)')} end as cost_per_etv_micro "
        "from summed left join worth using (id, cost_currency)"
    )
    return Condition(f"select * from ({sql})", wanted.parameters)
