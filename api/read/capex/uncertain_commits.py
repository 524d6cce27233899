"""Commits whose category the model decides, with the share of CapEx that depends on each.

Keep out: the interval of a share (the warehouse), setting a category (api/v1/commits/categories.py).
"""

from dataclasses import dataclass

from api.access.row_access import RowAccess
from api.query.columns import Column, Kind, columns
from api.query.ordering import TRUE, Condition, Term, both, one_of
from api.query.pages import Page, Position, page
from api.read.capex.report import CapexSelection
from api.read.capex.report import condition as months
from api.snapshot.builds import Build

COLUMNS = columns(
    Column("commit_id", Kind.ID, "commit_id"),
    Column("commit_sha", Kind.TEXT, "commit_sha"),
    Column("subject", Kind.TEXT, "subject"),
    Column("repository_id", Kind.ID, "repository_id"),
    Column("repository_name", Kind.TEXT, "repository_name"),
    Column("developer_id", Kind.ID, "developer_id"),
    Column("developer_name", Kind.TEXT, "developer_name"),
    Column("month", Kind.DATE, "month"),
    Column("is_draft", Kind.FLAG, "is_draft"),
    Column("effort", Kind.MICRO, "effort_micro"),
    Column("capitalizable_effort", Kind.MICRO, "capitalizable_effort_micro"),
    Column("deviation", Kind.MICRO, "deviation_micro"),
    Column("category", Kind.ENUM, "category"),
    Column("evidence", Kind.TEXT, "evidence"),
    Column("features_probability", Kind.NUMBER, "features_probability"),
    Column("maintenance_probability", Kind.NUMBER, "maintenance_probability"),
    Column("fixes_probability", Kind.NUMBER, "fixes_probability"),
    Column("features_capitalizable_effort", Kind.MICRO, "features_capitalizable_micro"),
    Column("maintenance_capitalizable_effort", Kind.MICRO, "maintenance_capitalizable_micro"),
    Column("fixes_capitalizable_effort", Kind.MICRO, "fixes_capitalizable_micro"),
)
LEAST_CERTAIN_FIRST = (Term(COLUMNS["deviation"], True), Term(COLUMNS["commitId"], False))


@dataclass(frozen=True, slots=True)
class UncertainSelection:
    """Which commits are asked for; empty means all. `teams` are their authors' on the day of writing, each named."""

    months: CapexSelection
    repositories: tuple[str, ...] = ()
    developers: tuple[str, ...] = ()
    teams: tuple[str, ...] = ()


def uncertain_page(
    build: Build, access: RowAccess, selection: UncertainSelection, limit: int, position: Position | None
) -> Page:
    """A page of the selected commits. A commit comes first if its confirmation narrows the report most."""
    found = page(
        build,
        source=Condition(access.table(build, "uncertain_commits")),
        shown=COLUMNS.values(),
        condition=both(
            months(selection.months),
            *(
                one_of(column, ids) if ids else TRUE
                for column, ids in (
                    ("repository_id", selection.repositories),
                    ("developer_id", selection.developers),
                    ("team_id", selection.teams),
                )
            ),
        ),
        terms=LEAST_CERTAIN_FIRST,
        limit=limit,
        position=position,
    )
    for row in found.rows:
        row["categorizePath"] = categorize_path(access.organization_id, row["commitId"])
    return found


def categorize_path(organization_id: str, commit_id: str) -> str:
    """The path that sets the category of the commit."""
    return f"/api/v1/organizations/{organization_id}/commits/{commit_id}:categorize"
