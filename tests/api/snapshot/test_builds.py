"""Builds: leased, swapped, closed, never mixed."""

import os
import shutil
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import duckdb
import httpx
import pytest

from api.errors import FailedPrecondition, Unavailable
from api.snapshot.build import Build
from api.snapshot.builds import REPLACED_KEPT_OPEN, BuildGone, Builds
from api.snapshot.warehouse import Warehouse
from orchestration.state import snapshot_files
from tests.api.conftest import ROOT, Deployment, client_for
from tests.api.published_facts import ORGANIZATION
from tests.api.snapshot.test_opening import is_open


def test_nothing_published_says_what_to_do(builds: Builds) -> None:
    assert builds.lease_unchanged() is None
    with pytest.raises(FailedPrecondition, match="has no published build yet"):
        builds.lease_current()


def test_a_folder_that_is_lost_before_the_first_read_is_unavailable(deployment: Deployment) -> None:
    deployment.publish()
    warehouse = Warehouse(deployment.data_dir / "published", 256)
    shutil.rmtree(warehouse.root)
    with pytest.raises(Unavailable):
        warehouse.of(ORGANIZATION).lease_current()
    with pytest.raises(FailedPrecondition):
        warehouse.of("0190d3b0-0000-7000-8000-00000000000f").lease_current()


def test_a_lease_keeps_its_build_while_a_new_one_is_published(deployment: Deployment, builds: Builds) -> None:
    first = deployment.publish()
    old = builds.lease_current()
    second = deployment.publish(keep_replaced=timedelta(0))
    assert builds.lease_unchanged() is None
    new = builds.lease_current()
    assert (old.id, new.id) == (first, second)
    assert old.value("select count(*) from commits_by_time") == 160
    builds.release(old)
    builds.release(new)
    assert is_open(new)


def test_replaced_builds_are_closed_and_their_files_go(deployment: Deployment, builds: Builds) -> None:
    seen = []
    for _ in range(REPLACED_KEPT_OPEN + 3):
        deployment.publish(keep_replaced=timedelta(0))
        build = builds.lease_current()
        seen.append(build)
        builds.release(build)
    assert [is_open(build) for build in seen] == [False, False] + [True] * (REPLACED_KEPT_OPEN + 1)
    deployment.publish(keep_replaced=timedelta(0))
    names = {path.stem for path in builds.folder.glob("*.duckdb")}
    assert not names & {build.id for build in seen[:2]}


def test_a_replaced_build_is_leased_by_its_id(deployment: Deployment, builds: Builds) -> None:
    first = deployment.publish()
    deployment.publish()
    build = builds.lease(first)
    assert build.id == first
    builds.release(build)


def test_a_build_whose_file_was_removed_is_not_read_any_more(deployment: Deployment, builds: Builds) -> None:
    """A replaced build stays open for page tokens, and it contains the removed rows."""
    first = deployment.publish()
    builds.release(builds.lease_current())
    deployment.publish()
    builds.release(builds.lease_current())
    reading = builds.lease(first)
    (builds.folder / f"{first}.duckdb").unlink()
    with pytest.raises(BuildGone):
        builds.lease(first)
    # Who reads it already reads to the end, and then it is closed.
    assert reading.value("select count(*) from commits_by_time") == 160
    builds.release(reading)
    with pytest.raises(BuildGone):
        builds.lease(first)
    with pytest.raises(Exception, match="closed"):
        reading.value("select 1")


@pytest.mark.parametrize(
    "name", ["20200101T000000000000Z-00000000", "../current", "", "a/b", "x" * 65, "..", "\x00"]
)
def test_no_id_leads_out_of_the_folder(deployment: Deployment, builds: Builds, name: str) -> None:
    deployment.publish()
    with pytest.raises(BuildGone):
        builds.lease(name)


def test_a_pointer_to_nowhere_leaves_the_build_before(deployment: Deployment, builds: Builds) -> None:
    first = deployment.publish()
    builds.release(builds.lease_current())
    pointer = builds.folder / "current.json"
    pointer.write_text(pointer.read_text().replace(first, "gone"))
    build = builds.lease_current()
    assert build.id == first
    builds.release(build)


def test_a_pointer_to_nowhere_at_the_start_is_unavailable_until_it_is_mended(
    deployment: Deployment, builds: Builds
) -> None:
    first = deployment.publish()
    pointer = builds.folder / "current.json"
    good = pointer.read_text()
    pointer.write_text("{}")
    with pytest.raises(Unavailable):
        builds.lease_current()
    pointer.write_text(good)
    build = builds.lease_current()
    assert build.id == first
    builds.release(build)


def test_a_build_cannot_be_written_and_reads_no_other_files(
    deployment: Deployment, builds: Builds, tmp_path: Path
) -> None:
    deployment.publish()
    build = builds.lease_current()
    for attempt in (
        "create table t (i int)",
        "delete from commits_by_time",
        f"copy commits_by_time to '{tmp_path}/out.csv'",
        "select * from read_text('/etc/passwd')",
        f"attach '{deployment.warehouse}' as other",
        "set enable_external_access = true",
        "install httpfs",
    ):
        with pytest.raises(Exception, match=r"read-only|disabled|locked|Cannot"):
            build.rows(attempt)
    assert build.value("select count(*) from commits_by_time") == 160
    builds.release(build)


def test_a_failed_query_does_not_spoil_the_next(deployment: Deployment, builds: Builds) -> None:
    deployment.publish()
    build = builds.lease_current()
    for _ in range(3):
        with pytest.raises(Exception, match="nowhere"):
            build.rows("select * from nowhere")
        assert build.value("select 1") == 1
    builds.release(build)


