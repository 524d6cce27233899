"""Commits whose category the model decides, with the share of CapEx that depends on each.

Keep out: the interval of a share (the warehouse), setting a category (api/v1/commits/categories.py).
"""

from dataclasses import dataclass
from datetime import date
from typing import Annotated

from pydantic import Field

from api.access.row_access import RowAccess
from api.query.conditions import TRUE, Condition, both, one_of
from api.query.fields import NOT_STORED, Id, Micro, Stored, columns_of
from api.query.ordering import Term
from api.query.pages import Page, Position, page
from api.read.capex.report import CapexSelection
from api.read.capex.report import condition as months
from api.read.commits.shapes import CategoryName
from api.shapes import Shape
from api.snapshot.build import Build


class UncertainCommit(Shape):
    """A commit with a category from the model, and its capitalizable effort under each possible category."""

    commit_id: Id
    commit_sha: str
    subject: str
    repository_id: Id
    repository_name: str
    developer_id: Id = Field(description="Id of the author.")
    developer_name: str
    month: date = Field(description="First day of the month of delivery.", examples=["2026-10-01"])
    is_draft: bool = Field(description="true: the month has not ended.")
    effort: Micro = Field(description="Effort of all authors of the commit, in approximate hours.")
    capitalizable_effort: Micro = Field(
        description="The part of the effort that the report capitalizes, in hours."
    )
    deviation: Micro = Field(
        description="Standard deviation of the capitalizable effort, in hours. 0 after somebody confirms the "
        "category."
    )
    category: CategoryName = Field(description="The category that the model chose.")
    evidence: str = Field(
        description="The word and the structural feature with the largest weight in the model."
    )
    features_probability: float = Field(
        ge=0,
        le=1,
        description="Probability that the commit is a feature. The three probabilities add up to 1.",
    )
    maintenance_probability: float = Field(
        ge=0, description="Probability that the commit is maintenance.", le=1
    )
    fixes_probability: float = Field(ge=0, description="Probability that the commit is a fix.", le=1)
    features_capitalizable_effort: Annotated[Micro, Stored("features_capitalizable_micro")] = Field(
        description="The capitalizable effort if the commit is a feature, under the policy of the month, in "
        "hours."
    )
    maintenance_capitalizable_effort: Annotated[Micro, Stored("maintenance_capitalizable_micro")] = Field(
        description="The capitalizable effort if the commit is maintenance, under the policy of the month, in "
        "hours."
    )
    fixes_capitalizable_effort: Annotated[Micro, Stored("fixes_capitalizable_micro")] = Field(
        description="The capitalizable effort if the commit is a fix, under the policy of the month, in "
        "hours."
    )
    categorize_path: Annotated[str, NOT_STORED] = Field(
        description="POST the right category to this path, also when it is the present one. From the next "
        "build on, the category is certain.",
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
