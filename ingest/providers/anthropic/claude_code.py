"""Claude Code analytics of Anthropic's Console: sessions, lines, tokens and estimated cost by person, day and model.

Read in Anthropic's documentation: one call gives one day (UTC); amounts are cents; numbers come about an hour late and
are revised. It sees customers of the API alone, never people who use Claude Code with a subscription.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from functools import partial
from typing import Any

from ingest.connections.ai_tools.ai_tool import AiTool
from ingest.connections.ai_tools.amounts import NANO_PER_CENT, key_of, nano
from ingest.connections.ai_tools.days import Days, Kept, by_days
from ingest.connections.ai_tools.records import Usage
from ingest.connections.model import Checked, Connection, Deferred, Stream, WantedRepository
from ingest.connections.values import number, text
from ingest.http.client import Client, Login
from ingest.http.pages import BodyToken, Query, pages
from ingest.json_paths import at
from ingest.providers.anthropic import access, accounts

REPORT = "v1/organizations/usage_report/claude_code"
PAGE = 1000
KEPT = Kept(days=365, restated=3)
TOOL = "claude_code"
API_USERS_ALONE = (
    "This report has people who use Claude Code with an API key of the Console. People with a subscription are not in"
    " it: connect the Enterprise analytics of Anthropic, or let Claude Code send telemetry."
)


class ClaudeCode(AiTool):
    kind = "CLAUDE_CODE"
    title = "Claude Code analytics"
    default_address = access.ADDRESS
    is_single_service = True
    rate_limits = access.RATE_LIMITS

    def login(self, connection: Connection) -> Login:
        return access.login(connection)

    def check(self, client: Client, connection: Connection) -> Checked:
        name = access.organization_of(client, connection, self.title)
        client.get(REPORT, {"starting_at": client.now().date().isoformat(), "limit": 1})
        return Checked(name, warnings=(API_USERS_ALONE,))

    def streams(
        self, client: Client, connection: Connection, repositories: Sequence[WantedRepository]
    ) -> Iterator[Stream]:
        yield accounts.stream(client)
        yield by_days(client, "usage", "usage", KEPT, partial(_read, client))


def _read(client: Client, days: Days) -> Iterator[list[Deferred]]:
    first = Query(REPORT, {"starting_at": days.first.isoformat(), "limit": PAGE})
    style = BodyToken(("data",), ("next_page",), "page")
    for page in pages(client, first, style):
        yield [each for row in page.rows for each in _rows(row)]


def _rows(row: Any) -> Iterator[Deferred]:
    """The activity of a person on a day, and the tokens of each model."""
    key = _key(row)
    yield Deferred(key, partial(_activity, key, row))
    models = at(row, ("model_breakdown",))
    for each in models if isinstance(models, list) else []:
        of_model = f"{key}/{key_of(at(each, ('model',)))}"
        yield Deferred(of_model, partial(_tokens, of_model, row, each))


def _key(row: Any) -> str:
    dimensions = (("actor", "email_address"), ("actor", "api_key_name"), ("organization_id",),
                  ("customer_type",), ("subscription_type",), ("terminal_type",))  # fmt: skip
    return key_of(str(at(row, ("date",)))[:10], *(at(row, path) for path in dimensions))


def _activity(key: str, row: Any) -> Usage:
    core, tools = row["core_metrics"], row.get("tool_actions") or {}
    return Usage(
        provider_id=key,
        payload=row,
        sessions=number(core.get("num_sessions")),
        lines_accepted=number(at(core, ("lines_of_code", "added"))),
        lines_removed=number(at(core, ("lines_of_code", "removed"))),
        commits=number(core.get("commits_by_claude_code")),
        pull_requests=number(core.get("pull_requests_by_claude_code")),
        edits_accepted=access.counted(tools, "accepted"),
        edits_rejected=access.counted(tools, "rejected"),
        **_person(row),
    )


def _tokens(key: str, row: Any, of_model: Any) -> Usage:
    tokens, cost = of_model["tokens"], of_model.get("estimated_cost") or {}
    amount = nano(cost.get("amount"), NANO_PER_CENT)
    return Usage(
        provider_id=key,
        payload=of_model,
        model=text(of_model["model"]),
        input_tokens=number(tokens["input"]),
        cache_read_tokens=number(tokens.get("cache_read")),
        # The report does not say for how long a cache was written: five minutes are the default.
        cache_write_5m_tokens=number(tokens.get("cache_creation")),
        output_tokens=number(tokens["output"]),
        amount_nano=amount,
        currency=None if amount is None else text(cost.get("currency")) or "USD",
        basis=None if amount is None else "vendor_estimated",
        **_person(row),
    )


def _person(row: Any) -> dict[str, Any]:
    return {
        "tool": TOOL,
        "account_id": text(row.get("organization_id")),
        "used_on": date.fromisoformat(row["date"][:10]),
        "actor_email": text(at(row, ("actor", "email_address"))),
        "api_key_name": text(at(row, ("actor", "api_key_name"))),
        "product": text(row.get("terminal_type")),
    }