def test_threads_that_meet_a_new_build_at_once_open_it_once(deployment: Deployment, builds: Builds) -> None:
    deployment.publish()
    found: list[Build] = []
    start = threading.Barrier(8)

    def read() -> None:
        start.wait()
        build = builds.lease_current()
        build.value("select count(*) from commits_by_time")
        found.append(build)
        builds.release(build)

    threads = [threading.Thread(target=read) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8
    assert len({id(build) for build in found}) == 1


def seal_again(file: Path) -> None:
    """Let the pointer name the present content of its file, as if it had been published like that."""
    pointer = replace(
        snapshot_files.read_pointer(file.parent),
        bytes=file.stat().st_size,
        sha256=snapshot_files.checksum(file),
    )
    text = snapshot_files.pointer_text(pointer, file.parent.name)
    (file.parent / snapshot_files.POINTER).write_text(text)


def test_a_build_of_another_release_is_unavailable_with_the_remedy(
    deployment: Deployment, serve: Callable[..., AbstractContextManager[str]]
) -> None:
    deployment.publish()
    [file] = (deployment.data_dir / "published" / ORGANIZATION).glob("*.duckdb")
    file.chmod(0o600)
    with duckdb.connect(str(file)) as connection:
        connection.execute("drop table capex")
        connection.execute("alter table developers drop column avatar_url")
    seal_again(file)
    with serve(deployment.data_dir) as address, client_for(address, deployment.key()) as client:
        for path in ("capex", "capex?format=CSV", "capex?format=XLSX", "developers"):
            answer = client.get(f"{ROOT}/{path}")
            assert (answer.status_code, answer.json()["code"]) == (503, 14)
            assert "another release" in answer.json()["message"]
            assert int(answer.headers["Retry-After"]) > 0
        assert client.get(f"{ROOT}/commits").status_code == 200


def served_status(client: httpx.Client) -> set[int]:
    """Statuses of reads that need most tables of a build."""
    paths = ("commits?pageSize=1000", "developers", "repositories", "teams", "capex?format=CSV")
    return {client.get(f"{ROOT}/{path}").status_code for path in paths}


@pytest.mark.parametrize("damage", ["noise", "truncated"])
def test_damage_to_an_open_build_is_unavailable_until_the_next_build(
    deployment: Deployment, serve: Callable[..., AbstractContextManager[str]], damage: str
) -> None:
    build_id = deployment.publish()
    file = deployment.data_dir / "published" / ORGANIZATION / f"{build_id}.duckdb"
    with serve(deployment.data_dir) as address, client_for(address, deployment.key()) as client:
        # Opens it, and reads little of it.
        assert client.get(f"{ROOT}/teams").status_code == 200
        file.chmod(0o600)
        content = file.read_bytes()
        file.write_bytes(content[:8192] if damage == "truncated" else bytes(255 - byte for byte in content))
        assert served_status(client) <= {200, 503}
        answer = client.get(f"{ROOT}/commits?pageSize=999")
        assert answer.status_code == 503
        deployment.publish()
        assert served_status(client) == {200}


@pytest.mark.parametrize(
    "damage", ["flipped byte", "another build", "another organization", "a folder", "a pipe"]
)
def test_a_build_that_differs_from_its_pointer_is_never_served(
    deployment: Deployment, builds: Builds, damage: str
) -> None:
    earlier = builds.folder / f"{deployment.publish()}.duckdb"
    file = builds.folder / f"{deployment.publish()}.duckdb"
    file.chmod(0o600)
    if damage == "another build":
        file.write_bytes(earlier.read_bytes() + b"\0" * (file.stat().st_size - earlier.stat().st_size))
        with file.open("r+b") as content:
            content.seek(0, 2)
            content.write(b"\0")
    elif damage == "another organization":
        with duckdb.connect(str(file)) as connection:
            connection.execute("update organizations set organization_id = 'another'")
        seal_again(file)
    elif damage == "flipped byte":
        content_before = bytearray(file.read_bytes())
        content_before[-1] ^= 1
        file.write_bytes(bytes(content_before))
    else:
        pointer = builds.folder / "current.json"
        pointer.unlink()
        pointer.mkdir() if damage == "a folder" else os.mkfifo(pointer)
    with pytest.raises(Unavailable):
        builds.lease_current()
    assert not builds.is_open


def test_a_pointer_of_another_organization_is_refused(
    deployment: Deployment, builds: Builds, tmp_path: Path
) -> None:
    deployment.publish()
    foreign = Builds(tmp_path / "another", 256)
    shutil.copytree(builds.folder, foreign.folder)
    with pytest.raises(Unavailable):
        foreign.lease_current()


def test_without_a_pointer_the_open_build_goes_on_and_a_new_reader_is_told_to_wait(
    deployment: Deployment, builds: Builds
) -> None:
    first = deployment.publish()
    builds.release(builds.lease_current())
    (builds.folder / "current.json").unlink()
    build = builds.lease_current()
    assert build.id == first
    builds.release(build)
    fresh = Builds(builds.folder, 256)
    with pytest.raises(Unavailable):
        fresh.lease_current()


def test_a_file_in_the_place_of_the_folder_is_unavailable(deployment: Deployment, builds: Builds) -> None:
    deployment.publish()
    shutil.rmtree(builds.folder)
    builds.folder.write_text("no folder")
    with pytest.raises(Unavailable):
        builds.lease_current()
