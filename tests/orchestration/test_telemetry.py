"""Telemetry on its way from the spool to a build: who loads it, and what is said of it."""

from __future__ import annotations

import io
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import dagster as dg
import orjson
import pytest
from rich.console import Console

from ingest.telemetry import loading, spool
from ingest.telemetry.spool import Spool
from orchestration.build import due
from orchestration.commands.analysis import load_telemetry as load_for_command
from orchestration.deployment import LOCAL_ORGANIZATION, LOCAL_SLUG, Deployment
from orchestration.doctor.telemetry import telemetry as told
from orchestration.graph.assets.telemetry import load_telemetry
from orchestration.graph.checks import telemetry_is_fresh
from orchestration.reading.opening import Analysis
from orchestration.runtime.partitions import ORGANIZATIONS, key
from orchestration.runtime.terminal import Watcher
from orchestration.state import fingerprints

NOW = int(datetime(2026, 11, 2, 10, tzinfo=UTC).timestamp() * 1e6)


def send(deployment: Deployment, *keys: str) -> Path:
    """Acknowledge events; the folder of the organization's spool."""
    folder = loading.spool_folder(deployment.settings.data_dir)
    written = Spool(folder)
    counts = dict.fromkeys(("input_tokens", "cache_read_tokens", "cache_write_tokens", "output_tokens"), 1)
    rows = [
        {"event_key": one, "happened_at": NOW, "tool": "codex", "requests": 1, "is_error": False, **counts}
        for one in keys
    ]
    content = {"token_id": "t", "token_email": None, "received_at": NOW, "rows": {"requests": rows}}
    written.append(LOCAL_ORGANIZATION, orjson.dumps(content)).result()
    written.close()
    return folder / LOCAL_ORGANIZATION


def rows_of(deployment: Deployment) -> int:
    source = deployment.lake.source(loading.NOUN, LOCAL_ORGANIZATION, loading.SOURCE)
    return source.state().rows.get("requests", 0)


def is_fresh(deployment: Deployment) -> bool:
    check = telemetry_is_fresh(deployment)
    assert isinstance(check, dg.AssetCheckResult)
    return check.passed


def test_a_build_loads_what_was_sent_before_it(
    deployment: Deployment, stored_instance: dg.DagsterInstance
) -> None:
    partition = key(LOCAL_SLUG, LOCAL_ORGANIZATION)
    stored_instance.add_dynamic_partitions(str(ORGANIZATIONS.name), [partition])
    send(deployment, "a", "b")
    for _ in range(2):
        result = dg.materialize(
            [load_telemetry],
            instance=stored_instance,
            partition_key=partition,
            resources={"deployment": deployment},
        )
        assert result.success
        [loaded] = result.asset_materializations_for_node("load_telemetry")[:1]
        assert loaded.metadata["dagster/row_count"].value == 2
        assert all(one.passed for one in result.get_asset_check_evaluations())
    assert rows_of(deployment) == 2


def test_a_command_loads_it_and_a_build_is_due(deployment: Deployment) -> None:
    before = fingerprints.facts(deployment.lake, LOCAL_ORGANIZATION)
    send(deployment, "a")
    analysis = Analysis(LOCAL_ORGANIZATION, LOCAL_SLUG)
    load_for_command(deployment, analysis, Watcher(Console(file=io.StringIO())))
    assert analysis.problems == []
    assert rows_of(deployment) == 1
    assert fingerprints.facts(deployment.lake, LOCAL_ORGANIZATION) != before
    # Without a repository there is still spend to show.
    assert due.inputs_of_due_build(deployment, LOCAL_ORGANIZATION) is not None


def test_damage_and_lateness_are_told(deployment: Deployment) -> None:
    assert list(told(deployment)) == []
    folder = send(deployment, "a")
    [finding] = told(deployment)
    assert finding.passed
    [segment] = spool.pending(folder)
    ago = datetime.now(UTC) - timedelta(hours=40)
    segment.rename(segment.with_name(f"{int(ago.timestamp() * 1e9):020d}-1-1.open"))
    [finding] = told(deployment)
    assert finding.passed is False
    assert "eas analyze" in finding.detail
    assert not is_fresh(deployment)
    [segment] = spool.pending(folder)
    segment.write_bytes(segment.read_bytes().replace(b"codex", b"codey"))
    analysis = Analysis(LOCAL_ORGANIZATION, LOCAL_SLUG)
    load_for_command(deployment, analysis, Watcher(Console(file=io.StringIO())))
    assert "1 damaged files were set aside" in analysis.problems[0].reason
    [finding] = told(deployment)
    assert finding.is_warning
    assert finding.subject == "Damaged telemetry (local)"
    assert is_fresh(deployment)


def test_a_full_disk_is_a_problem_of_the_run_and_loses_nothing(
    deployment: Deployment, monkeypatch: pytest.MonkeyPatch
) -> None:
    send(deployment, "a")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    analysis = Analysis(LOCAL_ORGANIZATION, LOCAL_SLUG)
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        load_for_command(deployment, analysis, Watcher(Console(file=io.StringIO())))
    assert [one.subject for one in analysis.problems] == ["telemetry"]
    load_for_command(
        deployment, Analysis(LOCAL_ORGANIZATION, LOCAL_SLUG), Watcher(Console(file=io.StringIO()))
    )
    assert rows_of(deployment) == 1
