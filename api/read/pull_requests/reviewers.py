"""Reviewers with their load over a range of days."""

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from api.access.row_access import RowAccess
from api.query.columns import Column, Kind
from api.query.conditions import TRUE, Condition, both, days, one_of
from api.query.fields import Id, Micro, columns_of
from api.query.ordering import Term
from api.query.pages import Page, Position, page
from api.query.periods import Range
from api.shapes import Shape
from api.snapshot.build import Build


class Reviewer(Shape):
    """A person, or an account of no known developer, who answered pull requests of others."""

    developer_id: Id | None = Field(
        description="The developer; null for an account of no known developer, which has a row of its own."
    )
    developer_name: str | None = Field(examples=["Grace Hopper"])
    login: str = Field(description="Login of the account; of several, the first by name.", examples=["grace"])
    is_bot: bool = Field(description="true: a bot or an AI reviewer.")
    pull_requests: int = Field(description="Pull requests that the reviewer answered.")
    answers: int = Field(
        description="All answers: approvals, requests for changes, other reviews and comments."
    )
    approvals: int = Field(description="Approvals.")
    change_requests: int = Field(description="Requests for changes.")
    reviews: int = Field(description="Reviews without a verdict.")
    comments: int = Field(description="Comments.")
    response_hours: Micro | None = Field(
        description="Median of the calendar hours from ready to the reviewer's first answer; null without one in the "
        "range.",
        examples=[3.5],
    )
    load_share: Annotated[float, Kind.NUMBER] = Field(
        description="The reviewer's part of all pairs of reviewer and pull request in the range, without bots, 0 to 1; "
        "0 for a bot."
    )


COLUMNS = columns_of(Reviewer)
MOST_PULL_REQUESTS_FIRST = (Term(COLUMNS["pullRequests"], True),)
KEY = Column("reviewer_key", Kind.TEXT, "reviewer_key")


@dataclass(frozen=True, slots=True)
class ReviewerSelection:
    """The requested reviews; empty means all."""

    days: Range
    repositories: tuple[str, ...] = ()
    # Teams of the reviewers on the day of the answer. The caller adds the sub-teams.
    teams: tuple[str, ...] = ()
    with_bots: bool = False


def reviewer_page(
    build: Build,
    access: RowAccess,
    selection: ReviewerSelection,
    terms: list[Term],
    extra: Condition,
    limit: int,
    position: Position | None,
) -> Page:
    """One page of the reviewers. A pull request counts once for a reviewer, however often they answered."""
    wanted = _condition(selection)
    people = "count(distinct pull_request_id) filter (not is_bot)"
    counted = (
        "select coalesce(developer_id, concat('login ', lower(reviewer))) as reviewer_key, developer_id, "
        "max(developer_name) as developer_name, min(reviewer) as login, bool_or(is_bot) as is_bot, "
        "count(distinct pull_request_id) as pull_requests, "
        "sum(answers)::bigint as answers, sum(approvals)::bigint as approvals, "
        "sum(change_requests)::bigint as change_requests, sum(reviews)::bigint as reviews, "
        "sum(comments)::bigint as comments, round(median(response_hours_micro))::bigint as response_hours_micro, "
        f"{people} as of_people from {access.table(build, 'reviews')} where {wanted.sql} group by 1, 2"
    )
    return page(
        build,
        source=Condition(
            f"select *, coalesce(of_people / nullif(sum(of_people) over (), 0), 0) as load_share from ({counted})",
            wanted.parameters,
        ),
        shown=COLUMNS.values(),
        condition=extra,
        terms=terms,
        limit=limit,
        position=position,
    )


def _condition(selection: ReviewerSelection) -> Condition:
    return both(
        days("reviewed_on", selection.days.first, selection.days.last),
        one_of("repository_id", selection.repositories)
        if selection.repositories
        else Condition("not is_sandbox"),
        one_of("team_id", selection.teams) if selection.teams else TRUE,
        TRUE if selection.with_bots else Condition("not is_bot"),
    )
