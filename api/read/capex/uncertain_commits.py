"""Commits whose category the model decides, with the share of CapEx that depends on each.

Keep out: the interval of a share (the warehouse), setting a category (api/v1/commits/categories.py).
"""

from dataclasses import dataclass
from datetime import date
from typing import Annotated

from pydantic import Field

from api.access.row_access import RowAccess
from api.query.fields import NOT_STORED, Id, Micro, Stored, columns_of
from api.query.ordering import TRUE, Condition, Term, both, one_of
from api.query.pages import Page, Position, page
from api.read.capex.report import CapexSelection
from api.read.capex.report import condition as months
from api.read.commits.shapes import CategoryName
from api.shapes import Shape
from api.snapshot.builds import Build


class UncertainCommit(Shape):
    """A commit whose category the model decides, with the CapEx under each category."""

    commit_id: Id
    commit_sha: str
    subject: str
    repository_id: Id
    repository_name: str
    developer_id: Id = Field(description="The author.")
    developer_name: str
    month: date = Field(description="First day of the month of delivery.", examples=["2026-10-01"])
    is_draft: bool
    effort: Micro = Field(description="Approximate hours of all its people.")
    capitalizable_effort: Micro = Field(description="As reported.")
    deviation: Micro = Field(
        description="Standard deviation of the capitalizable effort, which a confirmation removes."
    )
    category: CategoryName = Field(description="The category from the model.")
    evidence: str = Field(description="The evidence with the largest weight.")
    features_probability: float = Field(ge=0, le=1)
    maintenance_probability: float = Field(ge=0, le=1)
    fixes_probability: float = Field(ge=0, le=1)
    features_capitalizable_effort: Annotated[Micro, Stored("features_capitalizable_micro")] = Field(
        description="The capitalizable effort if it were a feature, under the policy of the month."
    )
    maintenance_capitalizable_effort: Annotated[Micro, Stored("maintenance_capitalizable_micro")] = Field(
        description="The same for maintenance."
    )
    fixes_capitalizable_effort: Annotated[Micro, Stored("fixes_capitalizable_micro")] = Field(
        description="The same for a fix."
    )
    categorize_path: Annotated[str, NOT_STORED] = Field(
        description="POST the category to this path, also to confirm the present one. The commit is "
        "certain from the next build on.",
        examples=["/api/v1/organizations/local/commits/3c2f8a59-5a0e-5a3f-8a55-90c1c0ac35e2:categorize"],
    )


COLUMNS = columns_of(UncertainCommit)
LEAST_CERTAIN_FIRST = (Term(COLUMNS["deviation"], True), Term(COLUMNS["commitId"], False))


@dataclass(frozen=True, slots=True)
class UncertainSelection:
    """The requested commits; empty means all. `teams` are the authors' on the day of writing, sub-teams listed."""

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
