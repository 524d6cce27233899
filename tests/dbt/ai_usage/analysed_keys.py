"""Use of one organization of Anthropic that two connections report: one by person, and an older one by key."""

from __future__ import annotations

import random
from collections import Counter
from datetime import date, timedelta
from typing import Any

from tests.dbt.ai_usage.reported_usage import ANALYTICS, ANN, ANTHROPIC, CLAUDE, row

FIRST, DAYS = date(2024, 9, 2), 20
LAST = FIRST + timedelta(DAYS - 1)
KINDS = ("input_tokens", "cache_read_tokens", "cache_write_5m_tokens", "output_tokens")
MODELS = {"claude-opus-5": "claude-opus-5-20260401", "claude-sonnet-5": "claude-sonnet-5"}
"""By common name: the name in the older report."""
API, WITH_KEY, SUBSCRIBED = ("anthropic_api", "claude_code", "claude_code with a subscription")
Tokens = Counter[str]


def reports() -> tuple[list[dict[str, Any]], dict[tuple[date, str], Tokens]]:
    """The rows of all reports, and the tokens that were used, by day and common name."""
    chance = random.Random(35)
    found, used = [], {}
    for number in range(DAYS):
        for model, of_keys in MODELS.items():
            day, keys = FIRST + timedelta(number), Counter[str]()
            used[day, model] = whole = Counter[str]()
            for place in range(chance.randint(1, 5)):
                what, name = chance.choice((API, WITH_KEY, SUBSCRIBED)), f"{day} {model} {place}"
                tokens = Counter({kind: chance.randint(0, 900) for kind in KINDS})
                whole.update(tokens)
                given = {"used_on": day, "model": model, **tokens}
                by_person = what == SUBSCRIBED or (what == API and place % 2)
                actor = {"actor_email": ANN} if by_person else {"api_key_name": f"key {place}"}
                tool = API if what == API else "claude_code"
                # The analytics of every fifth day are late: they lack a part of the use by key.
                if what == SUBSCRIBED or number % 5 or place % 2:
                    found.append(row(ANALYTICS, name, tool=tool, product=tool, **given, **actor))
                # Each third day has Claude Code analytics, too.
                if what == WITH_KEY and number % 3 == 0:
                    found.append(row(CLAUDE, name, tool=tool, **given, **actor))
                if what != SUBSCRIBED:
                    keys.update(tokens)
            found += [
                row(ANTHROPIC, f"{day} {model} of all {half}", tool=API, product="messages", used_on=day, model=of_keys,
                    api_key_name=f"apikey_{half}", **{kind: (keys[kind] + half) // 2 for kind in KINDS})
                for half in (0, 1)
            ]  # fmt: skip
    return found, used
