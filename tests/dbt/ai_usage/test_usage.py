"""Usage of AI tools: whose it is, what it costs, and which source counts, against plain Python."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from genai_prices import Usage, calc_price

from ingest.lake import Lake
from ingest.schemas import TABLES
from ingest.schemas.ai_settings import AI_ACTORS, AI_PRICES
from ingest.schemas.ai_tools import SEATS, USAGE
from ingest.schemas.telemetry import LINKS, POINTS, REQUESTS
from tests.dbt import warehouse
from tests.dbt.ai_usage.linked import expected_costs, named_commits, spent_around_commits
from tests.dbt.invented.invented_history import ORGANIZATION_ID, PEOPLE

CLAUDE, OPENAI, OTHER, CURSOR, COPILOT, LITELLM, ANTHROPIC = (
    f"018f0000-0000-7000-8000-0000000000{n}" for n in range(21, 28)
)
KINDS = {
    CLAUDE: "CLAUDE_CODE", OPENAI: "OPENAI", OTHER: "CLAUDE_CODE", CURSOR: "CURSOR", COPILOT: "GITHUB_COPILOT",
    LITELLM: "LITELLM", ANTHROPIC: "ANTHROPIC",
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
        for actor, developer in {"ci-key": _developer(built, ANN), **actors}.items()
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
    return warehouse.build(folder / "raw", folder, select="tag:ai_usage")


def _developer(built: Path, address: str) -> str:
    (found,) = warehouse.rows(
        built, f"select distinct developer_id from int_identity__developers where address = '{address}'"
    )
    return str(found["developer_id"])


@pytest.fixture(scope="module")
def filled(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The warehouse."""
    rows = [
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
          for model, day in (("gpt-6-astra", 10), ("images", 10), ("images", 11))),
    ]  # fmt: skip
    # Nobody alone stands behind a mailbox, though somebody commits with its address.
    decided = {PEOPLE[1][1].lower(): None}
    folder = tmp_path_factory.mktemp("usage") / "copy"
    return built_with(built, folder, [*rows, *spent_around_commits(built)], actors=decided)


@pytest.fixture(scope="module")
def usage(filled: Path) -> dict[str, dict[str, Any]]:
    """Rows by key, those of telemetry by session and number."""
    found = warehouse.rows(filled, "select * from ai_usage")
    return {one["usage_id"].partition(":")[2]: one for one in found} | {
        f"{one['session_id']} {number}": one
        for number, one in enumerate(sorted(found, key=lambda one: str(one["input_tokens"])))
        if one["session_id"]
    }


def price(model: str, **values: Any) -> int:
    """The price of one request in billionths of a dollar."""
    context = values.pop("price_context", None)
    at = datetime(2026, 11, 2, 12, tzinfo=UTC)
    found = calc_price(Usage(**values), model, genai_request_timestamp=at, price_context=context)
    return round(found.total_price * 10**9)


def test_a_row_belongs_to_the_developer_of_its_address(usage: dict[str, dict[str, Any]], built: Path) -> None:
    assert usage["ann"]["developer_id"] == _developer(built, ANN)
    assert (usage["stranger"]["developer_id"], usage["stranger"]["actor"]) == (None, "zoe@elsewhere.example")


def test_computed_cost_is_that_of_the_price_table(usage: dict[str, dict[str, Any]]) -> None:
    read = {"input_tokens": 1000 + 50_000 + 730, "cache_read_tokens": 50_000, "cache_write_tokens": 730}
    expected = price("claude-opus-5", output_tokens=1000, cache_write_1h_tokens=30, **read)
    assert (usage["ann"]["cost_nano"], usage["ann"]["cost_basis"]) == (expected, "computed")
    assert usage["ann"]["price_source"].startswith("genai-prices ")
    fast = price("claude-opus-5", input_tokens=1000, output_tokens=1000, price_context={"speed": "fast"})
    assert usage["fast"]["cost_nano"] == fast


def test_a_key_is_of_the_developer_whom_somebody_named(usage: dict[str, dict[str, Any]], built: Path) -> None:
    assert usage["key of ann"]["developer_id"] == _developer(built, ANN)
    assert usage["key of nobody"]["developer_id"] is None


