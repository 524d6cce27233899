"""Commits whose category the model decides, with the share of CapEx that depends on each.

Keep out: the interval of a share (the warehouse), setting a category (api/v1/commits/categories.py).
"""

from datetime import date
from typing import Annotated

from pydantic import Field

from api.access.row_access import RowAccess
from api.query.conditions import Condition, both
from api.query.fields import NOT_STORED, Id, Micro, Stored, columns_of
from api.query.ordering import Term
from api.query.pages import Page, Position, page
from api.query.parameters import AuthoredQuery, Day
from api.read.capex.report import in_months
from api.read.commits.shapes import CategoryName
from api.read.ids import selected_entities
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
# A number that a person can confirm at once.
DEFAULT_PAGE_SIZE = 10
# The largest number that people read one by one.
MAX_PAGE_SIZE = 100

PageSize = Annotated[
    int,
    Field(
        ge=0,
        le=2**31 - 1,
        description=f"Items per page. 0 means {DEFAULT_PAGE_SIZE}; values above {MAX_PAGE_SIZE} mean {MAX_PAGE_SIZE}.",
        examples=[DEFAULT_PAGE_SIZE],
    ),
]


class UncertainQuery(AuthoredQuery):
    """Parameters of the list."""

    page_size: PageSize = DEFAULT_PAGE_SIZE
    start_date: Day | None = Field(None, description="The list starts with the month of this day.")
    end_date: Day | None = Field(None, description="The list ends with the month of this day.")
    include_drafts: bool = Field(False, description="Include the current month.")

    @property
    def limit(self) -> int:
        """Items on this page."""
        return min(self.page_size or DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE)


def list_uncertain_commits(
    build: Build, access: RowAccess, query: UncertainQuery, position: Position | None
) -> Page:
    """A page of the selected commits. A commit comes first if its confirmation narrows the report most.

    Raises InvalidArgument, PermissionDenied, and the error of `RowAccess.unknown` for an unknown id.
    """
    in_report = in_months(query)
    found = page(
        build,
        source=Condition(access.table(build, "uncertain_commits")),
        shown=COLUMNS.values(),
        condition=both(in_report, selected_entities(build, access, query)),
        terms=LEAST_CERTAIN_FIRST,
        limit=query.limit,
        position=position,
    )
    for row in found.rows:
        row["categorizePath"] = categorize_path(access.organization_id, row["commitId"])
    return found


def categorize_path(organization_id: str, commit_id: str) -> str:
    """The path that sets the category of the commit."""
    return f"/api/v1/organizations/{organization_id}/commits/{commit_id}:categorize"
