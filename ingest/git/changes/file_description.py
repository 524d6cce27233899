"""Describes the changed files of a commit by what its tree says: attributes, names, contents and neighbours."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from ingest.git.changes.commit_changes import FileChange
from ingest.git.changes.machine_lines import lines_within, without_machine_lines
from ingest.git.changes.told_files import ToldFiles
from ingest.git.diff.content_cache import Contents
from ingest.git.diff.texts import Text
from ingest.git.files import description
from ingest.git.files.attributes import Attributes, FileAttributes
from ingest.git.files.copyrights import copyrights, each_once, released, stated_versions
from ingest.git.files.roles import CONFIGURATION, DATA, DOCUMENTATION, SOURCE
from ingest.git.lexing.languages import LANGUAGES
from ingest.git.machine_text import compiled_output, machine_parts, marks
from ingest.git.machine_text.content import JUDGED_LINES, RECORDED_LINES, is_judged
from ingest.git.machine_text.counted_words import LEAST_COUNTED, counted_words
from ingest.git.machine_text.editor_methods import LEAST_ADDED, editor_methods
from ingest.git.machine_text.machine_parts import Part, has_own_code
from ingest.git.machine_text.marks import MARK_BYTES
from ingest.git.machine_text.migrations import DJANGO
from ingest.git.machine_text.words import RememberedFinder
from ingest.git.objects.contents import ObjectProblem
from ingest.git.objects.trees import Entry, TreeReader
from ingest.git.published.known_libraries import FEWEST_ADDED, library_of
from ingest.git.published.manifests import is_manifest

# Files that are remembered: a few megabytes.
_MOST_KNOWN = 10_000
_MOST_ENDS = 1_000
"""Paths of which the first and last bytes are remembered: eight megabytes."""
_TOP_LINES = 20
"""Lines of a file among which the lines of a header begin."""
_COMPILED_ROLES = (SOURCE, DOCUMENTATION, CONFIGURATION)
"""Roles of files that a compiler may write. Tests of compilers hold pairs of files that people wrote."""


_WRITTEN_LANGUAGES = frozenset({"JSON", "CSV"})
"""Languages of data that scripts write. People translate in JSON too, which is a language of its own here."""


class Circumstances(NamedTuple):
    """What a tree says of a file.

    `sources` are the files from which a compiler may have written it, and `tellers` those that name it as collected or
    write it.
    """

    attributes: FileAttributes
    sources: tuple[tuple[str, Entry], ...]
    tellers: tuple[str, ...] = ()


@dataclass(slots=True)
class _Ends:
    """What described the last version of a path, and how."""

    find_marks: RememberedFinder
    said: tuple[bytes, bytes, FileAttributes, bool] | None = None
    found: description.Description | None = None


class FileDescriber:
    """Sets what a changed file is. Reads the trees and contents of one repository."""

    def __init__(self, trees: TreeReader, contents: Contents) -> None:
        self._trees = trees
        self._contents = contents
        self._find_marks = marks.words_finder()
        self._find_hints = machine_parts.words_finder()
        self._attributes = lru_cache(maxsize=256)(self._parse_attributes)
        # The files of a commit are often neighbours.
        self._attribute_files = lru_cache(maxsize=256)(self._find_attribute_files)
        self._told = ToldFiles(trees, contents)
        self._ends: dict[str, _Ends] = {}
        self._known: dict[tuple[str, str | None, FileAttributes, bool], description.Description] = {}
        self._parts: dict[tuple[str, str | None], Sequence[Part] | None] = {}
        """By path and blob; None where the text has no hint at parts."""

    def describe(self, change: FileChange, text: Text | None, tree: bytes) -> bool:
        """Set what the file is. Returns whether its content may still say that a program wrote it."""
        attributes = self._attributes_of(change.path, tree)
        found = self._described(change, text, attributes)
        is_open = found.is_open and attributes.is_generated is None
        collected = next(self._told.lists(change.path, tree), None) if is_open else None
        if collected is not None:
            found = found._replace(is_generated=True, evidence=f"collected with the files in {collected}")
            is_open = False
        if is_open and found.role == DATA and found.language.name in _WRITTEN_LANGUAGES:
            writer = next(self._told.writers(change.path, tree), None)
            if writer is not None:
                found = found._replace(is_generated=True, evidence=f"written by {writer}")
                is_open = False
        if is_open and found.role in _COMPILED_ROLES and text is not None and not text.is_binary:
            source = self._source(change.path, text, tree)
            if source is not None:
                found = found._replace(is_generated=True, evidence=f"compiled from {source}")
                is_open = False
        # A whole file comes or goes: its content is one text.
        if is_open and change.status in "AD" and text is not None and not text.is_binary:
            found = description.judged(found, change.path, text.data)
        _note(change, found)
        return is_open

    def circumstances(self, path: str, tree: bytes) -> Circumstances:
        """What decides beside its two versions how a changed file is described."""
        sources = list(self._sources(path, tree))
        for source, entry in tuple(sources):
            if not compiled_output.may_import(source):
                continue
            with suppress(ObjectProblem):
                read = self._contents.read(entry)
                sources += () if read is None else self._imported(source, read, tree)
        return Circumstances(self._attributes_of(path, tree), tuple(sources), self._tellers(path, tree))

    def _tellers(self, path: str, tree: bytes) -> tuple[str, ...]:
        return (*self._told.lists(path, tree), *self._told.writers(path, tree))

    def _attributes_of(self, path: str, tree: bytes) -> FileAttributes:
        return self._attributes(self._attribute_files(tree, path.rpartition("/")[0])).lookup(path)

    def _described(
        self, change: FileChange, text: Text | None, attributes: FileAttributes
    ) -> description.Description:
        """The description by path and first and last bytes. A merge describes again what its branch has written."""
        key = change.path, change.new_blob or change.old_blob, attributes, change.status == "A"
        if (known := self._known.get(key)) is not None:
            return known
        head, tail = (
            (b"", b"") if text is None else (text.starts_with(MARK_BYTES), text.ends_with(MARK_BYTES))
        )
        found = self._described_by_ends(change.path, head, tail, attributes, is_added=key[3])
        is_migration = found.evidence is not None and DJANGO in found.evidence
        if is_migration and text is not None and has_own_code(change.path, text.data):
            found = found._replace(is_generated=False, evidence=None)
        if len(self._known) >= _MOST_KNOWN:
            self._known.clear()
        self._known[key] = found
        return found

    def _described_by_ends(
        self, path: str, head: bytes, tail: bytes, attributes: FileAttributes, *, is_added: bool
    ) -> description.Description:
        """The same by these bytes alone: many changes leave them as they were."""
        ends = self._ends.get(path)
        if ends is None:
            if len(self._ends) >= _MOST_ENDS:
                self._ends.clear()
            ends = self._ends[path] = _Ends(RememberedFinder(self._find_marks))
        said = head, tail, attributes, is_added
        if ends.found is None or ends.said != said:
            ends.said = said
            ends.found = description.describe(
                path, head, tail, attributes, is_added=is_added, find_words=ends.find_marks
            )
        return ends.found

    @staticmethod
    def judge_growth(change: FileChange, new: Text) -> None:
        """Judge an existing file by content where a change adds many lines at once, or records."""
        is_text = is_judged(LANGUAGES[change.language])
        if change.lines_added < (RECORDED_LINES if is_text else JUDGED_LINES):
            return
        found = description.Description(
            LANGUAGES[change.language],
            change.role,
            change.is_generated,
            change.is_vendored,
            change.is_minified,
        )
        if not is_text:
            _note(change, description.judged(found, change.path, new.data))
            return
        _note(change, description.judged_growth(found, change.path, new.data, _added_lines(change, new)))

    def note_machine_parts(self, change: FileChange, new: Text, patch: bytes | None) -> None:
        """Take the added lines out that a program wrote between its marks in a file of people.

        `patch` is the difference from the version before, where the engine has made one.
        """
        if not change.lines_added or change.is_tool_made or change.is_vendored:
            return
        key = change.path, change.new_blob
        if key not in self._parts:
            if len(self._parts) >= _MOST_KNOWN:
                self._parts.clear()
            self._parts[key] = self._find_parts(change, new, patch)
        parts = self._parts[key]
        if change.lines_added >= LEAST_ADDED and (
            methods := editor_methods(change.path, new.data, change.hunks)
        ):
            parts = machine_parts.merged([*(parts or ()), *methods])
        if change.lines_added >= LEAST_COUNTED and (
            counted := counted_words(change.path, new.data, change.hunks)
        ):
            parts = machine_parts.merged([*(parts or ()), *counted])
        written = lines_within(change.hunks, parts) if parts else []
        if not parts or not written:
            return
        if change.lines is not None:
            change.lines = without_machine_lines(change.lines, written)
        change.machine_evidence = change.machine_evidence or (
            f"{len(written):,} of {change.lines_added:,} added lines stand in a part that a program writes:"
            f" {parts[0].mark}"
        )

    def _find_parts(self, change: FileChange, new: Text, patch: bytes | None) -> Sequence[Part] | None:
        had_hint = self._parts.get((change.path, change.old_blob), ()) is not None
        # An empty patch may stand for what libgit2 takes for binary.
        text = new.data if had_hint or not patch else patch
        if not machine_parts.may_have_parts(change.path, text, self._find_hints):
            return None
        return machine_parts.machine_parts(change.path, new.data)

    @staticmethod
    def note_copyrights(change: FileChange, new: Text) -> None:
        """Set whom the lines name that the change adds at the top of the file."""
        top = [(start, count) for _, _, start, count in change.hunks[:2] if count and start <= _TOP_LINES]
        if not top or change.is_tool_made or change.is_vendored:
            return
        head = new.starts_with(MARK_BYTES)
        if change.status != "A":
            # Few lines, which are searched faster than the whole head.
            lines = head.split(b"\n", max(start + count for start, count in top))
            added = b"\n".join(
                [line for start, count in top for line in lines[start - 1 : start - 1 + count]]
            )
            library = released(head)
            change.copyrights = each_once([*stated_versions(added, change.path), *copyrights(added)])
            # The next version of a library begins with its kept comment too.
            if library is not None and any(start <= library[1] < start + count for start, count in top):
                change.copyrights = each_once([library[0], *change.copyrights])
            return
        change.copyrights = copyrights(head, change.path)

    @staticmethod
    def note_library(change: FileChange, new: Text, written_at: int) -> None:
        """Set the known library that has most of the added lines, or that a manifest names."""
        is_compared = change.lines_added >= FEWEST_ADDED
        if not (is_compared or is_manifest(change.path)) or change.is_tool_made or change.is_vendored:
            return
        added: bytes | None = new.data if is_compared else None
        if is_compared and change.status != "A":
            # Nobody pastes a library into a document.
            added = None if LANGUAGES[change.language].is_prose else b"\n".join(_added_lines(change, new))
        change.library = library_of(change.path, new.data, added, written_at)

    def _source(self, path: str, text: Text, tree: bytes) -> str | None:
        """The file of the tree that a compiler read to write this one."""
        for source, entry in self._sources(path, tree):
            with suppress(ObjectProblem):
                read = self._contents.read(entry)
                if read is None:
                    continue
                if compiled_output.is_compiled(path, text.data, read.data):
                    return source
                imported = [self._contents.read(one) for _, one in self._imported(source, read, tree)]
                if (
                    not imported
                    and compiled_output.may_import(source)
                    and compiled_output.only_imports(read.data)
                ):
                    return source
                sources = [one.data for one in (read, *imported) if one is not None]
                if imported and compiled_output.is_compiled_with_imports(text.data, sources):
                    return source
        return None

    def _imported(self, source: str, text: Text, tree: bytes) -> Iterator[tuple[str, Entry]]:
        """The files of the tree that a compiler of style sheets writes out in place of their imports."""
        for folder, names in compiled_output.imports_of(source, text.data):
            for name, entry in self._trees.files(tree, folder, names):
                yield f"{folder}/{name}".lstrip("/"), entry

    def _sources(self, path: str, tree: bytes) -> Iterator[tuple[str, Entry]]:
        """The files of the tree that a compiler may have read to write this one."""
        for folder, names in compiled_output.sources_of(path):
            for name, entry in self._trees.files(tree, folder, names):
                yield f"{folder}/{name}".lstrip("/"), entry

    def _find_attribute_files(self, tree: bytes, path: str) -> tuple[tuple[int, Entry], ...]:
        """The `.gitattributes` of each folder on the way to a folder and of itself, with the depth of the folder."""
        found, folder = [], self._trees.folder(tree)
        for depth, name in enumerate([*path.encode().split(b"/"), None]):
            if folder.attributes is not None:
                found.append((depth, folder.attributes))
            child = folder.folders.get(name) if name is not None else None
            if child is None:
                break
            folder = self._trees.folder(child)
        return tuple(found)

    def _parse_attributes(self, files: tuple[tuple[int, Entry], ...]) -> Attributes:
        read = []
        for depth, entry in files:
            with suppress(ObjectProblem):
                text = self._contents.read(entry)
                read.append((depth, text.data if text is not None else b""))
        return Attributes.parse(read, with_hints=False)


def _added_lines(change: FileChange, new: Text) -> list[bytes]:
    lines = new.lines(max(start - 1 + count for _, _, start, count in change.hunks))
    return [line for _, _, start, count in change.hunks for line in lines[start - 1 : start - 1 + count]]


def _note(change: FileChange, found: description.Description) -> None:
    change.language, change.role = found.language.name, found.role
    change.is_generated, change.is_vendored, change.is_minified = found[2:5]
    change.machine_evidence = found.evidence
