"""Bursts of commits that imported code, as the newest build found them.

Keep out: the rules (dbt models `int_exclusions__*`) and decisions about a burst (control/commits/import_bursts.py).
"""

from collections.abc import Sequence
from dataclasses import dataclass

from api.access.row_access import RowAccess
from api.errors import NotFound
from api.query.columns import Column, Kind, columns, select_list
from api.query.ordering import TRUE, Condition, Term, both, one_of
from api.query.pages import Page, Position, page
from api.snapshot.builds import Build, Row

BURSTS = columns(
    Column("id", Kind.ID, "burst_id"),
    Column("rule", Kind.ENUM, "rule"),
    Column("status", Kind.ENUM, "status"),
    Column("developer_id", Kind.ID, "developer_id"),
    Column("developer_name", Kind.TEXT, "developer_name"),
    Column("repository_ids", Kind.LIST, "repository_ids", sortable=False),
    Column("first_commit_id", Kind.ID, "first_commit_id"),
    Column("first_commit_sha", Kind.TEXT, "first_commit_sha"),
    Column("first_subject", Kind.TEXT, "first_subject"),
    Column("started_at", Kind.INSTANT, "started_at"),
    Column("ended_at", Kind.INSTANT, "ended_at"),
    Column("evidence_until", Kind.INSTANT, "evidence_until", nullable=True),
    Column("commit_count", Kind.INTEGER, "commit_count"),
    Column("counted_commit_count", Kind.INTEGER, "counted_commit_count"),
    Column("file_count", Kind.INTEGER, "file_count"),
    Column("novel_lines", Kind.INTEGER, "novel_lines"),
    Column("arrived_lines", Kind.INTEGER, "arrived_lines"),
    Column("reworked_share", Kind.MICRO, "reworked_share_micro", nullable=True),
    Column("worked_share", Kind.MICRO, "worked_share_micro", nullable=True),
    Column("calculation_version", Kind.TEXT, "calculation_version"),
)
NEWEST_FIRST = (Term(BURSTS["startedAt"], True),)
# Each burst names the person who imported the code.
WHAT = "imported code"


@dataclass(frozen=True, slots=True)
class BurstSelection:
    """Which bursts are asked for; empty means all."""

    statuses: tuple[str, ...] = ()
    repositories: tuple[str, ...] = ()
    developers: tuple[str, ...] = ()


def burst_page(
    build: Build,
    access: RowAccess,
    selection: BurstSelection,
    terms: Sequence[Term],
    extra: Condition,
    limit: int,
    position: Position | None,
) -> Page:
    """One page of the selected bursts. Raises PermissionDenied where not all rows are visible."""
    access.refuse_unless_whole(WHAT)
    return page(
        build,
        source=Condition(access.table(build, "import_bursts")),
        shown=BURSTS.values(),
        condition=both(_condition(selection), extra),
        terms=terms,
        limit=limit,
        position=position,
    )


def one_burst(build: Build, access: RowAccess, burst_id: str) -> Row:
    """A burst with its evidence. Raises NotFound, and PermissionDenied where not all rows are visible."""
    access.refuse_unless_whole(WHAT)
    table = access.table(build, "import_bursts")
    rows = build.rows(
        f"select {select_list(BURSTS.values())} from {table} where {one_of('burst_id', [burst_id]).sql}"
    )
    if not rows:
        raise NotFound(f"no import burst {burst_id!r} in the newest build of this organization")
    return rows[0]


def commits_of_burst(build: Build, access: RowAccess, burst_id: str) -> list[Row]:
    """Its commits as decisions name them, empty for a burst that the build does not know."""
    return build.rows(
        "select commit_id, commit_sha, repository_id, subject, zero_reason "
        f"from {access.table(build, 'commits_by_time')} where {one_of('import_burst_id', [burst_id]).sql} "
        "order by commit_id"
    )


def _condition(selection: BurstSelection) -> Condition:
    conditions = [TRUE]
    if selection.statuses:
        marks = ", ".join("?" for _ in selection.statuses)
        conditions.append(Condition(f"status in ({marks})", selection.statuses))
    if selection.repositories:
        marks = ", ".join("?" for _ in selection.repositories)
        conditions.append(Condition(f"list_has_any(repository_ids, [{marks}])", selection.repositories))
    if selection.developers:
        conditions.append(one_of("developer_id", selection.developers))
    return both(*conditions)
