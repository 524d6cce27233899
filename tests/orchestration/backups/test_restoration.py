"""Backups that are damaged, incomplete or of another release are refused, and nothing is written by half."""

from __future__ import annotations

import json
import os
import shutil
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from ingest.settings import Settings
from ingest.telemetry import spool
from ingest.telemetry.loading import spool_folder
from orchestration.backups import backup, control_database, manifest, restoration
from orchestration.backups.manifest import BackupRefused
from orchestration.cli import app
from orchestration.deployment import LOCAL_ORGANIZATION, Deployment
from orchestration.runtime import sealed
from orchestration.runtime.run_state import RepositoryEntry
from orchestration.state import build_lock
from tests.ingest.lake.rows import REPOSITORY, messages, problems
from tests.orchestration.published_stub import publish_stub

Damage = Callable[[Path], object]


@pytest.fixture
def filled(deployment: Deployment) -> Deployment:
    """A deployment with facts, telemetry that waits, a published build, run state and a key."""
    source = deployment.lake.source("git", LOCAL_ORGANIZATION, REPOSITORY)
    source.commit(problems("first", "second"), {}, {"seen": "x"}, {"checkpoint": b"position"})
    publish_stub(deployment, "b")
    deployment.run_state.record(LOCAL_ORGANIZATION, RepositoryEntry(REPOSITORY, "house", "/house"))
    writer = spool.Spool(spool_folder(deployment.settings.data_dir))
    writer.append(LOCAL_ORGANIZATION, b"acknowledged").result()
    writer.close()
    (deployment.settings.data_dir / "secret.key").write_text("a key\n")
    return deployment


@pytest.fixture
def taken(filled: Deployment, tmp_path: Path) -> Path:
    """A backup of it."""
    assert backup.take(filled, tmp_path / "backup").warnings == []
    return tmp_path / "backup"


@pytest.fixture
def empty(tmp_path: Path) -> Deployment:
    """A deployment whose data directory does not exist."""
    return Deployment(Settings(data_dir=tmp_path / "elsewhere" / "data"))


