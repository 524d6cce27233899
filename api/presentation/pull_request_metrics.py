"""The definition of every metric of pull requests, over rows of merged ones (`merged_pull_requests`)."""

from api.presentation.metrics import Metric
from api.query.columns import Kind

MERGED = "count(*)"
REVIEWED = "count(*) filter (is_reviewed)"
AI_ASSISTED = "count(*) filter (is_ai_assisted)"


def _duration(name: str, label: str, span: str) -> list[Metric]:
    """The typical time by the calendar, and in working hours."""
    return [
        Metric(
            f"{name}_{kind}",
            f"{label} ({words})",
            words,
            f"Median of the {words} {span}. Null without such a pull request.",
            Kind.MICRO,
            f"round(median({name}_{kind}_micro))::bigint",
            nullable=True,
        )
        for kind, words in (("hours", "hours"), ("working_hours", "working hours"))
    ]


_OF_PULL_REQUESTS = (
    Metric(
        "merged_pull_requests",
        "Throughput",
        "pull requests",
        "Pull requests merged.",
        Kind.INTEGER,
        MERGED,
    ),
    *_duration("cycle", "Cycle time", "from the first commit, or the creation if earlier, to the merge"),
    *_duration("pickup", "Time to first review", "from ready to the first review by a person"),
    *_duration("review", "Review time", "from the first review to the approval"),
    *_duration("approval", "Time to approval", "from ready to the approval"),
    *_duration("merge", "Approval to merge", "from the approval to the merge"),
    Metric(
        "pull_request_etv",
        "Size",
        "ETV",
        "Median of the ETV of the delivered commits of a pull request. Pull requests into other branches, of which "
        "nothing was delivered, have no size.",
        Kind.MICRO,
        "round(median(etv_micro))::bigint",
        nullable=True,
    ),
    Metric(
        "reviewed_share",
        "Reviewed share",
        "fraction 0–1",
        "Pull requests that a person other than the author answered ÷ all.",
        Kind.NUMBER,
        f"{REVIEWED} / nullif({MERGED}, 0)",
        nullable=True,
    ),
    Metric(
        "rework_share",
        "Rework after review",
        "fraction 0–1",
        "Mean of the shares of source commits that were written after the first review, over reviewed pull requests.",
        Kind.NUMBER,
        "avg(rework_share_micro) / 1e6",
        nullable=True,
    ),
    Metric(
        "ai_pull_request_share_at_least",
        "AI-assisted pull requests (at least)",
        "fraction 0–1",
        "Pull requests with evidence of AI assistance ÷ all. A lower bound, because developers can switch off the "
        "marks that AI tools leave. Null without any evidence.",
        Kind.NUMBER,
        f"nullif({AI_ASSISTED}, 0) / nullif({MERGED}, 0)",
        nullable=True,
        is_ai=True,
    ),
)
PULL_REQUEST_METRICS: dict[str, Metric] = {metric.field: metric for metric in _OF_PULL_REQUESTS}

# The counts behind the shares, for tables that show both numbers.
REVIEWED_PULL_REQUESTS = Metric(
    "reviewed_pull_requests",
    "Reviewed",
    "pull requests",
    "Pull requests that a person other than the author answered.",
    Kind.INTEGER,
    REVIEWED,
)
AI_PULL_REQUESTS = Metric(
    "ai_pull_requests",
    "AI-assisted",
    "pull requests",
    "Pull requests with evidence of AI assistance.",
    Kind.INTEGER,
    AI_ASSISTED,
    is_ai=True,
)
