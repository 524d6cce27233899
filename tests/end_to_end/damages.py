"""Damages to the files of a deployment, by their names."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

from orchestration.deployment import LOCAL_ORGANIZATION
from tests.end_to_end.eas import Eas


def raw(eas: Eas, table: str) -> Path:
    """The only file of a raw table."""
    folder = eas.data / "raw/git" / table / f"organization_id={LOCAL_ORGANIZATION}"
    [file] = (one for one in folder.glob("*/*.parquet") if one.name != "empty.parquet")
    return file


def published(eas: Eas, name: str) -> Path:
    return eas.data / "published" / LOCAL_ORGANIZATION / name


def truncate(file: Path) -> None:
    content = file.read_bytes()
    file.chmod(0o644)
    file.write_bytes(content[: len(content) // 2])


def flip(file: Path) -> None:
    content = bytearray(file.read_bytes())
    content[len(content) // 3] ^= 4
    file.chmod(0o644)
    file.write_bytes(bytes(content))


def swap(one: Path, other: Path) -> None:
    mine, its = one.read_bytes(), other.read_bytes()
    one.write_bytes(its)
    other.write_bytes(mine)


def put_foreign_file(eas: Eas) -> None:
    """A copy of the facts in a folder that the pattern of earlier releases matched, and damage that needs a build."""
    file = raw(eas, "file_changes")
    folder = file.parent.parent / "backup"
    folder.mkdir()
    shutil.copyfile(file, folder / file.name)
    shutil.copyfile(file, file.with_name("000009-copy.parquet"))
    published(eas, "current.json").write_bytes(b"")


def state_file(eas: Eas) -> Path:
    """The file that lists the facts of the repository."""
    [file] = (eas.data / "raw/_state/git" / LOCAL_ORGANIZATION).glob("*.json")
    return file


def replace_by_pipes(*files: Path) -> None:
    """Let named pipes stand in the places of files: reading one would wait for ever."""
    for file in files:
        file.unlink()
        os.mkfifo(file)


def replace_by_folders(*files: Path) -> None:
    for file in files:
        file.unlink()
        file.mkdir()
        (file / "inside").write_text("something")


def replace_by_files(*folders: Path) -> None:
    for folder in folders:
        shutil.rmtree(folder)
        folder.write_text("no folder")


def damage_records(eas: Eas) -> None:
    truncate(eas.data / "dagster/history/runs.db")
    published(eas, "current.json").unlink()


DAMAGES: dict[str, Callable[[Eas], object]] = {
    "the state of the facts overwritten": lambda eas: state_file(eas).write_bytes(b"\xc4" * 100),
    "pipes instead of state, pointer and run state": lambda eas: replace_by_pipes(
        state_file(eas),
        published(eas, "current.json"),
        eas.data / "run_state" / LOCAL_ORGANIZATION / "build.json",
    ),
    "folders instead of lock, pointer and facts": lambda eas: replace_by_folders(
        eas.data / f"raw/_state/locks/org-{LOCAL_ORGANIZATION}.lock",
        published(eas, "current.json"),
        raw(eas, "refs"),
    ),
    "files instead of folders": lambda eas: replace_by_files(
        eas.data / "raw/_state",
        eas.data / "published" / LOCAL_ORGANIZATION,
        eas.data / "warehouse",
    ),
    "file_changes deleted": lambda eas: raw(eas, "file_changes").unlink(),
    "deliveries deleted": lambda eas: raw(eas, "deliveries").unlink(),
    "commits truncated": lambda eas: truncate(raw(eas, "commits")),
    "a byte of delivered_lines flipped": lambda eas: flip(raw(eas, "delivered_lines")),
    "two raw files swapped": lambda eas: swap(raw(eas, "refs"), raw(eas, "reachability")),
    "foreign and duplicate files": put_foreign_file,
    "the raw lake deleted": lambda eas: shutil.rmtree(eas.data / "raw"),
    "the pointer emptied": lambda eas: published(eas, "current.json").write_bytes(b""),
    "the snapshot truncated": lambda eas: truncate(published(eas, eas.pointer()["file"])),
    "a byte of the snapshot flipped": lambda eas: flip(published(eas, eas.pointer()["file"])),
    "the snapshot deleted": lambda eas: published(eas, eas.pointer()["file"]).unlink(),
    "the warehouse deleted": lambda eas: (eas.data / f"warehouse/{LOCAL_ORGANIZATION}.duckdb").unlink(),
    "the warehouse truncated": lambda eas: truncate(eas.data / f"warehouse/{LOCAL_ORGANIZATION}.duckdb"),
    "Dagster's records damaged": damage_records,
}
