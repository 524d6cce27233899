"""Shapes of issues, and of the chain of a commit."""

from datetime import date, datetime
from typing import Annotated, Literal

from pydantic import Field

from api.query.fields import NOT_STORED, EnumName, Id, Micro, Stored
from api.read.ai_usage.shapes import CONFIDENCE_OF_COST, COST_OF_COMMITS
from api.shapes import Shape

StatusCategory = Literal["TODO", "DOING", "DONE", "CANCELED"]
CATEGORY_OF_STATUS = "The tracker's status in one of four categories."
OF_VISIBLE_WORK = "For a team lead: of the work written in the teams that they lead."


class Issue(Shape):
    """An issue of a tracker, with the work of its commits."""

    id: Annotated[Id, Stored("issue_id")] = Field(examples=["a5b9f6de-7d61-5f0c-8f6e-54f1c7a2f0b3"])
    connection_id: Id = Field(description="Id of the connection to the tracker.")
    connection_name: str | None
    connection_kind: EnumName | None = Field(description="The kind of tracker.", examples=["JIRA_CLOUD"])
    key: str | None = Field(description="The key as people write it.", examples=["PAY-45"])
    repository_id: Id | None = Field(description="The repository in which `#number` names it.")
    number: int | None = Field(description="The number within the repository or project.")
    type_name: str | None = Field(description="The type as the tracker shows it.", examples=["Bug"])
    is_bug: bool = Field(description="true: the type, or without a type a label, says that it is a bug.")
    title: str = Field(examples=["Refunds fail for cards of 2019"])
    status: str | None = Field(description="The status as the tracker shows it.", examples=["Done"])
    status_category: StatusCategory = Field(description=CATEGORY_OF_STATUS)
    resolution: str | None = Field(description="Why it was closed.", examples=["Fixed"])
    parent_id: Id | None = Field(description="Id of the issue or objective above; null at the top.")
    sub_objective_id: Id | None = Field(description="Id of the sub-objective above.")
    objective_id: Id | None = Field(description="Id of the objective above; null: the issue reaches none.")
    tracker_team_key: str | None = Field(
        description="The team, project or space in the tracker.", examples=["PAY"]
    )
    tracker_team_name: str | None
    team_id: Id | None = Field(
        description="The team to which the tracker's team is mapped; null without one."
    )
    assignee: str | None = Field(
        description="Login or id in the tracker. With a minimum group size, this field and the next two are null."
    )
    assignee_name: str | None
    creator: str | None = Field(description="Login or id of the creator in the tracker.")
    created_at: datetime | None
    updated_at: datetime | None = Field(description="The last change in the tracker.")
    started_at: datetime | None = Field(description="The first start of work that the tracker names.")
    completed_at: datetime | None = Field(description="Null while open.")
    start_date: Annotated[date, Stored("start_on")] | None = Field(description="The planned first day.")
    target_date: Annotated[date, Stored("target_on")] | None = Field(
        description="The day on which it is due."
    )
    estimate: float | None = Field(description="Points, or the tracker's own estimate.")
    labels: list[str]
    url: str | None = Field(description="The page in the tracker.")
    etv: Micro | None = Field(
        description="ETV of its commits. Issues of one commit share its ETV equally. Bots and sandboxes are left out. "
        f"{OF_VISIBLE_WORK} With a minimum group size, figures of issues are null."
    )
    ai_cost: Micro | None = COST_OF_COMMITS
    ai_cost_confidence: Micro | None = CONFIDENCE_OF_COST
    commits: int | None = Field(
        description=f"Counted commits that belong to it; excluded ones are left out. {OF_VISIBLE_WORK}"
    )
    first_delivered_on: date | None = Field(description="Day of the first of these commits.")
    last_delivered_on: date | None = Field(description="Day of the last of these commits.")
    calculation_version: str


