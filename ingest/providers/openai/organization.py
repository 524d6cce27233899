"""OpenAI: tokens and billed costs of an organization by person, model and day.

Read in OpenAI's package and documentation: days are UTC, times are seconds; cached tokens are part of the input; costs
have a line item such as `gpt-6-astra, input_tokens`; people are ids, whose addresses another list has. Codex with a
ChatGPT plan is not in these reports.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime
from functools import partial
from typing import Any

from ingest.connections.ai_tools.ai_tool import AiTool
from ingest.connections.ai_tools.amounts import NANO_PER_UNIT, key_of, nano
from ingest.connections.ai_tools.days import Days, Kept, by_days
from ingest.connections.ai_tools.records import Usage
from ingest.connections.model import Checked, Connection, Deferred, Stream, WantedRepository
from ingest.connections.parsing import deferred
from ingest.connections.values import number, text
from ingest.errors import ProviderRefused, Refusal
from ingest.http.answers import Answer
from ingest.http.client import Client, Login
from ingest.http.pages import BodyToken, Query, all_rows, pages
from ingest.http.rate_limits import RateLimits
from ingest.json_paths import at

TOOL = "openai_api"
USAGE, COSTS, USERS = "organization/usage/completions", "organization/costs", "organization/users"
USAGE_GROUPS = ("user_id", "project_id", "api_key_id", "model", "batch", "service_tier")
# Together with the project, the person is refused.
COST_GROUPS = ("user_id", "line_item")
KEPT = Kept(days=365, restated=3, at_once=30)
PAGES = BodyToken(("data",), ("next_page",), "page")
CHATGPT_IS_APART = (
    "These reports have use of the API. Codex with a ChatGPT plan is not in them: let Codex send telemetry."
)


def _refusal(answer: Answer) -> ProviderRefused | None:
    if answer.status == 401:
        return ProviderRefused(
            Refusal.UNAUTHORIZED,
            "OpenAI does not accept the key: create an Admin key in the settings of the organization.",
        )
    if answer.status == 403:
        return ProviderRefused(
            Refusal.FORBIDDEN,
            "OpenAI refuses the key this report: it needs an Admin key that may read usage.",
        )
    return None


class OpenAi(AiTool):
    kind = "OPENAI"
    title = "OpenAI"
    default_address = "https://api.openai.com/v1"
    is_single_service = True
    rate_limits = RateLimits(refusal=_refusal)

    def login(self, connection: Connection) -> Login:
        return Login.bearer(connection.address, connection.secret.strip())

    def check(self, client: Client, connection: Connection) -> Checked:
        start = int(client.now().timestamp()) - 86_400
        body = client.get(COSTS, {"start_time": start, "limit": 1}).body
        if not isinstance(at(body, ("data",)), list):
            raise ProviderRefused(
                Refusal.BAD_ADDRESS, f"{connection.address} answers, but not as OpenAI does."
            )
        return Checked("an organization", warnings=(CHATGPT_IS_APART,))

    def streams(
        self, client: Client, connection: Connection, repositories: Sequence[WantedRepository]
    ) -> Iterator[Stream]:
        people = _People(client)
        yield by_days(
            client, "usage", "usage", KEPT, partial(_read, client, USAGE, USAGE_GROUPS, people, _tokens)
        )
        yield by_days(
            client, "costs", "usage", KEPT, partial(_read, client, COSTS, COST_GROUPS, people, _cost)
        )


class _People:
    """Addresses and names of the users by id, asked for once."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._found: dict[str, Mapping[str, Any]] | None = None

    def __getitem__(self, user_id: Any) -> Mapping[str, Any]:
        if self._found is None:
            style = BodyToken(("data",), ("last_id",), "after")
            rows = all_rows(self._client, pages(self._client, Query(USERS, {"limit": 100}), style))
            self._found = {str(at(row, ("id",))): row for row in rows}
        return self._found.get(str(user_id), {})


Read = Callable[[date, _People, Any], Usage]


def _read(
    client: Client, address: str, groups: Sequence[str], people: _People, read: Read, days: Days
) -> Iterator[list[Deferred]]:
    params = {
        "start_time": int(days.start.timestamp()),
        "end_time": int(days.end.timestamp()),
        "bucket_width": "1d",
        "group_by": list(groups),
        "limit": 31,
    }
    for page in pages(client, Query(address, params), PAGES):
        yield [
            deferred(row, partial(_key, address, groups, _day(bucket)), partial(read, _day(bucket), people))
            for bucket in page.rows
            for row in at(bucket, ("results",)) or []
        ]


def _day(bucket: Any) -> date:
    return datetime.fromtimestamp(bucket["start_time"], UTC).date()


def _key(address: str, groups: Sequence[str], day: date, row: Any) -> str:
    return key_of(address.rpartition("/")[2], day, *(at(row, (name,)) for name in groups))


def _tokens(day: date, people: _People, row: Any) -> Usage:
    written = number(row.get("input_cache_write_tokens")) or 0
    long_written = number(row.get("input_cache_write_12h_tokens")) or 0
    cached = number(row.get("input_cached_tokens")) or 0
    tier = "batch" if row.get("batch") is True else text(row.get("service_tier"))
    return Usage(
        provider_id=_key(USAGE, USAGE_GROUPS, day, row),
        model=text(row.get("model")),
        service_tier=tier,
        requests=number(row.get("num_model_requests")),
        input_tokens=max(0, row["input_tokens"] - cached - written),
        cache_read_tokens=cached,
        cache_write_5m_tokens=max(0, written - long_written),
        cache_write_1h_tokens=long_written,
        output_tokens=number(row["output_tokens"]),
        **_shared(day, people, row),
    )


def _cost(day: date, people: _People, row: Any) -> Usage:
    return Usage(
        provider_id=_key(COSTS, COST_GROUPS, day, row),
        model=(text(row.get("line_item")) or "").partition(",")[0] or None,
        product=text(row.get("line_item")),
        amount_nano=nano(row["amount"]["value"], NANO_PER_UNIT),
        currency=text(row["amount"].get("currency")) or "USD",
        basis="billed",
        **_shared(day, people, row),
    )


def _shared(day: date, people: _People, row: Any) -> dict[str, Any]:
    user_id = text(row.get("user_id"))
    user = people[user_id] if user_id else {}
    return {
        "tool": TOOL,
        "used_on": day,
        "actor_id": user_id,
        "actor_email": text(user.get("email")),
        "actor_name": text(user.get("name")),
        "api_key_name": text(row.get("api_key_id")),
        "payload": row,
    }
