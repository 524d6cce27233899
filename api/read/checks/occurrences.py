"""Occurrences of checks: the list, one with its history, and counts by group.

The build has what the data shows; the decisions of people come with the request, so they apply at once.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Annotated

from pydantic import Field

from api.access.row_access import RowAccess
from api.control.checks.decisions import NamedOccurrence
from api.control.checks.standings import Standing
from api.errors import PermissionDenied
from api.presentation.checks import check_kinds
from api.query.columns import select_list
from api.query.conditions import Condition, both, days, named, one_of
from api.query.fields import columns_of
from api.query.pages import Page, Position
from api.query.parameters import AuthoredQuery, Day, Filter, Id, OneOf, OrderBy, Search, several
from api.query.periods import refuse_backwards
from api.read.checks.shapes import CheckEpisode, CheckOccurrence
from api.read.ids import selected_entities
from api.read.lists import Listing
from api.snapshot.build import Build, Row
from api.snapshot.table_cache import Query

COLUMNS = columns_of(CheckOccurrence)
OCCURRENCES = Listing(COLUMNS, "openedAt desc", (COLUMNS["id"],))
EPISODES = columns_of(CheckEpisode)
# What the decisions of people and `is_critical` give.
COMPUTED = ("status", "severity", "snoozed_until", "note", "decided_by", "decided_at")
STATUSES = ("OPEN", "SNOOZED", "RESOLVED")
# What occurrences are counted by: the column of the key, and that of the name.
GROUPS = {
    "KIND": ("kind", "null"),
    "REPOSITORY": ("repository_id", "repository_name"),
    "TEAM": ("team_id", "team_name"),
    "DEVELOPER": ("developer_id", "developer_name"),
}
# The types of the columns of `Standing.decisions`.
_DECIDED = (
    '[{"decided_id":"VARCHAR","action":"VARCHAR","until_on":"DATE","decided_at":"TIMESTAMPTZ","note":"VARCHAR",'
    '"decided_by":"VARCHAR","decided_micro":"BIGINT"}]'
)
# A person's resolution ends with the next episode; a snooze ends with its day.
_APPLIES = (
    "ended_at is null and ((action = 'resolved' and decided_at >= opened_at) or (action = 'snoozed' and until_on > "
    "date '{today}'))"
)

KindName = Annotated[str, OneOf(*(name.upper() for name in check_kinds())), Field(examples=["OPEN_TOO_LONG"])]
StatusParameter = Annotated[str, OneOf(*STATUSES)]
GroupBy = Annotated[str, OneOf(*GROUPS)]


class OccurrenceSelection(AuthoredQuery):
    """Parameters that select occurrences."""

    team: list[Id] = several(
        "Ids of teams, each including its sub-teams in the current tree: occurrences of people in one of these teams "
        "when they were opened."
    )
    kind: list[KindName] = Field(
        [], max_length=50, description="Kinds of checks. Repeat the parameter for several."
    )
    status: list[StatusParameter] = Field(
        [], max_length=3, description="Statuses. Repeat the parameter for several. Default: all."
    )
    start_date: Day | None = Field(
        None, description="First day of the opening, in the organization's time zone."
    )
    end_date: Day | None = Field(None, description="Last day of the opening, included.")
    search: Search = ""


class OccurrenceQuery(OccurrenceSelection):
    """Parameters of the list of occurrences."""

    filter: Filter = ""
    order_by: OrderBy = ""


class GroupQuery(OccurrenceSelection):
    """Parameters of the counts of occurrences."""

    group_by: GroupBy = Field("KIND", description="What the occurrences are counted by.")


def list_occurrences(
    build: Build, access: RowAccess, query: OccurrenceQuery, position: Position | None, *, standing: Standing
) -> Page:
    """A page of the selected occurrences. Default order: the last opened first.

    Raises InvalidArgument, and the error of `RowAccess.unknown` for an unknown id.
    """
    with judged(build, access, standing) as source:
        found = OCCURRENCES.page(build, query, position, Condition(source), _selected(build, access, query))
    return replace(found, after_rows={"nextStep": None if found.total else next_step(build, access)})


def groups(build: Build, access: RowAccess, query: GroupQuery, standing: Standing) -> list[Row]:
    """Counts of the selected occurrences by kind, repository, team or developer; those with most open ones first."""
    key, name = GROUPS[query.group_by]
    chosen = _selected(build, access, query)
    with judged(build, access, standing) as source:
        rows = build.rows(
            f"select {key} as key, any_value({name}) as name, count(*) filter (where status = 'open') as open, "
            "count(*) filter (where status = 'open' and severity = 'critical') as critical, "
            "count(*) filter (where status = 'snoozed') as snoozed, "
            "count(*) filter (where status = 'resolved') as resolved "
            f"from (select listed.*, teams.name as team_name from ({source}) as listed "
            f"left join {access.table(build, 'teams')} as teams on listed.team_id = teams.team_id) as listed "
            f"where {chosen.sql} group by {key} order by open desc, resolved desc, key nulls last",
            chosen.parameters,
        )
    if query.group_by == "KIND":
        for row in rows:
            row["name"], row["key"] = check_kinds()[row["key"]].label, row["key"].upper()
    return rows


def get_occurrence(build: Build, access: RowAccess, wanted: str, standing: Standing) -> Row:
    """The occurrence of this id with its episodes. Raises the error of `RowAccess.unknown`."""
    only = one_of("occurrence_id", [wanted])
    with judged(build, access, standing) as source:
        rows = build.rows(
            f"select {select_list(COLUMNS.values())} from ({source}) as listed where {only.sql}"
        )
    if not rows:
        raise access.unknown(f"occurrence {wanted!r}")
    rows[0]["episodes"] = build.rows(
        f"select {select_list(EPISODES.values())} from {access.table(build, 'check_episodes')} "
        f"where {only.sql} order by number"
    )
    return rows[0]


def named_occurrence(build: Build, access: RowAccess, wanted: str) -> NamedOccurrence:
    """The occurrence of this id, for a decision about it.

    Raises the error of `RowAccess.unknown`, and PermissionDenied for a lead where it belongs to the whole organization.
    """
    rows = build.rows(
        "select occurrence_id, kind, team_id, coalesce(subject_title, subject_reference, subject_id) as title, "
        "repository_id, case when subject_type = 'commit' then subject_id end as commit_id, measured_micro, "
        f"ended_at is not null as has_ended from {access.table(build, 'check_occurrences')} "
        f"where {one_of('occurrence_id', [wanted]).sql}"
    )
    if not rows:
        raise access.unknown(f"occurrence {wanted!r}")
    (row,) = rows
    if access.teams is not None and row["team_id"] is None:
        raise PermissionDenied(
            "it belongs to the whole organization, so owners, admins and members decide about it"
        )
    return NamedOccurrence(
        row["occurrence_id"],
        row["kind"],
        row["title"],
        row["has_ended"],
        repository_id=row["repository_id"],
        commit_id=row["commit_id"],
        measured_micro=row["measured_micro"],
    )


@contextmanager
def judged(build: Build, access: RowAccess, standing: Standing) -> Iterator[str]:
    """A query of the visible occurrences with their status and the decision that applies, for the block."""
    applies = _APPLIES.format(today=standing.today)
    decided = ", ".join(
        f"case when {applies} then {column} end as {name}"
        for column, name in (
            ("case when action = 'snoozed' then until_on end", "snoozed_until"),
            ("note", "note"),
            ("decided_by", "decided_by"),
            ("decided_at", "decided_at"),
        )
    )

    def decisions() -> Query:
        return f"select unnest(from_json(?, '{_DECIDED}'), recursive := true)", (standing.decisions,)

    with build.tables.table(("decisions about occurrences", standing.version), decisions) as made:
        yield (
            f"select occurrences.* replace (case when {applies} and action = 'resolved' then decided_micro "
            "else measured_micro end as measured_micro), "
            f"case when ended_at is not null then 'resolved' when {applies} then action else 'open' end as status, "
            "case when is_critical then 'critical' else 'warning' end as severity, "
            f"{decided} from {access.table(build, 'check_occurrences')} as occurrences "
            f"left join {made} as decisions on occurrences.occurrence_id = decisions.decided_id"
        )


def next_step(build: Build, access: RowAccess) -> str | None:
    """What an empty list means; None where anything was found."""
    if build.value(
        f"select count(*) from (select 1 from {access.table(build, 'check_occurrences')} limit 1)"
    ):
        return None
    if access.is_narrowed:
        return "The checks found nothing of yours, or of the teams that you lead."
    return (
        "The checks that are on found nothing. …/checkKinds has all kinds with their thresholds; checks of pull "
        "requests need a connection to the Git host (…/connections)."
    )


def _selected(build: Build, access: RowAccess, query: OccurrenceSelection) -> Condition:
    refuse_backwards(query.start_date, query.end_date)
    day = "cast(timezone((select time_zone from organizations), opened_at) as date)"
    return both(
        selected_entities(build, access, query),
        named("kind", query.kind),
        named("status", query.status),
        days(day, query.start_date, query.end_date),
        _searched(query.search.split()),
    )


def _searched(words: Iterable[str]) -> Condition:
    texts = "concat_ws(' ', subject_reference, subject_title, repository_name, developer_name)"
    found = [Condition(f"contains(lower({texts}), lower(?))", (word,)) for word in words]
    return both(*found)
