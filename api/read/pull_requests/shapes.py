"""Shapes of pull requests: in lists, and explained by the events that started and ended each time."""

from datetime import date, datetime
from typing import Annotated, Any, Literal

from pydantic import Field

from api.query.columns import Kind
from api.query.fields import NOT_STORED, EnumName, Id, Micro, Stored
from api.read.ai_usage.shapes import CONFIDENCE_OF_COST
from api.shapes import Shape

CALENDAR = "Hours by the calendar"
WORKING = "Hours of working days, as the settings of the organization have them,"
NO_TIME = "null without such an end."


def _time(hours: str, span: str, **more: Any) -> Any:
    """The field of a time between two events."""
    return Field(description=f"{hours} {span}; {NO_TIME}", **more)


class PullRequest(Shape):
    """A pull request (merge request). Times that bots and AI reviewers cause do not count as reviews."""

    id: Annotated[Id, Stored("pull_request_id")] = Field(examples=["6f1d1b60-41d5-5b0e-9d0c-6a4f5a0f2a11"])
    repository_id: Id
    repository_name: str = Field(examples=["acme/web"])
    number: int = Field(description="Number within the repository.", examples=[417])
    title: str = Field(examples=["Keep page tokens over a republish"])
    state: Literal["OPEN", "MERGED", "CLOSED"] = Field(
        description="CLOSED: closed, and its work did not come to the default branch. What a queue, an import or a "
        "maintainer who pushed by hand left closed on the host is MERGED."
    )
    is_draft: bool = Field(description="true: not yet ready for review.")
    author: str | None = Field(
        description="Login of the author; null for a deleted account.", examples=["ada"]
    )
    developer_id: Id | None = Field(description="The author; null for an account of no known developer.")
    developer_name: str | None = Field(examples=["Ada Lovelace"])
    is_bot: bool = Field(description="true: the author is an automatic account.")
    created_at: datetime
    created_on: date = Field(description="Day of creation, in the organization's time zone.")
    ready_at: datetime | None = Field(
        description="The instant at which it last became ready for review before the first review; null for a draft."
    )
    waiting_since: datetime | None = Field(
        description="The instant from which an open pull request waits: `readyAt`, of a draft the creation, moved on "
        "by the time for which it was closed since. From here to the build is how long it waits. null for others."
    )
    first_review_at: datetime | None = Field(
        description="The first answer of a person other than the author, before the merge or close. Bots and AI "
        "reviewers are no persons."
    )
    approved_at: datetime | None = Field(
        description="The first approval by a person that was not withdrawn; null without one."
    )
    merged_at: datetime | None
    merged_on: date | None = Field(description="Day of the merge, in the organization's time zone.")
    merged_by: str | None = Field(
        description="Login of the account that merged; null if unknown.", examples=["grace"]
    )
    closed_at: datetime | None = Field(description="Instant of the close, with or without a merge.")
    source_branch: str = Field(description="Name of the source branch; empty if unknown.")
    target_branch: str | None = Field(examples=["main"])
    url: str | None = Field(
        description="Page of the pull request.", examples=["https://git.example/acme/web/pulls/417"]
    )
    labels: list[str]
    requested_reviewers: list[str] = Field(
        description="Logins of the people of whom the host says that a review is requested. A team lead sees those "
        "of the led teams.",
        examples=[["grace"]],
    )
    merged_by_way: EnumName | None = Field(
        description="MERGE, SQUASH, REBASE or FAST_FORWARD; null without a known delivered commit.",
        examples=["SQUASH"],
    )
    source_commit_count: int | None = Field(
        description="Commits of the source branch, as the host counts them, excluded ones included."
    )
    delivered_commit_count: int = Field(
        description="Commits of the default branch that belong to the pull request, excluded ones included."
    )
    lines_added: int | None = Field(description="Added lines, as the host counts them; null if it does not.")
    lines_deleted: int | None = Field(
        description="Deleted lines, as the host counts them; null if it does not."
    )
    comment_count: int | None = Field(description="Comments, as the host counts them; null if it does not.")
    etv: Micro | None = Field(
        examples=[1.25],
        description="The size: ETV of the delivered commits that count. null while none of its commits is on the "
        "default branch: before the merge, and after a merge into another branch.",
    )
    effort: Micro | None = Field(
        description="Effort of these commits, in approximate hours; null without a delivered commit."
    )
    reviewer_count: int = Field(description="People other than the author who answered.")
    review_count: int = Field(
        description="Their approvals, requests for changes and other reviews, without comments."
    )
    commits_after_review: int | None = Field(
        description="Source commits written after the first review, excluded ones included; null without a review."
    )
    rework_share: Micro | None = Field(
        description="Share of the known source commits written after the first review, 0 to 1; null without a "
        "review or without known source commits."
    )
    is_ai_assisted: bool = Field(
        description="true: a commit has evidence of AI assistance, or the pull request itself has."
    )
    ai_basis: EnumName | None = Field(
        description="OWN_SIGNS: its author, branch or text show an AI tool. COMMITS: only its commits do."
    )
    ai_tools: list[str] = Field(description="The AI tools in the evidence.")
    ai_cost: Micro | None = Field(
        description="Cost of AI tools that is linked to its delivered commits, in US dollars, whoever used "
        "them; null where none is. Sessions name them, or use of an author is recorded at that time: a cost needs no "
        "sign of AI. `…/aiSpend/work` has the rest.",
        examples=[1.25],
    )
    ai_cost_confidence: Micro | None = CONFIDENCE_OF_COST
    issue_keys: list[str] = Field(
        description="Keys of issues of connected trackers that the host links or that stand in title, branch or "
        "description.",
        examples=[["WEB-12"]],
    )
    referenced_keys: list[str] = Field(
        description="What the host links, and every word of the form of an issue key in title, branch and description, "
        "as written. No tracker need know it: UTF-8 and CVE-2024 have that form as well.",
        examples=[["WEB-12", "UTF-8"]],
    )
    cycle_hours: Micro | None = _time(
        CALENDAR, "from the first commit, or the creation if earlier, to the merge"
    )
    cycle_working_hours: Micro | None = _time(
        WORKING, "from the first commit, or the creation if earlier, to the merge"
    )
    open_hours: Micro | None = _time(CALENDAR, "from the creation to the merge or close")
    open_working_hours: Micro | None = _time(WORKING, "from the creation to the merge or close")
    pickup_hours: Micro | None = _time(CALENDAR, "from ready to the first review", examples=[3.5])
    pickup_working_hours: Micro | None = _time(WORKING, "from ready to the first review")
    review_hours: Micro | None = _time(CALENDAR, "from the first review to the approval")
    review_working_hours: Micro | None = _time(WORKING, "from the first review to the approval")
    approval_hours: Micro | None = _time(CALENDAR, "from ready to the approval")
    approval_working_hours: Micro | None = _time(WORKING, "from ready to the approval")
    merge_hours: Micro | None = _time(CALENDAR, "from the approval to the merge")
    merge_working_hours: Micro | None = _time(WORKING, "from the approval to the merge")
    calculation_version: str = Field(description="Version of the calculation rules.")


