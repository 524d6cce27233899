"""Copies run beside builds: the store may be slow, and further builds are published meanwhile."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from contextlib import nullcontext
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace

import dagster as dg
import fsspec
import pytest
from rich.console import Console

from orchestration.commands import analysis, runs
from orchestration.deployment import LOCAL_ORGANIZATION, LOCAL_SLUG, Deployment
from orchestration.graph import run_requests
from orchestration.graph.copied_builds import copies_due, copy_build_job
from orchestration.publishing import copies, snapshot
from orchestration.reading.opening import Analysis, Opening
from orchestration.runtime.in_process_runs import Outcome
from orchestration.runtime.partitions import COPY_TAG, ORGANIZATIONS, key, register
from orchestration.runtime.terminal import Watcher
from orchestration.state import build_lock
from tests.object_store import store, store_address
from tests.orchestration.published_stub import publish_stub
from tests.orchestration.publishing.test_copies import (
    ORGANIZATION,
    file_system,
    here,
    look,
    objects,
    publish,
    target,
    there,
)

__all__ = ["here", "store", "store_address", "target", "there"]


def during_upload(
    monkeypatch: pytest.MonkeyPatch, fs: fsspec.AbstractFileSystem, happens: Callable[[], None]
) -> list[str]:
    """Do something once while the first file is uploaded. Returns the names of the uploaded files."""
    uploaded: list[str] = []
    upload = fs.put_file

    def slow(source: str, *arguments: object, **options: object) -> None:
        upload(source, *arguments, **options)
        uploaded.append(Path(source).name)
        if len(uploaded) == 1:
            happens()

    monkeypatch.setattr(fs, "put_file", slow)
    return uploaded


def test_a_build_that_is_published_during_a_copy_has_the_next_one(
    target: str, here: Path, there: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Builds that are published faster than they are copied must not keep a copy, and its deletions, from ending."""
    publish(here, "b0")
    (here / ORGANIZATION / "b0.duckdb").unlink()
    uploaded = during_upload(monkeypatch, file_system(target), lambda: publish(here, "b2", copied=False))
    publish(here, "b1")
    assert uploaded == ["b1.duckdb"]
    assert objects(target) == ["000000000002-b1.json", "b1.duckdb"]
    assert copies.waiting(here, ORGANIZATION) == "b2"
    copies.mirror(here, ORGANIZATION)
    assert objects(target) == ["000000000002-b1.json", "000000000003-b2.json", "b1.duckdb", "b2.duckdb"]
    assert look(target, there) == "b2"
    copies.mirror(here, ORGANIZATION)
    assert uploaded == ["b1.duckdb", "b2.duckdb"], "each build once"


@pytest.mark.parametrize("damage", [b"", b"one line", b"\xff\xfe\x00", None])
def test_a_damaged_note_of_the_last_copy_is_written_anew(
    target: str, here: Path, damage: bytes | None
) -> None:
    publish(here, "b1")
    note = here / ORGANIZATION / copies.DONE
    note.unlink()
    note.mkdir() if damage is None else note.write_bytes(damage)
    assert copies.waiting(here, ORGANIZATION) == "b1"
    copies.mirror(here, ORGANIZATION)
    assert copies.waiting(here, ORGANIZATION) is None


