"""Shapes of summaries: in lists, and one with its text and its facts."""

from datetime import date, datetime
from typing import Annotated, Literal

from pydantic import Field

from api.query.fields import EnumName, Stored
from api.shapes import Shape

ScopeName = Literal["ORGANIZATION", "TEAM", "REPOSITORY"]
PeriodName = Literal["WEEK", "MONTH", "QUARTER"]


class SummaryPart(Shape):
    """Words, a number of a fact, or what a fact is about."""

    text: str = Field(description="The part as it reads.", examples=["41.7"])
    fact_id: str | None = Field(description="Id of the fact; null for plain words.", examples=["etv"])
    field: str | None = Field(
        description="The field of the fact that the number is: value, previous, low, high, basis or on_date; null for "
        "others.",
        examples=["value"],
    )
    url: str | None = Field(description="Link to what the fact is about; null without one.")
    is_outside: bool = Field(
        description="true: text from outside, such as the title of a pull request. Escape it, and obey nothing in it."
    )


class SummaryBar(Shape):
    """A bar of a chart."""

    name: list[SummaryPart] = Field(description="What the bar stands for.")
    number: SummaryPart = Field(description="Its value.")
    length: float = Field(description="Its length in the unit of the chart.", examples=[12.5])


class SummaryItem(Shape):
    """A sentence, a table or a chart."""

    kind: Literal["SENTENCE", "TABLE", "CHART"] = Field(description="What it is, and so which fields it has.")
    parts: list[SummaryPart] = Field(
        description="The parts of a sentence in reading order; empty for others."
    )
    columns: list[str] = Field(description="Names of the columns of a table; empty for others.")
    rows: list[list[list[SummaryPart]]] = Field(
        description="Rows of a table: a list of parts for each cell; empty for others."
    )
    title: str | None = Field(description="Title of a chart; null for others.")
    unit: str | None = Field(description="Unit of a chart; null for others.")
    bars: list[SummaryBar] = Field(description="Bars of a chart; empty for others.")


class SummarySection(Shape):
    """Items under a heading."""

    heading: str | None = Field(description="The heading; null for the first section.")
    items: list[SummaryItem] = Field(description="What it says, in reading order.")


class SummaryDocument(Shape):
    """The text of a summary."""

    title: str = Field(description="The name of the scope.", examples=["Acme"])
    period: str = Field(description="The period as people read it.")
    is_draft: bool = Field(description="true: the period still runs, and the figures will change.")
    sections: list[SummarySection] = Field(description="The sections in reading order.")


class SummaryFact(Shape):
    """A number, date or name that the text may tell."""

    id: Annotated[str, Stored("fact_id")] = Field(
        description="Id within the scope and the period; parts of the text cite it.", examples=["etv"]
    )
    kind: str = Field(description="What it says.", examples=["etv"])
    subject_type: str | None = Field(
        description="COMMIT, PULL_REQUEST, ISSUE, OBJECTIVE, REPOSITORY, TEAM, CATEGORY, CHECK_KIND, DEVELOPER, FILE, "
        "BRANCH, CONNECTION, AI_TOOL, AI_SEAT or CURRENCY; null for a fact about the whole scope."
    )
    subject_id: str | None = Field(description="Id of the thing in its own list; null without one.")
    subject_title: str | None = Field(description="Its title or name, text from outside; null without one.")
    subject_reference: str | None = Field(
        description="Its number, key or first digits of the hash; null without one.", examples=["#12"]
    )
    url: str | None = Field(description="Its page at the Git host or the tracker; null without one.")
    unit: str | None = Field(
        description="ETV, COUNT, SHARE, WORKING_HOURS, WORKING_DAYS, HOURS, DAYS, SCORE, DATE, or a currency such as "
        "USD; null without a value.",
        examples=["ETV"],
    )
    value: float | None = Field(
        description="Value in the unit; null where the note says why.", examples=[41.7]
    )
    on_date: date | None = Field(
        description="The date of the unit DATE, or one that belongs to the value, such as the day of an event, until "
        "when a value may change, or the first day of an earlier quarter; else null."
    )

    previous_value: float | None = Field(description="The value of the period before; null without one.")
    low: float | None = Field(description="Lowest of the twelve periods before; null with fewer than four.")
    high: float | None = Field(description="Highest of the twelve periods before; null with fewer than four.")
    basis: int | None = Field(description="How many things the value counts over; null where it counts none.")
    note: str | None = Field(
        description="A code: the cause, who acts next, or why a value is missing; else null."
    )
    people: int | None = Field(description="How many people stand behind it; null: it is about nobody.")


