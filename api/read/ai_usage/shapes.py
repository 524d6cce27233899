"""A row of AI spend."""

from datetime import date
from typing import Literal

from pydantic import Field

from api.query.fields import EnumName, Id, Micro
from api.shapes import Shape

COST_OF_COMMITS = Field(
    description="Cost of AI tools that is linked to these commits, in US dollars; issues of one commit share it "
    "equally. A team lead has that of the work of led teams. Null where none is, and with a minimum group size.",
    examples=[3.5],
)
CONFIDENCE_OF_COST = Field(
    description="Mean confidence of these links, weighted by cost, without corrections; null without a positive cost.",
    examples=[0.6],
)


class AiSpendRow(Shape):
    """Usage of AI tools over a range of days, for one value of the grouping. Columns of other groupings are null."""

    tool: str | None = Field(description="The tool; null for another grouping.", examples=["claude_code"])
    model: str | None = Field(
        description="The model, without host, region, day of the version and effort; null for another grouping, and "
        "where none is named.",
        examples=["claude-opus-5"],
    )
    model_names: str | None = Field(
        description="The names that sources give the model, separated by commas; null for another grouping.",
        examples=["claude-opus-5, us.anthropic.claude-opus-5-v1:0"],
    )
    developer_id: Id | None = Field(
        description="The developer; null for another grouping, and for an actor who is no known developer."
    )
    developer_name: str | None = Field(examples=["Grace Hopper"])
    actor: str | None = Field(
        description="An actor who is no known developer, as the source names it; `unattributed` where it names nobody. "
        "Null for a developer.",
        examples=["build-server"],
    )
    team_id: Id | None = Field(
        description="The team of the developer on the day; null for another grouping, and without a team."
    )
    team_name: str | None = Field(examples=["Platform"])
    period_start: date | None = Field(
        description="First day of the week or month; null for another grouping."
    )
    currency: EnumName | None = Field(
        description="Currency of the amounts. Amounts of another currency have a row of their own. Null without any.",
        examples=["USD"],
    )
    cost: Micro | None = Field(
        description="Counted cost, in units of the currency; null where nothing has a price or an amount.",
        examples=[12.5],
    )
    billed_cost: Micro | None = Field(description="The part of the cost that a vendor bills.")
    estimated_cost: Micro | None = Field(
        description="The part of the cost that a vendor or a tool estimates."
    )
    computed_cost: Micro | None = Field(
        description="The part of the cost that is tokens times a dated price."
    )
    not_counted_cost: Micro | None = Field(
        description="Cost of rows that do not count, because a better source has the same tool, person and day."
    )
    unattributed_cost: Micro | None = Field(
        description="The part of the cost that belongs to no known developer. It is in no `costPerEtv`."
    )
    requests: int | None = Field(description="Counted requests; null if unknown.")
    input_tokens: int | None = Field(
        description="Counted tokens that were read from no cache; null if unknown."
    )
    cache_read_tokens: int | None = Field(description="Counted tokens read from a cache; null if unknown.")
    cache_write_tokens: int | None = Field(description="Counted tokens written to a cache; null if unknown.")
    output_tokens: int | None = Field(description="Counted tokens written; null if unknown.")
    unpriced_tokens: int | None = Field(description="Counted tokens without a price.")
    is_capped: bool | None = Field(
        description="true: a number of the usage was larger than 10¹⁸, at which it stands: an error of the source, or "
        "an attack. Null with a minimum group size."
    )
    sessions: int | None = Field(description="Sessions; null if no source counts them.")
    lines_suggested: int | None = Field(description="Lines that tools suggested; null if unknown.")
    lines_accepted: int | None = Field(
        description="Lines that people accepted or tools added; null if unknown."
    )
    commits: int | None = Field(
        description="Commits that tools made, as they count them, excluded ones too; null if unknown."
    )
    active_days: int | None = Field(description="Days with usage.")
    people: int | None = Field(description="Known developers with usage.")
    etv: Micro | None = Field(
        description="Total ETV of the developer, team, week or month in the range, with AI or without; null for a "
        "grouping by tool or model.",
        examples=[41.5],
    )
    cost_per_etv: Micro | None = Field(
        description="Cost of known developers ÷ total ETV (`etv`); null without a cost, without ETV, and for a "
        "grouping by tool or model.",
        examples=[0.31],
    )
    suppressed_reason: Literal["MINIMUM_GROUP_SIZE"] | None = Field(
        description="The reason why all figures are null: fewer people than the organization's minimum group size used "
        "a tool, or a reader could compute the usage of fewer people. With such a minimum, the parts of the cost, "
        "kinds of tokens, days and people are null in every row.",
        examples=[None],
    )


