"""Which files two trees share, changed or under another name: renames as Git pairs them.

Oracle: `git log --raw -M`; for what a merge wrote itself `git blame`. Keep out: texts (`diffs`).
"""

from __future__ import annotations

import os
from collections.abc import Collection
from dataclasses import dataclass

import pygit2

from ingest.git.trees import SUBMODULE_MODE, Entry, PathChange, TreeReader

RENAME_PAIRS = 1000 * 1000
"""Git gives up inexact renames above `diff.renameLimit` squared (1000 by default since 2.34)."""

MERGED_RENAME_PAIRS = 10_000
"""The same for files that a merge wrote itself: one merge of two long branches took seconds."""

_SYMLINK_MODE = b"120000"
_RENAMES = pygit2.enums.DiffFind.FIND_RENAMES
_EXACT = pygit2.enums.DiffFind.FIND_EXACT_MATCH_ONLY


@dataclass(frozen=True, slots=True)
class PathPair:
    """A file before and after, renames joined; `similarity` is set for a rename."""

    old_path: bytes | None
    new_path: bytes | None
    old: Entry | None
    new: Entry | None
    similarity: int | None = None

    @property
    def path(self) -> bytes:
        return self.new_path or self.old_path or b""

    @property
    def status(self) -> str:
        if self.old is None or self.new is None:
            return "A" if self.old is None else "D"
        if self.similarity is not None:
            return "R"
        return "T" if _kind(self.old[0]) != _kind(self.new[0]) else "M"


def _kind(mode: bytes) -> bytes:
    return mode[:3]


def is_submodule(pair: PathPair) -> bool:
    return any(e is not None and e[0] == SUBMODULE_MODE for e in (pair.old, pair.new))


def pair_paths(
    repo: pygit2.Repository, trees: TreeReader, old: bytes | None, new: bytes | None
) -> list[PathPair]:
    """Changed files between two trees with renames detected as `-M` does, in path order."""
    changes = list(trees.changes(old, new))
    renames = _find_renames(repo, changes, old, new)
    sources = {source for source, _ in renames.values()}
    deleted = {c.path: c for c in changes if c.new is None}
    pairs = []
    for change in changes:
        if change.old is None and change.path in renames:
            source, similarity = renames[change.path]
            pairs.append(PathPair(source, change.path, deleted[source].old, change.new, similarity))
        elif change.new is not None or change.path not in sources:
            has_old, has_new = change.old is not None, change.new is not None
            old_path, new_path = change.path if has_old else None, change.path if has_new else None
            pairs.append(PathPair(old_path, new_path, change.old, change.new))
    return sorted(pairs, key=lambda p: p.path)


def _find_renames(
    repo: pygit2.Repository, changes: list[PathChange], old: bytes | None, new: bytes | None
) -> dict[bytes, tuple[bytes, int]]:
    """New path → (old path, similarity)."""
    added = [c for c in changes if c.old is None and c.new and c.new[0] != SUBMODULE_MODE]
    deleted = [c for c in changes if c.new is None and c.old and c.old[0] != SUBMODULE_MODE]
    if not added or not deleted or old is None or new is None:
        return {}
    gone = {c.old[1] for c in deleted if c.old}
    inexact = sum(c.new[1] not in gone for c in added if c.new)
    flags = _RENAMES if inexact * len(deleted) <= RENAME_PAIRS else _RENAMES | _EXACT
    try:
        diff = _detect(repo, old, new, flags)
    except (KeyError, pygit2.GitError):
        # A blob of the candidates is missing or corrupt: exact renames need none of them.
        diff = _detect(repo, old, new, _RENAMES | _EXACT)
    found = {
        d.new_file.raw_path: (d.old_file.raw_path, d.similarity)
        for d in diff.deltas
        if d.status == pygit2.enums.DeltaStatus.RENAMED
    }
    return found | _renamed_links(added, deleted)


def _renamed_links(added: list[PathChange], deleted: list[PathChange]) -> dict[bytes, tuple[bytes, int]]:
    """Symbolic links under a new name with the same target; libgit2 passes them over, Git does not."""
    sources = {c.old: c.path for c in reversed(deleted) if c.old and c.old[0] == _SYMLINK_MODE}
    return {c.path: (sources.pop(c.new), 100) for c in added if c.new in sources}


def rename_sources(
    repo: pygit2.Repository, trees: TreeReader, old: bytes, new: bytes, wanted: Collection[bytes]
) -> dict[bytes, PathPair]:
    """Those of the `wanted` new paths that are renamed files, paired as if no other file were new.

    That is how `git blame` looks for the origin of a file, and between long branches much less work.
    """
    changes = list(trees.changes(old, new))
    deleted = {c.path: c.old for c in changes if c.new is None and c.old and c.old[0] != SUBMODULE_MODE}
    added = {
        c.path: c.new
        for c in changes
        if c.old is None and c.new and c.new[0] != SUBMODULE_MODE and c.path in wanted
    }
    if not deleted or not added:
        return {}
    before, index = repo[pygit2.Oid(raw=old)], pygit2.Index()
    assert isinstance(before, pygit2.Tree)
    index.read_tree(before)
    for path in deleted:
        index.remove(os.fsdecode(path))
    for path, (mode, blob) in added.items():
        kind = pygit2.enums.FileMode.LINK if mode == _SYMLINK_MODE else pygit2.enums.FileMode.BLOB
        index.add(pygit2.IndexEntry(os.fsdecode(path), pygit2.Oid(raw=blob), kind))
    flags = _RENAMES if len(added) * len(deleted) <= MERGED_RENAME_PAIRS else _RENAMES | _EXACT
    diff = before.diff_to_index(index, context_lines=0)
    try:
        diff.find_similar(flags=flags, rename_threshold=50, rename_limit=1000)
    except (KeyError, pygit2.GitError):
        # A blob of the candidates is missing or corrupt: exact renames need none of them.
        diff = before.diff_to_index(index, context_lines=0)
        diff.find_similar(flags=_RENAMES | _EXACT, rename_threshold=50, rename_limit=1000)
    return {
        d.new_file.raw_path: PathPair(
            d.old_file.raw_path,
            d.new_file.raw_path,
            deleted[d.old_file.raw_path],
            added[d.new_file.raw_path],
            d.similarity,
        )
        for d in diff.deltas
        if d.status == pygit2.enums.DeltaStatus.RENAMED
    }


def _detect(repo: pygit2.Repository, old: bytes, new: bytes, flags: pygit2.enums.DiffFind) -> pygit2.Diff:
    before, after = repo[pygit2.Oid(raw=old)], repo[pygit2.Oid(raw=new)]
    assert isinstance(before, pygit2.Tree)
    assert isinstance(after, pygit2.Tree)
    diff = before.diff_to_tree(after, context_lines=0)
    diff.find_similar(flags=flags, rename_threshold=50, rename_limit=1000)
    return diff