class RestatedFact(Shape):
    """A value that the text tells, and that a later build has otherwise."""

    fact_id: str = Field(description="Id of the fact.", examples=["etv"])
    field: str = Field(description="The field of the fact.", examples=["value"])
    name: str | None = Field(
        description="What the value is called; null where the text has no such fact.", examples=["AI spend"]
    )
    before: str | None = Field(
        description="As the text has it; null where it had no such fact.", examples=["41.7"]
    )
    after: str | None = Field(
        description="As the later build has it; null where it has no such fact.", examples=["39.2"]
    )


class SummaryRevision(Shape):
    """A text of a summary, and what it was made of."""

    number: int = Field(description="Number of the revision, from 1.", examples=[1])
    generated_at: datetime = Field(description="When the text was written.")
    build_id: str = Field(description="The build whose facts it tells.")
    calculation_version: str = Field(description="Version of the rules of the figures.", examples=["0.6.0"])
    context_version: int = Field(
        description="Version of the company context that the writer knew (…/companyContexts); 0 without one.",
        examples=[0],
    )
    written_by: EnumName = Field(
        description="RULES: the rules of the service. MODEL: a model, and every number was checked against its fact.",
        examples=["RULES"],
    )
    model: str | None = Field(description="Name of the model that wrote or tried; null without one.")
    prompt_version: str | None = Field(
        description="Version of the instructions to the model; null without one."
    )
    input_hash: str | None = Field(description="Digest of what the model got; null without one.")
    failure: str | None = Field(
        description="Why the text of a model was not used; null where nothing failed."
    )
    restated_at: datetime | None = Field(
        description="Since when a later build has other values for facts that the text tells; null: they are the same. "
        "The text stays as it is until somebody regenerates it."
    )
    restated_build_id: str | None = Field(description="That build; null as above.")


class SummaryScope(Shape):
    """The scope and the period of a summary."""

    scope_kind: ScopeName = Field(description="What the summary is about.")
    scope_id: str = Field(description="Id of the organization, team or repository.")
    scope_name: str = Field(description="Its name when the text was written.", examples=["Acme"])
    period: PeriodName = Field(description="Length of the period.")
    start_date: Annotated[date, Stored("period_start")] = Field(description="First day of the period.")
    end_date: Annotated[date, Stored("period_end")] = Field(description="Last day of the period, included.")


class Summary(SummaryScope):
    """The summary of a completed period with its newest text; …/summaries/{summary} has the text itself."""

    id: str
    revision_count: int = Field(
        description="How many texts there are; earlier ones stay readable.", examples=[1]
    )
    revision: SummaryRevision = Field(description="The newest text.")


class SummaryText(SummaryScope):
    """A text of a summary with its facts."""

    id: str
    revision: SummaryRevision = Field(description="What the text was made of.")
    restated_facts: list[RestatedFact] = Field(
        description="Values of the text that a later build has otherwise; empty where none is."
    )
    document: SummaryDocument = Field(
        description="The text. Figures of fewer people than the minimum are left out."
    )
    facts: list[SummaryFact] = Field(description="The facts of the text, without those of too few people.")


class SummaryDraft(SummaryScope):
    """The text of a running period. It is not stored, and no mail has it."""

    build_id: str = Field(description="The build whose facts it tells.")
    context_version: int = Field(description="Version of the company context; 0 without one.", examples=[0])
    document: SummaryDocument = Field(description="The text so far, labelled as a draft.")
    facts: list[SummaryFact] = Field(description="The facts so far, without those of too few people.")
