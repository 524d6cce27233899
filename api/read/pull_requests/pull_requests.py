"""Lists of pull requests."""

from dataclasses import dataclass
from datetime import date

from api.access.row_access import RowAccess
from api.query.conditions import TRUE, Condition, both, days, one_of
from api.query.fields import columns_of
from api.query.ordering import Term
from api.query.pages import Page, Position, page
from api.read.pull_requests.shapes import PullRequest
from api.snapshot.build import Build

COLUMNS = columns_of(PullRequest)
NEWEST_FIRST = (Term(COLUMNS["createdAt"], True),)
NO_PULL_REQUEST = (
    "No Git host has given any pull requests yet. An owner or admin connects one: POST …/connections. Its pull "
    "requests are here after its first sync and the next build."
)
# The day that selects a pull request, by the name of the event.
DAYS = {
    "CREATED": "created_on",
    "MERGED": "merged_on",
}


@dataclass(frozen=True, slots=True)
class PullRequestSelection:
    """The requested pull requests; None and empty mean all."""

    repositories: tuple[str, ...] = ()
    developers: tuple[str, ...] = ()
    # Teams of the authors on the day of creation. The caller adds the sub-teams.
    teams: tuple[str, ...] = ()
    reviewers: tuple[str, ...] = ()
    states: tuple[str, ...] = ()
    first_day: date | None = None
    last_day: date | None = None
    day_of: str = "CREATED"
    is_draft: bool | None = None
    is_ai_assisted: bool | None = None
    search: str = ""


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


def pull_request_page(
    build: Build,
    access: RowAccess,
    selection: PullRequestSelection,
    terms: list[Term],
    extra: Condition,
    limit: int,
    position: Position | None,
) -> Page:
    """One page of the selected pull requests."""
    return page(
        build,
        source=Condition(access.table(build, "pull_requests")),
        shown=COLUMNS.values(),
        condition=both(_condition(build, access, selection), extra),
        terms=terms,
        limit=limit,
        position=position,
    )


def _condition(build: Build, access: RowAccess, selection: PullRequestSelection) -> Condition:
    conditions = [TRUE]
    if selection.repositories:
        conditions.append(one_of("repository_id", selection.repositories))
    if selection.developers:
        conditions.append(one_of("developer_id", selection.developers))
    if selection.teams:
        conditions.append(one_of("team_id", selection.teams))
    if selection.reviewers:
        reviews = access.table(build, "reviews")
        conditions.append(
            Condition(
                "pull_request_id in (select pull_request_id "
                f"from {reviews} where {one_of('developer_id', selection.reviewers).sql})"
            )
        )
    if selection.states:
        marks = ", ".join("?" for _ in selection.states)
        conditions.append(
            Condition(f"state in ({marks})", tuple(state.lower() for state in selection.states))
        )
    conditions.append(days(DAYS[selection.day_of], selection.first_day, selection.last_day))
    if selection.is_draft is not None:
        conditions.append(Condition("is_draft = ?", (selection.is_draft,)))
    if selection.is_ai_assisted is not None:
        conditions.append(Condition("is_ai_assisted = ?", (selection.is_ai_assisted,)))
    if selection.search:
        conditions.append(_searched(selection.search))
    return both(*conditions)


def _searched(text: str) -> Condition:
    number = text.strip().removeprefix("#").removeprefix("!")
    in_text = "contains(lower(title), lower(?)) or contains(lower(source_branch), lower(?))"
    # A longer number than any that a host gives would not fit the column.
    if number.isascii() and number.isdigit() and len(number) <= 18:
        return Condition(f"{in_text} or number = ?", (text, text, int(number)))
    return Condition(in_text, (text, text))
