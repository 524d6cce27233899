"""The pointer to a published build, and the comparison of the build's file with it.

Publishing seals the pointer for its organization (orchestration/runtime/sealed.py), so a damaged one and one of another
organization are refused. Keep out: opening builds (builds.py).
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

POINTER = "current.json"


@dataclass(frozen=True, slots=True)
class Pointer:
    """A build as `current.json` names it. Pointers of earlier releases name neither size nor checksum."""

    build_id: str
    file: Path
    bytes: int | None
    sha256: str | None

    def verify(self) -> None:
        """Raise ValueError unless the file has the content that was published, FileNotFoundError if it is gone."""
        if not self.file.is_file():
            raise FileNotFoundError(self.file)
        if self.bytes is not None and self.file.stat().st_size != self.bytes:
            raise ValueError(f"{self.file} has another size than was published")
        if self.sha256 is not None:
            # A gigabyte takes a second, once per build and process.
            with self.file.open("rb") as content:
                if hashlib.file_digest(content, "sha256").hexdigest() != self.sha256:
                    raise ValueError(f"{self.file} has another content than was published")


def read(folder: Path) -> Pointer:
    """The pointer in the folder of an organization. Raises OSError, or ValueError for a damaged or foreign one."""
    file = folder / POINTER
    if file.exists() and not file.is_file():
        raise ValueError(f"{file} is no file")  # reading a named pipe never ends
    return parsed(file.read_bytes(), folder)


def parsed(text: bytes, folder: Path) -> Pointer:
    """The pointer with this text, of the folder of an organization. Raises ValueError as `read`."""
    content = json.loads(text)
    if not isinstance(content, dict):
        raise ValueError("it holds no object")  # noqa: TRY004 - callers expect one error for all damage
    checksum = content.pop("checksum", None)
    sealed = json.dumps([folder.name, content], sort_keys=True).encode()
    if checksum is not None and checksum != hashlib.sha256(sealed).hexdigest():
        raise ValueError("its content differs from what was written")
    name, build_id = content.get("file"), content.get("build_id")
    if not isinstance(build_id, str) or not isinstance(name, str) or Path(name).name != name:
        raise ValueError("it names no build of the folder")
    return Pointer(build_id, folder / name, content.get("bytes"), content.get("sha256"))
