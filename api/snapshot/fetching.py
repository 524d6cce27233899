"""Fetches published builds from an object store, where another machine makes them (EAS_PUBLISHED_FROM).

A fetched build is a file of this machine like one that was published here: verified, then named by `current.json`. Keep
out: what the store has in it (orchestration/publishing/copies.py), opening builds (builds.py).
"""

from __future__ import annotations

import fcntl
import logging
import os
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import fsspec

from api.snapshot import pointers

logger = logging.getLogger(__name__)

LOOKS_EVERY = 10.0
"""Seconds between two looks into the store."""
LOCK = ".fetching"
_POINTER = re.compile(r"(\d{12})-([0-9A-Za-z-]{1,64})\.json")
_ORGANIZATION = re.compile(r"[0-9a-f-]{36}")


class Fetching:
    """Keeps the builds of this machine as those of the store. One process of a machine fetches at a time."""

    def __init__(self, source: str, root: Path) -> None:
        self._source, self._root = source, root
        self.has_looked = threading.Event()
        """Set after the first look of the thread."""
        self._is_over = threading.Event()
        self._last_problem = ""

    def start(self) -> None:
        """Look again and again in a thread until `stop`. The process can end while it downloads.

        The first look waits for another process that fetches, so that its builds are there afterwards.
        """
        threading.Thread(target=self._run, name="fetching", daemon=True).start()

    def stop(self) -> None:
        """Look no more. A download that runs is not awaited."""
        self._is_over.set()

    def _run(self) -> None:
        self.look(waits=True)
        self.has_looked.set()
        while not self._is_over.wait(LOOKS_EVERY):
            self.look()

    def look(self, *, waits: bool = False) -> None:
        """Fetch what is new, unless another process does; `waits` for that one. The log has what cannot be fetched."""
        problems: dict[str, Exception] = {}

        def fetch() -> None:
            with _alone(self._root, waits=waits) as is_alone:
                if is_alone:
                    problems.update(self._fetch())

        if (error := _failure(fetch)) is not None:
            problems[f"{self._source} cannot be read"] = error
        told = "; ".join(f"{what}: {type(error).__name__}: {error}" for what, error in problems.items())
        if told and told != self._last_problem:
            unexpected = next((error for error in problems.values() if not _is_of_store(error)), None)
            logger.warning(
                "builds of another machine: %s; it is tried again every %.0f s",
                told, LOOKS_EVERY, exc_info=unexpected,
            )  # fmt: skip
        self._last_problem = told

    def _fetch(self) -> Iterator[tuple[str, Exception]]:
        """Fetch the newest build of each organization. Yields the organizations with an error."""
        fs, root = fsspec.core.url_to_fs(self._source, use_listings_cache=False)
        objects: dict[str, dict[str, str]] = {}
        for path in fs.find(root):
            organization_id, _, name = path.removeprefix(root).strip("/").partition("/")
            if _ORGANIZATION.fullmatch(organization_id):
                objects.setdefault(organization_id, {})[name] = path
        for organization_id, names in objects.items():
            if self._is_over.is_set():
                return
            if (error := _failure(self._fetch_newest, fs, organization_id, names)) is not None:
                yield organization_id, error

    def _fetch_newest(self, fs: Any, organization_id: str, names: Mapping[str, str]) -> None:
        listed = [(match[2], names[name]) for name in sorted(names) if (match := _POINTER.fullmatch(name))]
        if not listed:
            return
        folder = self._root / organization_id
        folder.mkdir(parents=True, exist_ok=True)
        build_id, place = listed[-1]
        if not _has(folder, build_id):
            text = fs.cat_file(place)
            pointer = pointers.parsed(text, folder)
            if pointer.build_id != build_id or pointer.file.name != f"{build_id}.duckdb":
                raise ValueError(f"{place} names another build")
            _download(fs, names.get(pointer.file.name, ""), pointer)
            _replace(folder / pointers.POINTER, text)
            logger.info("fetched build %s of %s", build_id, organization_id)
        # The store deletes builds with erased rows, so this machine does too. Requests that read one can finish.
        kept = {one for one, _ in listed}
        for file in folder.glob("*.duckdb"):
            if file.stem not in kept:
                file.unlink(missing_ok=True)


def _failure(step: Callable[..., None], *arguments: Any) -> Exception | None:
    """The error of a step, whatever it is: the API answers from the builds that it has, and fetches the others."""
    try:
        step(*arguments)
    except Exception as error:  # noqa: BLE001 - see above
        return error
    return None


def _is_of_store(error: Exception) -> bool:
    """Whether a store, the network or the content of the store gave an error. Its client need not be installed."""
    return isinstance(error, (OSError, ValueError)) or type(error).__module__.startswith(
        ("aiohttp.", "botocore.")
    )


def _has(folder: Path, build_id: str) -> bool:
    """Whether the pointer here names the build, and its file has the size that was published."""
    try:
        pointer = pointers.read(folder)
        return pointer.build_id == build_id and pointer.file.stat().st_size == pointer.bytes
    except (OSError, ValueError):
        return False


def _download(fs: Any, source: str, pointer: pointers.Pointer) -> None:
    """Download a build under another name, and rename it if it has the content that was published."""
    if not source:
        raise FileNotFoundError(f"the file of build {pointer.build_id} is not in the store")
    for leftover in pointer.file.parent.glob("*.fetched"):
        leftover.unlink()
    partial = pointer.file.with_suffix(".fetched")
    try:
        fs.get_file(source, str(partial))
        replace(pointer, file=partial).verify()
    except ValueError:
        partial.unlink(missing_ok=True)
        raise ValueError(f"{source} has another content than was published") from None
    except Exception:
        partial.unlink(missing_ok=True)
        raise
    partial.chmod(0o444)
    _sync(partial)
    partial.replace(pointer.file)


def _replace(file: Path, content: bytes) -> None:
    partial = file.with_name(f"{file.name}.fetched")
    partial.write_bytes(content)
    _sync(partial)
    partial.replace(file)
    _sync(file.parent)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def _alone(root: Path, *, waits: bool) -> Iterator[bool]:
    """Keep other processes of this machine from fetching. Yields whether this one may."""
    root.mkdir(parents=True, exist_ok=True)
    with (root / LOCK).open("wb") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX if waits else fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
            return
        yield True