def test_an_agreed_discount_lowers_the_cost(usage: dict[str, dict[str, Any]]) -> None:
    listed = price("gpt-5.3-codex", input_tokens=1000, output_tokens=1000)
    assert usage["key of ann"]["cost_nano"] == round(listed * 0.9)
    assert "agreed price p" in usage["key of ann"]["price_source"]


def test_a_tier_is_that_of_the_mean_request(usage: dict[str, dict[str, Any]]) -> None:
    large = price("gpt-6-astra", input_tokens=300_000, output_tokens=10)
    small = round(300_000 * 10 * 1e3 + 10 * 50 * 1e3)
    assert usage["usage"]["cost_nano"] == large > small
    assert (usage["small"]["cost_nano"], usage["small"]["is_tier_unknown"]) == (small, False)
    assert (usage["unknown number"]["cost_nano"], usage["unknown number"]["is_tier_unknown"]) == (small, True)


def test_what_has_no_price_says_why(usage: dict[str, dict[str, Any]]) -> None:
    told = {key: usage[key]["unpriced_reason"] for key in ("stranger", "odd", "fast")}
    assert told == {
        "stranger": "unknown model [1m]nothing",
        "odd": "unknown speed ludicrous",
        "fast": None,
    }
    odd = usage["odd"]
    assert (odd["cost_nano"], odd["counts_cost"], odd["counts_tokens"]) == (None, False, True)


def test_what_is_billed_needs_no_price(usage: dict[str, dict[str, Any]]) -> None:
    """Copilot names no model beside its tokens."""
    told = {
        key: (usage[key]["cost_nano"], usage[key]["unpriced_reason"]) for key in ("credits", "no credits")
    }
    assert told == {"credits": (9, None), "no credits": (None, "no model named")}


def test_one_source_counts_for_a_tool_person_and_day(usage: dict[str, dict[str, Any]]) -> None:
    # Billed money counts before tokens times price, whose tokens count nevertheless.
    assert [usage["costs"][f"counts_{kind}"] for kind in ("cost", "tokens", "activity")] == [
        True,
        False,
        False,
    ]
    assert [usage["usage"][f"counts_{kind}"] for kind in ("cost", "tokens", "activity")] == [
        False,
        True,
        False,
    ]
    assert [usage["ann activity"][f"counts_{kind}"] for kind in ("cost", "tokens", "activity")] == [
        False,
        False,
        True,
    ]
    assert (usage["estimated"]["cost_nano"], usage["estimated"]["cost_currency"]) == (5, "USD")


def test_a_bill_that_names_nobody_and_the_keys_behind_it_count_once(usage: dict[str, dict[str, Any]]) -> None:
    counted = {
        key: one["counts_cost"]
        for key, one in usage.items()
        if one["connection_kind"] == "OPENAI" and one["used_on"] in (date(2026, 11, 10), date(2026, 11, 11))
    }
    assert counted == {
        "ci-key": True, "a service": True, "bill of gpt-6-astra 10": False, "bill of images 10": True,
        # The bill may have the key's model by another name.
        "other names": False, "bill of images 11": True,
    }  # fmt: skip
    assert usage["other names"]["counts_tokens"]


def test_telemetry_beside_a_login_that_nobody_knows_costs_nothing(usage: dict[str, dict[str, Any]]) -> None:
    """Both may be one person. The tokens are those of telemetry alone."""
    (beside,), (other,) = session(usage, "login"), session(usage, "other day")
    assert (usage["unknown login"]["counts_cost"], beside["counts_cost"], other["counts_cost"]) == (
        True,
        False,
        True,
    )
    assert beside["counts_tokens"]


def test_an_agreed_price_comes_before_the_estimate_of_a_vendor(usage: dict[str, dict[str, Any]]) -> None:
    listed = price("gpt-5.3-codex", input_tokens=1000, output_tokens=1000)
    agreed = usage["agreed"]
    assert (agreed["cost_nano"], agreed["cost_basis"]) == (round(listed * 0.9), "computed")


def test_a_decision_for_several_people_comes_before_an_address(usage: dict[str, dict[str, Any]]) -> None:
    assert (usage["mailbox"]["developer_id"], usage["mailbox"]["actor"]) == (None, PEOPLE[1][1].lower())


