"""What the last build left: damage is found by its content, and times, inodes and running builds are none."""

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest

from ingest.settings import Settings
from orchestration.deployment import LOCAL_ORGANIZATION, Deployment
from orchestration.runtime import sealed
from orchestration.runtime.run_state import BuildEntry
from orchestration.state import build_conditions, snapshot_files
from orchestration.state.condition import Condition, Kind
from orchestration.state.warehouse_files import build_record_file
from tests.ingest.lake.rows import visible
from tests.orchestration.published_stub import publish_stub

NOW = "2026-11-20T06:00:00Z"


def warehouse(deployment: Deployment) -> Path:
    return deployment.settings.warehouse_file(LOCAL_ORGANIZATION)


def change_warehouse(deployment: Deployment, statement: str) -> None:
    with duckdb.connect(str(warehouse(deployment))) as connection:
        connection.execute(statement)


def write_record(deployment: Deployment, build_id: str) -> None:
    """The record beside the warehouse, as a complete build writes it."""
    content = {"build_id": build_id, "warehouse": snapshot_files.written(warehouse(deployment))}
    sealed.write(build_record_file(warehouse(deployment)), content, LOCAL_ORGANIZATION)


@pytest.fixture
def published(deployment: Deployment) -> None:
    """The recorded build `b` with its warehouse of some blocks."""
    publish_stub(deployment, "b")
    change_warehouse(
        deployment, "create table kept as select range as n, md5(range::varchar) from range(100000)"
    )
    write_record(deployment, "b")
    entry = BuildEntry({}, "b", NOW, 1.0, snapshot_files.written(warehouse(deployment)))
    deployment.run_state.record(LOCAL_ORGANIZATION, entry)


def found(deployment: Deployment, *, thorough: bool = True) -> list[Condition]:
    return list(build_conditions.of_build(deployment, LOCAL_ORGANIZATION, thorough=thorough))


def kinds(deployment: Deployment, *, thorough: bool = True) -> list[Kind]:
    return [one.kind for one in found(deployment, thorough=thorough)]


def copy_as_rsync(one: Path, other: Path) -> None:
    """Leave what `rsync --archive` leaves: other inodes, and times without parts of seconds."""
    shutil.copytree(one, other)
    for file in other.rglob("*"):
        os.utime(file, (1, int(file.stat().st_mtime)))


COPIES: dict[str, Callable[[Path, Path], object]] = {
    "times and inodes differ": lambda one, other: subprocess.run(["cp", "-r", one, other], check=True),
    "inodes differ": lambda one, other: subprocess.run(["cp", "-a", one, other], check=True),
    "times are cut to seconds": copy_as_rsync,
}


@pytest.mark.usefixtures("published")
@pytest.mark.parametrize("copy", sorted(COPIES))
def test_a_copy_of_the_data_directory_has_no_condition(
    deployment: Deployment, tmp_path: Path, copy: str
) -> None:
    other = tmp_path / "copy"
    COPIES[copy](deployment.settings.data_dir, other)
    assert (other / "warehouse").is_dir()
    assert found(Deployment(Settings(data_dir=other))) == []


