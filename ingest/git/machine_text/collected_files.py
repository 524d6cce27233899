"""Files that a web framework collected in one folder to serve them: Django's `collectstatic`.

A list of what was collected stands at the top of the folder. The files that it names are copies, which nobody edits;
own sources may stand beside them. Add: the list of another framework.
Keep out: names with the hash of their content (`files.provenance`), folders of builds (`files.provenance`).
"""

import json
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

# The manifest of Django's storage, with the hashes of all files below: ManifestStaticFilesStorage.manifest_name.
LISTS: Final = ("staticfiles.json",)
MOST_BYTES: Final = 2 * 1024 * 1024
"""Bytes of a list above which it is not read: lists of ten thousand files have one megabyte."""
_COLLECTED: Final = re.compile(
    r"(?:^|/)(?:static|static[-_]?files|static[-_]?(?:root|build|collected|prod)|collected[-_]?static|assets|public)(?=/)"
)


@lru_cache(maxsize=65_536)
def folders_of_lists(path: str) -> tuple[str, ...]:
    """The folders above a file in which a list of collected files may stand, the lowest last."""
    return tuple(_folders(path))


def collected_paths(data: bytes) -> frozenset[str]:
    """The paths below its folder that a list names, with and without their hashes; none of what is no such list."""
    if len(data) > MOST_BYTES:
        return frozenset()
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        return frozenset()
    paths = found.get("paths") if isinstance(found, dict) else None
    if not isinstance(paths, dict):
        return frozenset()
    return frozenset(path for pair in paths.items() for path in pair if isinstance(path, str))


def _folders(path: str) -> Iterator[str]:
    if path.rpartition("/")[2] not in LISTS:
        for found in _COLLECTED.finditer(path):
            yield path[: found.end()]
