"""Cursor: what a person's day says, and what it does not."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from ingest.connections import sync
from ingest.providers.cursor.tool import Cursor
from tests.ingest.connections import running
from tests.ingest.providers.ai_tools.reports import CursorServer, cursor


def test_accepted_tabs_are_suggestions_and_typed_lines_are_not(tmp_path: Path) -> None:
    server = CursorServer(running.TOKEN)
    told = {
        "isActive": True,
        "totalLinesAdded": 900,
        "acceptedLinesAdded": 30,
        "totalAccepts": 4,
        "totalRejects": 1,
    }
    ann = cursor("ann@example.com") | {"activity": told | {"totalTabsShown": 50, "totalTabsAccepted": 20}}
    server.days[datetime.now(UTC).date()] = [ann]
    provider, source = Cursor(), running.source_in(tmp_path, Cursor())
    connection = running.connection_to(provider, "https://api.cursor.com")
    assert running.run(source, provider, connection, server).failures == {}
    (day,) = (row for row in running.rows(source, "usage").values() if row["model"] is None)
    assert (day["edits_accepted"], day["edits_rejected"], day["lines_accepted"]) == (24, 1, 30)
    assert day["lines_suggested"] is None


def test_the_limit_of_rows_holds_for_a_range_of_days_and_not_for_all_of_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sync, "MAX_PASS_ROWS", 30)
    server, today = CursorServer(running.TOKEN), datetime.now(UTC).date()
    for ago in range(80):
        server.days[today - timedelta(days=ago)] = [cursor("ann@example.com")]
    provider, source = Cursor(), running.source_in(tmp_path, Cursor())
    connection = running.connection_to(provider, "https://api.cursor.com")
    assert running.run(source, provider, connection, server).failures == {}
    assert len(running.rows(source, "usage")) == 160
    server.days[today] = [cursor(f"{n}@example.com") for n in range(31)]
    failures = running.run(source, provider, connection, server).failures
    assert {"requests", "activity"} <= set(failures)
    assert "more than 30 rows" in failures["requests"]
