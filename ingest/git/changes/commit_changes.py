"""The changes of one commit, as plain values that pass between processes.

Keep out: reading them (`change_reader`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from operator import attrgetter
from typing import Any, Protocol

from ingest.git.changes.file_lines import FileLines, KindCounts
from ingest.git.diff.context import Surroundings
from ingest.git.diff.hunks import Hunk
from ingest.git.files.copyrights import Copyright
from ingest.git.files.roles import TOOL_ROLES
from ingest.git.lexing.languages import UNKNOWN
from ingest.git.messages.references import Reference
from ingest.git.objects.commit_graph import Commit
from ingest.git.objects.contents import Problem
from ingest.git.objects.merge_plan import Origin
from ingest.git.published.known_libraries import KnownLibrary


@dataclass(frozen=True, slots=True)
class CommitTask:
    """One commit to read. Trees are hex ids, None for no tree.

    `parent_trees` has all parents in Git's order; `blamed_trees` has those of a delivered merge in blame order.
    `net_against` is set for a mainline merge: the tree of its mainline parent, against which the delivered difference
    is measured. `with_lines` requests the facts of its changed lines, `may_be_fix` the lines around its hunks.
    `is_merged` is True for a plain commit that a later merge delivers, mostly with the same changes.
    """

    sha: str
    tree: str
    parent_trees: tuple[str, ...]
    with_lines: bool
    net_against: str | None = None
    may_be_fix: bool = False
    blamed_trees: tuple[str, ...] = ()
    is_merged: bool = False
    commit: Commit | None = None
    """The commit itself, where its rows are wanted."""


@dataclass(slots=True)
class FileChange:
    """One changed file. Text counts are as `git log --numstat -M` gives them."""

    path: str
    previous_path: str | None
    status: str
    similarity: int | None
    old_blob: str | None
    new_blob: str | None
    language: str = UNKNOWN.name
    role: str = "source"
    is_binary: bool = False
    is_generated: bool = False
    is_vendored: bool = False
    is_minified: bool = False
    machine_evidence: str | None = None
    """Words of the file, or of its lines, that say that a program wrote it."""
    copyrights: list[Copyright] = field(default_factory=list)
    """Names in lines of copyright and of authors that the change adds at the top."""
    library: KnownLibrary | None = None
    """The known library that has most of the added lines."""
    lines_added: int = 0
    lines_deleted: int = 0
    counts: KindCounts = field(default_factory=KindCounts)
    lines_after: int | None = None
    hunks: list[Hunk] = field(default_factory=list)
    other_sides: list[tuple[int, str, list[Hunk]]] = field(default_factory=list)
    symbols: list[str] = field(default_factory=list)
    skipped_reason: str | None = None
    content_hash: str | None = None
    lines: FileLines | None = None
    """Only where the task asked for them."""
    surroundings: Surroundings | None = None
    """Only for possible fixes, in files of code with an old version."""

    @property
    def is_tool_made(self) -> bool:
        """Whether nobody wrote the lines, so that none of them needs to be read."""
        return self.role in TOOL_ROLES or self.is_generated or self.is_minified

    def copy(self) -> FileChange:
        """A change of its own with the same values."""
        return FileChange(*_values(self))

    def __reduce__(self) -> tuple[type[FileChange], tuple[object, ...]]:
        """Pickle the fields by position, which saves looking up each field's name for every file."""
        return FileChange, _values(self)


_values = attrgetter(*(f.name for f in fields(FileChange)))


@dataclass(frozen=True, slots=True)
class PackedRows:
    """Rows of the raw tables of neighbouring commits, which the changes of all of them share.

    `tables` are record batches as Arrow's format for messages, empty without rows. `stops` has the first row of the
    first commit, and after each commit the first row beyond it.
    """

    tables: Mapping[str, bytes]
    stops: Mapping[str, Sequence[int]]


@dataclass(slots=True)
class CommitChanges:
    """`own` are the rows of file_changes. `net` is the delivered difference of a mainline merge."""

    sha: str
    own: list[FileChange] = field(default_factory=list)
    net: list[FileChange] | None = None
    plan: Origin | None = None
    """The origin of the files of a merge, where the task asked for it."""
    references: list[tuple[str, Reference]] = field(default_factory=list)
    """Path and reference found in an added code line."""
    problems: list[Problem] = field(default_factory=list)
    rows: dict[str, list[tuple[Any, ...]]] | None = None
    """Rows of the raw tables, where the task asked for them, until they are packed."""
    packed: PackedRows | None = None
    number: int = 0
    """The commit's number in `packed`."""
    problem_rows: list[tuple[Any, ...]] = field(default_factory=list)
    is_revert: bool | None = None
    """Whether the commit is a revert by its message; None without rows."""

    def drop_told(self) -> None:
        """Drop what only the rows needed."""
        self.references, self.problems = [], []
        for change in self.own:
            change.counts = _NO_COUNTS


_NO_COUNTS = KindCounts()


class Describer(Protocol):
    """Makes the rows of commits."""

    def describe(self, commit: Commit, changes: CommitChanges) -> None:
        """Set the rows of a commit."""

    def pack(self, results: Sequence[CommitChanges]) -> None:
        """Pack the rows of neighbouring commits."""
