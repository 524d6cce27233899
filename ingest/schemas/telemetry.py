"""Raw tables of `telemetry`: what AI coding tools report of themselves over OpenTelemetry.

The organization is the only source (`repository_id=_`). Tables only gain rows, and a batch that was sent twice stands
here twice: `event_key` tells it. No text of a prompt, answer, command or file is in any column.
"""

import pyarrow as pa

from ingest.schemas.fields import field, flag, instant, text


def _count(name: str, description: str, *, nullable: bool = False) -> pa.Field:
    return field(name, pa.int64(), description, nullable=nullable)


ORGANIZATION = text("organization_id", "UUID of the organization.")
EVENT_KEY = text("event_key", "Identity of what was reported; the same in a batch that was sent again.")
SENDER = [
    text("token_id", "UUIDv7 of the ingest token that sent it."),
    text(
        "token_email",
        "Address of the developer whom the ingest token names; null without one.",
        nullable=True,
    ),
    instant("received_at", "Time at which the service acknowledged it (UTC)."),
]
TOOL = [
    text("tool", "claude_code, codex, gemini_cli or copilot, else the service name of the sender."),
    text("service_name", "Service name that the tool reports.", nullable=True),
]
PERSON = [
    text(
        "session_id", "Id of the session or conversation at the tool; null if it names none.", nullable=True
    ),
    text("user_email", "Address that the tool reports; null if it names none.", nullable=True),
    text("user_account", "Id of the person's account at the vendor; null if unknown.", nullable=True),
    text("user_id", "Random id of the installation or user; null if unknown.", nullable=True),
]

REQUESTS = pa.schema(  # one row per model request
    [
        ORGANIZATION,
        EVENT_KEY,
        *SENDER,
        instant("happened_at", "Time of the request by the clock of the tool (UTC)."),
        *TOOL,
        text("service_version", "Version that the tool reports; null if it names none.", nullable=True),
        *PERSON,
        text("organization_ref", "Id of the organization at the vendor; null if unknown.", nullable=True),
        text("model", "Model as the tool names it; null if it names none.", nullable=True),
        text("effort", "Reasoning effort; null if not told.", nullable=True),
        text("speed", "Speed, such as fast; null if not told.", nullable=True),
        text("service_tier", "Service tier, such as priority or flex; null if not told.", nullable=True),
        text(
            "query_source", "What asked: the person, a sub-agent and so on; null if not told.", nullable=True
        ),
        _count("requests", "Number of requests that the row stands for."),
        _count("input_tokens", "Input tokens without those read from and written to the cache."),
        _count("cache_read_tokens", "Input tokens read from the cache."),
        _count("cache_write_tokens", "Input tokens written to the cache."),
        _count("output_tokens", "Output tokens, those of reasoning included."),
        _count("reasoning_tokens", "Output tokens of reasoning; null if not told.", nullable=True),
        _count(
            "cost_nano",
            "The tool's own estimate in billionths of a US dollar; null if not told.",
            nullable=True,
        ),
        _count("duration_ms", "Duration in milliseconds; null if not told.", nullable=True),
        text(
            "repository_ref",
            "Repository that the tool names, without credentials; null if none.",
            nullable=True,
        ),
        text("branch", "Branch that the tool names; null if none.", nullable=True),
        text(
            "trace_id",
            "Trace of the span that the row is from, in hexadecimal digits; null for events.",
            nullable=True,
        ),
        flag("is_error", "True if the request failed."),
    ]
)

POINTS = pa.schema(  # one row per data point of a metric that models use
    [
        ORGANIZATION,
        EVENT_KEY,
        text("series", "Identity of the series: its sender, resource, scope, metric and attributes."),
        *SENDER,
        instant(
            "started_at", "Begin of the interval or of the counter (UTC); null if not told.", nullable=True
        ),
        instant("happened_at", "Time of the point by the clock of the tool (UTC)."),
        flag(
            "is_cumulative", "True if the value counts since `started_at`, false if since the point before."
        ),
        flag("is_monotonic", "True if the value never falls between starts."),
        *TOOL,
        *PERSON,
        text(
            "metric",
            "sessions, lines_added, lines_removed, lines_suggested, lines_accepted, commits, pull_requests,"
            " active_seconds, edits_accepted or edits_rejected.",
        ),
        text("model", "Model as the tool names it; null if it names none.", nullable=True),
        text("language", "Programming language; null if it names none.", nullable=True),
        field("value", pa.float64(), "Value in the unit of the metric."),
    ]
)

LINKS = pa.schema(  # one row per commit that a session names
    [
        ORGANIZATION,
        EVENT_KEY,
        *SENDER,
        instant("happened_at", "Time of the event that names the commit (UTC)."),
        *TOOL,
        *PERSON,
        text("commit_sha", "SHA of the commit as the tool reports it, 7 to 64 hexadecimal digits."),
    ]
)

TABLES = {"requests": REQUESTS, "points": POINTS, "links": LINKS}
DESCRIPTIONS = {
    "requests": "Model requests of AI tools. One row per request and sending of it.",
    "points": "Counters of AI tools: sessions, lines, commits, decisions. One row per data point and sending of it.",
    "links": "Commits that sessions of AI tools name. One row per event and sending of it.",
}
