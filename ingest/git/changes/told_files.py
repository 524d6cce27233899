"""Other files of a tree that say that a program wrote a file: lists of collected files, and scripts that write data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import lru_cache

from ingest.git.diff.content_cache import Contents
from ingest.git.diff.texts import Text
from ingest.git.machine_text import collected_files, written_data
from ingest.git.objects.contents import ObjectProblem
from ingest.git.objects.trees import Entry, TreeReader

_MOST_SCRIPTS = 200
"""Scripts of a folder that are read."""


class ToldFiles:
    """Finds what a tree says of a file. Reads the trees and contents of one repository."""

    def __init__(self, trees: TreeReader, contents: Contents) -> None:
        self._trees = trees
        self._contents = contents
        # A list of ten thousand files takes a few megabytes.
        self._collected = lru_cache(maxsize=8)(self._read_list)
        self._written = lru_cache(maxsize=64)(self._read_scripts)
        self._names = lru_cache(maxsize=1024)(self._read_script)

    def lists(self, path: str, tree: bytes) -> Iterator[str]:
        """The lists of the tree that name this file as collected."""
        for folder in collected_files.folders_of_lists(path):
            for name, entry in self._trees.files(tree, folder, collected_files.LISTS):
                if path[len(folder) + 1 :] in self._collected(entry):
                    yield f"{folder}/{name}"

    def writers(self, path: str, tree: bytes) -> Iterator[str]:
        """The scripts of the tree that write this file of data."""
        if not path.endswith(written_data.DATA_ENDINGS):
            return
        above, _, name = path.rpartition("/")
        folders = self._trees.folder(tree).folders
        for folder in written_data.SCRIPT_FOLDERS:
            child = folders.get(folder.encode())
            for script, words in self._written(child).get(name, ()) if child is not None else ():
                # Another folder may hold a file of this name.
                if above.rpartition("/")[2] in words:
                    yield f"{folder}/{script}"

    def _read_scripts(self, folder: bytes) -> Mapping[str, list[tuple[str, frozenset[str]]]]:
        """The names of data that scripts of a folder write, each with the scripts and the words of the way to it."""
        found: dict[str, list[tuple[str, frozenset[str]]]] = {}
        for script, entry in self._trees.files_ending(folder, written_data.SCRIPT_ENDINGS, _MOST_SCRIPTS):
            for name, words in self._names(entry).items():
                found.setdefault(name, []).append((script, words))
        return found

    def _read_script(self, entry: Entry) -> dict[str, frozenset[str]]:
        text = self._read(entry, written_data.MOST_BYTES)
        return {} if text is None else written_data.written_files(text.data)

    def _read_list(self, entry: Entry) -> frozenset[str]:
        text = self._read(entry, collected_files.MOST_BYTES)
        return frozenset() if text is None else collected_files.collected_paths(text.data)

    def _read(self, entry: Entry, most_bytes: int) -> Text | None:
        with suppress(ObjectProblem):
            text = self._contents.read(entry)
            if text is not None and not text.is_binary and text.size <= most_bytes:
                return text
        return None
