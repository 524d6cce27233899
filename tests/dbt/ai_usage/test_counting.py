"""One usage that several sources report counts once, for each tool and each set of sources."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, date, datetime, timedelta
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from tests.dbt import warehouse
from tests.dbt.ai_usage import analysed_keys, extreme_usage, key_reports
from tests.dbt.ai_usage.reported_usage import (
    ANN,
    CLAUDE,
    COPILOT,
    CURSOR,
    LITELLM,
    OPENAI,
    SECOND,
    built_with,
    request,
    row,
)

FIRST = date(2025, 1, 6)
VENDORS = {
    "claude_code": (CLAUDE, "claude_code"),
    "codex": (OPENAI, "openai_api"),
    "cursor": (CURSOR, "cursor"),
    "copilot": (COPILOT, "copilot"),
    "gemini_cli": (None, "gemini_cli"),
}
"""By tool: the connection to its vendor, and the name of the tool there."""
COSTS = {
    "billed": 5_000_000,
    "usage": 4_000_000,
    "telemetry": 3_000_000,
    "key telemetry": 2_000_000,
    "proxy": 1_000_000,
}
"""What each source says of the usage. The first of those that report it counts."""
NAMES = ("person", "key", "shared key")
"""What a vendor calls the person. Somebody said of a shared key that several people have it."""


def scenarios() -> list[tuple[str, str, tuple[str, ...]]]:
    """Tool, name and sources of each day from the first one on."""
    found = []
    for tool, (connection, _) in VENDORS.items():
        known = [one for one in COSTS if connection or one not in ("billed", "usage")]
        sets = [one for size in range(1, len(known) + 1) for one in combinations(known, size)]
        for name in NAMES if connection else NAMES[:1]:
            # A person with an account is none of those behind a key.
            found += [(tool, name, one) for one in sets if name == "person" or "telemetry" not in one]
    return found


def expected(name: str, sources: tuple[str, ...]) -> str:
    """The source that counts."""
    people = [one for one in sources if one in ("key telemetry", "proxy")]
    return people[0] if name == "shared key" and people else sources[0]


def rows_of(number: int, tool: str, name: str, sources: tuple[str, ...]) -> list[dict[str, Any]]:
    """The rows of vendors and proxies on a day. Models without a price leave the amounts as they are."""
    connection, vendors_name = VENDORS[tool]
    day, whose = FIRST + timedelta(number), {"person": {"actor_email": ANN}}.get(name, {"api_key_name": name})
    found = []
    for source in sources:
        amounts: dict[str, Any] = {"amount_nano": COSTS[source], "currency": "USD"}
        if source in ("billed", "usage"):
            basis = "billed" if source == "billed" else "vendor_estimated"
            given = {"tool": vendors_name, "basis": basis} | whose | amounts
            found.append(row(str(connection), f"{number} {source}", used_on=day, **given))
        elif source == "proxy":
            given = {"tool": tool, "basis": "vendor_estimated", "actor_email": ANN} | amounts
            found.append(row(LITELLM, f"{number} {source}", used_on=day, **given))
    return found


def telemetry_of(number: int, tool: str, sources: tuple[str, ...]) -> list[dict[str, Any]]:
    """The events of a day, at noon (UTC)."""
    at = datetime.combine(FIRST + timedelta(number), datetime.min.time(), UTC) + timedelta(hours=12)
    accounts = {"telemetry": {"user_email": ANN}, "key telemetry": {"token_email": ANN, "user_id": "random"}}
    return [
        request(
            f"{number} {source}", 1, tool=tool, model="nothing", cost_nano=COSTS[source], session_id=str(number),
            happened_at=at, **accounts[source],
        )
        for source in sources
        if source in accounts
    ]  # fmt: skip


# A plan includes the second request, which is not billed; what the vendor counts otherwise has another row.
PLAN_DAY = FIRST - timedelta(1)
PLAN: list[dict[str, Any]] = [
    {"model": "nothing", "input_tokens": 10, "amount_nano": 7, "currency": "USD", "basis": "billed"},
    {"model": "claude-opus-5", "input_tokens": 30},
    {"sessions": 2},
]


@pytest.fixture(scope="module")
def file(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The warehouse."""
    rows = [
        row(CURSOR, f"plan {n}", tool="cursor", used_on=PLAN_DAY, actor_email=ANN, **values)
        for n, values in enumerate(PLAN)
    ]
    rows += [*key_reports.reports(), *extreme_usage.vendor_rows(), *analysed_keys.reports()[0]]
    events = [*key_reports.telemetry(), *extreme_usage.telemetry()]
    for number, (tool, name, sources) in enumerate(scenarios()):
        rows += rows_of(number, tool, name, sources)
        events += telemetry_of(number, tool, sources)
    folder = tmp_path_factory.mktemp("counting") / "copy"
    return built_with(built, folder, rows, events, {"shared key": None})


@pytest.fixture(scope="module")
def counted(file: Path) -> dict[date, list[int]]:
    """The costs that count, by day of a scenario."""
    found: dict[date, list[int]] = {}
    for one in warehouse.rows(
        file, f"select used_on, cost_nano from ai_usage where counts_cost and used_on >= '{FIRST}'"
    ):
        found.setdefault(one["used_on"], []).append(one["cost_nano"])
    return found


def test_every_usage_counts_once_by_the_source_that_knows_most(counted: dict[date, list[int]]) -> None:
    wrong = {}
    for number, (tool, name, sources) in enumerate(scenarios()):
        found = counted.pop(FIRST + timedelta(number), [])
        wanted = COSTS[expected(name, sources)]
        # Both kinds of telemetry of one person on a day are two usages.
        if name == "person" and sources[0] == "telemetry" and "key telemetry" in sources:
            wanted += COSTS["key telemetry"]
        if sum(found) != wanted:
            wrong[tool, name, sources] = found
    assert wrong == {}
    assert counted == {}


