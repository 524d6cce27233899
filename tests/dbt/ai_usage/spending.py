"""Half a year of AI usage of the invented organization: billed money, and telemetry beside the tokens of a vendor."""

from __future__ import annotations

import random
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pyarrow as pa

from ingest.lake import Lake
from ingest.schemas import TABLES
from ingest.schemas.ai_tools import SEATS as SEATS_TABLE
from ingest.schemas.ai_tools import USAGE
from ingest.schemas.telemetry import REQUESTS
from tests.dbt.invented.invented_history import ORGANIZATION_ID

VENDOR = "018f0000-0000-7000-8000-0000000000a1"
NANO = 10**9
# Grace writes in most weeks, Devin seldom. Zoe is nobody's address.
ADDRESSES = ("grace@navy.example.net", "devin@people.example.net", "zoe@elsewhere.example")
TOOLS = ("cursor", "codex")
FIRST, LAST = date(2025, 3, 3), date(2025, 8, 29)
SEATS_FROM = date(2025, 7, 5)
# Address, with the first and last day on which the seat is listed and the days of use, counted from the first of all.
SEATS: dict[str, tuple[int, int, list[int]]] = {
    "ada@example.net": (0, 59, [0, 2, 3, 20, 55]),
    "nobody@elsewhere.example": (3, 59, []),
    "gone@elsewhere.example": (0, 40, [-10]),
}
Row = dict[str, Any]


def billed() -> list[Row]:
    """Money by person, tool and day, on most working days. Some days cost many times the usual, some are in euros."""
    chance = random.Random(7)
    found = []
    for address in ADDRESSES:
        for tool in TOOLS:
            for offset in range((LAST - FIRST).days + 1):
                day = FIRST + timedelta(days=offset)
                if day.weekday() > 4 or chance.random() < 0.2:
                    continue
                cost = chance.randint(1, 9) * NANO * (25 if chance.random() < 0.03 else 1)
                found.append(
                    _row(
                        f"{address} {tool} {day}", day, tool, actor_email=address, amount_nano=cost, basis="billed",
                        currency="EUR" if chance.random() < 0.05 else "USD",
                    )
                )  # fmt: skip
    return found


def reported() -> tuple[list[Row], list[Row]]:
    """Tokens of Claude Code as the vendor reports them, and requests of telemetry, which misses more and more."""
    chance = random.Random(11)
    vendor, telemetry = [], []
    for offset in range((LAST - FIRST).days + 1):
        day = FIRST + timedelta(days=offset)
        for address in ADDRESSES:
            tokens = chance.randint(10_000, 60_000)
            vendor.append(
                _row(
                    f"tokens {address} {day}", day, "claude_code", actor_email=address, input_tokens=tokens,
                    output_tokens=10, model="claude-sonnet-4-5", requests=4,
                )
            )  # fmt: skip
            if chance.random() < 1 - offset / 300:
                telemetry.append(_request(f"{address} {day}", day, address, tokens + 10))
    return vendor, telemetry


def seats() -> list[Row]:
    """Seats of Cursor, listed on each day from July on: one is used seldom, one is never used, one is given back."""
    found = []
    for offset in range(60):
        day = SEATS_FROM + timedelta(days=offset)
        for address, (first, last, active) in SEATS.items():
            if first <= offset <= last:
                used = [one for one in active if one <= offset]
                found.append(_seat(day, address, SEATS_FROM + timedelta(days=used[-1]) if used else None))
    return found


def write(lake: Lake) -> None:
    """Put the usage and its connection into the lake."""
    tokens, telemetry = reported()
    lake.source("ai_tools", ORGANIZATION_ID, VENDOR).commit(
        {
            "usage": pa.Table.from_pylist([*billed(), *tokens], USAGE),
            "seats": pa.Table.from_pylist(seats(), SEATS_TABLE),
        },
        {},
        {},
    )
    lake.source("telemetry", ORGANIZATION_ID, "_").commit(
        {"requests": pa.Table.from_pylist(telemetry, REQUESTS)}, {}, {}
    )
    connection = {
        "organization_id": ORGANIZATION_ID, "connection_id": VENDOR, "kind": "CURSOR", "category": "ai_tools",
        "name": "Cursor", "unsynced_since": datetime(2025, 9, 1, tzinfo=UTC),
    }  # fmt: skip
    settings = pa.Table.from_pylist([connection], TABLES["control", "connections"])
    lake.source("control", ORGANIZATION_ID, "_").commit({}, {"connections": settings}, {})


def _row(key: str, day: date, tool: str, **values: Any) -> Row:
    empty: Row = {field.name: None for field in USAGE}
    return empty | {
        "organization_id": ORGANIZATION_ID, "connection_id": VENDOR, "batch": 1, "provider_id": key, "tool": tool,
        "used_on": day, "is_active": True, "payload": "{}", "connector_version": "1",
    } | values  # fmt: skip


def _request(key: str, day: date, address: str, tokens: int) -> Row:
    empty: Row = {field.name: None if field.nullable else 0 for field in REQUESTS}
    at = datetime(day.year, day.month, day.day, 12, tzinfo=UTC)
    return empty | {
        "organization_id": ORGANIZATION_ID, "event_key": key, "token_id": "t", "received_at": at, "happened_at": at,
        "tool": "claude_code", "session_id": key, "user_email": address, "requests": 1, "input_tokens": tokens,
        "model": "claude-sonnet-4-5", "is_error": False,
    }  # fmt: skip


def _seat(day: date, address: str, used_on: date | None) -> Row:
    empty: Row = {field.name: None for field in SEATS_TABLE}
    at = used_on and datetime(used_on.year, used_on.month, used_on.day, 12, tzinfo=UTC)
    return empty | {
        "organization_id": ORGANIZATION_ID, "connection_id": VENDOR, "batch": 1, "provider_id": f"{day} {address}",
        "tool": "cursor", "seen_on": day, "actor_email": address, "last_active_at": at, "payload": "{}",
        "connector_version": "1",
    }  # fmt: skip
