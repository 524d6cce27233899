"""Windsurf: whose a row is, and keys that no row keeps."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import httpx
import pytest

from ingest.errors import ProviderRefused
from ingest.providers.registry import checked
from ingest.providers.windsurf.tool import Windsurf
from tests.ingest.connections import running
from tests.ingest.providers.ai_tools.windsurf_server import KEY_OF, WindsurfServer, windsurf

ANN, ADDRESS = "ann@example.com", "https://server.codeium.com/api/v1"
PROVIDER = Windsurf()
CONNECTION = running.connection_to(PROVIDER, ADDRESS)


def test_every_feature_belongs_to_the_person_and_no_row_has_a_key(tmp_path: Path) -> None:
    server, source = WindsurfServer(running.TOKEN), running.source_in(tmp_path, PROVIDER)
    today = datetime.now(UTC).date()
    server.days[today] = [windsurf(ANN), windsurf("bob@example.com")]
    report = running.run(source, PROVIDER, CONNECTION, server)
    assert (report.rows, report.failures, report.unread) == ({"seats": 2, "usage": 6}, {}, {})
    rows = [row for row in running.rows(source, "usage").values() if row["actor_email"] == ANN]
    columns = ("model", "requests", "lines_suggested", "lines_accepted", "edits_accepted")
    assert {tuple(row[name] for name in columns) for row in rows} == {
        (None, None, 150, 80, None),
        ("claude-opus-5", 5, None, None, None),
        (None, None, None, 280, 45),
    }
    seat = running.rows(source, "seats")[f"{today}/{ANN}"]
    assert seat["last_active_at"] == datetime(2026, 10, 15, tzinfo=UTC)
    kept = str([running.rows(source, table) for table in ("usage", "seats")])
    assert KEY_OF.format(ANN) not in kept
    assert running.TOKEN not in kept


def test_its_check_counts_the_team_and_says_which_key_it_needs() -> None:
    def refusing(_: httpx.Request) -> httpx.Response:
        return httpx.Response(403, json={"message": "forbidden"})

    with running.client_to(PROVIDER, CONNECTION, WindsurfServer(running.TOKEN)) as client:
        assert checked(client, CONNECTION).account == "a team of 0"
    with (
        running.client_to(PROVIDER, CONNECTION, refusing) as client,
        pytest.raises(ProviderRefused, match="Teams Read-only"),
    ):
        checked(client, CONNECTION)