def test_tokens_count_beside_bills_that_leave_them_out(file: Path) -> None:
    found = warehouse.rows(
        file,
        f"""
        select
            sum(cost_nano) filter (counts_cost) as cost, sum(input_tokens) filter (counts_tokens) as tokens,
            sum(sessions) filter (counts_activity) as sessions
        from ai_usage where used_on = '{PLAN_DAY}'
        """,
    )
    assert found == [{"cost": 7, "tokens": 40, "sessions": 2}]


def test_tokens_of_claude_code_count_once_beside_the_report_of_every_key(file: Path) -> None:
    found = warehouse.rows(
        file,
        f"""
        select used_on, common_model, connection_kind, count(*) as number,
            {", ".join(f"sum({kind}) as {kind}" for kind in key_reports.KINDS)}
        from ai_usage where counts_tokens and used_on < '{key_reports.WITH_TELEMETRY}'
            and used_on >= '{key_reports.FIRST}'
        group by all
        """,
    )
    expected = key_reports.expected()
    rows = {(one["used_on"], one["common_model"], one["connection_kind"]): one for one in found}
    for (day, model, kind), (of_people, of_all) in expected.items():
        people, keys = (rows.get((day, model, name)) for name in ("CLAUDE_CODE", "ANTHROPIC"))
        told = people[kind] if people else 0
        assert told == of_people
        assert keys is not None
        # Shares are rounded down to whole tokens.
        assert 0 <= of_all - told - keys[kind] < keys["number"]
    assert any(people and people == of_all for people, of_all in expected.values())
    assert any(0 < people < of_all for people, of_all in expected.values())


def test_use_counts_once_beside_the_analytics_of_another_connection(file: Path) -> None:
    query = f"""
        select used_on, common_model, count(*) as number,
            {", ".join(f"sum({kind}) as {kind}" for kind in analysed_keys.KINDS)}
        from ai_usage where counts_tokens and used_on between '{analysed_keys.FIRST}' and '{analysed_keys.LAST}'
        group by all
    """
    rows, used = analysed_keys.reports()
    found = {(one["used_on"], one["common_model"]): one for one in warehouse.rows(file, query)}
    assert found.keys() == used.keys()
    for key, tokens in used.items():
        for kind in analysed_keys.KINDS:
            # Shares are rounded down to whole tokens.
            assert 0 <= tokens[kind] - found[key][kind] < found[key]["number"], (key, kind)
    reported = sum(one["input_tokens"] for one in rows)
    assert reported > 1.4 * sum(tokens["input_tokens"] for tokens in used.values())


def test_analytics_of_one_organization_take_nothing_from_the_keys_of_another(file: Path) -> None:
    query = f"select usage_id, input_tokens from ai_usage where counts_tokens and connection_id = '{SECOND}'"
    rows = [one for one in analysed_keys.reports()[0] if one["connection_id"] == SECOND]
    assert {one["usage_id"]: one["input_tokens"] for one in warehouse.rows(file, query)} == {
        f"ANTHROPIC:{one['provider_id']}": one["input_tokens"] for one in rows
    }


def test_telemetry_with_a_key_counts_where_the_report_of_every_key_lacks_its_model(file: Path) -> None:
    found = warehouse.rows(
        file, f"select * from ai_usage where counts_cost and used_on = '{key_reports.WITH_TELEMETRY}'"
    )
    assert {one["session_id"] or one["source"] for one in found} == {"vendor", "other model"}


def test_extreme_numbers_stop_no_build_and_are_flagged(file: Path) -> None:
    found = warehouse.rows(
        file,
        f"""
        select source, session_id, cost_nano, input_tokens, counts_tokens, is_capped from ai_usage
        where used_on between '{extreme_usage.FIRST}' and '{extreme_usage.LAST + timedelta(1)}'
        """,
    )
    most = extreme_usage.LARGEST
    assert {(one["source"], one["cost_nano"], one["input_tokens"]) for one in found if one["is_capped"]} == {
        ("vendor", -most, most),
        ("telemetry", most, most),
    }
    assert sum(not one["is_capped"] for one in found) == (extreme_usage.LAST - extreme_usage.FIRST).days + 1


def test_sums_of_extreme_numbers_stand_at_the_largest(file: Path) -> None:
    days = f"used_on between '{extreme_usage.LAST}' and '{extreme_usage.LAST + timedelta(1)}'"
    compared = warehouse.rows(
        file, f"select * from ai_usage_reconciliation where {days} and developer_id is not null"
    )
    # The ratio of what telemetry captures is a million at most.
    assert [(one["telemetry_tokens"], one["captured_micro"]) for one in compared if one["vendor_tokens"]] == [
        (extreme_usage.LARGEST, 10**12)
    ]
    costs = [one["usage_cost_nano"] for one in warehouse.rows(file, f"select * from ai_days where {days}")]
    assert max(costs) == extreme_usage.LARGEST
    (unusual,) = warehouse.rows(
        file,
        f"""
        select max(value_micro) as multiple from fct_check_ai_usage
        where subject_id = 'claude_code' and cast(started_at as date) between '{extreme_usage.LAST}'
            and '{extreme_usage.LAST + timedelta(9)}'
        """,
    )
    assert unusual["multiple"] == 10**12


def test_every_tool_has_each_set_of_sources() -> None:
    assert Counter(tool for tool, _, _ in scenarios()) == {
        "claude_code": 31 + 2 * 15, "codex": 31 + 2 * 15, "cursor": 31 + 2 * 15, "copilot": 31 + 2 * 15,
        "gemini_cli": 7,
    }  # fmt: skip
