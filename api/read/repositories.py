"""Repositories with their figures over a range."""

from dataclasses import replace
from datetime import datetime
from typing import Annotated

from pydantic import Field

from api.access.row_access import RowAccess
from api.query.fields import NOT_STORED, Id, Stored
from api.query.pages import Page, Position
from api.query.parameters import FigureQuery, RangeQuery
from api.read.benchmarks.groups import Reference
from api.read.entities import REPOSITORIES
from api.read.figures.entities import entity_page, one_entity
from api.read.figures.shapes import Figures, entity_columns
from api.read.figures.usage import cost_without_commit
from api.read.organizations import shown_days
from api.read.zero_reasons.names import ZeroReasonName
from api.read.zero_reasons.zero_reasons import ZeroReasonQuery, list_zero_reasons
from api.snapshot.build import Build, Row


class Repository(Figures):
    """A repository with its figures for the range of days."""

    id: Annotated[Id, Stored("repository_id")] = Field(examples=["6f1de1f0-38f2-5d8d-9a62-0f6ef2b4d2c1"])
    name: str = Field(examples=["acme/web"])
    origin: str = Field(description="Address without credentials.", examples=["https://git.example/acme/web"])
    default_branch: str | None = Field(examples=["main"])
    head_sha: str | None = Field(description="SHA of the head of the default branch.")
    is_sandbox: bool = Field(description="true: a sandbox. Totals leave out its work.")
    is_excluded: bool = Field(description="true: every metric leaves out its work.")
    is_disabled: bool = Field(description="true: the service no longer analyses the repository.")
    tags: list[str] = Field(examples=[["backend"]])
    is_shallow: bool = Field(description="true: a shallow clone; the history before its boundary is missing.")
    is_partial: bool = Field(description="true: a partial clone; file contents can be missing.")
    commit_count: int | None = Field(
        description="Commits of all time that are reachable from a branch or tag, excluded ones included. "
        "For a team lead, this field "
        "and the next four cover the teams that they lead. The five are null when fewer people "
        "than the minimum group size did the work."
    )
    delivered_commit_count: int | None = Field(
        description="Commits of all time that were delivered to the default branch, excluded ones included."
    )
    developer_count: int | None = Field(description="Developers of these commits, without bots.")
    skipped_objects: int = Field(description="The number of Git objects that the service could not read.")
    misdated_deliveries: int = Field(
        description="The number of deliveries with an impossible committer time: before 1980, in the future, or more "
        "than a day after later ones. They count at the time of their neighbours."
    )
    first_delivered_at: datetime | None
    last_delivered_at: datetime | None
    calculation_version: str


COST_WITHOUT_COMMIT = Field(
    description="AI spend of these days, in US dollars, that reaches no commit, and so is in aiCost of no repository. "
    "It can be that of people, of bots, or of nobody known; the last two are in aiCost of no team. A team lead gets "
    "that of the teams that they lead, other members that of the organization. Search and filter do not narrow it. "
    "…/aiSpend/work?filter=isLinked = false has its rows. Null without usage that has a cost, with a minimum group "
    "size, and where the settings of the organization switch off columns about AI of repositories.",
    examples=[12.5],
)


class ExplainedRepository(Repository):
    """A repository with its figures for the range of days, what these leave out, and why nothing of it counts."""

    ai_cost_without_commit: Annotated[float | None, NOT_STORED] = COST_WITHOUT_COMMIT

    zero_reason: Annotated[ZeroReasonName | None, NOT_STORED] = Field(
        description="The reason for most new lines of a repository of which no commit counts, such as REPOSITORY_COPY "
        "for a copy or fork of another one. Null where a commit counts, before the first delivery, and in an "
        "organization that hides individual figures. …/zeroReasons?repository= has all reasons."
    )


COLUMNS = entity_columns(Repository)
SEARCHED = ("name", "origin")


def list_repositories(
    build: Build,
    access: RowAccess,
    query: FigureQuery,
    position: Position | None,
    benchmark: Reference | None = None,
) -> Page:
    """A page of repositories with their figures. Raises InvalidArgument."""
    found = entity_page(build, access, REPOSITORIES, COLUMNS, SEARCHED, query, position, benchmark)
    unlinked = cost_without_commit(build, access, shown_days(build, access, query))
    return replace(found, after_rows={**found.after_rows, "aiCostWithoutCommit": unlinked})


def get_repository(build: Build, access: RowAccess, query: RangeQuery, repository: str) -> Row:
    """The repository of this id with its figures. Raises InvalidArgument, and the error of `RowAccess.unknown`."""
    found = one_entity(build, access, REPOSITORIES, COLUMNS, query, repository)
    found["aiCostWithoutCommit"] = cost_without_commit(build, access, shown_days(build, access, query))
    found["zeroReason"] = None
    if access.has_individuals:
        all_time = ZeroReasonQuery.model_validate({"repository": [found["id"]], "pageSize": 1})
        reasons = list_zero_reasons(build, access, all_time, None)
        if reasons.rows and not reasons.before_rows["counted"]["commits"]:
            found["zeroReason"] = reasons.rows[0]["zeroReason"]
    return found
