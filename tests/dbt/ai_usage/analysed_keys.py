"""Use of one organization of Anthropic that two connections report: one by person, and an older one by key.

A second organization has keys alone. On some days no report says of which organization it is; then the second has none.
"""

from __future__ import annotations

import random
from collections import Counter
from datetime import date, timedelta
from typing import Any

from tests.dbt.ai_usage.reported_usage import ANALYTICS, ANN, ANTHROPIC, CLAUDE, SECOND, row

FIRST, DAYS = date(2024, 9, 2), 40
LAST = FIRST + timedelta(DAYS - 1)
KINDS = ("input_tokens", "cache_read_tokens", "cache_write_5m_tokens", "output_tokens")
MODELS = {"claude-opus-5": "claude-opus-5-20260401", "claude-sonnet-5": "claude-sonnet-5"}
"""By common name: the name in the older report."""
API, WITH_KEY, SUBSCRIBED, SIGNED_IN = (
    "anthropic_api", "claude_code", "claude_code with a subscription", "claude_code at the Console"
)  # fmt: skip
STRANGER = "zoe@elsewhere.example"
"""A person whom no list ties to the key that Claude Code made at the sign-in."""
Tokens = Counter[str]
Row = dict[str, Any]


def reports() -> tuple[list[Row], dict[tuple[date, str], Tokens]]:
    """The rows of all reports, and the tokens that were used, by day and common name."""
    chance = random.Random(35)
    found: list[Row] = []
    used: dict[tuple[date, str], Tokens] = {}
    for number in range(DAYS):
        for model in MODELS:
            day = FIRST + timedelta(number)
            used[day, model] = _use(chance, number, model, found)
    return found, used


def _use(chance: random.Random, number: int, model: str, found: list[Row]) -> Tokens:
    """Add the rows of a day and model. The analytics of half the days have nobody who uses Claude Code."""
    day, whole, keys = FIRST + timedelta(number), Counter[str](), Counter[str]()
    has_people = number % 4 < 2
    account = {"account_id": "org_a"} if number % 2 else {}
    for place in range(chance.randint(1, 6)):
        what = chance.choice(
            (API, WITH_KEY, SIGNED_IN, SUBSCRIBED) if has_people else (API, WITH_KEY, SIGNED_IN)
        )
        name, tokens = f"{day} {model} {place}", Counter({kind: chance.randint(0, 900) for kind in KINDS})
        whole.update(tokens)
        given = {"used_on": day, "model": model, **tokens, **account}
        is_person = what in (SUBSCRIBED, SIGNED_IN) or (what == API and place % 2)
        email = ANN if place % 3 else STRANGER
        actor = {"actor_email": email} if is_person else {"api_key_name": f"key {place}"}
        tool = API if what == API else "claude_code"
        # The analytics of every fifth day are late: they lack a part of the use by key.
        if has_people if what in (SUBSCRIBED, SIGNED_IN) else (number % 5 or place % 2):
            ids = {"actor_id": "user_ann"} if is_person and email == ANN else {}
            found.append(row(ANALYTICS, name, tool=tool, product=tool, **given, **actor, **ids))
        # Each third day has Claude Code analytics, too.
        if what in (WITH_KEY, SIGNED_IN) and number % 3 == 0:
            found.append(row(CLAUDE, name, tool=tool, **given, **actor))
        if what == SIGNED_IN:
            owner = {"actor_id": "user_ann"} if email == ANN else {"api_key_name": "apikey_made"}
            found.append(
                _of_key(ANTHROPIC, name, tool="claude_code", **given | {"model": MODELS[model]}, **owner)
            )
        elif what != SUBSCRIBED:
            keys.update(tokens)
    found += _keys(ANTHROPIC, day, model, keys, account)
    if account:
        other = Counter({kind: chance.randint(1, 900) for kind in KINDS})
        whole.update(other)
        found += _keys(SECOND, day, model, other, {"account_id": "org_b"})
    return whole


def _keys(connection: str, day: date, model: str, tokens: Tokens, account: dict[str, str]) -> list[Row]:
    """The tokens of a day and model, in halves of two keys."""
    return [
        _of_key(
            connection, f"{day} {model} of all {half}", tool=API, used_on=day, model=MODELS[model], **account,
            api_key_name=f"apikey_{half} of {connection}", **{kind: (tokens[kind] + half) // 2 for kind in KINDS},
        )
        for half in (0, 1)
    ]  # fmt: skip


def _of_key(connection: str, name: str, **values: Any) -> Row:
    return row(connection, f"{connection} {name}", product="messages", **values)
