"""Files that a web framework collected in one folder to serve them: Django's `collectstatic`.

A list of what was collected stands at the top of the folder, which nobody edits. Add: the list of another framework.
Keep out: names with the hash of their content (`files.provenance`), folders of builds (`files.provenance`).
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

# The manifest of Django's storage, with the hashes of all files below: ManifestStaticFilesStorage.manifest_name.
LISTS: Final = ("staticfiles.json",)
_COLLECTED: Final = re.compile(
    r"(?:^|/)(?:static|static[-_]?files|static[-_]?(?:root|build|collected|prod)|collected[-_]?static|assets|public)(?=/)"
)


@lru_cache(maxsize=65_536)
def folders_of_lists(path: str) -> tuple[str, ...]:
    """The folders above a file in which a list of collected files may stand, the lowest last."""
    return tuple(_folders(path))


def _folders(path: str) -> Iterator[str]:
    if path.rpartition("/")[2] not in LISTS:
        for found in _COLLECTED.finditer(path):
            yield path[: found.end()]
