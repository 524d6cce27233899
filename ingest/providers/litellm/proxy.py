"""LiteLLM: requests that a proxy counted.

Read in LiteLLM's package and threads: its `spend` is wrong for cached tokens in both directions, and some rows are
doubled. So the tokens of `usage_object` count, times our prices, and the request's id names a row.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from ingest.connections.ai_tools.ai_tool import AiTool
from ingest.connections.ai_tools.amounts import NANO_PER_UNIT, nano
from ingest.connections.ai_tools.days import Days, Kept, by_days
from ingest.connections.ai_tools.records import Usage
from ingest.connections.model import Checked, Connection, Deferred, Stream, WantedRepository
from ingest.connections.parsing import deferred
from ingest.connections.values import instant, number, text
from ingest.errors import ProviderRefused, Refusal
from ingest.http.answers import Answer
from ingest.http.client import Client, Login
from ingest.http.page_numbers import Numbered
from ingest.http.pages import Query, pages
from ingest.http.rate_limits import RateLimits
from ingest.json_paths import at

LOGS = "spend/logs/v2"
PAGE = 1000
KEPT = Kept(days=90, restated=2)
# The program names itself in the tags of a request.
TOOL_OF_TAG = {"claude-cli": "claude_code", "codex": "codex", "geminicli": "gemini_cli", "cursor": "cursor"}


def _refusal(answer: Answer) -> ProviderRefused | None:
    if answer.status == 401:
        return ProviderRefused(
            Refusal.UNAUTHORIZED, "LiteLLM does not accept the key: paste a key of the proxy."
        )
    if answer.status == 403:
        return ProviderRefused(
            Refusal.FORBIDDEN, "LiteLLM refuses the key the logs of all: it needs a key of a proxy admin."
        )
    return None


class LiteLlm(AiTool):
    kind = "LITELLM"
    title = "LiteLLM"
    rate_limits = RateLimits(refusal=_refusal)

    def login(self, connection: Connection) -> Login:
        return Login.bearer(connection.address, connection.secret.strip())

    def check(self, client: Client, connection: Connection) -> Checked:
        today = client.now().date()
        body = client.get(LOGS, _params(Days(today, today)) | {"page_size": 1}).body
        if not isinstance(at(body, ("data",)), list):
            raise ProviderRefused(
                Refusal.BAD_ADDRESS, f"{connection.address} answers, but not as LiteLLM does."
            )
        return Checked("a proxy")

    def streams(
        self, client: Client, connection: Connection, repositories: Sequence[WantedRepository]
    ) -> Iterator[Stream]:
        yield by_days(client, "requests", "usage", KEPT, partial(_requests, client))


def _params(days: Days) -> dict[str, Any]:
    form = "%Y-%m-%d %H:%M:%S"
    return {
        "start_date": days.start.strftime(form),
        "end_date": days.end.strftime(form),
        "page": 1,
        "page_size": PAGE,
        "sort_by": "startTime",
    }


def _requests(client: Client, days: Days) -> Iterator[list[Deferred]]:
    style = Numbered(("data",), "page", last=("total_pages",))
    for page in pages(client, Query(LOGS, _params(days)), style):
        yield [deferred(row, lambda one: str(one["request_id"]), _request) for row in page.rows]


def _request(row: Any) -> Usage:
    started = instant(row["startTime"])
    if started is None:
        raise ValueError("no time")
    usage = at(row, ("metadata", "usage_object")) or {}
    read = number(usage.get("cache_read_input_tokens"))
    if read is None:
        read = number(at(usage, ("prompt_tokens_details", "cached_tokens"))) or 0
    written = number(usage.get("cache_creation_input_tokens")) or 0
    prompt = number(usage.get("prompt_tokens"))
    prompt = number(row.get("prompt_tokens")) if prompt is None else prompt
    output = number(usage.get("completion_tokens"))
    amount = nano(row.get("spend"), NANO_PER_UNIT)
    return Usage(
        provider_id=str(row["request_id"]),
        tool=_tool(row),
        used_on=started.date(),
        used_at=started,
        actor_email=_address(row),
        actor_id=text(row.get("user")),
        api_key_name=text(at(row, ("metadata", "user_api_key_alias"))),
        model=text(row.get("model")),
        requests=1,
        input_tokens=None if prompt is None else max(0, prompt - read - written),
        cache_read_tokens=read,
        cache_write_5m_tokens=written,
        output_tokens=number(row.get("completion_tokens")) if output is None else output,
        amount_nano=amount,
        currency=None if amount is None else "USD",
        basis=None if amount is None else "vendor_estimated",
        payload={name: row.get(name) for name in KEPT_FIELDS} | {"usage_object": usage},
    )


KEPT_FIELDS = (
    "request_id", "spend", "prompt_tokens", "completion_tokens", "startTime", "endTime", "model", "model_group",
    "custom_llm_provider", "user", "end_user", "team_id", "cache_hit", "session_id", "status",
)  # fmt: skip
"""Fields of a row that are stored. Others may hold messages and answers."""


def _tool(row: Any) -> str:
    """The program that asked, where the tags name it; else the interface of the model's vendor."""
    tags = row.get("request_tags")
    named = " ".join(map(str, tags)).lower() if isinstance(tags, list) else str(tags or "").lower()
    for mark, tool in TOOL_OF_TAG.items():
        if mark in named:
            return tool
    return f"{text(row.get('custom_llm_provider')) or 'other'}_api"


def _address(row: Any) -> str | None:
    named = (row.get("user"), row.get("end_user"), at(row, ("metadata", "user_api_key_user_email")))
    return next((one for one in named if isinstance(one, str) and "@" in one), None)
