"""Days on which Anthropic's older report has every key, beside Claude Code analytics and telemetry."""

from __future__ import annotations

import random
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from tests.dbt.ai_usage.reported_usage import ANN, ANTHROPIC, CLAUDE, request, row

FIRST = date(2024, 11, 4)
DAYS = 20
WITH_TELEMETRY = FIRST + timedelta(DAYS)
MODELS = {
    "claude-opus-5": ("claude-opus-5", "claude-opus-5-20260401"),
    "claude-sonnet-5": ("claude-sonnet-5@20260301", "claude-sonnet-5"),
}
"""By common name: the name in the older report, and the one in Claude Code analytics."""
KINDS = ("input_tokens", "cache_read_tokens", "cache_write_5m_tokens", "output_tokens")
PEOPLE = (ANN, "zoe@elsewhere.example")
Row = dict[str, Any]


def reports() -> list[Row]:
    """Rows of both reports. On some days nobody used Claude Code, and on some the older report is not complete yet."""
    chance = random.Random(34)
    key = {
        "tool": "anthropic_api",
        "product": "messages",
        "api_key_name": "apikey_0",
        "model": "claude-opus-5",
    }
    beside = row(
        ANTHROPIC, "with telemetry", used_on=WITH_TELEMETRY, input_tokens=500, output_tokens=50, **key
    )
    found = [beside]
    for day in (FIRST + timedelta(number) for number in range(DAYS)):
        for model, (of_keys, of_people) in MODELS.items():
            found += [
                row(ANTHROPIC, f"{day} {model} {number}", used_on=day, **_tokens(chance, 1000),
                    **key | {"model": of_keys, "api_key_name": f"apikey_{number}"})
                for number in range(chance.randint(1, 3))
            ]  # fmt: skip
            found += [
                row(CLAUDE, f"{day} {model} {person}", used_on=day, **_tokens(chance, 700), model=of_people,
                    actor_email=person)
                for person in PEOPLE[: chance.randint(0, 2)]
            ]  # fmt: skip
    return found


def telemetry() -> list[Row]:
    """Requests with a key: of a model that the older report has on the day, and of one that it lacks."""
    at = datetime.combine(WITH_TELEMETRY, time(12), UTC)
    who = {"happened_at": at, "token_email": ANN, "user_id": "random"}
    return [
        request("reported key", 1, session_id="reported key", model="anthropic/claude-opus-5", **who),
        request("other model", 1, session_id="other model", model="claude-haiku-5-5", **who),
    ]


def expected() -> dict[tuple[date, str, str], tuple[int, int]]:
    """By day, common name and kind of tokens: those of people, and of people and keys together."""
    sums: dict[tuple[date, str, str], list[int]] = {}
    for one in reports():
        if one["used_on"] == WITH_TELEMETRY:
            continue
        (model,) = (common for common, names in MODELS.items() if one["model"] in names)
        for kind in KINDS:
            pair = sums.setdefault((one["used_on"], model, kind), [0, 0])
            pair[one["connection_id"] == CLAUDE] += one[kind]
    return {key: (people, max(people, keys)) for key, (keys, people) in sums.items()}


def _tokens(chance: random.Random, most: int) -> dict[str, int]:
    return {kind: chance.choice((0, chance.randint(1, most))) for kind in KINDS}
