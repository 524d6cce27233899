"""Every provider: whatever its answers hold, a run ends with counted rows or a named failure, and the lake is whole."""

from __future__ import annotations

import random
import resource
from pathlib import Path
from typing import Any

import pytest

from ingest.connections.progress import SyncReport
from ingest.errors import IngestError
from ingest.http import budgets
from ingest.http.budgets import Budget
from ingest.lake import Source
from ingest.texts import is_storable, link
from tests.ingest.connections.cases import CASES, Case
from tests.ingest.connections.mutated import Endless, Mutated
from tests.ingest.connections.running import TOKEN, Recorded, rows, run, source_in
from tests.ingest.connections.test_broken_runs import read
from tests.suite.tiers import IS_WHOLE

MUTATIONS = 10_000 if IS_WHOLE else 600
"""Damaged values and answers over all kinds of connections."""
MAX_MEGABYTES = 200
"""By which all runs together may raise the memory of the process."""


def said(source: Source, case: Case, handler: Any, **options: Any) -> tuple[SyncReport | None, list[str]]:
    """The report of a run, if it came to its end, and everything that it says to people."""
    try:
        report = run(source, case.provider, case.connection, handler, case.wanted, **options)
    except IngestError as error:
        return None, [str(error)]
    told = [*report.failures.values(), *report.unread_reasons.values(), *report.notes.values()]
    return report, [*report.failures, *report.unread, *report.notes, *told]


def refuse_harm(source: Source, told: list[str]) -> None:
    """What a run says and stores is harmless: to databases, browsers and people, and without the token."""
    for text in told:
        assert text.isprintable(), repr(text)
        assert is_storable(text)
        assert TOKEN not in text
    for table in source.state().tables:
        versions = source.read(table).to_pylist()
        keys = [(row.get("table_name"), row["provider_id"], row.get("batch")) for row in versions]
        assert len(keys) == len(set(keys)), table
        for row in versions:
            assert row["provider_id"].strip()
            assert row.get("url") is None or link(row["url"])
            assert TOKEN not in str(row)
            assert is_storable(str(row))
    assert TOKEN not in str(source.state().extra)


def test_damaged_answers_end_with_counted_rows_or_a_named_failure(case: Case, tmp_path: Path) -> None:
    chance = random.Random(f"{case.provider.kind} 1")
    honest = source_in(tmp_path / "honest", case.provider)
    read(honest, case, case.make())
    expected = rows(honest, case.table)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    left, turn, unread, failed = MUTATIONS // len(CASES) + 1, 0, 0, 0
    while left > 0:
        turn += 1
        source = source_in(tmp_path / str(turn), case.provider)
        server = Mutated(case.make(), chance, share=chance.choice((0.1, 0.4, 1.0)))
        report, told = said(source, case, server)
        refuse_harm(source, told)
        left -= server.mutations
        unread += report is not None and bool(report.unread)
        failed += report is None or not report.is_complete
        # Whatever it took for true, the honest provider puts right.
        # The first run may continue a pass at a damaged cursor.
        for _ in range(2):
            healed, told = said(source, case, case.make(), is_full=True)
        refuse_harm(source, told)
        assert healed is not None, told
        assert (healed.failures, healed.unread) == ({}, {})
        found = rows(source, case.table)
        column, _ = case.edited
        assert {key: found[key][column] for key in expected} == {
            key: row[column] for key, row in expected.items()
        }
    assert unread + failed
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < MAX_MEGABYTES * 1024


@pytest.mark.parametrize("repeats", [True, False], ids=["repeated page", "new pages"])
def test_a_list_without_end_ends_with_a_named_failure(
    case: Case, repeats: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(budgets, "of_listing", lambda: Budget("one list", 60, 10**9, 3600.0))
    source, server = source_in(tmp_path, case.provider), Endless(case, case.make(), repeats)
    recorded = Recorded(server)
    report, told = said(source, case, recorded)
    assert report is not None
    is_named = any("in a circle" in one or "is the limit" in one for one in told)
    assert is_named or not case.has_pages, told
    assert len(recorded.requests) < 1_500
    refuse_harm(source, told)