class ChainItem(Shape):
    """An item above an issue."""

    id: str
    level: Literal["OBJECTIVE", "SUB_OBJECTIVE", "ISSUE"] = Field(description="The level of the item.")
    key: str | None
    title: str
    type_name: str | None
    status: str | None
    status_category: StatusCategory = Field(description=CATEGORY_OF_STATUS)
    target_date: date | None
    url: str | None


class IssueCommit(Shape):
    """A commit that belongs to an issue."""

    commit_id: str
    commit_sha: str
    repository_id: str
    repository_name: str = Field(examples=["acme/web"])
    developer_id: str | None
    developer_name: str | None
    subject: str
    delivered_at: datetime | None = Field(description="Null: not delivered.")
    is_counted: bool = Field(description="true: the commit counts in totals.")
    found_in: EnumName = Field(
        description="Where the link was found: MESSAGE, TRAILER, CODE, PULL_REQUEST or BRANCH.",
        examples=["MESSAGE"],
    )
    issue_count: int = Field(description="Items of the commit, which share its ETV equally.")
    etv: float = Field(description="The issue's share of the commit's ETV.")


class CommitIssue(Shape):
    """An item of a tracker to which a commit belongs, and the chain above it.

    Fields about items of other teams are null for a team lead.
    """

    item_id: Id = Field(description="Id of the issue, or of an objective that the commit names itself.")
    level: Literal["ISSUE", "SUB_OBJECTIVE", "OBJECTIVE"] = Field(description="The level of the item.")
    key: Annotated[str, Stored("item_key")] | None = Field(examples=["PAY-45"])
    title: Annotated[str, Stored("item_title")] | None = Field(examples=["Refunds fail for cards of 2019"])
    type_name: Annotated[str, Stored("item_type_name")] | None = Field(examples=["Bug"])
    status_category: Annotated[StatusCategory, Stored("item_status_category")] | None = Field(
        description=CATEGORY_OF_STATUS
    )
    url: Annotated[str, Stored("item_url")] | None = Field(description="The page in the tracker.")
    found_in: EnumName = Field(
        description="Where the link was found: MESSAGE, TRAILER, CODE, PULL_REQUEST (an issue that the pull request "
        "links) or BRANCH.",
        examples=["MESSAGE"],
    )
    place: int = Field(
        description="The number of the item in the commit, from 1. Items that reach an objective come first."
    )
    issue_count: int = Field(description="Items of the commit, which share its ETV equally.")
    etv: Micro = Field(description="The item's share of the commit's ETV.")
    sub_objective_id: Id | None = Field(description="Null: no sub-objective is in the chain.")
    sub_objective_title: str | None
    objective_id: Id | None = Field(description="Null: the chain reaches no objective.")
    objective_title: str | None


class StatusChange(Shape):
    """A change of an issue's status."""

    at: datetime
    before: str | None = Field(description="The status before, as the tracker shows it.", examples=["Todo"])
    after: str | None = Field(description="The status from then on.", examples=["In Progress"])
    after_category: StatusCategory | None = Field(description=CATEGORY_OF_STATUS)
    actor: str | None = Field(
        description="Login or id in the tracker of the person who changed it. Null with a minimum group size."
    )


class ExplainedIssue(Issue):
    """An issue with its status history, the chain up to its objective, and its commits."""

    status_history: Annotated[list[StatusChange], NOT_STORED] = Field(
        description="Changes of the status that the tracker names, oldest first."
    )

    chain: Annotated[list[ChainItem], NOT_STORED] = Field(
        description="The items above the issue, nearest first: issues, then the sub-objective, then the objective. A "
        "team lead sees it up to the first item of another team."
    )
    linked_commits: Annotated[list[IssueCommit], NOT_STORED] = Field(
        description="The commits of the issue, newest delivery first, at most a hundred. `…/commits?issue=` lists all. "
        "Empty in an organization that hides individual figures."
    )
    linked_commit_count: Annotated[int, NOT_STORED] | None = Field(
        description="The number of all these commits, excluded ones and others without ETV included. Null "
        "in an organization that "
        "hides individual figures."
    )