def test_a_row_of_two_connections_of_one_kind_counts_once(usage: dict[str, dict[str, Any]]) -> None:
    assert usage["ann"]["connection_id"] == CLAUDE


def test_a_report_by_key_counts_on_days_without_one_by_person(usage: dict[str, dict[str, Any]]) -> None:
    assert usage["by key"]["counts_tokens"]
    assert usage["by person"]["counts_tokens"]
    assert "by key too" not in usage


def session(usage: dict[str, dict[str, Any]], name: str) -> list[dict[str, Any]]:
    """The rows of a session, by tokens."""
    return [one for key, one in usage.items() if one["session_id"] == name and key.startswith(f"{name} ")]


def test_telemetry_counts_where_no_vendor_reports_the_person(usage: dict[str, dict[str, Any]]) -> None:
    (double,), (alone,) = session(usage, "double"), session(usage, "alone")
    assert (double["counts_cost"], double["counts_tokens"]) == (False, False)
    assert (alone["counts_cost"], alone["requests"], alone["cost_basis"]) == (True, 2, "computed")
    assert alone["cost_nano"] == 2 * price("claude-opus-5", input_tokens=100, output_tokens=100)
    assert alone["developer_id"] == usage["ann"]["developer_id"]


def test_telemetry_that_names_nobody_counts_on_days_without_a_vendor(
    usage: dict[str, dict[str, Any]],
) -> None:
    (unnamed,), (beside,) = session(usage, "unnamed"), session(usage, "unnamed, vendor")
    assert (unnamed["counts_cost"], unnamed["developer_id"], unnamed["actor"]) == (True, None, "random")
    assert beside["counts_cost"] is False


def test_the_ingest_token_of_a_person_names_the_developer(usage: dict[str, dict[str, Any]]) -> None:
    (token,) = session(usage, "token")
    assert (token["developer_id"], token["actor"]) == (usage["ann"]["developer_id"], ANN)


def test_the_estimate_of_a_tool_counts_without_a_price(usage: dict[str, dict[str, Any]]) -> None:
    (unpriced,) = session(usage, "no price")
    assert (unpriced["cost_nano"], unpriced["cost_basis"]) == (77, "client_estimated")


def test_each_request_has_the_tier_of_its_own_size(usage: dict[str, dict[str, Any]]) -> None:
    small, large = session(usage, "tiers")
    assert small["cost_nano"] == price("gpt-6-astra", input_tokens=10, output_tokens=100)
    assert large["cost_nano"] == price("gpt-6-astra", input_tokens=300_000, output_tokens=100)


def test_counters_are_activity(usage: dict[str, dict[str, Any]]) -> None:
    (counted,) = session(usage, "counters")
    assert (counted["sessions"], counted["lines_accepted"], counted["lines_removed"]) == (1, 2, 3)
    assert (counted["counts_activity"], counted["counts_tokens"]) == (True, False)


