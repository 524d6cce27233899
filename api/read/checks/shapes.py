"""Shapes of occurrences of checks: in lists, and one with its history."""

from datetime import date, datetime
from typing import Annotated, Literal

from pydantic import Field

from api.query.fields import NOT_STORED, EnumName, Id, Micro, Stored
from api.shapes import Shape

StatusName = Literal["OPEN", "SNOOZED", "RESOLVED"]


class CheckOccurrence(Shape):
    """A thing that needs or needed a hand: what a kind of check found about it."""

    id: Annotated[Id, Stored("occurrence_id")]
    kind: EnumName = Field(
        description="Kind of check; `…/checkKinds` explains it.", examples=["OPEN_TOO_LONG"]
    )
    status: StatusName = Field(
        description="OPEN: somebody should act. SNOOZED: hidden until `snoozedUntil`. RESOLVED: by a person, or "
        "because the data no longer shows it (`endedAt`)."
    )
    severity: Literal["WARNING", "CRITICAL"] = Field(
        description="CRITICAL: the value reached the critical threshold."
    )
    subject_type: EnumName = Field(
        description="PULL_REQUEST, COMMIT, ISSUE, OBJECTIVE, REPOSITORY, DEVELOPER, TEAM, FILE, BRANCH, "
        "CONNECTION, AI_TOOL or AI_SEAT.",
        examples=["PULL_REQUEST"],
    )
    subject_id: Id = Field(description="Id of the thing in its own list.")
    subject_title: str | None = Field(
        description="Its title, name or first line; null if unknown.",
        examples=["Keep page tokens over a republish"],
    )
    subject_reference: str | None = Field(
        description="Its number, key or first digits of the hash; null without one.", examples=["#417"]
    )
    url: str | None = Field(
        description="Its page at the provider; null if unknown.",
        examples=["https://git.example/acme/web/pulls/417"],
    )
    repository_id: Id | None = Field(description="Repository of the thing; null without one.")
    repository_name: str | None = Field(description="Its name; null without one.", examples=["acme/web"])
    developer_id: Id | None = Field(description="The person whose work it is; null if unknown.")
    developer_name: str | None = Field(
        description="Display name; null if unknown.", examples=["Ada Lovelace"]
    )
    team_id: Id | None = Field(
        description="Team of this person when it was opened, or of the tracker of an issue; null without one."
    )
    value: Annotated[Micro | None, Stored("measured_micro")] = Field(
        description="Measured value in the unit of the kind: of one that a person resolved, when they did; else at "
        "the end, or at the build. Null where the kind measures nothing, and where an earlier release kept no value of "
        "the decision.",
        examples=[51.5],
    )
    threshold: Micro | None = Field(
        description="The threshold that the value reached, in the same unit; null for a kind without one.",
        examples=[24.0],
    )
    opened_at: datetime = Field(description="The instant at which the value last reached the threshold.")
    first_opened_at: datetime = Field(description="The instant at which it first did.")
    ended_at: datetime | None = Field(
        description="The instant from which the data no longer shows it; null while it does."
    )
    ended_by: EnumName | None = Field(
        description="What ended it, such as REVIEWED, MERGED, CLOSED, DRAFT or AGED; null while it lasts.",
        examples=["REVIEWED"],
    )
    episode_count: int = Field(
        description="How often it was opened. What comes back within three days counts once."
    )
    snoozed_until: date | None = Field(
        description="First day on which a snoozed one is open again; else null."
    )
    note: str | None = Field(description="Why a person resolved it; else null.")
    decided_by: str | None = Field(
        description="The account or API key that snoozed or resolved it; null without a decision that applies.",
        examples=["ada@example.org"],
    )
    decided_at: datetime | None = Field(description="When; null without such a decision.")


class BacktestedOccurrence(Shape):
    """A time in which a thing would have been an occurrence."""

    id: Annotated[Id, Stored("occurrence_id")]
    severity: Literal["WARNING", "CRITICAL"] = Field(
        description="CRITICAL: the value reached the critical threshold."
    )
    subject_type: EnumName = Field(
        description="PULL_REQUEST, COMMIT, ISSUE, OBJECTIVE, REPOSITORY, DEVELOPER, TEAM, FILE, BRANCH, "
        "CONNECTION, AI_TOOL or AI_SEAT.",
        examples=["PULL_REQUEST"],
    )
    subject_id: Id = Field(description="Id of the thing in its own list.")
    subject_title: str | None = Field(
        description="Its title, name or first line; null if unknown.",
        examples=["Keep page tokens over a republish"],
    )
    subject_reference: str | None = Field(
        description="Its number, key or first digits of the hash; null without one.", examples=["#417"]
    )
    url: str | None = Field(
        description="Its page at the provider; null if unknown.",
        examples=["https://git.example/acme/web/pulls/417"],
    )
    repository_id: Id | None = Field(description="Repository of the thing; null without one.")
    repository_name: str | None = Field(description="Its name; null without one.", examples=["acme/web"])
    developer_id: Id | None = Field(description="The person whose work it is; null if unknown.")
    developer_name: str | None = Field(
        description="Display name; null if unknown.", examples=["Ada Lovelace"]
    )
    team_id: Id | None = Field(description="Team of this person when it was opened; null without one.")
    value: Annotated[Micro | None, Stored("measured_micro")] = Field(
        description="Measured value in the unit of the kind, at the end or at the build; null where the kind measures "
        "nothing.",
        examples=[51.5],
    )
    threshold: Micro | None = Field(
        description="The threshold that the value reached, in the same unit; null for a kind without one.",
        examples=[24.0],
    )
    opened_at: datetime = Field(description="The instant at which the value last reached the threshold.")
    ended_at: datetime | None = Field(
        description="The instant from which the data no longer shows it; null while it does."
    )
    ended_by: EnumName | None = Field(
        description="What ended it, such as REVIEWED, MERGED, CLOSED, DRAFT or AGED; null while it lasts.",
        examples=["REVIEWED"],
    )


