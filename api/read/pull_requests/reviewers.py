"""Reviewers with their load over a range of days."""

from dataclasses import replace

from pydantic import Field

from api.access.row_access import RowAccess
from api.query.columns import Column, Kind
from api.query.conditions import TRUE, Condition, both, days, selected
from api.query.fields import columns_of
from api.query.pages import Page, Position
from api.query.parameters import Filter, FirstDay, Id, LastDay, OrderBy, PageQuery, several
from api.query.periods import chosen_range
from api.read.entities import REPOSITORIES
from api.read.ids import visible_ids, visible_teams
from api.read.lists import Listing
from api.read.organizations import local_date
from api.read.pull_requests.pull_requests import next_step
from api.read.pull_requests.shapes import Reviewer
from api.snapshot.build import Build

REVIEWERS = Listing(
    columns_of(Reviewer), "pullRequests desc", (Column("reviewer_key", Kind.TEXT, "reviewer_key"),)
)


class ReviewerQuery(PageQuery):
    """Parameters of the list of reviewers."""

    start_date: FirstDay = None
    end_date: LastDay = None
    repository: list[Id] = several("Ids of repositories.")
    team: list[Id] = Field(
        [],
        max_length=50,
        description="Ids of teams, each including its sub-teams: answers of people in one of these teams on the day of "
        "the answer.",
    )
    include_bots: bool = Field(False, description="Include bots and AI reviewers.")
    filter: Filter = ""
    order_by: OrderBy = ""


def list_reviewers(build: Build, access: RowAccess, query: ReviewerQuery, position: Position | None) -> Page:
    """A page of the reviewers. A pull request counts once for a reviewer, however often they answered. Default order:
    most pull requests first.

    Raises InvalidArgument, PermissionDenied, and the error of `RowAccess.unknown` for an unknown id.
    """
    access.refuse_closed("reviews")
    asked = chosen_range(query.start_date, query.end_date, local_date(build, access))
    repositories = visible_ids(build, access, REPOSITORIES, query.repository)
    wanted = both(
        days("reviewed_on", asked.first, asked.last),
        selected("repository_id", repositories) if repositories else Condition("not is_sandbox"),
        selected("team_id", visible_teams(build, access, query.team)),
        TRUE if query.include_bots else Condition("not is_bot"),
    )
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
    source = Condition(
        f"select *, coalesce(of_people / nullif(sum(of_people) over (), 0), 0) as load_share from ({counted})",
        wanted.parameters,
    )
    found = REVIEWERS.page(build, query, position, source)
    facts = {"nextStep": next_step(build, access), "startDate": asked.first, "endDate": asked.last}
    return replace(found, after_rows=facts)