@pytest.mark.usefixtures("published")
def test_every_damage_of_the_warehouse_is_found_whatever_its_times_say(deployment: Deployment) -> None:
    file = warehouse(deployment)
    good, status = file.read_bytes(), file.stat()

    def kinds_with(content: bytes) -> list[Kind]:
        file.write_bytes(content)
        os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))
        return kinds(deployment)

    for place in (0, 5000, len(good) // 3, len(good) // 2, len(good) - 1):
        flipped = bytearray(good)
        flipped[place] ^= 1
        assert kinds_with(bytes(flipped)) == [Kind.WAREHOUSE], place
    for length in (0, 1, 4096, len(good) // 2, len(good) - 1):
        assert kinds_with(good[:length]) == [Kind.WAREHOUSE], length
    assert kinds_with(good + b"\0") == [Kind.WAREHOUSE]
    assert kinds_with(good) == []
    file.unlink()
    assert kinds(deployment, thorough=False) == [Kind.WAREHOUSE]


@pytest.mark.usefixtures("published")
def test_a_changed_warehouse_is_told_apart_from_one_of_a_build_that_did_not_end(
    deployment: Deployment,
) -> None:
    change_warehouse(deployment, "create table mine as select 1")
    [condition] = found(deployment)
    assert "duckdb has " in condition.detail
    build_record_file(warehouse(deployment)).unlink()
    [condition] = found(deployment)
    assert "failed, or was stopped before its end" in condition.detail
    write_record(deployment, "c")
    [condition] = found(deployment)
    assert (
        "holds a complete build, c, whose run failed or was stopped before it published" in condition.detail
    )
    change_warehouse(deployment, "create table more as select 1")
    [condition] = found(deployment)
    assert "duckdb has " in condition.detail


@pytest.mark.usefixtures("published")
def test_a_record_of_an_earlier_release_compares_the_size(deployment: Deployment) -> None:
    size = warehouse(deployment).stat().st_size
    deployment.run_state.record(LOCAL_ORGANIZATION, BuildEntry({}, "b", NOW, 1.0, [size, 17]))
    assert found(deployment) == []
    deployment.run_state.record(LOCAL_ORGANIZATION, BuildEntry({}, "b", NOW, 1.0, [size + 1, 17]))
    assert kinds(deployment) == [Kind.WAREHOUSE]


@pytest.mark.usefixtures("published")
@pytest.mark.parametrize(
    ("build_id", "words"),
    [("a", "names an older build than the last one, b"), ("c", "and before it recorded that")],
)
def test_a_pointer_to_another_build_than_the_last_says_how_that_came(
    deployment: Deployment, build_id: str, words: str
) -> None:
    folder = deployment.settings.published_dir / LOCAL_ORGANIZATION
    (folder / "b.duckdb").rename(folder / f"{build_id}.duckdb")
    size, digest = snapshot_files.written(folder / f"{build_id}.duckdb") or [0, ""]
    pointer = snapshot_files.Pointer(build_id, f"{build_id}.duckdb", NOW, "0", int(size), str(digest))
    (folder / "current.json").write_text(snapshot_files.pointer_text(pointer, LOCAL_ORGANIZATION))
    write_record(deployment, build_id)
    for thorough in (True, False):
        [condition] = found(deployment, thorough=thorough)
        assert (condition.kind, words in condition.detail) == (Kind.POINTER, True)


@pytest.mark.parametrize(
    "content", ["", "{", "[]", '{"build_id": "b"}', '{"build_id": "b", "file": "../b", "published_at": ""}']
)
@pytest.mark.usefixtures("published")
def test_a_damaged_pointer_is_a_condition(deployment: Deployment, content: str) -> None:
    (deployment.settings.published_dir / LOCAL_ORGANIZATION / "current.json").write_text(content)
    assert kinds(deployment, thorough=False) == [Kind.POINTER]


@pytest.mark.usefixtures("published")
def test_every_flipped_byte_of_the_pointer_is_found(deployment: Deployment) -> None:
    file = deployment.settings.published_dir / LOCAL_ORGANIZATION / "current.json"
    good = file.read_bytes()
    for place in range(0, len(good) - 1, 3):
        damaged = bytearray(good)
        damaged[place] ^= 1
        file.write_bytes(bytes(damaged))
        assert kinds(deployment) in ([Kind.POINTER], [Kind.SNAPSHOT], []), place
        if kinds(deployment) == []:
            # White space may change: the content is the same.
            assert bytes(damaged[place : place + 1]).isspace() or good[place : place + 1].isspace()


@pytest.mark.usefixtures("published")
def test_a_damaged_snapshot_is_a_condition(deployment: Deployment) -> None:
    file = deployment.settings.published_dir / LOCAL_ORGANIZATION / "b.duckdb"
    good = file.read_bytes()
    file.write_bytes(good[:-100])
    assert kinds(deployment, thorough=False) == [Kind.SNAPSHOT]
    file.write_bytes(good[:-1] + bytes([good[-1] ^ 1]))
    assert kinds(deployment) == [Kind.SNAPSHOT]
    file.unlink()
    assert kinds(deployment, thorough=False) == [Kind.SNAPSHOT]


@pytest.mark.usefixtures("published")
def test_damaged_settings_in_the_lake_need_a_build(deployment: Deployment) -> None:
    from orchestration.build import settings_snapshot

    settings_snapshot.write(deployment, LOCAL_ORGANIZATION)
    assert kinds(deployment) == []
    file = next(visible(deployment.lake.root, "organizations", "control").__iter__())
    file.write_bytes(b"no parquet")
    assert kinds(deployment) == [Kind.LAKE]
    settings_snapshot.write(deployment, LOCAL_ORGANIZATION)
    assert kinds(deployment) == []


@pytest.mark.usefixtures("published")
def test_a_pipe_instead_of_the_pointer_is_a_condition(deployment: Deployment) -> None:
    file = deployment.settings.published_dir / LOCAL_ORGANIZATION / "current.json"
    file.unlink()
    os.mkfifo(file)
    assert kinds(deployment) == [Kind.POINTER]