def test_telemetry_stands_beside_the_report_of_the_vendor(filled: Path) -> None:
    """Claude Code reports the 2nd and 3rd. OpenAI's days are over before telemetry begins."""
    found = warehouse.rows(filled, "select * from ai_usage_reconciliation")
    assert {one["tool"] for one in found} == {"claude_code"}
    rows = {(one["used_on"].day, one["actor"]): one for one in found}
    columns = ("vendor_kind", "vendor_tokens", "telemetry_tokens", "difference_tokens", "captured_micro")
    assert {key: tuple(one[name] for name in columns) for key, one in rows.items()} == {
        (2, ANN): ("CLAUDE_CODE", 52_730, 200, 52_530, 200 * 10**6 // 52_730),
        (2, "zoe@elsewhere.example"): ("CLAUDE_CODE", 2000, 0, 2000, 0),
        (2, "random"): (None, 0, 200, -200, None),
        (3, "zoe@elsewhere.example"): ("CLAUDE_CODE", 2000, 0, 2000, 0),
    }


def test_both_sides_have_the_same_prices(filled: Path, usage: dict[str, dict[str, Any]]) -> None:
    rows = {
        (one["used_on"].day, one["actor"]): one
        for one in warehouse.rows(filled, "select * from ai_usage_reconciliation")
    }
    reported = price("claude-opus-5", input_tokens=100, output_tokens=100)
    ann = rows[2, ANN]
    assert (ann["vendor_nano"], ann["telemetry_nano"]) == (usage["ann"]["computed_nano"], reported)
    assert ann["difference_nano"] == ann["vendor_nano"] - reported
    unpriced = rows[2, "zoe@elsewhere.example"]
    assert (unpriced["vendor_nano"], unpriced["difference_nano"]) == (None, None)
    # The vendor's own estimate is no side of the comparison.
    estimated = rows[3, "zoe@elsewhere.example"]
    assert estimated["vendor_nano"] == price("claude-opus-5", input_tokens=1000, output_tokens=1000)


def test_a_day_of_a_developer_sums_what_counts(filled: Path, usage: dict[str, dict[str, Any]]) -> None:
    counted = [one for one in warehouse.rows(filled, "select * from ai_usage") if one["developer_id"]]
    tokens = (
        "input_tokens",
        "cache_read_tokens",
        "cache_write_5m_tokens",
        "cache_write_1h_tokens",
        "output_tokens",
    )
    days = warehouse.rows(filled, "select * from ai_days")
    assert {one["used_on"] for one in days} == {one["used_on"] for one in counted}
    for day in days:
        key = ("used_on", "developer_id")
        own = [one for one in counted if all(one[name] == day[name] for name in key)]
        costs = [one["cost_nano"] for one in own if one["counts_cost"] and one["cost_currency"] == "USD"]
        read = [sum(one[kind] or 0 for kind in tokens) for one in own if one["counts_tokens"]]
        lines = [
            one["lines_accepted"]
            for one in own
            if one["counts_activity"] and one["lines_accepted"] is not None
        ]
        assert day["usage_cost_nano"] == (sum(costs) if costs else None)
        assert day["usage_tokens"] == (sum(read) if read else None)
        assert day["usage_lines_accepted"] == (sum(lines) if lines else None)
        assert day["usage_days"] == max(one["is_active"] for one in own)


def test_a_seat_is_as_active_as_the_vendor_or_any_usage_says(filled: Path) -> None:
    found = {
        (one["actor"], one["seen_on"].day): one
        for one in warehouse.rows(filled, "select * from int_ai_usage__seats")
    }
    columns = ("told_on", "used_on", "last_active_on", "is_pending_cancellation", "seats")
    november, october = partial(date, 2026, 11), partial(date, 2026, 10)
    assert {key: tuple(one[name] for name in columns) for key, one in found.items()} == {
        (ANN, 1): (None, None, None, False, 1),
        (ANN, 3): (october(4), november(2), november(2), False, 1),
        # Telemetry of the 20th is usage, too.
        (ANN, 20): (november(19), november(20), november(20), False, 1),
        (STRANGER, 3): (None, november(3), november(3), True, 1),
        ("eve@elsewhere.example", 3): (october(1), None, october(1), False, 1),
        (None, 3): (None, None, None, False, 2),
    }
    (ann,) = {found[ANN, day]["developer_id"] for day in (1, 3, 20)}
    assert ann is not None
    assert found[STRANGER, 3]["developer_id"] is None
    assert {found[ANN, day]["first_seen_on"] for day in (1, 3, 20)} == {november(1)}


def test_cost_reaches_commits_by_the_first_way_that_finds_some(filled: Path) -> None:
    rows = warehouse.rows(filled, "select * from ai_costs")
    found = {
        (one["used_on"], one["tool"], one["developer_id"], one["commit_id"], one["method"]): one["cost_nano"]
        for one in rows
    }
    assert found == expected_costs(filled)
    assert {one["method"] for one in rows} == {"session", "session_of_day", "day", "next_day", "none"}


def test_linked_and_unlinked_cost_is_all_cost(filled: Path) -> None:
    key = "used_on, tool, developer_id, team_id"
    linked = warehouse.rows(filled, f"select {key}, sum(cost_nano) as cost from ai_costs group by {key}")
    dollars = "counts_cost and cost_currency = 'USD'"
    counted = warehouse.rows(
        filled, f"select {key}, sum(cost_nano) as cost from ai_usage where {dollars} group by {key}"
    )
    assert sorted(map(repr, linked)) == sorted(map(repr, counted))
    assert len(linked) > 20