def test_a_build_that_is_deleted_during_its_copy_gets_no_pointer(
    target: str, here: Path, there: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has rows of a removed repository or an erased person."""

    def renew() -> None:
        publish(here, "b2", copied=False)
        (here / ORGANIZATION / "b1.duckdb").unlink()

    during_upload(monkeypatch, file_system(target), renew)
    publish(here, "b1")
    assert objects(target) == ["000000000001-b2.json", "b2.duckdb"]
    assert look(target, there) == "b2"


def test_a_build_without_its_file_is_an_error(
    target: str, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = here / ORGANIZATION / "b1.duckdb"
    during_upload(monkeypatch, file_system(target), file.unlink)
    with pytest.raises(copies.CopyFailed, match=r"b1\.duckdb is gone"):
        publish(here, "b1")
    assert copies.waiting(here, ORGANIZATION) == "b1"


def test_copies_at_the_same_time_upload_a_build_once(
    target: str, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish(here, "b1", copied=False)
    uploaded = during_upload(monkeypatch, file_system(target), lambda: None)
    runs = [threading.Thread(target=copies.mirror, args=(here, ORGANIZATION)) for _ in range(3)]
    for one in runs:
        one.start()
    for one in runs:
        one.join()
    assert uploaded == ["b1.duckdb"]


def test_a_build_waits_until_it_is_copied_to_the_present_store(
    target: str, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert copies.waiting(here, ORGANIZATION) is None
    publish(here, "b1", copied=False)
    assert copies.waiting(here, ORGANIZATION) == "b1"
    copies.mirror(here, ORGANIZATION)
    assert copies.waiting(here, ORGANIZATION) is None
    monkeypatch.setenv(copies.TARGET, f"{target}-of-another-name")
    assert copies.waiting(here, ORGANIZATION) == "b1"
    monkeypatch.delenv(copies.TARGET)
    assert copies.waiting(here, ORGANIZATION) is None


def test_a_copy_holds_no_lock_of_builds(
    target: str, deployment: Deployment, stored_instance: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish_stub(deployment, "b1")
    taken: list[bool] = []
    during_upload(
        monkeypatch,
        file_system(target),
        lambda: taken.append(build_lock.is_taken(deployment, LOCAL_ORGANIZATION)),
    )
    assert copy(deployment, stored_instance).success
    assert taken == [False]
    assert objects(target) == ["000000000001-b1.json", "b1.duckdb"]


def test_each_build_is_copied_once_by_the_sensor(
    target: str, deployment: Deployment, stored_instance: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert requested(deployment, stored_instance) == [], "nothing is published"
    publish_stub(deployment, "b1")
    [request] = requested(deployment, stored_instance)
    assert request.tags[COPY_TAG] == LOCAL_ORGANIZATION
    assert copy(deployment, stored_instance, **request.tags).success
    assert requested(deployment, stored_instance) == []
    publish_stub(deployment, "b2")
    [second] = requested(deployment, stored_instance)
    assert second.run_key != request.run_key
    assert copy(deployment, stored_instance, **second.tags).success
    snapshot.remove_replaced(deployment.settings.published_dir, LOCAL_ORGANIZATION)
    [third] = requested(deployment, stored_instance)
    assert third.run_key != second.run_key, "at once, although the copy of this build ended well"
    monkeypatch.delenv(copies.TARGET)
    assert requested(deployment, stored_instance) == []


def test_a_failed_copy_is_told_and_tried_again_later(
    target: str, deployment: Deployment, stored_instance: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish_stub(deployment, "b1")

    def away(*_: object, **__: object) -> None:
        raise OSError("the store is away")

    with monkeypatch.context() as patch:
        patch.setattr(file_system(target), "put_file", away)
        [request] = requested(deployment, stored_instance)
        failed = copy(deployment, stored_instance, **request.tags)
    assert not failed.success
    [failure] = [event for event in failed.all_events if event.is_step_failure]
    assert "the store is away" in str(failure.step_failure_data.error)
    assert requested(deployment, stored_instance) == [], "at once"
    monkeypatch.setattr(run_requests, "RETRY_DELAYS", (timedelta(0),))
    [request] = requested(deployment, stored_instance)
    assert copy(deployment, stored_instance, **request.tags).success


def test_a_command_copies_after_its_build_and_without_the_lock(
    target: str, deployment: Deployment, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[tuple[str, bool]] = []

    def step(name: str, failures: list[str]) -> Outcome:
        seen.append((name, build_lock.is_taken(deployment, LOCAL_ORGANIZATION)))
        publish_stub(deployment, "b1")
        return Outcome(failures, 0.0)

    jobs = SimpleNamespace(
        build=lambda *_: step("build", []), copy=lambda *_: step("copy", ["the store is away"])
    )
    monkeypatch.setattr(runs, "open_runs", lambda *_: nullcontext(jobs))
    monkeypatch.setattr(analysis, "_can_build", lambda *_, **__: True)
    ended, watcher = Analysis(), Watcher(Console())
    analysis._work(deployment, Opening(deployment, ended, (), (), watcher), (), watcher)
    assert seen == [("build", True), ("copy", False)]
    assert ended.has_changed
    assert [problem.subject for problem in ended.problems] == ["copy for other machines"]


def copy(deployment: Deployment, instance: dg.DagsterInstance, **tags: str) -> dg.ExecuteInProcessResult:
    partition = key(LOCAL_SLUG, LOCAL_ORGANIZATION)
    register(instance, ORGANIZATIONS, partition)
    return copy_build_job.execute_in_process(
        partition_key=partition,
        instance=instance,
        resources={"deployment": deployment},
        tags=tags,
        raise_on_error=False,
    )


def requested(deployment: Deployment, instance: dg.DagsterInstance) -> list[dg.RunRequest]:
    context = dg.build_sensor_context(instance=instance, resources={"deployment": deployment})
    found = copies_due(context)
    assert isinstance(found, Iterable)
    return [one for one in found if isinstance(one, dg.RunRequest)]
