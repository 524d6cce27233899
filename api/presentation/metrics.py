"""The definition of every metric of work. Lists, series, the report, documentation and tests use it.

A formula works on sums of measures. A metric therefore means the same per day, developer or organization, and a ratio
is always a ratio of sums. Measures are summed from daily figures, or from periods that sum these already; those of
usage of AI tools from days of usage, and null without a day of usage. The caller (figures/figures.py) leaves out bots
and sandboxes.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from string import Formatter
from typing import Any

from api.control.categories import CATEGORIES
from api.presentation.usage_measures import USAGE
from api.query.columns import Kind, camel

MICRO = 1_000_000


@dataclass(frozen=True, slots=True)
class Metric:
    """A figure over some set of daily rows. Performance alone has no formula: it comes from its own relation."""

    name: str
    label: str
    unit: str
    description: str
    kind: Kind
    # SQL over the sums of measures, which it names in braces.
    formula: str | None
    nullable: bool = False
    # Organizations may leave this metric out of their tables.
    is_ai: bool = False
    # A metric of one category: null where a split by category would reveal the work of too few people.
    is_split: bool = False

    @property
    def measures(self) -> list[str]:
        """The measures of the formula."""
        return [name for _, name, _, _ in Formatter().parse(self.formula or "") if name]

    @property
    def needs_usage(self) -> bool:
        """Whether usage of AI tools changes the metric."""
        return not USAGE.keys().isdisjoint(self.measures)

    @property
    def is_of_usage(self) -> bool:
        """Whether it is null without usage, whatever commits show."""
        return self.needs_usage and "ai_commits" not in self.measures

    @property
    def expression(self) -> str | None:
        """SQL over daily rows, which know of no usage of AI tools."""
        return self.formula and self.formula.format(
            **{name: "null::bigint" if name in USAGE else summed(name) for name in self.measures}
        )

    @property
    def of_sums(self) -> str | None:
        """SQL over a row that has the sum of each measure under its name."""
        return self.formula and self.formula.format(**{name: name for name in self.measures})

    def value(self, stored: Any) -> Any:
        """The figure of a result of the formula, which is in millionths where `kind` says so."""
        return stored / MICRO if self.kind is Kind.MICRO and stored is not None else stored

    @property
    def field(self) -> str:
        """The name of the metric in JSON."""
        return camel(self.name)


def summed(measure: str) -> str:
    """SQL of the sum of a measure over rows of days."""
    category = measure.removesuffix("_etv_micro")
    if category in CATEGORIES:
        return f"coalesce(sum(etv_micro) filter (where category = '{category}'), 0)::bigint"
    return f"coalesce(sum({measure}), 0)::bigint"


# Signs in commits, or usage.
_IS_AI_USED = (
    "({ai_etv_micro} > 0 or {ai_commits} > 0 or coalesce({usage_days}, {usage_cost_nano}) is not null)"
)

_DECLARED = (
    Metric(
        "etv",
        "ETV",
        "ETV",
        "Delivered Engineering Throughput Value. One ETV is about an hour of focused work by an "
        "experienced engineer who knows the repository. The ETV of a single change is accurate to "
        "about a factor of two; sums are more accurate.",
        Kind.MICRO,
        "{etv_micro}",
    ),
    *(
        Metric(
            f"{category}_etv",
            f"{category.capitalize()} ETV",
            "ETV",
            f"ETV of file changes of the category {category}. With a minimum group size, null when the split by "
            "category would reveal the work of fewer people.",
            Kind.MICRO,
            f"{{{category}_etv_micro}}",
            is_split=True,
        )
        for category in CATEGORIES
    ),
    Metric(
        "performance",
        "Performance",
        "0–100",
        "ETV per employed developer-week, compared with the organization's average over the 52 "
        "complete weeks before the range. 50 is the average. Null without ETV, or when the "
        "organization has fewer than 26 developer-weeks to compare with.",
        Kind.NUMBER,
        None,
        nullable=True,
    ),
    Metric(
        "ai_share_at_least",
        "AI share (at least)",
        "fraction 0–1",
        "ETV of commits with evidence of AI assistance ÷ ETV. A lower bound, because developers "
        "can switch off the marks that AI tools leave. Null without any evidence of AI "
        "assistance and without usage of AI tools.",
        Kind.NUMBER,
        f"case when {_IS_AI_USED} then {{ai_etv_micro}} / nullif({{etv_micro}}, 0) end",
        nullable=True,
        is_ai=True,
    ),
    Metric(
        "roadmap_alignment",
        "Roadmap alignment",
        "fraction 0–1",
        "ETV whose issues reach an objective of a tracker ÷ ETV. Issues of one commit share its ETV equally. 0 for "
        "output without any objective, null without output.",
        Kind.NUMBER,
        "{roadmap_etv_micro} / nullif({etv_micro}, 0)",
        nullable=True,
    ),
    Metric(
        "issue_alignment",
        "Issue alignment",
        "fraction 0–1",
        "ETV of commits that belong to an issue of a tracker ÷ ETV. 0 for output without any issue, null without "
        "output.",
        Kind.NUMBER,
        "{aligned_etv_micro} / nullif({etv_micro}, 0)",
        nullable=True,
    ),
    Metric(
        "unaligned_etv",
        "Unaligned ETV",
        "ETV",
        "ETV of commits that belong to no issue of a tracker.",
        Kind.MICRO,
        "{etv_micro} - {aligned_etv_micro}",
    ),
    Metric(
        "commits",
        "Commits",
        "commits",
        "Counted commits delivered; excluded ones are left out.",
        Kind.INTEGER,
        "{commits}",
    ),
    Metric(
        "ai_commits",
        "AI-assisted commits",
        "commits",
        "Counted commits with evidence of AI assistance; excluded ones are left out. Null without any such commit and "
        "without usage of AI tools.",
        Kind.INTEGER,
        f"case when {_IS_AI_USED} then {{ai_commits}} end",
        nullable=True,
        is_ai=True,
    ),
    Metric(
        "ai_cost",
        "AI spend",
        "US dollars",
        "Counted cost of AI tools that known developers used, in US dollars. Amounts of other currencies and of "
        "unknown actors are only in …/aiSpend. Days are those of the usage (UTC). Of a repository: "
        "cost that is linked to its commits; what reaches none is in …/aiSpend/work. Null without usage that has a "
        "price or an amount.",
        Kind.MICRO,
        # Measures have billionths.
        "round({usage_cost_nano} / 1000)::bigint",
        nullable=True,
        is_ai=True,
    ),
    Metric(
        "ai_cost_per_etv",
        "AI spend / total ETV",
        "US dollars per ETV",
        "AI spend ÷ total ETV: that of all work of the same people (or repository) and days, with AI or without. Null "
        "without AI spend and without ETV.",
        Kind.NUMBER,
        "case when {etv_micro} > 0 then {usage_cost_nano} / 1000.0 / {etv_micro} end",
        nullable=True,
        is_ai=True,
    ),
    Metric(
        "ai_tokens",
        "AI tokens",
        "tokens",
        "Counted tokens that models of AI tools read and wrote, those of caches included. Null where no usage has "
        "tokens.",
        Kind.INTEGER,
        "{usage_tokens}",
        nullable=True,
        is_ai=True,
    ),
    Metric(
        "ai_active_days",
        "Days with AI tools",
        "developer-days",
        "Days on which a developer used an AI tool, summed over developers. Null without recorded usage.",
        Kind.INTEGER,
        "{usage_days}",
        nullable=True,
        is_ai=True,
    ),
    Metric(
        "ai_sessions",
        "AI sessions",
        "sessions",
        "Sessions of work with AI tools. Null where no tool counts them.",
        Kind.INTEGER,
        "{usage_sessions}",
        nullable=True,
        is_ai=True,
    ),
    *(
        Metric(
            f"ai_lines_{done}",
            f"AI lines {done}",
            "lines",
            f"Lines of code that {which}. Null where no tool counts them.",
            Kind.INTEGER,
            f"{{usage_lines_{done}}}",
            nullable=True,
            is_ai=True,
        )
        for done, which in (
            ("suggested", "AI tools suggested"),
            ("accepted", "people accepted, or AI tools added"),
        )
    ),
    Metric(
        "effort",
        "Effort",
        "hours",
        "Points ÷ 58, in approximate hours. ETV is effort times the factor for fixes of costly bugs.",
        Kind.MICRO,
        "{effort_micro}",
    ),
    Metric(
        "points", "Points", "points", "Sum of the weights of counted lines.", Kind.MICRO, "{points_micro}"
    ),
    Metric("files", "File changes", "file changes", "Counted file changes.", Kind.INTEGER, "{files}"),
    Metric(
        "lines_added",
        "Lines added",
        "lines",
        "Lines added in counted file changes.",
        Kind.INTEGER,
        "{lines_added}",
    ),
    Metric(
        "lines_deleted",
        "Lines deleted",
        "lines",
        "Lines deleted in counted file changes.",
        Kind.INTEGER,
        "{lines_deleted}",
    ),
)

METRICS: dict[str, Metric] = {metric.field: metric for metric in _DECLARED}
# Each measure that a metric needs, and its sum over daily rows. The list of all is `measures` in dbt_project.yml.
MEASURES = {name: summed(name) for metric in _DECLARED for name in metric.measures if name not in USAGE}


def aggregates(chosen: Iterable[Metric] = METRICS.values()) -> str:
    """Select list of the chosen metrics that daily rows give, each under its name."""
    return ", ".join(f"{m.expression} as {m.name}" for m in chosen if m.expression is not None)


def formulas(chosen: Iterable[Metric] = METRICS.values()) -> str:
    """Select list of the chosen metrics over a row of sums, each under its name."""
    return ", ".join(f"{m.of_sums} as {m.name}" for m in chosen if m.of_sums is not None)
