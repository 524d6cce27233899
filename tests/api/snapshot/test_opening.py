"""A new build that opens beside the one before: who waits for it, and what a service that ends closes."""

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from api.errors import Unavailable
from api.snapshot.build import Build
from api.snapshot.builds import Builds
from api.snapshot.pointers import Pointer
from api.snapshot.warehouse import Warehouse
from orchestration.publishing.snapshot import remove_replaced
from tests.api.conftest import Deployment
from tests.api.published_facts import ORGANIZATION


def is_open(build: Build) -> bool:
    try:
        build.value("select 1")
    except Exception:  # noqa: BLE001 - whatever a closed database raises
        return False
    return True


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """While this event is not set, a build that is compared with its pointer waits."""
    goes_on = threading.Event()
    goes_on.set()
    verify = Pointer.verify

    def slowly(pointer: Pointer) -> None:
        assert goes_on.wait(60)
        verify(pointer)

    monkeypatch.setattr(Pointer, "verify", slowly)
    monkeypatch.setattr("api.snapshot.builds.PATIENCE", 0.01)
    yield goes_on
    goes_on.set()
    end_opening()


def end_opening() -> None:
    """Wait for the threads that open a build."""
    for thread in threading.enumerate():
        if thread.name == "opening a build":
            thread.join(60)


def read(builds: Builds) -> str:
    """The id of the build that a request reads."""
    build = builds.lease_current()
    builds.release(build)
    return build.id


def erase(deployment: Deployment) -> None:
    """Remove the files of all builds but the published one, as after the removal of a repository."""
    remove_replaced(deployment.data_dir / "published", ORGANIZATION)


def test_a_build_that_opens_slowly_lets_requests_read_the_one_before(
    deployment: Deployment, builds: Builds, slow: threading.Event
) -> None:
    first = deployment.publish()
    read(builds)
    slow.clear()
    second = deployment.publish()
    assert [read(builds), read(builds)] == [first, first]
    slow.set()
    end_opening()
    assert read(builds) == second


@pytest.mark.parametrize("is_removed_at_once", [True, False])
def test_no_request_reads_a_removed_build_while_the_new_one_opens(
    deployment: Deployment, builds: Builds, slow: threading.Event, is_removed_at_once: bool
) -> None:
    first = deployment.publish()
    read(builds)
    slow.clear()
    second = deployment.publish()
    if not is_removed_at_once:
        assert read(builds) == first
    erase(deployment)
    with ThreadPoolExecutor(3) as pool:
        reads = [pool.submit(read, builds) for _ in range(3)]
        time.sleep(0.3)
        assert [one.done() for one in reads] == [False] * 3
        slow.set()
        assert [one.result(60) for one in reads] == [second] * 3


def test_a_request_that_waits_sees_that_the_build_before_is_removed(
    deployment: Deployment, builds: Builds, slow: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("api.snapshot.builds.PATIENCE", 1.0)
    deployment.publish()
    read(builds)
    slow.clear()
    second = deployment.publish()
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(read, builds)
        time.sleep(0.3)
        erase(deployment)
        time.sleep(1.5)
        assert not waiting.done()
        slow.set()
        assert waiting.result(60) == second


def damage_pointer(builds: Builds) -> None:
    """Damage the pointer, so that the published build is refused."""
    pointer = builds.folder / "current.json"
    pointer.write_text(pointer.read_text().replace("sha256", "sha"))


@pytest.mark.parametrize("is_refused_first", [True, False])
def test_a_removed_build_does_not_go_on_for_one_that_is_refused(
    deployment: Deployment, builds: Builds, is_refused_first: bool
) -> None:
    first = deployment.publish()
    read(builds)
    deployment.publish()
    damage_pointer(builds)
    if is_refused_first:
        assert read(builds) == first
        going_on = builds.lease_unchanged()
        assert going_on is not None
        builds.release(going_on)
    (builds.folder / f"{first}.duckdb").unlink()
    assert builds.lease_unchanged() is None
    for _ in range(2):
        with pytest.raises(Unavailable):
            builds.lease_current()
    third = deployment.publish()
    assert read(builds) == third


def test_a_thread_that_cannot_start_leaves_the_next_request_to_open_the_build(
    deployment: Deployment, builds: Builds, monkeypatch: pytest.MonkeyPatch
) -> None:
    deployment.publish()
    read(builds)
    second = deployment.publish()
    monkeypatch.setattr("api.snapshot.builds.PATIENCE", 60)

    def fail(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", fail)
        with pytest.raises(RuntimeError):
            builds.lease_current()
    assert read(builds) == second


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[Build]:
    """Every build that is opened from now on."""
    found: list[Build] = []
    real = Build.__init__

    def listed(self: Build, build_id: str, path: Path, memory_mb: int) -> None:
        real(self, build_id, path, memory_mb)
        found.append(self)

    monkeypatch.setattr(Build, "__init__", listed)
    return found


def test_a_build_that_opens_while_the_service_ends_is_closed(
    deployment: Deployment, builds: Builds, slow: threading.Event, opened: list[Build]
) -> None:
    deployment.publish()
    read(builds)
    slow.clear()
    deployment.publish()
    read(builds)
    builds.close()
    slow.set()
    end_opening()
    assert [is_open(build) for build in opened] == [False, False]


def test_a_service_that_ends_before_the_thread_runs_closes_its_build(
    deployment: Deployment, builds: Builds, opened: list[Build], monkeypatch: pytest.MonkeyPatch
) -> None:
    deployment.publish()
    read(builds)
    deployment.publish()
    start = threading.Thread.start

    def late(thread: threading.Thread) -> None:
        builds.close()
        start(thread)

    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", late)
        with pytest.raises(Unavailable):
            builds.lease_current()
    assert [is_open(build) for build in opened] == [False, False]


def test_a_server_opens_the_newest_builds_ahead(deployment: Deployment) -> None:
    deployment.publish()
    root = deployment.data_dir / "published"
    (root / "0190d3b0-0000-7000-8000-00000000000f").mkdir()
    damaged = root / "0190d3b0-0000-7000-8000-00000000000e"
    damaged.mkdir()
    (damaged / "current.json").write_text("{")
    warehouse = Warehouse(root, 256)
    warehouse.open_newest()
    assert warehouse.of(ORGANIZATION).is_open
    assert not warehouse.of(damaged.name).is_open
    warehouse.close()


@pytest.mark.parametrize("moment", ["between organizations", "before an organization", "before its lease"])
def test_a_server_that_ends_while_it_opens_builds_ahead_leaves_none_open(
    deployment: Deployment, opened: list[Build], monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    deployment.publish()
    warehouse = Warehouse(deployment.data_dir / "published", 256)
    find, lease = warehouse.of, Builds.lease_current

    def of(organization_id: str) -> Builds:
        if moment == "before an organization":
            warehouse.close()
        return find(organization_id)

    def leased(builds: Builds) -> Build:
        if moment == "before its lease":
            warehouse.close()
        return lease(builds)

    if moment == "between organizations":
        warehouse.close()
    monkeypatch.setattr(warehouse, "of", of)
    monkeypatch.setattr(Builds, "lease_current", leased)
    warehouse.open_newest()
    assert not any(is_open(build) for build in opened)
