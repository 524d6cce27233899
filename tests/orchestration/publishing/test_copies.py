"""Published builds reach another machine through an object store, whole or not at all."""

from __future__ import annotations

import fcntl
import logging
import threading
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

import duckdb
import fsspec
import pytest
from s3fs import S3FileSystem

from api.snapshot.builds import Builds
from api.snapshot.fetching import LOCK, Fetching
from orchestration.publishing import copies, snapshot
from orchestration.publishing.copies import CopyFailed
from orchestration.publishing.snapshot import PublishRefused
from orchestration.state import snapshot_files
from orchestration.state.snapshot_files import Pointer
from tests.object_store import ObjectStore, store, store_address

__all__ = ["store", "store_address"]

ORGANIZATION = "0190d3b0-0000-7000-8000-000000000001"


@pytest.fixture
def target(store: ObjectStore, monkeypatch: pytest.MonkeyPatch) -> str:
    url = f"s3://{store.bucket}/published"
    monkeypatch.setenv(copies.TARGET, url)
    return url


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """The published builds of the machine that makes them."""
    return tmp_path / "here"


@pytest.fixture
def there(tmp_path: Path) -> Path:
    """Those of another machine."""
    return tmp_path / "there"


def publish(root: Path, build_id: str, *, copied: bool = True) -> None:
    """A build whose only table names it."""
    folder = root / ORGANIZATION
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{build_id}.duckdb"
    with duckdb.connect(str(file)) as connection:
        connection.execute("create table told as select ? as build_id", [build_id])
    pointer = Pointer(build_id, file.name, "2026-11-20T06:00:00Z", "0", *(snapshot_files.written(file) or ()))
    (folder / snapshot_files.POINTER).write_text(snapshot_files.pointer_text(pointer, ORGANIZATION))
    if copied:
        copies.mirror(root, ORGANIZATION)


def look(target: str, root: Path) -> str | None:
    """The build that an API reads after a look into the store."""
    Fetching(target, root).look()
    builds = Builds(root / ORGANIZATION, 256)
    if not (root / ORGANIZATION / snapshot_files.POINTER).exists():
        return None
    leased = builds.lease_current()
    try:
        [row] = leased.rows("select build_id from told", ())
        return str(row["build_id"])
    finally:
        builds.release(leased)
        builds.close()


def names(root: Path) -> list[str]:
    return sorted(file.name for file in (root / ORGANIZATION).glob("*") if not file.name.startswith("."))


def file_system(target: str) -> fsspec.AbstractFileSystem:
    """The one that both sides use in this process."""
    fs, _ = fsspec.core.url_to_fs(target, use_listings_cache=False)
    return fs


def objects(target: str) -> list[str]:
    fs, place = fsspec.core.url_to_fs(target, use_listings_cache=False)
    return sorted(path.rpartition("/")[2] for path in fs.find(place))


def test_another_machine_reads_each_new_build(target: str, here: Path, there: Path) -> None:
    assert look(target, there) is None
    for build_id in ("b1", "b2"):
        publish(here, build_id)
        assert look(target, there) == build_id
    for name in ("b2.duckdb", snapshot_files.POINTER):
        assert (there / ORGANIZATION / name).read_bytes() == (here / ORGANIZATION / name).read_bytes()
    assert objects(target) == ["000000000001-b1.json", "000000000002-b2.json", "b1.duckdb", "b2.duckdb"]


def test_a_repeated_copy_changes_nothing(target: str, here: Path) -> None:
    publish(here, "b1")
    before = objects(target)
    copies.mirror(here, ORGANIZATION)
    assert objects(target) == before
    assert copies.compare(here, ORGANIZATION) == copies.Compared(is_current=True, deleted=())


def test_a_build_that_is_gone_here_goes_there_too(target: str, here: Path, there: Path) -> None:
    """A build has rows of a removed repository or an erased person until it is deleted."""
    for build_id in ("b1", "b2"):
        publish(here, build_id)
        look(target, there)
    assert names(there) == ["b1.duckdb", "b2.duckdb", "current.json"]
    snapshot.remove_replaced(here, ORGANIZATION)
    copies.mirror(here, ORGANIZATION)
    assert objects(target) == ["000000000002-b2.json", "b2.duckdb"]
    assert look(target, there) == "b2"
    assert names(there) == ["b2.duckdb", "current.json"]


