"""A build that is deleted where it was made is deleted from the store, whenever it was copied."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import dagster as dg
import pytest

from api.control.repositories import removals
from orchestration.commands import removal, runs
from orchestration.deployment import LOCAL_ORGANIZATION, LOCAL_SLUG, Deployment
from orchestration.publishing import copies, snapshot
from orchestration.runtime.in_process_runs import Outcome
from orchestration.runtime.progress import Progress
from tests.object_store import store, store_address
from tests.orchestration.published_stub import publish_stub
from tests.orchestration.publishing.test_copies import (
    ORGANIZATION,
    file_system,
    here,
    look,
    names,
    objects,
    publish,
    target,
    there,
)
from tests.orchestration.publishing.test_copies_beside_builds import copy

__all__ = ["here", "store", "store_address", "target", "there"]


def test_a_build_that_is_deleted_after_the_copy_of_the_next_one_goes_there_too(
    target: str, here: Path, there: Path
) -> None:
    """A build without a removed repository deletes the older ones a while after it is published."""
    publish(here, "b1")
    look(target, there)
    publish(here, "b2")
    assert copies.waiting(here, ORGANIZATION) is None
    snapshot.remove_replaced(here, ORGANIZATION)
    assert copies.waiting(here, ORGANIZATION) == "b2 without b1"
    copies.mirror(here, ORGANIZATION)
    assert objects(target) == ["000000000002-b2.json", "b2.duckdb"]
    assert look(target, there) == "b2"
    assert names(there) == ["b2.duckdb", "current.json"]
    assert copies.waiting(here, ORGANIZATION) is None


def test_a_build_that_is_deleted_while_a_copy_deletes_others_waits(
    target: str, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for build_id in ("b0", "b1"):
        publish(here, build_id)
    (here / ORGANIZATION / "b0.duckdb").unlink()
    fs = file_system(target)
    delete = fs.rm_file

    def slow(path: str) -> None:
        delete(path)
        snapshot.remove_replaced(here, ORGANIZATION)

    monkeypatch.setattr(fs, "rm_file", slow)
    publish(here, "b2")
    assert copies.waiting(here, ORGANIZATION) == "b2 without b1"


def test_the_command_that_removes_a_repository_deletes_its_copies(
    target: str, deployment: Deployment, stored_instance: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also if the sensor copies the new build while the old one is still here."""
    published = deployment.settings.published_dir
    publish_stub(deployment, "b1")
    copies.mirror(published, LOCAL_ORGANIZATION)

    def build(*_: object) -> Outcome:
        publish_stub(deployment, "b2")
        copies.mirror(published, LOCAL_ORGANIZATION)
        snapshot.remove_replaced(published, LOCAL_ORGANIZATION)
        return Outcome([], 0.0)

    def copied(*_: object) -> Outcome:
        assert copy(deployment, stored_instance).success
        return Outcome([], 0.0)

    jobs = SimpleNamespace(build=build, copy=copied)
    monkeypatch.setattr(runs, "open_runs", lambda *_: nullcontext(jobs))
    monkeypatch.setattr(removals, "remove", lambda *_: None)
    repository: Any = SimpleNamespace(repository_id="removed")
    removed = removal.RemovalTarget(LOCAL_ORGANIZATION, LOCAL_SLUG, repository)
    assert removal.run(deployment, removed, Progress()) == []
    assert objects(target) == ["000000000002-b2.json", "b2.duckdb"]
