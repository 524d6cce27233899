"""Raw tables of `ai_tools` (one connection to the vendor of an AI coding tool, or to a proxy, per source).

A row is one version of its entity: the row of the highest `batch` holds today. Rows are written only if they changed.
Telemetry that tools send themselves has a noun of its own.
"""

import pyarrow as pa

from ingest.schemas.category import CONNECTION, VERSION, Category, Versions
from ingest.schemas.fields import day, flag, instant, long, text

ACTOR = [
    text("actor_email", "Email address of the person, if the vendor shows it.", nullable=True),
    text("actor_login", "Login at the vendor, such as a GitHub login.", nullable=True),
    text("actor_id", "Id of the person at the vendor, which survives a changed address.", nullable=True),
    text("actor_name", "Display name of the person.", nullable=True),
]

SEATS = pa.schema(  # one row per version of a seat on a day, because vendors keep no history
    [
        *CONNECTION,
        text("provider_id", "Day and person."),
        day("seen_on", "Day (UTC) on which the vendor listed the seat."),
        text("tool", "Tool that the seat pays for: copilot, cursor, …."),
        *ACTOR,
        text("plan", "Plan of the seat, as the vendor names it.", nullable=True),
        instant("last_active_at", "Last activity that the vendor names.", nullable=True),
        day("ends_on", "Day on which the seat ends; null while it goes on.", nullable=True),
        text("payload", "The vendor's answer as JSON."),
        VERSION,
    ]
)

ACCOUNTS = pa.schema(  # one row per version of a person whom a vendor lists as a user of the organization
    [
        *CONNECTION,
        text("provider_id", "Id of the person at the vendor, else the address."),
        *ACTOR,
        text("role", "Role of the person, as the vendor names it.", nullable=True),
        instant("added_at", "Time at which the person was added.", nullable=True),
        text("payload", "The vendor's answer as JSON."),
        VERSION,
    ]
)

COMMITS = pa.schema(  # one row per version of a commit of which a vendor tells how much of it a tool wrote
    [
        *CONNECTION,
        text("provider_id", "Day, commit and person."),
        text("tool", "Tool: cursor."),
        text("commit_sha", "Object id of the commit."),
        instant("committed_at", "Time of the commit."),
        *ACTOR,
        text("repository_ref", "Repository, as the vendor names it.", nullable=True),
        text("branch", "Branch of the commit.", nullable=True),
        long("lines_added", "Lines that the commit adds.", nullable=True),
        long("lines_removed", "Lines that the commit removes.", nullable=True),
        long("ai_lines_added", "Those of the added lines that the tool wrote.", nullable=True),
        long("ai_lines_removed", "Those of the removed lines that the tool removed.", nullable=True),
        text("payload", "The vendor's answer as JSON."),
        VERSION,
    ]
)

USAGE = pa.schema(  # one row per version of usage that a vendor reports, in the finest grain that it gives
    [
        *CONNECTION,
        text("provider_id", "Key of the row, made of its dimensions where the vendor has no id."),
        text("tool", "Tool: claude_code, cursor, copilot, codex, gemini_cli, windsurf, anthropic_api, …."),
        day("used_on", "Day of the usage (UTC)."),
        instant("used_at", "Instant of the usage, where the vendor reports single requests.", nullable=True),
        # Files of an earlier release lack it.
        text("account_id", "Id of the organization at the vendor whose usage it is.", nullable=True),
        *ACTOR,
        text("api_key_name", "Name of the key that was used, where no person is known.", nullable=True),
        text("product", "Product or surface, as the vendor names it.", nullable=True),
        text("model", "Model, as the vendor names it.", nullable=True),
        text("effort", "Effort of reasoning that was asked for.", nullable=True),
        text("speed", "Speed that was asked for, such as `fast`.", nullable=True),
        text("service_tier", "Tier of service, such as `priority` or `batch`.", nullable=True),
        long("requests", "Requests to models.", nullable=True),
        long(
            "input_tokens", "Tokens read that no cache held; null if the vendor counts none.", nullable=True
        ),
        long("cache_read_tokens", "Tokens read from a cache.", nullable=True),
        long("cache_write_5m_tokens", "Tokens written to a cache that lasts five minutes.", nullable=True),
        long(
            "cache_write_1h_tokens", "Tokens written to a cache that lasts an hour or longer.", nullable=True
        ),
        long("output_tokens", "Tokens written, with those of reasoning.", nullable=True),
        long(
            "amount_nano",
            "Money in billionths of the currency; null if the vendor names none.",
            nullable=True,
        ),
        text("currency", "Currency of the amount (ISO 4217).", nullable=True),
        text("basis", "billed or vendor_estimated; null without an amount.", nullable=True),
        long("sessions", "Sessions of work.", nullable=True),
        long("lines_suggested", "Lines of code that the tool suggested.", nullable=True),
        long(
            "lines_accepted", "Lines of code that the person accepted, or that the tool added.", nullable=True
        ),
        long("lines_removed", "Lines of code that the tool removed.", nullable=True),
        long("edits_accepted", "Suggestions that the person accepted.", nullable=True),
        long("edits_rejected", "Suggestions that the person rejected.", nullable=True),
        long("commits", "Commits that the tool made.", nullable=True),
        long("pull_requests", "Pull requests that the tool made.", nullable=True),
        long("active_people", "People who used the tool, in a total of all people.", nullable=True),
        long("ai_bytes", "Bytes of code that the tool wrote, in a total of all people.", nullable=True),
        long("code_bytes", "Bytes of code that people and the tool wrote, in such a total.", nullable=True),
        text("adoption_phase", "Phase of adoption that the vendor sees.", nullable=True),
        flag("is_active", "True if the person used the tool on the day."),
        # Files of an earlier release lack it.
        flag("is_total", "True for a total over all people, which names none; else null.", nullable=True),
        text("payload", "The vendor's answer as JSON, without secrets."),
        VERSION,
    ]
)

AI_TOOL = Category(
    noun="ai_tools",
    name="AI_TOOL",
    title="AI tool",
    reads="usage, seats and spend",
    job="sync_ai_tool",
    versions={
        "accounts": Versions(ACCOUNTS, "One row per version of a person whom a vendor lists as a user."),
        "commits": Versions(COMMITS, "One row per version of a commit with the lines that a tool wrote."),
        "seats": Versions(SEATS, "One row per version of a paid seat on a day."),
        "usage": Versions(USAGE, "One row per version of usage that a vendor reports."),
    },
)