class BacktestedWeek(Shape):
    """The occurrences that would have opened in a week."""

    week_start: date = Field(description="Monday of the week, in the organization's time zone.")
    occurrences: int = Field(description="How many would have opened.")
    critical: int = Field(description="The critical ones among them.")


class Backtest(Shape):
    """What a kind of check would have found with proposed settings."""

    start_date: date = Field(description="First day, in the organization's time zone.")
    end_date: date = Field(description="Last day, included.")
    threshold: float | None = Field(
        description="The threshold of the proposal; null: the kind measures nothing."
    )
    critical_threshold: float | None = Field(description="Its critical threshold; null: none.")
    threshold_multiple: float | None = Field(
        description="The threshold of the proposal as a multiple of the median; null: `threshold` applies."
    )
    critical_multiple: float | None = Field(description="Its critical threshold as a multiple; null: none.")
    occurrences: int = Field(description="How many occurrences would have opened on these days.")
    critical: int = Field(description="The critical ones among them.")
    open: int = Field(description="Those among them that the data still shows.")
    own_median: float | None = Field(
        description="Median of what was measured in the 12 weeks before that of the build, occurrence or not; "
        "null for fewer than ten values, or where the kind measures nothing or looks for small values."
    )
    suggested_threshold: float | None = Field(description="1.5 times this median; null without it.")
    suggested_critical: float | None = Field(description="Twice this median; null without it.")
    weeks: list[BacktestedWeek] = Field(description="The weeks in which one would have opened.")
    check_occurrences: list[BacktestedOccurrence] = Field(
        description="The occurrences, the last opened first; at most 200."
    )


class CheckEpisode(Shape):
    """A time in which the data showed an occurrence."""

    number: int = Field(description="Number of the episode of this thing, from 1.")
    opened_at: datetime = Field(description="The instant at which the value reached the threshold.")
    ended_at: datetime | None = Field(
        description="The instant from which the data no longer showed it; null while it lasts."
    )
    ended_by: EnumName | None = Field(description="What ended it; null while it lasts.", examples=["MERGED"])
    value: Annotated[Micro | None, Stored("measured_micro")] = Field(
        description="Measured value in the unit of the kind, at the end or at the build; null where it measures "
        "nothing. The decision of a person does not stop it: `value` of the occurrence is the one when it was resolved."
    )
    threshold: Micro | None = Field(description="The threshold that it reached; null for a kind without one.")


class CheckDecision(Shape):
    """What a person decided about an occurrence."""

    action: Literal["SNOOZED", "RESOLVED", "REOPENED"] = Field(
        description="REOPENED takes back a snooze or a resolution."
    )
    until_date: Annotated[date | None, Stored("until_on")] = Field(
        description="First day after a snooze; else null."
    )
    note: str | None = Field(description="Why it was resolved; null for other decisions.")
    decided_by: str = Field(description="The account or API key that decided.", examples=["ada@example.org"])
    decided_at: datetime = Field(description="The time of the decision.")


class ExplainedOccurrence(CheckOccurrence):
    """An occurrence with its history."""

    episodes: Annotated[list[CheckEpisode], NOT_STORED] = Field(
        description="The times at which the data showed it, oldest first."
    )
    decisions: Annotated[list[CheckDecision], NOT_STORED] = Field(
        description="The decisions of people, oldest first."
    )


class OccurrenceGroup(Shape):
    """The occurrences of a group by status."""

    key: str | None = Field(
        description="Kind, or id of the repository, team or developer; null: without one."
    )
    name: str | None = Field(description="Name of the repository, team or developer; of a kind its label.")
    open: int = Field(description="Open occurrences.")
    critical: int = Field(description="The critical ones among them.")
    snoozed: int = Field(description="Those that somebody put off to a later day.")
    resolved: int = Field(description="Those that a person resolved or that the data no longer shows.")
