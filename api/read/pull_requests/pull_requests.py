"""Lists of pull requests."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

from pydantic import Field

from api.access.row_access import RowAccess
from api.query.conditions import TRUE, Condition, days, flagged, named, one_of
from api.query.fields import columns_of
from api.query.pages import Page, Position
from api.query.parameters import AuthoredQuery, Day, Filter, Id, OneOf, OrderBy, several
from api.query.periods import refuse_backwards
from api.read.entities import DEVELOPERS
from api.read.ids import selected_entities, visible_ids
from api.read.lists import Listing
from api.read.pull_requests.shapes import PullRequest
from api.snapshot.build import Build

COLUMNS = columns_of(PullRequest)
PULL_REQUESTS = Listing(COLUMNS, "createdAt desc", (COLUMNS["id"],))
NO_PULL_REQUEST = (
    "No Git host has given any pull requests to this build. …/connections lists the connected ones with their health; "
    "without one, an owner or admin connects it: POST …/connections. Pull requests of added repositories are here "
    "after its sync and the next build."
)
# The day that selects a pull request, by the name of the event.
DAYS = {
    "CREATED": "created_on",
    "MERGED": "merged_on",
}
STATES = ("OPEN", "MERGED", "CLOSED")
State = Annotated[str, OneOf(*STATES)]
DayOf = Annotated[str, OneOf(*DAYS)]


class PullRequestQuery(AuthoredQuery):
    """Parameters of the list of pull requests."""

    team: list[Id] = several(
        "Ids of teams, each including its sub-teams in the current tree: pull requests of authors in one of "
        "these teams on the day of creation."
    )
    reviewer: list[Id] = several("Ids of developers, at least one of whom answered.")
    state: list[State] = Field([], max_length=3, description="States. Repeat the parameter for several.")
    start_date: Day | None = Field(
        None, description="First day of the event of `dateOf`, in the organization's time zone."
    )
    end_date: Day | None = Field(None, description="Last day of that event, included.")
    date_of: DayOf = Field("CREATED", description="The event to which `startDate` and `endDate` apply.")
    draft: bool | None = Field(None, description="true: only drafts; false: only those ready for review.")
    ai_assisted: bool | None = Field(
        None,
        description="true: only pull requests with evidence of AI assistance; false: only those without.",
    )
    search: str = Field(
        "",
        max_length=200,
        description="Part of the title or of the source branch (case-insensitive), or the number.",
    )
    filter: Filter = ""
    order_by: OrderBy = ""


def list_pull_requests(
    build: Build, access: RowAccess, query: PullRequestQuery, position: Position | None
) -> Page:
    """A page of the selected pull requests. Default order: newest first.

    Raises InvalidArgument, PermissionDenied, and the error of `RowAccess.unknown` for an unknown id.
    """
    refuse_backwards(query.start_date, query.end_date)
    access.refuse_closed("pull_requests")
    found = PULL_REQUESTS.page(
        build,
        query,
        position,
        access.table(build, "pull_requests"),
        selected_entities(build, access, query),
        _reviewed(build, access, visible_ids(build, access, DEVELOPERS, query.reviewer)),
        named("state", query.state),
        days(DAYS[query.date_of], query.start_date, query.end_date),
        flagged("is_draft", query.draft),
        flagged("is_ai_assisted", query.ai_assisted),
        _searched(query.search),
    )
    return replace(found, after_rows={"nextStep": None if found.total else next_step(build, access)})


def next_step(build: Build, access: RowAccess) -> str | None:
    """The remedy where there is no pull request at all; None where there is one."""
    if build.value(f"select count(*) from (select 1 from {access.table(build, 'pull_requests')} limit 1)"):
        return None
    if access.is_narrowed and build.value("select count(*) from (select 1 from pull_requests limit 1)"):
        return (
            "No pull request is yours."
            if access.own is not None
            else "No pull request is of a team that you lead."
        )
    return NO_PULL_REQUEST


def _reviewed(build: Build, access: RowAccess, reviewers: Sequence[str]) -> Condition:
    if not reviewers:
        return TRUE
    reviews = access.table(build, "reviews")
    answered = f"select pull_request_id from {reviews} where {one_of('developer_id', reviewers).sql}"
    return Condition(f"pull_request_id in ({answered})")


def _searched(text: str) -> Condition:
    if not text:
        return TRUE
    number = text.strip().removeprefix("#").removeprefix("!")
    in_text = "contains(lower(title), lower(?)) or contains(lower(source_branch), lower(?))"
    # A longer number than any that a host gives would not fit the column.
    if number.isascii() and number.isdigit() and len(number) <= 18:
        return Condition(f"{in_text} or number = ?", (text, text, int(number)))
    return Condition(in_text, (text, text))