class Phase(Shape):
    """A time of a pull request with the events that started and ended it."""

    measure: Literal["CYCLE", "OPEN", "PICKUP", "REVIEW", "APPROVAL", "MERGE"] = Field(
        description="CYCLE: first commit to merge. OPEN: creation to merge or close. PICKUP: ready to first review. "
        "REVIEW: first review to approval. APPROVAL: ready to approval. MERGE: approval to merge."
    )
    started_by: EnumName = Field(
        description="FIRST_COMMIT, CREATED, READY, FIRST_REVIEW or APPROVED.", examples=["READY"]
    )
    started_at: datetime | None = Field(description="Instant of that event; null if it did not happen.")
    started_by_login: str | None = Field(
        description="Login behind that event; null if unknown, and for people outside of a lead's teams.",
        examples=["ada"],
    )
    ended_by: EnumName | None = Field(
        description="FIRST_REVIEW, APPROVED, MERGED or CLOSED; null without an end.",
        examples=["FIRST_REVIEW"],
    )
    ended_at: datetime | None
    ended_by_login: str | None = Field(
        description="Login behind that event; null if unknown, and for people outside of a lead's teams.",
        examples=["grace"],
    )
    hours: Micro | None = Field(description=f"{CALENDAR}; null without an end.", examples=[3.5])
    working_hours: Micro | None = Field(description=f"{WORKING} null without an end.")
    closed_hours: Micro | None = Field(
        description="Calendar hours between start and end while it was closed, which all others leave out. Of an open "
        "pull request, those until the build; null for a time that has not begun, and for one that can no longer end.",
        examples=[0],
    )
    missing_reason: EnumName | None = Field(
        description="The reason for no time: OPEN, DRAFT, NOT_REVIEWED, NOT_APPROVED or NOT_MERGED.",
        examples=[None],
    )
    running_hours: Annotated[float, NOT_STORED] | None = Field(
        description="Calendar hours from the start to the build without `closedHours`, of a time of an open pull "
        "request that has begun and not ended; else null.",
        examples=[None],
    )


