"""Small JSON files with a checksum, so that a damaged one is not believed.

Keep out: the content of the files.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

CHECKSUM = "checksum"


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