@pytest.mark.parametrize("step", ["put_file", "pipe_file", "rm_file"])
def test_a_copy_that_is_killed_leaves_the_build_before_and_goes_on(
    target: str, here: Path, there: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    for build_id in ("b0", "b1"):
        publish(here, build_id)
    (here / ORGANIZATION / "b0.duckdb").unlink()

    def killed(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(file_system(target), step, killed)
        with pytest.raises(KeyboardInterrupt):
            publish(here, "b2")
    assert look(target, there) == ("b2" if step == "rm_file" else "b1")
    copies.mirror(here, ORGANIZATION)
    assert look(target, there) == "b2"
    assert [name for name in objects(target) if "b0" in name] == []


def test_a_file_without_a_pointer_goes_after_a_day(
    target: str, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish(here, "b1")
    fs, place = fsspec.core.url_to_fs(target)
    fs.pipe_file(f"{place}/{ORGANIZATION}/left.duckdb", b"half")
    copies.mirror(here, ORGANIZATION)
    assert "left.duckdb" in objects(target)
    monkeypatch.setattr(copies, "MAX_COPY_AGE", timedelta(0))
    copies.mirror(here, ORGANIZATION)
    assert "left.duckdb" not in objects(target)


@pytest.mark.parametrize("step", ["get_file", "cat_file"])
def test_a_fetch_that_is_killed_leaves_the_build_before_and_goes_on(
    target: str, here: Path, there: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    publish(here, "b1")
    look(target, there)
    publish(here, "b2")

    def killed(_: str, place: str = "", **__: object) -> None:
        if place:
            Path(place).write_bytes(b"half of it")
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(file_system(target), step, killed)
        with pytest.raises(KeyboardInterrupt):
            look(target, there)
    assert names(there)[0] == "b1.duckdb"
    assert snapshot_files.read_pointer(there / ORGANIZATION).build_id == "b1"
    assert look(target, there) == "b2"
    assert not list(there.rglob("*.fetched"))


def damaged_file(fs: fsspec.AbstractFileSystem, place: str) -> None:
    content = bytearray(fs.cat_file(f"{place}/b2.duckdb"))
    content[-1] ^= 1
    fs.pipe_file(f"{place}/b2.duckdb", bytes(content))


def lost_file(fs: fsspec.AbstractFileSystem, place: str) -> None:
    fs.rm_file(f"{place}/b2.duckdb")


def damaged_pointer(fs: fsspec.AbstractFileSystem, place: str) -> None:
    name = f"{place}/000000000002-b2.json"
    fs.pipe_file(name, fs.cat_file(name).replace(b"b2.duckdb", b"b1.duckdb"))


def foreign_pointer(fs: fsspec.AbstractFileSystem, place: str) -> None:
    pointer = Pointer("b2", "../b2.duckdb", "2026-11-20T06:00:00Z", "0", 1, "0")
    text = snapshot_files.pointer_text(pointer, ORGANIZATION)
    fs.pipe_file(f"{place}/000000000002-b2.json", text.encode())


@pytest.mark.parametrize("damage", [damaged_file, lost_file, damaged_pointer, foreign_pointer])
def test_what_differs_from_the_publish_is_refused_and_told_once(
    target: str,
    here: Path,
    there: Path,
    caplog: pytest.LogCaptureFixture,
    damage: Callable[[fsspec.AbstractFileSystem, str], None],
) -> None:
    publish(here, "b1")
    look(target, there)
    publish(here, "b2")
    fs, place = fsspec.core.url_to_fs(target)
    damage(fs, f"{place}/{ORGANIZATION}")
    fetching = Fetching(target, there)
    with caplog.at_level(logging.WARNING, "api.snapshot.fetching"):
        fetching.look()
        fetching.look()
    assert len(caplog.records) == 1
    assert ORGANIZATION in caplog.text
    assert snapshot_files.read_pointer(there / ORGANIZATION).build_id == "b1"
    publish(here, "b3")
    assert look(target, there) == "b3"


def test_two_publishers_leave_one_whole_build(target: str, tmp_path: Path, there: Path) -> None:
    """As while an organization moves from one machine to another."""
    roots = [tmp_path / "first", tmp_path / "second"]
    for number, root in enumerate(roots):
        publish(root, f"b{number}", copied=False)

    def copy(root: Path) -> None:
        with suppress(CopyFailed):  # the other one deleted this build
            copies.mirror(root, ORGANIZATION)

    for _ in range(3):
        publishers = [threading.Thread(target=copy, args=(root,)) for root in roots]
        for one in publishers:
            one.start()
        for one in publishers:
            one.join()
        assert look(target, there) in ("b0", "b1", None)
        copies.mirror(roots[0], ORGANIZATION)
        assert look(target, there) == "b0"
    publish(roots[0], "a9")
    # A number, not the name, says which is the newest.
    assert look(target, there) == "a9"


def test_a_store_that_does_not_answer_stops_neither_side(
    target: str, here: Path, there: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    publish(here, "b1")
    look(target, there)
    S3FileSystem.clear_instance_cache()
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    with pytest.raises(
        CopyFailed, match=r"readers on other machines keep the one before.*`eas doctor --fix`"
    ):
        publish(here, "b2")
    with caplog.at_level(logging.WARNING, "api.snapshot.fetching"):
        assert look(target, there) == "b1"
    assert "cannot be read" in caplog.text


def test_one_process_of_a_machine_fetches(target: str, here: Path, there: Path) -> None:
    publish(here, "b1")
    there.mkdir()
    with (there / LOCK).open("wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert look(target, there) is None
    assert look(target, there) == "b1"


def test_a_machine_that_fetches_builds_publishes_none(monkeypatch: pytest.MonkeyPatch) -> None:
    copies.refuse_reader()
    monkeypatch.setenv(copies.SOURCE, "s3://bucket/published")
    with pytest.raises(PublishRefused, match="unset EAS_PUBLISHED_FROM here"):
        copies.refuse_reader()
