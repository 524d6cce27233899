"""Files, differences and line owners of a history, read from Git the slow way: an oracle for tests.

Differences are those that `git diff` prints; trees and blobs are read whole. Keep out: what a changed line
is worth or called (judge.py).
"""

import re
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path

import pygit2

_HUNK = re.compile(rb"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_LIKE_THE_PRODUCT = ("--text", "-U6", "--inter-hunk-context=0", "--no-color")
EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"


@dataclass
class Side:
    """One side of neighbouring changes: its lines with six unchanged ones around, and which of them changed."""

    start: int
    """Line number (from 0) of the first line."""
    lines: list[bytes] = field(default_factory=list)
    changed: list[int] = field(default_factory=list)


@dataclass
class Block:
    """Changes with at most twelve unchanged lines between them."""

    old: Side
    new: Side
    hunks: list[tuple[int, int, int, int]] = field(default_factory=list)
    """Start (from 0) and number of the removed lines, start and number of the added ones."""


@dataclass(frozen=True)
class Pair:
    """A file before and after; a side is None where the file does not exist there."""

    old_path: str | None
    new_path: str | None
    old_blob: str | None
    new_blob: str | None
    status: str

    @property
    def path(self) -> str:
        return self.new_path or self.old_path or ""


@dataclass(eq=False)
class Origin:
    """One line of one file version; the same object for as long as no commit changes the line."""

    birth: str


class NaiveGit:
    """One repository, read as whole trees, texts and differences."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._repo = pygit2.Repository(str(path))
        self._known: dict[tuple[str | None, str | None], tuple[Block, ...]] = {}
        """Differences by blobs."""

    def git(self, *arguments: str) -> bytes:
        command = ["git", "-C", str(self.path), *arguments]
        return subprocess.run(command, check=True, capture_output=True).stdout

    @cache  # noqa: B019 - lives as long as one test
    def parents(self, sha: str) -> tuple[str, ...]:
        return tuple(self.git("rev-parse", f"{sha}^@").decode().split())

    @cache  # noqa: B019 - lives as long as one test
    def tree(self, sha: str) -> dict[str, str]:
        """Path → blob id of every file."""
        found = {}
        for entry in self.git("ls-tree", "-r", "-z", sha).split(b"\0")[:-1]:
            facts, _, path = entry.partition(b"\t")
            found[path.decode()] = facts.split()[2].decode()
        return found

    def data(self, blob: str) -> bytes:
        found = self._repo[blob]
        assert isinstance(found, pygit2.Blob)
        return bytes(found.data)

    def lines(self, blob: str | None) -> list[bytes]:
        """Physical lines without their newline; none of a binary file."""
        if blob is None or self.is_binary(blob):
            return []
        lines = self.data(blob).split(b"\n")
        return lines[:-1] if not lines[-1] else lines

    def is_binary(self, blob: str) -> bool:
        return b"\0" in self.data(blob)[:8000]

    @cache  # noqa: B019 - lives as long as one test
    def pairs(self, old: str | None, new: str) -> tuple[Pair, ...]:
        """Changed files between two commits, renames joined, by path."""
        raw = self.git("diff-tree", "-r", "-z", "-M", "--raw", "--no-abbrev", old or EMPTY_TREE, new)
        parts = raw.decode().split("\0")
        found = []
        while parts and parts[0]:
            _, _, old_blob, new_blob, status = parts.pop(0).split(" ")
            old_path = new_path = parts.pop(0)
            if status[0] == "R":
                new_path = parts.pop(0)
            is_new, is_gone = status[0] == "A", status[0] == "D"
            found.append(
                Pair(
                    None if is_new else old_path,
                    None if is_gone else new_path,
                    None if is_new else old_blob,
                    None if is_gone else new_blob,
                    status[0],
                )
            )
        self._read_patches(old or EMPTY_TREE, new, found)
        return tuple(sorted(found, key=lambda pair: pair.path.encode()))

    def _read_patches(self, old: str, new: str, pairs: list[Pair]) -> None:
        """Remember the differences of many files at once: a process for each takes too long."""
        patch = self.git("diff-tree", "-r", "-M", "-p", *_LIKE_THE_PRODUCT, old, new).split(b"\n")
        starts = [at for at, line in enumerate(patch) if line.startswith(b"diff --git ")]
        if starts and len(starts) == len(pairs):  # a file that became a link has two
            for pair, start, stop in zip(pairs, starts, [*starts[1:], len(patch)], strict=True):
                if pair.old_blob and pair.new_blob:
                    self._known[pair.old_blob, pair.new_blob] = tuple(_read_blocks(patch[start:stop]))

    def blocks(self, old: str | None, new: str | None) -> tuple[Block, ...]:
        """The difference of two text blobs with six lines of context."""
        if (old, new) not in self._known:
            self._known[old, new] = self._compare(old, new)
        return self._known[old, new]

    def _compare(self, old: str | None, new: str | None) -> tuple[Block, ...]:
        if old is None or new is None:
            before, after = self.lines(old), self.lines(new)
            if not before and not after:
                return ()
            sides = (Side(0, before, list(range(len(before)))), Side(0, after, list(range(len(after)))))
            return (Block(*sides, [(0, len(before), 0, len(after))]),)
        patch = self.git("diff", *_LIKE_THE_PRODUCT, old, new)
        return tuple(_read_blocks(patch.split(b"\n")))


def _read_blocks(lines: Sequence[bytes]) -> Iterator[Block]:
    block: Block | None = None
    is_open = False
    for line in lines:
        if match := _HUNK.match(line):
            if block is not None:
                yield block
            old_start, old_count, new_start, new_count = match.groups()
            # For a side without lines Git names the line before.
            old, new = int(old_start) - (old_count != b"0"), int(new_start) - (new_count != b"0")
            block, is_open = Block(Side(old), Side(new)), False
        elif block is not None and line[:1] in (b" ", b"-", b"+"):
            is_open = _take(block, line[:1], line[1:], is_open=is_open)
    if block is not None:
        yield block


def _take(block: Block, mark: bytes, text: bytes, *, is_open: bool) -> bool:
    """Add one line of a patch to the block. Returns whether a run of changed lines is open after it."""
    old, new = block.old, block.new
    if mark != b" " and not is_open:
        block.hunks.append((old.start + len(old.lines), 0, new.start + len(new.lines), 0))
    if mark != b" ":
        side = old if mark == b"-" else new
        side.changed.append(len(side.lines))
        at, removed, to, added = block.hunks[-1]
        block.hunks[-1] = (at, removed + (mark == b"-"), to, added + (mark == b"+"))
    if mark != b"+":
        old.lines.append(text)
    if mark != b"-":
        new.lines.append(text)
    return mark != b" "


class Owners:
    """The origin of every line of every file at every commit, as `git blame` defines it."""

    def __init__(self, git: NaiveGit, mainline_parent: dict[str, str | None]) -> None:
        self.git = git
        self._mainline_parent = mainline_parent
        self._at: dict[str, dict[str, list[Origin]]] = {}
        self.removed: dict[str, list[Origin]] = {}
        """Lines that each commit with at most one parent removed."""

    def at(self, sha: str) -> dict[str, list[Origin]]:
        """Path → origin per line; the parents of `sha` are followed first."""
        pending = [sha]
        while pending:
            missing = [p for p in self.git.parents(pending[-1]) if p not in self._at]
            if missing:
                pending += missing
            else:
                current = pending.pop()
                if current not in self._at:
                    self._at[current] = self._read(current)
        return self._at[sha]

    def _read(self, sha: str) -> dict[str, list[Origin]]:
        parents = self.git.parents(sha)
        if len(parents) > 1:
            main = self._mainline_parent.get(sha)
            return self._merge(
                sha, sorted(parents, key=lambda parent: parent != main) if main else list(parents)
            )
        before = self._at[parents[0]] if parents else {}
        after = dict(before)
        self.removed[sha] = []
        pairs = self.git.pairs(parents[0] if parents else None, sha)
        for pair in pairs:
            if pair.old_path is not None and pair.old_path != pair.new_path:
                del after[pair.old_path]
        for pair in pairs:
            old = before[pair.old_path] if pair.old_path is not None else []
            new = self._edited(sha, old, pair) if pair.new_path is not None else []
            if pair.new_path is not None:
                after[pair.new_path] = new
            kept = {id(line) for line in new}
            self.removed[sha] += [line for line in old if id(line) not in kept]
        return after

    def _edited(self, sha: str, old: list[Origin], pair: Pair) -> list[Origin]:
        return [line or Origin(sha) for line in self._inherited(old, pair.old_blob, pair.new_blob)]

    def _inherited(
        self, old: list[Origin], old_blob: str | None, new_blob: str | None
    ) -> list[Origin | None]:
        """For each line of the new blob the line of the old one that it is, None where it is new."""
        count = len(self.git.lines(new_blob))
        if (
            old_blob is None
            or new_blob is None
            or self.git.is_binary(old_blob)
            or self.git.is_binary(new_blob)
        ):
            return [None] * count
        if old_blob == new_blob:
            return list(old)
        found: list[Origin | None] = []
        position = 0
        for block in self.git.blocks(old_blob, new_blob):
            for start, removed, _, added in block.hunks:
                found += old[position:start]
                found += [None] * added
                position = start + removed
        return found + list(old[position:])

    def _merge(self, sha: str, parents: list[str]) -> dict[str, list[Origin]]:
        after = {}
        for path, blob in self.git.tree(sha).items():
            after[path] = self._merged_file(sha, path, blob, parents)
        return after

    def _merged_file(self, sha: str, path: str, blob: str, parents: list[str]) -> list[Origin]:
        for parent in parents:
            if self.git.tree(parent).get(path) == blob:
                return self._at[parent][path]
        sources = [(parent, self._source(sha, path, parent)) for parent in parents]
        for parent, source in sources:
            if source is not None and self.git.tree(parent)[source] == blob:
                return self._at[parent][source]
        found: list[Origin | None] = [None] * len(self.git.lines(blob))
        for parent, source in sources:
            if source is not None:
                old = self._inherited(self._at[parent][source], self.git.tree(parent)[source], blob)
                found = [mine or theirs for mine, theirs in zip(found, old, strict=True)]
        return [line or Origin(sha) for line in found]

    def _source(self, sha: str, path: str, parent: str) -> str | None:
        """The file of a parent that became `path`: of the same name, else renamed."""
        if path in self.git.tree(parent):
            return path
        for pair in self.git.pairs(parent, sha):
            if pair.new_path == path and pair.status == "R":
                return pair.old_path
        return None


@dataclass
class Delivery:
    """One step of the mainline as the lake has it (tested against `git rev-list` elsewhere)."""

    sha: str
    predecessor: str | None
    time: int
    """Mainline time in seconds."""
    commits: list[str]

    @cached_property
    def brought(self) -> set[str]:
        return set(self.commits)