class AiSpendReconciliationRow(Shape):
    """What a tool reports of itself beside the vendor's report. Columns of other groupings are null."""

    tool: str = Field(
        description="The tool; `openai` for Codex and OpenAI's API together.", examples=["claude_code"]
    )
    developer_id: Id | None = Field(
        description="The developer; null for another grouping, and for an actor who is no known developer."
    )
    developer_name: str | None = Field(examples=["Grace Hopper"])
    actor: str | None = Field(
        description="An actor who is no known developer, as a source names it; `unattributed` where nobody is named. "
        "Null for a developer, and for another grouping.",
        examples=["build-server"],
    )
    day: date | None = Field(description="The day (UTC); null for another grouping.")
    vendor_tokens: int = Field(description="Tokens of all kinds that the vendor reports.", examples=[120000])
    telemetry_tokens: int = Field(
        description="Tokens of all kinds that the tool reported itself.", examples=[110000]
    )
    difference_tokens: int = Field(
        description="Tokens that the vendor reports more; negative where telemetry has more.",
        examples=[10000],
    )
    captured_share: Micro | None = Field(
        description="Tokens of telemetry ÷ those of the vendor; null where the vendor reports none.",
        examples=[0.916667],
    )
    vendor_cost: Micro | None = Field(
        description="Tokens of the vendor times the dated prices, in US dollars; null if a part has no price.",
        examples=[1.2],
    )
    telemetry_cost: Micro | None = Field(
        description="Tokens of telemetry times the dated prices, in US dollars; null if a part has no price.",
        examples=[1.1],
    )
    difference_cost: Micro | None = Field(
        description="Cost of the vendor's tokens less that of telemetry; null if either is unknown.",
        examples=[0.1],
    )


class AiSpendWorkRow(Shape):
    """Cost of AI tools by the work for which they were used. Amounts of another currency have a row of their own."""

    id: Id | None = Field(
        description="The commit, pull request, issue, objective or repository; null for a row of cost that reaches "
        "none: one for each `missingLink`."
    )
    name: str | None = Field(
        description="First digits of the commit, repository and number of the pull request, key of the issue, title of "
        "the objective, or name of the repository; null for the row without id.",
        examples=["acme/web#417"],
    )
    title: str | None = Field(
        description="Subject of the commit, title of the issue or objective; null for others.",
        examples=["Refunds fail for cards of 2019"],
    )
    is_linked: bool = Field(description="false: a row of cost that reaches no such thing.")
    missing_link: EnumName | None = Field(
        description="What cost lacks on its way to an objective: NO_COMMIT (no session names a commit, and the person "
        "wrote none soon after), NO_PULL_REQUEST, NO_ISSUE (the commit belongs to no issue), NO_OBJECTIVE (an issue of "
        "the commit has no objective). For rows without id, and for commits; null for others, and for a commit all of "
        "whose issues reach an objective.",
        examples=["NO_ISSUE"],
    )
    currency: EnumName = Field(description="Currency of the amounts.", examples=["USD"])
    cost: Micro = Field(
        description="Counted cost, in units of the currency. Rows of one currency add up to its cost.",
        examples=[12.5],
    )
    certain_cost: Micro = Field(
        description="The part of the cost whose session names the commit.", examples=[4.25]
    )
    confidence: Micro | None = Field(
        description="Mean confidence of the links, weighted by cost: 1 where the session names the commit, .9 where "
        "another session of the person, tool and day does, .6 for commits that the person wrote on the day, .3 for "
        "those of the next day with commits, at most four days later. Null without a link, or a positive cost.",
        examples=[0.72],
    )
    commits: int = Field(
        description="Commits to which the cost is linked, excluded ones among them; of a row without id the commits "
        "whose cost is wholly or partly in it.",
        examples=[3],
    )
    people: int = Field(description="Known developers with cost.", examples=[2])
    etv: Micro | None = Field(
        description="Linked ETV: that of these commits; null for a row without id.", examples=[41.5]
    )
    cost_per_etv: Micro | None = Field(description="Cost ÷ linked ETV; null without ETV.", examples=[0.31])
