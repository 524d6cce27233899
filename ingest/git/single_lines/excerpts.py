"""A small history that holds one delivery and a few paths of a clone, so that a run over it takes a moment.

Its first commit has these paths as they were before the delivery. Objects of files are those of the clone, which is
only read. Keep out: what the history says about lines (`replay`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pygit2
from pygit2.enums import FileMode, SortMode

from ingest.errors import LimitExceeded, Permanent
from ingest.git.limits import Limits
from ingest.git.objects.trees import TreeReader, decode_path

MAX_COMMITS = 500
"""Commits of a delivery that somebody waits for."""
MAX_TREE = 500
"""Files of a tree that are all taken, because lines may be copies of any of them; of a larger one, the named ones."""
_MODES = {FileMode.BLOB, FileMode.BLOB_EXECUTABLE, FileMode.LINK}


class TooLarge(Permanent):
    """A delivery with more commits than anybody waits for."""


@dataclass(frozen=True)
class Excerpt:
    """The git directory of a small history, its head, and the commit of the clone for each of its commits."""

    path: Path
    head: str
    original: Mapping[str, str]


def excerpt(
    clone: pygit2.Repository, folder: Path, delivery: str, copied_from: Sequence[str], limits: Limits
) -> Excerpt:
    """The history of a delivery and the paths that it changed, in `folder`. `copied_from` are further paths.

    Raises Permanent where the clone lacks an object, TooLarge, and LimitExceeded.
    """
    try:
        head = clone[delivery].peel(pygit2.Commit)
        before = head.parents[0] if head.parents else None
        paths = _changed_paths(clone, before, head, limits) | {path.encode() for path in copied_from}
        paths |= _whole_tree(clone, before) if before is not None else set()
        brought = _brought(clone, head, before)
        return _Writer(clone, folder, sorted(paths)).write(brought, before)
    except (KeyError, pygit2.GitError) as error:
        raise Permanent(f"the clone lacks an object of {delivery}: {error}") from error


def _changed_paths(
    clone: pygit2.Repository, before: pygit2.Commit | None, head: pygit2.Commit, limits: Limits
) -> set[bytes]:
    trees = TreeReader(clone, verify_hashes=True, limits=limits)
    old = before.tree_id.raw if before is not None else None
    return {change.path for change in trees.changes(old, head.tree_id.raw)} | {b".gitattributes"}


def _whole_tree(clone: pygit2.Repository, before: pygit2.Commit) -> set[bytes]:
    """All paths of a small tree; none of a larger one."""
    trees = TreeReader(clone, verify_hashes=True, limits=Limits(commit_paths=MAX_TREE))
    try:
        return {change.path for change in trees.changes(None, before.tree_id.raw)}
    except LimitExceeded:
        return set()


def _brought(
    clone: pygit2.Repository, head: pygit2.Commit, before: pygit2.Commit | None
) -> list[pygit2.Commit]:
    """The commits that the delivery brought, parents first."""
    walker = clone.walk(head.id, SortMode.TOPOLOGICAL | SortMode.REVERSE)
    if before is not None:
        walker.hide(before.id)
    found: list[pygit2.Commit] = []
    for commit in walker:
        found.append(commit)
        if len(found) > MAX_COMMITS:
            raise TooLarge(f"the delivery brings more than {MAX_COMMITS:,} commits")
    return found


class _Writer:
    """Writes commits with some of their paths into a repository that borrows the objects of the clone."""

    def __init__(self, clone: pygit2.Repository, folder: Path, paths: Sequence[bytes]) -> None:
        self._clone, self._paths = clone, [decode_path(path) for path in paths]
        self._repository = pygit2.init_repository(str(folder), bare=True)
        objects = Path(self._repository.path) / "objects" / "info" / "alternates"
        objects.parent.mkdir(exist_ok=True)
        objects.write_text(f"{Path(clone.path) / 'objects'}\n", errors="surrogateescape")
        self._repository = pygit2.Repository(str(folder))
        self._written: dict[pygit2.Oid, pygit2.Oid] = {}

    def write(self, brought: Sequence[pygit2.Commit], before: pygit2.Commit | None) -> Excerpt:
        """The commits, parents first. What they stand on becomes one line of commits without further history."""
        own = {commit.id for commit in brought}
        ground = {
            parent.id: parent for commit in brought for parent in commit.parents if parent.id not in own
        }
        if before is not None:
            ground[before.id] = before
        last: list[pygit2.Oid] = []
        for commit in sorted(
            ground.values(), key=lambda one: (before is not None and one.id == before.id, one.commit_time)
        ):
            last = [self._write(commit, last)]
        for commit in brought:
            self._write(commit, [self._written[parent] for parent in commit.parent_ids])
        original = {str(new): str(old) for old, new in self._written.items()}
        return Excerpt(Path(self._repository.path), str(self._written[brought[-1].id]), original)

    def _write(self, commit: pygit2.Commit, parents: Iterable[pygit2.Oid]) -> pygit2.Oid:
        tree = self._tree(commit)
        # Names may be ones that libgit2 reads and does not write, and only the time counts.
        nobody = pygit2.Signature("nobody", "nobody", max(0, commit.commit_time), 0)
        new = self._repository.create_commit(None, nobody, nobody, str(commit.id), tree, list(parents))
        self._written[commit.id] = new
        return new

    def _tree(self, commit: pygit2.Commit) -> pygit2.Oid:
        index = pygit2.Index()
        for path in self._paths:
            try:
                entry = commit.tree[path]
            except (KeyError, ValueError):  # absent here, or no name that libgit2 takes
                continue
            if entry.filemode in _MODES:
                index.add(pygit2.IndexEntry(path, entry.id, entry.filemode))
        return index.write_tree(self._repository)
