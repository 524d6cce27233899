"""Cursor: what a person's day says, and what it does not."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

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