def files_below(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def flip_a_bit(file: Path) -> None:
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.chmod(0o600)
    file.write_bytes(content)


def change_manifest(folder: Path, **changes: object) -> None:
    """Write another manifest with a right checksum."""
    file = folder / manifest.FILE
    content = sealed.unseal(file.read_text(), "backup")
    file.write_text(sealed.seal(content | changes, "backup"))


def test_a_restored_directory_has_everything_that_nothing_can_make_again(
    filled: Deployment, taken: Path, empty: Deployment
) -> None:
    restoration.restore(empty, taken)
    data_dir, source = empty.settings.data_dir, filled.settings.data_dir
    assert messages(empty.lake.source("git", LOCAL_ORGANIZATION, REPOSITORY)) == ["first", "second"]
    assert empty.lake.source("git", LOCAL_ORGANIZATION, REPOSITORY).damage() == []
    assert empty.lake.source("git", LOCAL_ORGANIZATION, REPOSITORY).read_file("checkpoint") == b"position"
    [segment] = spool.pending(spool_folder(data_dir) / LOCAL_ORGANIZATION)
    assert list(spool.lines(segment)) == [b"acknowledged"]
    assert empty.run_state.repositories(LOCAL_ORGANIZATION) == filled.run_state.repositories(
        LOCAL_ORGANIZATION
    )
    assert files_below(data_dir / "published") == files_below(source / "published")
    assert (data_dir / "secret.key").read_text() == "a key\n"
    assert (data_dir / "secret.key").stat().st_mode & 0o777 == 0o600
    with empty.control() as control:
        assert [one.id for one in control.organizations()] == [LOCAL_ORGANIZATION]


def test_only_the_owner_can_read_a_backup(taken: Path) -> None:
    files = [one for one in taken.rglob("*") if one.is_file()]
    assert [one for one in (taken, *files) if one.stat().st_mode & 0o077] == []


def test_every_flipped_byte_and_missing_file_is_refused_and_nothing_is_written(
    taken: Path, empty: Deployment, tmp_path: Path
) -> None:
    names = [*manifest.read(taken).files, manifest.FILE]
    assert len(names) > 8
    damages: tuple[Damage, ...] = (flip_a_bit, Path.unlink)
    for name in names:
        for damage in damages:
            damaged = shutil.copytree(taken, tmp_path / "damaged")
            damage(damaged / name)
            with pytest.raises(BackupRefused, match=r"use another|take another"):
                restoration.restore(empty, damaged)
            assert not list(empty.settings.data_dir.parent.glob("*")), name
            assert not list(empty.settings.data_dir.parent.glob(".*")), name
            shutil.rmtree(damaged)


def test_no_bit_of_the_manifest_may_change(taken: Path) -> None:
    file = taken / manifest.FILE
    content = file.read_bytes()
    for place in range(0, len(content), 7):
        changed = bytearray(content)
        changed[place] ^= 1
        file.write_bytes(changed)
        try:
            found = manifest.read(taken)
        except BackupRefused:
            continue
        file.write_bytes(content)
        assert found == manifest.read(taken), content[place : place + 9]  # white space


@pytest.mark.parametrize(
    "path", ["../control.db", "/etc/passwd", "raw/../../x", "raw", "raw//x", "dagster/x", "raw/./x", ""]
)
def test_a_manifest_cannot_name_a_place_outside_the_data_directory(taken: Path, path: str) -> None:
    files = manifest.read(taken).model_dump()["files"]
    change_manifest(taken, files=files | {path: files["control.db"]})
    with pytest.raises(BackupRefused, match="which no backup has"):
        manifest.read(taken)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format": 2, "release": "0.99.0"}, "restore it with the release 0.99.0"),
        ({"revision": "9999"}, "schema revision 9999, which this release does not know"),
        ({"revision": "0003"}, "a development version before the first release"),
        ({"revision": "0024"}, "the manifest names 0024"),
        ({"unknown": 1}, "is damaged"),
        ({"files": {}}, "no control database"),
    ],
)
def test_another_format_or_schema_is_refused_with_the_remedy(
    taken: Path, empty: Deployment, monkeypatch: pytest.MonkeyPatch, changes: dict[str, object], message: str
) -> None:
    change_manifest(taken, **changes)
    monkeypatch.setenv("EAS_DATA_DIR", str(empty.settings.data_dir))
    answer = CliRunner().invoke(app, ["restore", str(taken)])
    assert answer.exit_code == 2
    assert message in answer.output
    assert not empty.settings.data_dir.exists()


def test_a_data_directory_with_anything_in_it_is_refused(taken: Path, empty: Deployment) -> None:
    data_dir = empty.settings.data_dir
    data_dir.mkdir(parents=True)
    (data_dir / ".hidden").touch()
    with pytest.raises(BackupRefused, match="is no empty folder"):
        restoration.restore(empty, taken)
    assert [one.name for one in data_dir.iterdir()] == [".hidden"]
    (data_dir / ".hidden").unlink()
    restoration.restore(empty, taken)
    with pytest.raises(BackupRefused, match="is no empty folder"):
        restoration.restore(empty, taken)


def test_a_lake_elsewhere_is_backed_up_and_not_restored_over(
    filled: Deployment, tmp_path: Path, taken: Path
) -> None:
    raw = tmp_path / "lake"
    shutil.copytree(filled.lake.root, raw)
    shutil.rmtree(filled.lake.root)
    elsewhere = Deployment(Settings(data_dir=filled.settings.data_dir, raw_dir=str(raw)))
    with_lake = backup.take(elsewhere, tmp_path / "second").manifest
    assert with_lake.files == manifest.read(taken).files
    with pytest.raises(BackupRefused, match="unset EAS_RAW_DIR"):
        restoration.restore(Deployment(Settings(data_dir=tmp_path / "new", raw_dir=str(raw))), taken)
    assert not (tmp_path / "new").exists()


def test_damaged_facts_are_named_and_copied_as_they_are(
    filled: Deployment, empty: Deployment, tmp_path: Path
) -> None:
    [file] = Path(filled.lake.root).glob("git/problems/*/*/*.parquet")
    flip_a_bit(file)
    [warning] = backup.take(filled, tmp_path / "backup").warnings
    assert str(file) in warning
    restoration.restore(empty, tmp_path / "backup")
    assert len(empty.lake.damage("git", LOCAL_ORGANIZATION)) == 1


