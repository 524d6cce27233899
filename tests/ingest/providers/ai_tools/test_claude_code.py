"""Claude Code analytics: its rows, the days that are asked for, and what its check says."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from typing import Any

import pytest

from ingest.connections.sync import Sync, SyncReport
from ingest.errors import ProviderRefused, Transient
from ingest.lake import Source
from ingest.providers.anthropic.claude_code import KEPT, ClaudeCode
from ingest.providers.registry import checked
from tests.ingest.connections import running
from tests.ingest.providers.ai_tools.reports import ClaudeCodeServer, person

ADDRESS, KEY = "https://api.anthropic.com", "sk-ant-admin01-invented"
TODAY = date(2026, 11, 20)
OLDEST = TODAY - timedelta(days=KEPT.days)


@pytest.fixture
def source(tmp_path: Path) -> Source:
    return running.source_in(tmp_path, ClaudeCode())


def run(source: Source, server: Any, today: date = TODAY, **options: Any) -> SyncReport:
    provider = ClaudeCode()
    connection = running.connection_to(provider, ADDRESS, secret=KEY)

    def now() -> datetime:
        return datetime.combine(today, time(9), UTC)

    with running.client_to(provider, connection, server, now=now) as client, source.extracting():
        return Sync(source, connection, provider, client, now=now, **options).run()


def test_a_person_has_a_row_of_activity_and_one_of_each_model(source: Source) -> None:
    server = ClaudeCodeServer(KEY)
    server.days[TODAY] = [
        person("ann@example.com", "claude-opus-5", "claude-haiku-5-5"),
        person("bob@example.com"),
    ]
    assert run(source, server).rows == {"usage": 4}
    rows = running.rows(source, "usage").values()
    (activity,) = [row for row in rows if row["actor_email"] == "ann@example.com" and row["model"] is None]
    assert (activity["sessions"], activity["lines_accepted"], activity["lines_removed"]) == (1, 20, 5)
    assert (activity["edits_accepted"], activity["edits_rejected"], activity["input_tokens"]) == (6, 1, None)
    (haiku,) = [row for row in rows if row["model"] == "claude-haiku-5-5"]
    assert (haiku["input_tokens"], haiku["cache_read_tokens"], haiku["cache_write_5m_tokens"]) == (
        200,
        3 * 10**9,
        30,
    )
    # 12.345 cents in billionths of a dollar.
    assert (haiku["amount_nano"], haiku["currency"], haiku["basis"]) == (
        123_450_000,
        "USD",
        "vendor_estimated",
    )
    assert {row["used_on"] for row in rows} == {TODAY}


def test_every_day_is_asked_once_and_later_runs_ask_for_restated_days_alone(source: Source) -> None:
    server = ClaudeCodeServer(KEY)
    run(source, server)
    assert [first for first, _ in server.ranges] == [OLDEST + timedelta(days=n) for n in range(KEPT.days + 1)]
    server.ranges.clear()
    server.days[TODAY] = [person("ann@example.com", "claude-opus-5")]
    run(source, server, TODAY + timedelta(days=1))
    assert [first for first, _ in server.ranges] == [
        TODAY + timedelta(days=n) for n in range(-KEPT.restated, 2)
    ]
    assert len(running.rows(source, "usage")) == 2


def test_days_that_the_vendor_no_longer_has_stay(source: Source) -> None:
    server = ClaudeCodeServer(KEY)
    server.days[OLDEST] = [person("ann@example.com", "claude-opus-5")]
    run(source, server)
    server.days.clear()
    later = TODAY + timedelta(days=30)
    report = run(source, server, later, is_full=True)
    assert (report.deleted, report.failures) == (0, {})
    assert len(running.rows(source, "usage")) == 2


def test_what_a_vendor_takes_back_of_a_restated_day_is_gone(source: Source) -> None:
    server = ClaudeCodeServer(KEY)
    yesterday, tomorrow = TODAY - timedelta(days=1), TODAY + timedelta(days=1)
    old = TODAY - timedelta(days=30)
    for day in (TODAY, yesterday, old):
        server.days[day] = [person("ann@example.com", "claude-opus-5"), person("bob@example.com")]
    run(source, server)
    server.days[yesterday] = [person("ann@example.com", "claude-haiku-5-5")]
    server.days[TODAY] = []
    server.days[old] = []
    report = run(source, server, tomorrow)
    # Bob, and what Ann did with the first model.
    assert report.deleted == 2
    assert [
        (row["used_on"], row["actor_email"], row["model"]) for row in running.rows(source, "usage").values()
        if row["used_on"] == yesterday
    ] == [(yesterday, "ann@example.com", None), (yesterday, "ann@example.com", "claude-haiku-5-5")]  # fmt: skip
    # A day that lists nobody any more may be a failure, and older days are not told anew.
    assert "lists 0 of 3 known rows" in report.failures["usage"]
    assert {row["used_on"] for row in running.rows(source, "usage").values()} == {old, yesterday, TODAY}
    server.days[TODAY] = [person("ann@example.com")]
    assert (run(source, server, tomorrow).deleted, len(running.rows(source, "usage"))) == (2, 6)


def test_a_row_that_cannot_be_read_keeps_what_is_known_of_its_day(source: Source) -> None:
    server = ClaudeCodeServer(KEY)
    server.days[TODAY] = [person("ann@example.com"), person("bob@example.com")]
    run(source, server)
    server.days[TODAY] = [person("ann@example.com"), {"actor": 7}]
    report = run(source, server, TODAY + timedelta(days=1))
    assert (report.deleted, len(running.rows(source, "usage"))) == (0, 2)


def test_a_killed_run_continues_at_its_day(source: Source) -> None:
    server = ClaudeCodeServer(KEY)
    for back in range(10):
        day = TODAY - timedelta(days=back)
        server.days[day] = [person(f"p{n}@example.com", "claude-opus-5") for n in range(3)]
    for _ in range(100):
        try:
            run(source, running.Recorded(server, fails_at=40))
            break
        except Transient:
            continue
    assert len(running.rows(source, "usage")) == 10 * 3 * 2
    assert len(server.ranges) < 2 * (KEPT.days + 12)


@pytest.mark.parametrize(
    ("secret", "words"),
    [("sk-ant-api03-x", "ordinary API key"), ("sk-ant-admin01-other", "does not accept the key")],
)
def test_a_wrong_key_is_refused_with_its_remedy(secret: str, words: str) -> None:
    provider = ClaudeCode()
    connection = running.connection_to(provider, ADDRESS, secret=secret)
    with (
        running.client_to(provider, connection, ClaudeCodeServer(KEY)) as client,
        pytest.raises(ProviderRefused, match=words),
    ):
        checked(client, connection)


def test_the_check_says_whom_the_report_lacks() -> None:
    provider = ClaudeCode()
    connection = running.connection_to(provider, ADDRESS, secret=KEY)
    with running.client_to(provider, connection, ClaudeCodeServer(KEY)) as client:
        found = checked(client, connection)
    assert found.account == "Acme"
    assert "subscription" in found.warnings[0]
