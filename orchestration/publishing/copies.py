"""Copies of published builds in an object store, from which the APIs of other machines fetch them.

An organization has a folder there: `<build>.duckdb` for each build, and `<number>-<build>.json` with its pointer, which
is written after the build. The greatest number is the newest build; no object is ever changed. So a reader sees a whole
build or none, and of two publishers the last one counts. A copy has a lock of its own, so the next build waits for no
store.
Keep out: publishing on this machine (snapshot.py), readers (api/snapshot/fetching.py).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import fsspec

from api.operator.environment import value_of
from api.operator.machines import PUBLISHED_COPY, PUBLISHED_FROM
from ingest import obstacles
from ingest.locks import locked
from orchestration.publishing.snapshot import PublishRefused
from orchestration.runtime.explanations import Explained, is_of_store
from orchestration.state.snapshot_files import POINTER, Pointer, pointer_text, read_pointer

TARGET, SOURCE = PUBLISHED_COPY, PUBLISHED_FROM
LOCK, BEGUN, DONE = ".copying", ".begun_copies", ".copied"
"""Files in the folder of an organization here: a lock, the builds whose copies were begun and may be unfinished, and
the end of the last copy: the store, the build, and every build that both the store and this machine had then."""
MAX_COPY_AGE = timedelta(days=1)
"""Time after which a file without a pointer is of a copy that was killed on another machine."""
_POINTER = re.compile(r"(\d{12})-(.+)\.json")


class CopyFailed(Explained):
    """The object store does not take a copy. The message says what to do; the build is published on this machine."""


@dataclass(frozen=True)
class Copies:
    """The copies of one organization: the objects of pointers by build, oldest first, and those of builds.

    `newest` is the build that readers fetch, and `number` that of its pointer.
    """

    pointers: Mapping[str, Sequence[str]]
    files: Mapping[str, str]
    newest: str | None
    number: int


@dataclass(frozen=True)
class Compared:
    """Whether readers on other machines get the current build, and the builds that were deleted only here."""

    is_current: bool
    deleted: tuple[str, ...]


def refuse_reader() -> None:
    """Raise PublishRefused on a machine that fetches its builds: the next look would delete one that is made here."""
    if value_of(SOURCE) is not None:
        raise PublishRefused(
            f"this machine fetches its builds from another one ({SOURCE}); build there, or unset {SOURCE} here"
        )


def is_wanted() -> bool:
    """Whether this machine copies its builds to a store. Raises StartRefused."""
    return value_of(TARGET) is not None


def waiting(published_root: Path, organization_id: str) -> str | None:
    """What the next copy is for; None if the store is up to date. Asks no store. Raises StartRefused.

    It is the current build, or `<build> without <deleted> …` where only builds that were deleted here have to go there.
    """
    target, folder = value_of(TARGET), published_root / organization_id
    if target is None:
        return None
    try:
        build_id = read_pointer(folder).build_id
    except (OSError, ValueError):
        return None
    try:
        copied_to, copied, *kept = (folder / DONE).read_bytes().decode().splitlines()
    except (OSError, ValueError):
        return build_id
    if (copied_to, copied) != (target, build_id):
        return build_id
    gone = [one for one in kept if not (folder / f"{one}.duckdb").exists()]
    return f"{build_id} without {' '.join(gone)}" if gone else None


def mirror(published_root: Path, organization_id: str) -> None:
    """Copy the current build of an organization, and delete the copies of builds that are gone here.

    Builds go on meanwhile: what they publish or delete waits for the next copy, so that this one ends. Does nothing
    without EAS_PUBLISHED_COPY. Safe to repeat. Raises CopyFailed.
    """
    target = value_of(TARGET)
    folder = published_root / organization_id
    if target is None or not (folder / POINTER).is_file():
        return
    fs, root = fsspec.core.url_to_fs(target, use_listings_cache=False)
    place = f"{root.rstrip('/')}/{organization_id}"
    with locked(folder / LOCK):
        try:
            copied = _copy_newest(fs, place, folder)
            kept = _prune(fs, place, folder)
            obstacles.make_way(folder / DONE)
            (folder / DONE).write_text("".join(f"{line}\n" for line in (target, copied, *kept)))
        except Exception as error:
            if not isinstance(error, OSError) and not is_of_store(error):
                raise
            raise CopyFailed(
                f"the build was not copied to {TARGET} ({error}); readers on other machines keep the one before. Check"
                " the store, then run `eas doctor --fix`"
            ) from error


def compare(published_root: Path, organization_id: str) -> Compared:
    """What the store has of an organization, beside what is here. Raises the errors of the store."""
    folder = published_root / organization_id
    fs, root = fsspec.core.url_to_fs(value_of(TARGET), use_listings_cache=False)
    present = found(fs, f"{root.rstrip('/')}/{organization_id}")
    here = {file.stem for file in folder.glob("*.duckdb")}
    deleted = (present.files.keys() | present.pointers.keys()) - here - {present.newest}
    return Compared(present.newest == read_pointer(folder).build_id, tuple(sorted(deleted)))


def found(fs: fsspec.AbstractFileSystem, place: str) -> Copies:
    """The copies below the folder of an organization."""
    objects = {path.rpartition("/")[2]: path for path in fs.find(place)}
    numbered = sorted((match[1], match[2], name) for name in objects if (match := _POINTER.fullmatch(name)))
    pointers: dict[str, list[str]] = {}
    for _, build_id, name in numbered:
        pointers.setdefault(build_id, []).append(objects[name])
    files = {name.removesuffix(".duckdb"): path for name, path in objects.items() if name.endswith(".duckdb")}
    number, newest = numbered[-1][:2] if numbered else ("0", None)
    return Copies(pointers, files, newest, int(number))


def _copy_newest(fs: fsspec.AbstractFileSystem, place: str, folder: Path) -> str:
    """Copy the current build, or the next one if it is deleted meanwhile. Returns the one that was copied."""
    while True:
        pointer = read_pointer(folder)
        if _copy(fs, place, folder, pointer):
            return pointer.build_id
        if read_pointer(folder) == pointer:
            raise FileNotFoundError(f"{folder / pointer.file} is gone")


def _copy(fs: fsspec.AbstractFileSystem, place: str, folder: Path, pointer: Pointer) -> bool:
    """Copy a build. Returns whether its file is still there: a later build may have deleted it."""
    present, text = found(fs, place), pointer_text(pointer, folder.name).encode()
    file, copied = folder / pointer.file, f"{place}/{pointer.file}"
    if present.newest == pointer.build_id and pointer.build_id in present.files:
        return True
    fs.makedirs(place, exist_ok=True)
    with (folder / BEGUN).open("a") as begun:
        begun.write(f"{pointer.build_id}\n")
    try:
        size = file.stat().st_size
        fs.put_file(str(file), copied)
        # A file with rows of a removed repository or an erased person must not get a pointer.
        file.stat()
    except FileNotFoundError:
        if file.exists():
            raise
        return False
    if fs.size(copied) != size:
        raise OSError(f"{copied} has another size than the build")
    # As a whole under its last name, after the file that it names.
    fs.pipe_file(f"{place}/{present.number + 1:012d}-{pointer.build_id}.json", text)
    if not fs.exists(copied):
        raise OSError(f"another machine that publishes the same organization deleted {copied}")
    return True


def _prune(fs: fsspec.AbstractFileSystem, place: str, folder: Path) -> list[str]:
    """Delete copies without a build here, pointers first, older pointers of a build, and what killed copies left.

    Returns the builds that are here and stay there.
    """
    present = found(fs, place)
    here = {file.stem for file in folder.glob("*.duckdb")}
    gone = [build_id for build_id in present.pointers if build_id not in here | {present.newest}]
    pointers = [
        path for one, found in present.pointers.items() for path in (found if one in gone else found[:-1])
    ]
    for path in (*pointers, *(present.files[one] for one in gone if one in present.files)):
        with suppress(FileNotFoundError):
            fs.rm_file(path)
    begun = folder / BEGUN
    own = set(begun.read_text().split()) if begun.exists() else set()
    for build_id in present.files.keys() - present.pointers.keys():
        # Another publisher may be about to write its pointer, or has just deleted the file.
        with suppress(FileNotFoundError):
            if build_id in own or datetime.now(UTC) - fs.modified(present.files[build_id]) > MAX_COPY_AGE:
                fs.rm_file(present.files[build_id])
    begun.unlink(missing_ok=True)
    return sorted(here & present.pointers.keys())