@pytest.mark.parametrize("place", ["data/backup", "backup", "backup.partial"])
def test_a_place_that_would_mix_is_refused(filled: Deployment, tmp_path: Path, place: str) -> None:
    if not place.startswith("data"):
        (tmp_path / place).mkdir()
    before = files_below(tmp_path)
    with pytest.raises(BackupRefused, match=r"outside|exists"):
        backup.take(filled, tmp_path / place.removesuffix(backup.PARTIAL))
    assert files_below(tmp_path) == before


def test_without_a_control_database_there_is_nothing_to_back_up(empty: Deployment, tmp_path: Path) -> None:
    with pytest.raises(BackupRefused, match="set EAS_DATA_DIR"):
        backup.take(empty, tmp_path / "backup")
    assert not empty.settings.data_dir.exists()
    assert not (tmp_path / "backup.partial").exists()


def test_the_key_can_stay_out(
    filled: Deployment, empty: Deployment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = CliRunner().invoke(app, ["backup", str(tmp_path / "backup"), "--without-key"])
    assert answer.exit_code == 0, answer.output
    assert "keep `secret.key` of the data directory elsewhere" in answer.output
    assert b"a key" not in b"".join(files_below(tmp_path / "backup").values())
    monkeypatch.setenv("EAS_DATA_DIR", str(empty.settings.data_dir))
    answer = CliRunner().invoke(app, ["restore", str(tmp_path / "backup")])
    assert answer.exit_code == 0, answer.output
    assert "put `secret.key` into the data directory" in answer.output
    assert not (empty.settings.data_dir / "secret.key").exists()


def test_a_backup_waits_for_a_build_and_a_build_for_a_backup(
    filled: Deployment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def copy(*_: object) -> tuple[str, str]:
        raise KeyboardInterrupt

    awaited: list[str] = []
    monkeypatch.setattr(control_database, "copy", copy)
    facts = backup._Taking._copy_facts

    def look(taking: backup._Taking, organization_id: str) -> None:
        lock = filled.lake.lock(build_lock.name(organization_id), exclusive=True, wait=False)
        with pytest.raises(BlockingIOError), lock:
            pass
        facts(taking, organization_id)
        awaited.append("looked")

    monkeypatch.setattr(backup._Taking, "_copy_facts", look)
    with pytest.raises(KeyboardInterrupt):
        backup.take(filled, tmp_path / "backup", on_wait=awaited.append)
    assert awaited == ["looked"]
    assert not (tmp_path / "backup.partial").exists()


def killed_after(count: int, work: Callable[[], object]) -> bool:
    """Do work in another process that dies with the copy of this many files. Returns whether it died."""
    process = os.fork()
    if not process:
        copied, original = [0], manifest.copy

        def copy(*given: Any) -> Any:
            entry = original(*given)
            copied[0] += 1
            if copied[0] == count:
                os.kill(os.getpid(), signal.SIGKILL)
            return entry

        try:
            with pytest.MonkeyPatch.context() as patched:
                patched.setattr(manifest, "copy", copy)
                work()
        finally:
            os._exit(0)
    return os.WIFSIGNALED(os.waitpid(process, 0)[1])


def test_a_killed_backup_is_refused_by_restore(filled: Deployment, empty: Deployment, tmp_path: Path) -> None:
    deaths = 0
    for count in range(1, 100):
        if not killed_after(count, lambda: backup.take(filled, tmp_path / "backup")):
            break
        deaths += 1
        assert not (tmp_path / "backup").exists()
        with pytest.raises(BackupRefused, match="no complete backup"):
            restoration.restore(empty, tmp_path / "backup.partial")
        assert not empty.settings.data_dir.exists()
        shutil.rmtree(tmp_path / "backup.partial")
    assert deaths > 5
    restoration.restore(empty, tmp_path / "backup")


def test_a_killed_restore_leaves_no_data_directory_and_can_be_repeated(
    taken: Path, empty: Deployment
) -> None:
    deaths = 0
    while killed_after(deaths + 1, lambda: restoration.restore(empty, taken)):
        deaths += 1
        assert not empty.settings.data_dir.exists()
    assert deaths == len(manifest.read(taken).files)
    assert list(empty.settings.data_dir.parent.iterdir()) == [empty.settings.data_dir]
    recorded = json.loads((taken / manifest.FILE).read_text())["files"]
    assert set(files_below(empty.settings.data_dir)) == set(recorded)
