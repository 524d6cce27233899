"""Random deliveries for a classifier, without a repository: files whose lines repeat, move, return and are copied.

Both engines get the same deliveries; `Replay` is one of them on its way through a history.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import NamedTuple

import numpy as np

from ingest.git.blame.file_tree import NO_LINES
from ingest.git.blame.line_edits import LineEdits
from ingest.git.changes.file_lines import NO_SOURCE, FileLines
from ingest.git.classify import checkpoint
from ingest.git.classify.changed_lines import ChangedLines, FileVersions
from ingest.git.classify.classifier import DAY, Classifier
from ingest.git.classify.line_table import LineTable
from ingest.git.diff.hunks import Hunk

RESULTS = (
    "classes", "ranks", "sources", "removals", "replaced", "copied_from", "own_tokens", "removed_alive",
    "removed_fresh", "removed_replaced",
)  # fmt: skip


class Line(NamedTuple):
    """A line of the invented language."""

    kind: int
    head: int
    line: int
    shape: int
    size: int
    tokens: int


@dataclass
class Change:
    """A changed file of a delivery."""

    path: str
    previous_path: str | None
    hunks: list[Hunk]
    lines: FileLines
    added: int
    unread_lines: int | None = None
    """Lines after the change, where they could not be read."""
    is_deleted: bool = False


@dataclass
class Delivery:
    time: int
    changes: list[Change]


@dataclass
class Deliveries:
    """Writes the next delivery of a random history."""

    random: Random
    files: dict[str, list[Line]] = field(default_factory=dict)
    unread: set[str] = field(default_factory=set)
    time: int = 20_000 * DAY

    def __post_init__(self) -> None:
        random = self.random
        self._alphabet = []
        for number in range(random.choice((6, 30, 200))):
            kind = random.choice((0, 1, 2, 2, 2, 2, 2, 2))
            hashed = 0 if kind == 0 else random.choice((number + 1, random.getrandbits(64)))
            size = random.randrange(12) if kind else 0
            head = int(kind == 2 and random.random() < 0.8)
            self._alphabet.append(Line(kind, head, hashed, hashed % 7, size, min(size, 31)))

    def next(self) -> Delivery:
        random = self.random
        self.time += random.choice((0, 3600, DAY, 10 * DAY, 15 * DAY, 91 * DAY))
        # Some are documents, and a file may become one.
        paths = random.sample(("a", "b", "c", "d", "e", "f", "g.md", "h.md"), random.randint(0, 3))
        moved = {
            p: f"{p}{random.choice(('0', '1', '2.md'))}"
            for p in paths
            if p in self.files and random.random() < 0.15
        }
        names = {new: old for old, new in moved.items() if new not in self.files}
        names |= {path: path for path in paths if path not in moved}
        return Delivery(self.time, [self._change(path, source) for path, source in sorted(names.items())])

    def _change(self, path: str, source: str) -> Change:
        random = self.random
        old = self.files.pop(source, [])
        previous = source if source != path else None
        is_deleted = bool(old) and previous is None and random.random() < 0.05
        if source in self.unread or random.random() < 0.04:
            self.unread.discard(source)
            new = [] if is_deleted else self._some_lines()
            hunks = [(1, len(old), 0, 0)] if old else []
            lines = FileLines(removed_gone=b"\1" * len(old), removed_layout=bytes(len(old)))
            if not is_deleted:
                # Unread lines have no facts: the table says so.
                self.files[path] = [Line(0, 0, 0, 0, 0, 0)] * len(new)
                self.unread.add(path)
            return Change(path, previous, hunks, lines, 0, len(new), is_deleted)
        hunks, added, removed, new = self._edit(old, is_deleted=is_deleted)
        if not is_deleted:
            self.files[path] = new
        return Change(path, previous, hunks, self._facts(hunks, added, removed), len(added), None, is_deleted)

    def _edit(
        self, old: list[Line], *, is_deleted: bool
    ) -> tuple[list[Hunk], list[Line], list[Line], list[Line]]:
        if is_deleted:
            return [(1, len(old), 0, 0)], [], old, []
        random, hunks, new = self.random, list[Hunk](), list[Line]()
        added, removed, at = list[Line](), list[Line](), 0
        for _ in range(random.choice((1, 1, 2, 4))):
            at += random.randint(1, 12) if hunks else random.randint(0, len(old))
            if at > len(old):
                break
            new += old[len(new) - len(added) + len(removed) : at]
            gone = old[at : at + random.choice((0, 0, 1, 3, 15))]
            come = self._some_lines() if random.random() < 0.8 else []
            if gone or come:
                hunks.append((at + bool(gone), len(gone), len(new) + bool(come), len(come)))
                new, added, removed, at = new + come, added + come, removed + gone, at + len(gone)
        new += old[len(new) - len(added) + len(removed) :]
        return hunks, added, removed, new

    def _some_lines(self) -> list[Line]:
        random = self.random
        source = random.choice(list(self.files.values()) or [[]])
        if len(source) > 4 and random.random() < 0.5:
            start = random.randrange(len(source))
            return source[start : start + random.randint(1, 20)]
        return [random.choice(self._alphabet) for _ in range(random.choice((1, 2, 7, 30)))]

    def _facts(self, hunks: list[Hunk], added: list[Line], removed: list[Line]) -> FileLines:
        random = self.random
        layout = bytes(line.kind == 0 or random.random() < 0.05 for line in added)
        gone = bytes(random.randrange(2) for _ in removed)
        claimed = bytes(random.random() < 0.1 for _ in removed)
        origins = [
            random.randrange(len(removed)) if is_layout and removed and random.random() < 0.7 else NO_SOURCE
            for is_layout in layout
        ]
        blocks, recounts, come, away = array("i"), list[bytes](), 0, 0
        for _, old_lines, _, new_lines in hunks:
            both = bool(old_lines and new_lines)
            blocks.extend(
                (away, away + old_lines, come, come + new_lines, len(recounts) if both else NO_SOURCE)
            )
            if both:
                recounts.append(self._recount(old_lines, new_lines))
            come, away = come + new_lines, away + old_lines
        keys = {
            i: (random.randrange(len(removed)), random.randrange(4))
            for i in range(len(added))
            if removed and random.random() < 0.05
        }
        return FileLines(
            kinds=bytes(line.kind for line in added),
            heads=bytes(line.head for line in added),
            tokens=bytes(line.tokens for line in added),
            sizes=bytes(line.size for line in added),
            line_hashes=array("Q", [line.line for line in added]).tobytes(),
            shapes=array("Q", [line.shape for line in added]).tobytes(),
            is_layout=layout,
            layout_from=array("i", origins).tobytes(),
            removed_gone=gone,
            removed_layout=claimed,
            blocks=blocks.tobytes(),
            recounts=recounts,
            substitutions=keys,
            # Without a draw of its own, which would change all deliveries.
            in_tests=bytes(line.line % 3 == 0 for line in added) if len(added) % 2 else b"",
        )

    def _recount(self, removed: int, added: int) -> bytes:
        """One token a line, of two kinds."""
        tokens = [0, *(self.random.randrange(2) for _ in range(removed + added - 1))]
        values = [removed, added, max(tokens) + 1, 0, *[-1] * added, *[1] * (removed + added), *tokens]
        return array("i", values).tobytes()


class Replay:
    """A classifier on its way through deliveries."""

    def __init__(self, engine: type[Classifier]) -> None:
        self.classifier = engine(LineTable())
        self.tree: checkpoint.Tree = {}

    def settle(
        self, delivery: Delivery, damage: Callable[[list[FileVersions]], None] | None = None
    ) -> ChangedLines:
        store = self.classifier.store
        files = [self._versions(change) for change in delivery.changes]
        if damage is not None:
            damage(files)
        number = store.position(f"{len(self.classifier.times):040x}")
        removed = sum(len(file.removed_ids) for file in files)
        lines = self.classifier.classify(files, delivery.time, array("i", [number]) * removed)
        self.classifier.settle(lines, delivery.time, np.full(len(lines.added_ids), number, np.int32))
        for change in delivery.changes:
            self.tree.pop(change.previous_path or change.path, None)
        for change, file in zip(delivery.changes, files, strict=True):
            if not change.is_deleted:
                self.tree[change.path] = file.new_ids
        return lines

    def _versions(self, change: Change) -> FileVersions:
        store = self.classifier.store
        old = self.tree.get(change.previous_path or change.path, NO_LINES)
        if change.unread_lines is not None:
            new = store.reserve(change.unread_lines)
            return FileVersions(
                change.path, change.previous_path, old, new, NO_LINES, old, change.hunks, change.lines, new, old, True
            )  # fmt: skip
        first = store.lines
        added = store.reserve(change.added)
        gone, new = LineEdits().edit(old, change.hunks, first)
        return FileVersions(
            change.path, change.previous_path, old, new, added, gone, change.hunks, change.lines, added, gone
        )  # fmt: skip

    def save(self) -> bytes:
        return checkpoint.save(self.classifier, self.tree)

    def resume(self, payload: bytes, engine: type[Classifier]) -> None:
        self.classifier, self.tree = checkpoint.restore(payload, engine)


def results_of(lines: ChangedLines) -> dict[str, bytes]:
    """The columns that the rules fill."""
    return {name: bytes(memoryview(getattr(lines, name)).cast("B")) for name in RESULTS}