class Review(Shape):
    """Answers of one reviewer on one day."""

    reviewer: str = Field(description="Login of the reviewer.", examples=["grace"])
    developer_id: Id | None = Field(description="The reviewer; null for an account of no known developer.")
    developer_name: str | None = Field(examples=["Grace Hopper"])
    is_bot: bool = Field(description="true: a bot or an AI reviewer. Its answers stop no clock.")
    reviewed_on: date = Field(description="Day of the answers, in the organization's time zone.")
    answers: int = Field(description="All answers of that day.")
    approvals: int = Field(description="Approvals of that day.")
    change_requests: int = Field(description="Requests for changes of that day.")
    reviews: int = Field(description="Reviews without a verdict.")
    comments: int = Field(description="Comments of that day.")
    response_hours: Micro | None = Field(
        description="Calendar hours from ready to the reviewer's first answer, on the day of that answer; else null."
    )


class DeliveredCommit(Shape):
    """A commit of the default branch that belongs to the pull request."""

    id: Annotated[Id, Stored("commit_id")]
    sha: Annotated[str, Stored("commit_sha")]
    how: Annotated[EnumName, NOT_STORED] = Field(
        description="MERGE, SQUASH, REBASE or FAST_FORWARD.", examples=["SQUASH"]
    )
    developer_id: Id | None
    developer_name: str | None = Field(examples=["Ada Lovelace"])
    subject: str
    delivered_at: datetime | None
    is_counted: bool = Field(description="true: the commit counts in totals.")
    is_ai_assisted: bool = Field(description="true: there is evidence that an AI tool wrote or assisted.")
    is_credit_estimated: bool = Field(
        description="true: the people behind the commit are known only from trailers, or from a part of the source "
        "commits."
    )
    etv: Micro = Field(description="ETV of the commit.")


class LinkedIssue(Shape):
    """An issue or objective of a tracker to which the pull request belongs."""

    id: Annotated[Id, Stored("item_id")]
    key: Annotated[str | None, Stored("item_key")] = Field(
        description="Key of the item; null if it has none, and for an item of another team than a lead's.",
        examples=["WEB-12"],
    )
    title: Annotated[str | None, Stored("item_title")]
    type_name: Annotated[str | None, Stored("item_type_name")] = Field(examples=["Bug"])
    status_category: Annotated[EnumName | None, Stored("item_status_category")] = Field(
        description="State of the item: TODO, DOING, DONE or CANCELED.", examples=["DONE"]
    )
    url: Annotated[str | None, Stored("item_url")]
    level: Literal["ISSUE", "SUB_OBJECTIVE", "OBJECTIVE"] = Field(
        description="Level of the item in its tracker."
    )
    found_in: Literal["LINKED", "TITLE", "BRANCH", "COMMIT"] = Field(
        description="Where the link was found first. LINKED: the host or the tracker links both. COMMIT: a delivered "
        "commit names it."
    )
    sub_objective_id: Id | None = Field(
        description="The sub-objective above the issue; null if there is none."
    )
    objective_id: Id | None = Field(description="The objective above the issue; null if there is none.")


class ExplainedPullRequest(PullRequest):
    """A pull request with its times, reviews, delivered commits and issues."""

    phases: Annotated[list[Phase], NOT_STORED] = Field(
        description="Each time with the events that started and ended it, or the reason for no time."
    )
    reviews: Annotated[list[Review], NOT_STORED] = Field(
        description="Answers by reviewer and day, oldest first. A team lead sees those of people in the led teams."
    )
    awaited_reviewers: Annotated[list[str], NOT_STORED] = Field(
        description="Logins of requested reviewers of an open pull request who have not answered since they "
        "were last asked.",
        examples=[["grace"]],
    )
    source_commits: Annotated[list[str], NOT_STORED] = Field(
        description="SHAs of the commits of the source branch, as the host lists them. The delivered ones are in "
        "`commits`."
    )
    commits: Annotated[list[DeliveredCommit], NOT_STORED] = Field(
        description="Delivered commits, oldest first; at most the first thousand. `deliveredCommitCount` counts all."
    )
    issues: Annotated[list[LinkedIssue], NOT_STORED] = Field(
        description="Known issues of the pull request, the strongest link first."
    )


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
