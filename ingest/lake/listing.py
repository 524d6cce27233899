"""What an object store listed at one moment.

A store answers in some hundredths of a second, so a question for each file of thousands of sources would take hours.
Keep out: when nobody else may change the files (`lake`).
"""

from __future__ import annotations

from collections.abc import Mapping


class Listing:
    """Files of a store by folder, and the contents of some of them. Paths are those of fsspec, without protocol."""

    def __init__(self, sizes: Mapping[str, int], contents: Mapping[str, bytes]) -> None:
        self._sizes = dict(sizes)
        self._contents = dict(contents)
        self._folders: dict[str, set[str]] = {}
        for path in sizes:
            folder = path
            while folder:
                folder, _, name = folder.rpartition("/")
                names = self._folders.setdefault(folder, set())
                if name in names:
                    break
                names.add(name)

    def exists(self, path: str) -> bool:
        """Whether a file or folder is at a path."""
        return path in self._sizes or path in self._folders

    def size(self, path: str) -> int:
        """Bytes of a file. Raises FileNotFoundError."""
        if path not in self._sizes:
            raise FileNotFoundError(path)
        return self._sizes[path]

    def names(self, folder: str) -> list[str]:
        """Names of the files and folders in a folder."""
        return sorted(self._folders.get(folder, ()))

    def content(self, path: str) -> bytes | None:
        """The content of a file, if it was read with the listing."""
        return self._contents.get(path)

    def forget(self, path: str) -> None:
        """Forget a file that is written or deleted."""
        self._contents.pop(path, None)
        if self._sizes.pop(path, None) is not None:
            folder, _, name = path.rpartition("/")
            self._folders[folder].discard(name)
