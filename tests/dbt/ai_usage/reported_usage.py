"""Rows of vendors and telemetry about the people of the invented organization, and the warehouse with them."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
from genai_prices import Usage, calc_price

from ingest.lake import Lake
from ingest.schemas import TABLES
from ingest.schemas.ai_settings import AI_ACTORS, AI_PRICES
from ingest.schemas.ai_tools import SEATS, USAGE
from ingest.schemas.telemetry import LINKS, POINTS, REQUESTS
from tests.dbt import warehouse
from tests.dbt.ai_usage.linked import named_commits
from tests.dbt.invented.invented_history import ORGANIZATION_ID, PEOPLE

CLAUDE, OPENAI, OTHER, CURSOR, COPILOT, LITELLM, ANTHROPIC, ANALYTICS, SECOND = (
    f"018f0000-0000-7000-8000-0000000000{n}" for n in range(21, 30)
)
KINDS = {
    CLAUDE: "CLAUDE_CODE", OPENAI: "OPENAI", OTHER: "CLAUDE_CODE", CURSOR: "CURSOR", COPILOT: "GITHUB_COPILOT",
    LITELLM: "LITELLM", ANTHROPIC: "ANTHROPIC", ANALYTICS: "ANTHROPIC",
    SECOND: "ANTHROPIC",
}  # fmt: skip
DAY = date(2026, 11, 2)
ANN = PEOPLE[0][1]


def row(connection: str, key: str, **values: Any) -> dict[str, Any]:
    """A row of the raw table."""
    empty: dict[str, Any] = {field.name: None for field in USAGE}
    return empty | {
        "organization_id": ORGANIZATION_ID, "connection_id": connection, "batch": 1, "provider_id": key,
        "tool": "claude_code", "used_on": DAY, "is_active": True, "payload": "{}", "connector_version": "1",
    } | values  # fmt: skip


def tokens(count: int = 1000) -> dict[str, Any]:
    return {"input_tokens": count, "output_tokens": count}


def reported(schema: pa.Schema, key: str, day: int, **values: Any) -> dict[str, Any]:
    """A row of the raw tables of telemetry, of noon of a day in November 2026."""
    empty: dict[str, Any] = {field.name: None if field.nullable else _zero(field) for field in schema}
    at = datetime(2026, 11, day, 12, tzinfo=UTC)
    return empty | {
        "organization_id": ORGANIZATION_ID, "event_key": key, "token_id": "t", "received_at": at, "happened_at": at,
        "tool": "claude_code", "session_id": "s",
    } | values  # fmt: skip


def _zero(field: pa.Field) -> Any:
    return False if pa.types.is_boolean(field.type) else 0 if not pa.types.is_string(field.type) else ""


def request(key: str, day: int, **values: Any) -> dict[str, Any]:
    tokens = {"model": "claude-opus-5", "requests": 1, "input_tokens": 100, "output_tokens": 100}
    return reported(REQUESTS, key, day, **{**tokens, **values})


TELEMETRY = [
    request("of a vendor's day", 2, user_email=ANN, session_id="double", cost_nano=1),
    request("alone", 20, user_email=ANN, session_id="alone", cost_nano=1),
    request("alone too", 20, user_email=ANN, session_id="alone", cost_nano=2),
    request("unnamed", 20, user_id="random", session_id="unnamed"),
    request("unnamed, vendor", 2, user_id="random", session_id="unnamed, vendor"),
    request("token", 21, token_email=ANN, user_email="zoe@elsewhere.example", session_id="token"),
    request("no price", 22, model="nothing", cost_nano=77, session_id="no price"),
    # The mean of both requests would be in the lower tier.
    request("tier", 23, tool="codex", model="gpt-6-astra", input_tokens=300_000, session_id="tiers"),
    request("login", 24, tool="copilot", token_email=ANN, session_id="login"),
    request("other day", 25, tool="copilot", token_email=ANN, session_id="other day"),
    request("tiers", 23, tool="codex", model="gpt-6-astra", input_tokens=10, session_id="tiers"),
]


def seat(connection: str, day: int, person: str | None, key: str = "", **values: Any) -> dict[str, Any]:
    """A row of the raw table: a seat that is listed on a day in November 2026."""
    empty: dict[str, Any] = {field.name: None for field in SEATS}
    return empty | {
        "organization_id": ORGANIZATION_ID, "connection_id": connection, "batch": 1, "tool": "claude_code",
        "provider_id": f"{day}/{person}{key}", "seen_on": date(2026, 11, day), "actor_email": person, "payload": "{}",
        "connector_version": "1",
    } | values  # fmt: skip


STRANGER = "zoe@elsewhere.example"
LISTED = [
    seat(CLAUDE, 1, ANN.upper()),
    seat(CLAUDE, 3, ANN, last_active_at=datetime(2026, 10, 4, 23, tzinfo=UTC)),
    seat(OTHER, 3, ANN),
    seat(CLAUDE, 20, ANN, last_active_at=datetime(2026, 11, 19, 23, 59, tzinfo=UTC)),
    seat(CLAUDE, 3, STRANGER, ends_on=date(2026, 11, 30)),
    seat(CLAUDE, 3, "eve@elsewhere.example", last_active_at=datetime(2026, 10, 1, tzinfo=UTC)),
    seat(CLAUDE, 3, None, "a", ends_on=date(2026, 11, 30)),
    seat(CLAUDE, 3, None, "b"),
]


def built_with(
    built: Path,
    folder: Path,
    rows: list[dict[str, Any]],
    telemetry: Sequence[dict[str, Any]] = TELEMETRY,
    actors: Mapping[str, str | None] = {},
) -> Path:
    """The warehouse of the invented organization with usage, and with decisions about actors."""
    shutil.copytree(built.parent, folder, ignore=shutil.ignore_patterns("target"))
    lake = Lake(folder / "raw")
    for connection in {one["connection_id"] for one in rows}:
        tables = {
            name: pa.Table.from_pylist(
                [one for one in all_rows if one["connection_id"] == connection], schema
            )
            for name, all_rows, schema in (("usage", rows, USAGE), ("seats", LISTED, SEATS))
        }
        lake.source("ai_tools", ORGANIZATION_ID, connection).commit(tables, {}, {})
    connections = [
        {
            "organization_id": ORGANIZATION_ID, "connection_id": key, "kind": kind, "category": "ai_tools",
            "name": kind, "unsynced_since": datetime(2026, 11, 1, tzinfo=UTC),
        }
        for key, kind in KINDS.items()
    ]  # fmt: skip
    points = [
        reported(POINTS, name, 20, metric=name, value=float(n), user_email=ANN, session_id="counters")
        for n, name in enumerate(("sessions", "lines_added", "lines_removed"), 1)
    ]
    lake.source("telemetry", ORGANIZATION_ID, "_").commit(
        {
            "requests": pa.Table.from_pylist(list(telemetry), REQUESTS),
            "points": pa.Table.from_pylist(points, POINTS),
            "links": pa.Table.from_pylist(named_commits(built), LINKS),
        },
        {},
        {},
    )
    settings = pa.Table.from_pylist(connections, TABLES["control", "connections"])
    decided = [
        {"organization_id": ORGANIZATION_ID, "actor": actor, "developer_id": developer}
        for actor, developer in {"ci-key": developer_of(built, ANN), **actors}.items()
    ]
    agreed = {field.name: None for field in AI_PRICES} | {
        "organization_id": ORGANIZATION_ID, "price_id": "p", "model": "gpt-5.*", "valid_from": DAY,
        "discount_hundredths": 1000,
    }  # fmt: skip
    lake.source("control", ORGANIZATION_ID, "_").commit(
        {},
        {
            "connections": settings,
            "ai_actors": pa.Table.from_pylist(decided, AI_ACTORS),
            "ai_prices": pa.Table.from_pylist([agreed], AI_PRICES),
        },
        {},
    )
    return warehouse.build(folder / "raw", folder, with_tests=True, select="tag:ai_usage")


def developer_of(built: Path, address: str) -> str:
    """The id of the developer of an address."""
    (found,) = warehouse.rows(
        built, f"select distinct developer_id from int_identity__developers where address = '{address}'"
    )
    return str(found["developer_id"])


def price(model: str, **values: Any) -> int:
    """The price of one request in billionths of a dollar."""
    context = values.pop("price_context", None)
    at = datetime(2026, 11, 2, 12, tzinfo=UTC)
    found = calc_price(Usage(**values), model, genai_request_timestamp=at, price_context=context)
    return round(found.total_price * 10**9)


def session(usage: dict[str, dict[str, Any]], name: str) -> list[dict[str, Any]]:
    """The rows of a session, by tokens."""
    return [one for key, one in usage.items() if one["session_id"] == name and key.startswith(f"{name} ")]


def vendor_rows() -> list[dict[str, Any]]:
    """Rows of every kind of connection, by keys that tests name."""
    return [
        row(CLAUDE, "ann", actor_email=ANN.upper(), model="claude-opus-5", requests=4, **tokens(),
            cache_read_tokens=50_000, cache_write_5m_tokens=700, cache_write_1h_tokens=30),
        row(CLAUDE, "ann activity", actor_email=ANN, sessions=3, lines_accepted=20),
        row(OTHER, "ann", actor_email=ANN, model="claude-opus-5", **tokens(9)),
        row(CLAUDE, "stranger", actor_email="zoe@elsewhere.example", model="[1m]nothing", **tokens()),
        row(CLAUDE, "estimated", actor_email="zoe@elsewhere.example", used_on=date(2026, 11, 3), model="claude-opus-5",
            amount_nano=5, currency="usd", basis="vendor_estimated", **tokens()),
        row(ANTHROPIC, "by key", tool="anthropic_api", used_on=date(2026, 9, 1), product="messages", **tokens()),
        row(ANTHROPIC, "by key too", tool="anthropic_api", used_on=date(2026, 9, 2), product="messages", **tokens()),
        row(ANTHROPIC, "by person", tool="anthropic_api", used_on=date(2026, 9, 2), product="api", actor_email=ANN,
            **tokens()),
        row(COPILOT, "credits", tool="copilot", used_on=date(2026, 9, 3), actor_email=ANN, amount_nano=9,
            currency="USD", basis="billed", **tokens()),
        row(COPILOT, "no credits", tool="copilot", used_on=date(2026, 9, 4), actor_email=ANN, **tokens()),
        row(OPENAI, "costs", tool="openai_api", actor_email=ANN, amount_nano=7, currency="USD", basis="billed"),
        row(OPENAI, "usage", tool="openai_api", actor_email=ANN, model="gpt-6-astra", requests=1,
            input_tokens=300_000, output_tokens=10),
        row(OPENAI, "small", tool="codex", used_on=date(2026, 11, 4), model="gpt-6-astra", requests=1000,
            input_tokens=300_000, output_tokens=10),
        row(OPENAI, "unknown number", tool="codex", used_on=date(2026, 11, 5), model="gpt-6-astra",
            input_tokens=300_000, output_tokens=10),
        row(OPENAI, "fast", tool="codex", used_on=date(2026, 11, 6), model="claude-opus-5", speed="fast", **tokens()),
        row(OPENAI, "odd", tool="codex", used_on=date(2026, 11, 7), model="claude-opus-5", speed="ludicrous",
            **tokens()),
        row(OPENAI, "key of ann", tool="codex", used_on=date(2026, 11, 8), api_key_name="CI-key",
            model="gpt-5.3-codex", **tokens()),
        row(OPENAI, "key of nobody", tool="codex", used_on=date(2026, 11, 8), api_key_name="other-key", **tokens()),
        row(CURSOR, "agreed", tool="cursor", actor_email=STRANGER, used_on=date(2026, 11, 9), model="gpt-5.3-codex",
            amount_nano=5, currency="USD", basis="vendor_estimated", **tokens()),
        row(CURSOR, "mailbox", tool="cursor", actor_email=PEOPLE[1][1], used_on=date(2026, 11, 9),
            model="claude-opus-5", **tokens()),
        *(row(OPENAI, key, tool="openai_api", used_on=date(2026, 11, 10), model="gpt-6-astra", api_key_name=key,
              **tokens()) for key in ("ci-key", "a service")),
        row(COPILOT, "unknown login", tool="copilot", used_on=date(2026, 11, 24), actor_login="nobody-knows",
            amount_nano=9, currency="USD", basis="billed"),
        row(COPILOT, "no amount", tool="copilot", used_on=date(2026, 11, 25), actor_login="nobody-knows", sessions=1),
        row(OPENAI, "other names", tool="openai_api", used_on=date(2026, 11, 11), model="gpt-6-astra",
            api_key_name="a service", **tokens()),
        *(row(OPENAI, f"bill of {model} {day}", tool="openai_api", used_on=date(2026, 11, day), model=model,
              amount_nano=9, currency="USD", basis="billed")
          for model, day in (("gpt-6-astra", 10), ("images", 10), ("images", 11), ("gpt-6-astra-2026-02-01", 12))),
        row(OPENAI, "another spelling", tool="openai_api", used_on=date(2026, 11, 12), model="openai/GPT-6-astra",
            api_key_name="a service", **tokens()),
    ]  # fmt: skip
