"""Copies on this machine of the committed files of a lake in an object store, which builds read.

DuckDB reads an object store only with an extension that it downloads, and would ask for each file once for each model.
Keep out: which files a build reads (`lake`).
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from ingest import obstacles
from ingest.lake.files import CHUNK, LakeFiles, Written

_READERS = 16
"""Files that are read from the store at the same time: each waits for the network."""


@dataclass(frozen=True)
class Copies:
    """Copies of the files of one organization below a folder of this machine."""

    lake: LakeFiles
    folder: Path

    def bring(self, files: Mapping[str, Written]) -> dict[str, str]:
        """Copy these files of the lake, given as written, unless the copies are there already. Delete all others.

        Returns what is wrong by path, for files that are missing in the lake or not as they were written. Raises
        OSError where the store or the disk fails.
        """
        wanted = {self.path(file) for file in files}
        for path in sorted(self.folder.rglob("*"), reverse=True):
            if path.is_dir() and not path.is_symlink():
                with contextlib.suppress(OSError):  # it has files
                    path.rmdir()
            elif path not in wanted:
                path.unlink(missing_ok=True)
        with ThreadPoolExecutor(_READERS) as readers:
            problems = readers.map(lambda one: self._bring(*one), files.items())
            return {file: problem for file, problem in zip(files, problems, strict=True) if problem}

    def write(self, file: str, content: bytes) -> None:
        """Write what the lake has at a path without asking it."""
        copy = self.path(file)
        copy.parent.mkdir(parents=True, exist_ok=True)
        obstacles.make_way(copy)
        copy.write_bytes(content)

    def path(self, file: str) -> Path:
        """The place of the copy of a file of the lake."""
        return self.folder / file.removeprefix(self.lake.root).lstrip("/")

    def _bring(self, file: str, written: Written) -> str | None:
        copy = self.path(file)
        with contextlib.suppress(FileNotFoundError, IsADirectoryError, NotADirectoryError):
            if _written(copy) == written:
                return None
        copy.parent.mkdir(parents=True, exist_ok=True)
        obstacles.make_way(copy)
        draft = copy.with_name(f"{copy.name}.partial")
        try:
            self.lake.fs.get_file(file, str(draft))
        except FileNotFoundError:
            return "is missing"
        size, checksum = found = _written(draft)
        if found != written:
            draft.unlink()
            if size != written[0]:
                return f"has {size:,} bytes instead of {written[0]:,}"
            return f"has another content than was written ({checksum[:12]})"
        draft.replace(copy)
        return None


def _written(path: Path) -> Written:
    digest = hashlib.sha256()
    with path.open("rb") as content:
        while chunk := content.read(CHUNK):
            digest.update(chunk)
    return path.stat().st_size, digest.hexdigest()
