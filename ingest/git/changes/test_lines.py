"""Marks the added lines of a source file that belong to tests: by the file itself, or by the file that declares it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from ingest.git.changes.commit_changes import FileChange
from ingest.git.diff.content_cache import Contents
from ingest.git.diff.texts import Text
from ingest.git.files.roles import SOURCE
from ingest.git.lexing.inline_tests import RUST, mark_added, rust_tests
from ingest.git.objects.contents import ObjectProblem
from ingest.git.objects.trees import Entry, TreeReader

_MAX_PARENTS = 8
"""Modules above a file that are asked."""
_CRATES = ("lib", "main")


class TestLines:
    """Reads the trees and contents of one repository."""

    __test__ = False  # of pytest

    def __init__(self, trees: TreeReader, contents: Contents) -> None:
        self._trees, self._contents = trees, contents
        self._modules = lru_cache(maxsize=4096)(self._read_modules)

    def mark(self, change: FileChange, new: Text, tree: bytes) -> None:
        """Mark the added lines of a delivered source file. Lines of whole test files have the role of their file."""
        if change.lines is None or change.role != SOURCE or not change.lines_added:
            return
        if self.is_in_test_module(change, tree):
            in_tests = b"\1" * len(change.lines.kinds)
        else:
            in_tests = mark_added(change.language, new.data, change.hunks)
        if in_tests:
            change.lines = change.lines._replace(in_tests=in_tests)

    def is_in_test_module(self, change: FileChange, tree: bytes) -> bool:
        """Whether other files of the tree say that the file is there for tests alone."""
        return change.language == RUST and change.role == SOURCE and self._is_test_module(change.path, tree)

    def _is_test_module(self, path: str, tree: bytes) -> bool:
        """Whether a module above the file declares it, or one above it, for tests alone: `#[cfg(test)] mod name;`."""
        for _ in range(_MAX_PARENTS):
            folder, module = _module_of(path)
            if not module:
                return False
            above = ""
            for parent, entry in self._parents(folder, tree):
                if module in self._modules(entry):
                    return True
                above = parent if _module_of(parent)[1] else above
            if not above:
                return False
            path = above
        return False

    def _parents(self, folder: str, tree: bytes) -> Iterator[tuple[str, Entry]]:
        """The files that can declare the modules of a folder."""
        prefix = f"{folder}/" if folder else ""
        for name, entry in self._trees.files(tree, folder, ("mod.rs", "lib.rs", "main.rs")):
            yield prefix + name, entry
        above, _, name = folder.rpartition("/")
        if name:
            for beside, entry in self._trees.files(tree, above, (f"{name}.rs",)):
                yield f"{above}/{beside}" if above else beside, entry

    def _read_modules(self, entry: Entry) -> frozenset[str]:
        """The modules in other files that a file declares for tests alone."""
        try:
            text = self._contents.read(entry)
        except ObjectProblem:
            return frozenset()
        if text is None or text.is_binary:
            return frozenset()
        return frozenset(name.decode("utf-8", "replace") for name in rust_tests(text.data).modules)


def _module_of(path: str) -> tuple[str, str]:
    """The folder in whose module a file is declared, and the name; an empty one for the root of a crate."""
    folder, _, name = path.rpartition("/")
    stem = name.removesuffix(".rs")
    if stem == "mod":
        folder, _, stem = folder.rpartition("/")
    return folder, "" if stem in _CRATES else stem
