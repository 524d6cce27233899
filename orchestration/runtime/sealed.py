"""Small JSON files with a checksum, so that a damaged one is not believed.

Keep out: the content of the files.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from ingest import obstacles

CHECKSUM = "checksum"


def read(file: Path, owner: str) -> dict[str, Any]:
    """The content of a file of an owner. Raises FileNotFoundError, or ValueError for a damaged or foreign one."""
    try:
        return unseal(obstacles.read(file), owner)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise ValueError(f"{type(error).__name__}: {error}") from error


def write(file: Path, content: Mapping[str, Any], owner: str) -> None:
    """Replace a file of an owner; a reader sees the file before or the new one."""
    file.parent.mkdir(parents=True, exist_ok=True)
    # All writers share one name, so the next one overwrites the file of a killed one.
    partial = file.with_name(f"{file.name}.partial")
    obstacles.make_way(partial)
    obstacles.make_way(file)
    partial.write_text(seal(content, owner))
    with suppress(FileNotFoundError):  # another writer has just replaced the file
        partial.replace(file)


def seal(content: Mapping[str, Any], owner: str) -> str:
    """The text of a file. `owner` says what it describes, so that the file of another owner is not accepted."""
    return json.dumps(dict(content) | {CHECKSUM: _checksum(content, owner)}, indent=1) + "\n"


def unseal(text: str | bytes, owner: str) -> dict[str, Any]:
    """The content of a file. Files of earlier releases have no checksum. Raises ValueError for a damaged one."""
    content = json.loads(text)
    if not isinstance(content, dict):
        raise ValueError("it holds no object")  # noqa: TRY004 - callers expect one error for all damage
    checksum = content.pop(CHECKSUM, None)
    if checksum is not None and checksum != _checksum(content, owner):
        raise ValueError("its content differs from what was written")
    return content


def _checksum(content: Mapping[str, Any], owner: str) -> str:
    return hashlib.sha256(json.dumps([owner, content], sort_keys=True).encode()).hexdigest()
