"""Usage larger than anybody has: what a hostile program sends, and a vendor whose numbers are wrong."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from tests.dbt.ai_usage.reported_usage import ANN, CLAUDE, request, row

LARGEST_STORED = 2**63 - 1
LARGEST = 10**18
FIRST, LAST = date(2024, 6, 3), date(2024, 7, 22)
"""The last day has the largest events beside a vendor, the next day without one, and the weeks before nearly none."""
NUMBERS = (
    "requests", "input_tokens", "cache_read_tokens", "output_tokens", "sessions", "lines_accepted", "active_people",
)  # fmt: skip
Row = dict[str, Any]


def telemetry() -> list[Row]:
    """Each of the last events stands for a million or more of the largest that the receiver takes."""
    days = [FIRST + timedelta(number) for number in range((LAST - FIRST).days)]
    small = [_request(f"small {day}", day, 1, cost_nano=1) for day in days]
    tokens = ("input_tokens", "cache_read_tokens", "cache_write_tokens", "output_tokens")
    large = {"cost_nano": LARGEST_STORED, **dict.fromkeys(tokens, LARGEST)}
    last_days = [LAST, LAST + timedelta(1)]
    return small + [
        _request(f"large {day} {number}", day, number, **large) for day in last_days for number in range(3)
    ]


def vendor_rows() -> list[Row]:
    """A day with one token, which telemetry has many times, and a day of another person with every number too large."""
    money = {"amount_nano": -LARGEST_STORED, "currency": "USD", "basis": "billed"}
    wrong = money | dict.fromkeys(NUMBERS, LARGEST_STORED)
    return [
        row(CLAUDE, "one token", used_on=LAST, actor_email=ANN, model="claude-opus-5", input_tokens=1, output_tokens=0),
        row(CLAUDE, "wrong", used_on=LAST, actor_email="zoe@elsewhere.example", model="claude-opus-5", **wrong),
        row(CLAUDE, "wrong too", used_on=LAST, actor_email="zoe@elsewhere.example", model="claude-opus-5", **wrong),
    ]  # fmt: skip


def _request(key: str, day: date, session: int, **values: Any) -> Row:
    at = datetime.combine(day, time(12), UTC)
    return request(key, 1, happened_at=at, user_email=ANN, session_id=f"extreme {session % 2}", **values)
