"""Shapes of objectives with their work."""

from datetime import date, datetime
from typing import Annotated, Literal

from pydantic import Field

from api.query.fields import NOT_STORED, EnumName, Id, Micro, Stored
from api.read.ai_usage.shapes import CONFIDENCE_OF_COST, COST_OF_COMMITS
from api.read.alignment.issue_shapes import CATEGORY_OF_STATUS, OF_VISIBLE_WORK, Issue, StatusCategory
from api.shapes import IntervalOfAnswer, Shape

LevelName = Literal["OBJECTIVE", "SUB_OBJECTIVE"]
SUPPRESSED = Field(
    description="The reason why the figures are null: fewer people than the organization's minimum group size did the "
    "work in a month, or a reader could compute the figures of fewer people. Null when the figures are shown.",
    examples=[None],
)
EXAMPLE_ID = "7f1f0f2e-52b0-5d6f-9a34-0c1c1f6a9b11"


class Objective(Shape):
    """An objective or sub-objective of an issue tracker, with the delivered work that reaches it."""

    id: Annotated[Id, Stored("objective_id")] = Field(examples=[EXAMPLE_ID])
    level: LevelName = Field(
        description="The level that the connection gives this kind of item (`…/connections/{id}/levels`)."
    )
    parent_id: Id | None = Field(
        description="Id of the objective or sub-objective above; null at the top.", examples=[None]
    )
    connection_id: Id = Field(description="Id of the connection to the tracker.")
    connection_name: str | None = Field(examples=["Linear"])
    connection_kind: EnumName | None = Field(description="The kind of tracker.", examples=["LINEAR"])
    key: str | None = Field(description="The key as people write it; null without one.", examples=["PAY-7"])
    type_name: str | None = Field(description="The type as the tracker shows it.", examples=["Initiative"])
    title: str = Field(examples=["Payments in ten countries"])
    status: str | None = Field(description="The status as the tracker shows it.", examples=["In Progress"])
    status_category: StatusCategory = Field(description=CATEGORY_OF_STATUS)
    is_overdue: bool = Field(description="true: open, and the target date was before the day of the build.")
    start_date: Annotated[date, Stored("start_on")] | None = Field(description="The planned first day.")
    target_date: Annotated[date, Stored("target_on")] | None = Field(examples=["2026-12-31"])
    created_at: datetime | None
    completed_at: datetime | None = Field(description="Null while open.")
    owner: str | None = Field(description="Login or id of the owner in the tracker.", examples=["ada"])
    owner_name: str | None = Field(examples=["Ada Lovelace"])
    tracker_team_key: str | None = Field(
        description="The team, project or space in the tracker.", examples=["PAY"]
    )
    tracker_team_name: str | None = Field(examples=["Payments"])
    team_id: Id | None = Field(
        description="The team to which the tracker's team is mapped (`…/connections/{id}/teams`); null: the objective "
        "is of the whole organization."
    )
    team_name: str | None
    url: str | None = Field(description="The page in the tracker.")
    sub_objective_count: Annotated[int, Stored("child_count")] = Field(
        description="Objectives and sub-objectives directly below."
    )
    issue_count: int = Field(description="Issues below, at any depth.")
    done_issue_count: int = Field(description="Of these, issues that are done.")
    canceled_issue_count: int = Field(description="Of these, issues that are canceled.")
    progress: float | None = Field(
        ge=0,
        le=1,
        description="Done issues ÷ issues without canceled ones, 0 to 1; null without such issues.",
        examples=[0.4],
    )
    etv: Micro | None = Field(
        description="ETV of all time that reaches the objective, with all below it. Issues of one commit share its ETV "
        f"equally. Bots and sandboxes are left out. {OF_VISIBLE_WORK}",
        examples=[31.25],
    )
    ai_cost: Micro | None = COST_OF_COMMITS
    ai_cost_confidence: Micro | None = CONFIDENCE_OF_COST
    commits: int | None = Field(
        description="Counted commits of all time that reach the objective; excluded ones are left out. "
        f"{OF_VISIBLE_WORK}"
    )
    contributor_count: int | None = Field(description=f"Developers with such commits. {OF_VISIBLE_WORK}")
    first_delivered_on: date | None = Field(description="Day of the first of these commits.")
    last_delivered_on: date | None = Field(description="Day of the last of these commits.")
    suppressed_reason: Literal["MINIMUM_GROUP_SIZE"] | None = SUPPRESSED
    calculation_version: str


class Contributor(Shape):
    """A developer with work that reaches an objective."""

    developer_id: str
    developer_name: str | None = Field(examples=["Ada Lovelace"])
    etv: float = Field(description="ETV of the developer that reaches the objective.")
    commits: int = Field(description="Counted commits of the developer that reach it.")
    first_delivered_on: date = Field(description="Day of the first of these commits.")
    last_delivered_on: date = Field(description="Day of the last of these commits.")


class ObjectivePoint(Shape):
    """The work of one bucket that reaches an objective."""

    start: date = Field(description="First day of the whole bucket.")
    end: date = Field(description="Last day of the whole bucket.")
    label: str = Field(examples=["2026-11"])
    week_number: int | None = Field(description="ISO week number; null for other intervals than WEEK.")
    is_partial: bool = Field(description="true: the range covers only a part of the bucket.")
    is_draft: bool = Field(description="true: the period has not ended.")
    is_suppressed: bool = Field(
        description="true: the figures are null, because fewer people than the minimum group size did the work."
    )
    etv: float | None = Field(description="ETV of the bucket.")
    cumulative_etv: float | None = Field(
        description="ETV from the first day of the range to the end of the bucket; null from the first suppressed "
        "bucket on."
    )
    commits: int | None = Field(description="Counted commits of the bucket.")
    contributor_count: int | None = Field(description="Developers with these commits.")


class EtvOverTime(Shape):
    """The work that reaches an objective, per bucket."""

    interval: IntervalOfAnswer = Field(
        description="The length of the buckets; longer than requested when the range has too many."
    )
    start_date: date | None = Field(
        description="First day, in the organization's time zone; null without any work."
    )
    end_date: date | None = Field(description="Last day, included; null without any work.")
    points: list[ObjectivePoint] = Field(
        description="A point for each bucket of the range, with or without work."
    )


class ExplainedObjective(Objective):
    """An objective with its parts, its issues, its contributors, and its work over time."""

    sub_objectives: Annotated[list[Objective], NOT_STORED] = Field(
        description="The objectives and sub-objectives directly below, by target date, at most a thousand. "
        "`…/objectives?parent=` lists all."
    )
    issues: Annotated[list[Issue], NOT_STORED] = Field(
        description="Issues below at any depth, last change first, at most a hundred. `…/issues?objective=` lists all."
    )
    contributors: Annotated[list[Contributor], NOT_STORED] = Field(
        description="The developers with the most ETV for the objective, at most a hundred. Empty in an organization "
        "that hides individual figures."
    )
    etv_over_time: Annotated[EtvOverTime, NOT_STORED] = Field(
        description="The work over time, for the range and interval of the request."
    )


class TreeObjective(Shape):
    """An objective or sub-objective with its place in the tree."""

    id: Annotated[Id, Stored("objective_id")]
    parent_id: Id | None = Field(description="Id of the objective or sub-objective above; null at the top.")
    level: LevelName = Field(description="The level of the item.")
    key: str | None
    title: str
    status_category: StatusCategory = Field(description=CATEGORY_OF_STATUS)
    is_overdue: bool = Field(description="true: open, and the target date was before the day of the build.")
    target_date: Annotated[date, Stored("target_on")] | None
