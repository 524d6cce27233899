"""Classification of deliveries one after the other, from line ownership and the facts that workers read."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from itertools import repeat

import numpy as np

from ingest.errors import LakeCorrupt
from ingest.git.blame.file_tree import NO_LINES, LineIds, Node, lookup
from ingest.git.blame.line_edits import line_edits
from ingest.git.blame.ownership import Ownership, PathChange
from ingest.git.changes.commit_changes import CommitChanges, FileChange
from ingest.git.changes.file_lines import FileLines
from ingest.git.classify import checkpoint
from ingest.git.classify.branch_credit import BranchCredit, branch_files
from ingest.git.classify.changed_lines import ChangedLines, FileVersions
from ingest.git.classify.checkpoint import Tree
from ingest.git.classify.compiled import classifier_class
from ingest.git.classify.line_table import LineTable
from ingest.git.deliveries import Delivery
from ingest.git.diff.hunks import hunk_lines
from ingest.git.files.provenance import reading_order
from ingest.git.objects.merge_plan import Origin
from ingest.git.rows.histograms import Credit, DeliveryFacts, credit, death_rows, delivered_rows
from ingest.git.squash_lines import SquashLines
from ingest.git.squashes import Squash

Removed = Sequence[tuple[str, Sequence[tuple[str, LineIds]]]]
"""Commits of a delivery, parents first, with the lines that each of them removed."""


class DeliveryLines:
    """Classifies deliveries in mainline order."""

    def __init__(self, ownership: Ownership, deliveries: Sequence[Delivery]) -> None:
        self.ownership = ownership
        self._deliveries = deliveries
        self._edits = line_edits()
        self._classifier = classifier_class()(LineTable())
        self._tree: Tree = {}
        self._before: Node = {}
        self._removed: list[tuple[str, Sequence[tuple[str, LineIds]]]] = []
        self._branch: BranchCredit | None = None
        self._squash: SquashLines | None = None

    def resume(self, payload: bytes) -> None:
        """Continue after the delivery at which `payload` was saved. Raises LakeCorrupt."""
        try:
            self._classifier, self._tree = checkpoint.restore(payload, classifier_class())
        except (ValueError, KeyError, OSError) as error:
            raise LakeCorrupt(
                f"The stored index of lines cannot be read ({error}). Run `eas remove` and add the repository again "
                "to extract it from the start."
            ) from error

    def checkpoint(self) -> bytes:
        """The payload that `resume` needs to continue after the last delivery."""
        return checkpoint.save(self._classifier, self._tree)

    def begin(self, delivery: Delivery) -> None:
        """Begin a delivery. `advance` with each of its commits and `settle` follow."""
        self._before = self.ownership.root(delivery.predecessor) if delivery.predecessor else {}
        self._removed = []
        self._branch = BranchCredit(self.ownership.next_id) if delivery.brings_several else None
        self._squash = None

    def advance(
        self,
        sha: str,
        changes: Sequence[PathChange],
        parents: Sequence[str],
        plan: Origin | None = None,
        read: Sequence[FileChange] = (),
    ) -> None:
        """Take in one commit of the delivery, parents first. `read` are its changes with the facts of their lines."""
        removed = self.ownership.advance(sha, changes, parents, plan)
        self._removed.append((sha, removed))
        if self._branch is not None and len(parents) <= 1:
            self._branch.add(branch_files(self.ownership.root(sha), read, dict(removed)))

    def take_squash(
        self, squash: Squash, read: Sequence[CommitChanges], changes: Sequence[PathChange], born: range
    ) -> None:
        """Take in the branch that a commit of the delivery squashed, as `SquashLines` does."""
        self._squash = SquashLines(squash, self.ownership, read, changes, born)

    def settle(self, delivery: Delivery, changes: Sequence[FileChange]) -> DeliveryFacts:
        """Classify the delivery whose commits were taken in."""
        before, removed = self._before, self._removed
        store = self._classifier.store
        after = self.ownership.root(delivery.sha)
        changes = sorted(changes, key=lambda c: reading_order(c.path))
        files = [self._versions(change, before, after) for change in changes]
        removers = self._removers(delivery, files, removed)
        lines = self._classifier.classify(files, delivery.delivered_at, removers)
        given = credit(lines, delivery, self.ownership, store, self._branch)
        self.note(lines, given)
        self._credit_unread(files, delivery)
        added = delivered_rows(lines, changes, given, store, self._classifier.blocks.paths)
        self._classifier.settle(lines, delivery.delivered_at, given.credited)
        deaths = death_rows(lines, changes, self.ownership, store, self._deliveries)
        squashed = self._squash.rows(lines, given, changes, store) if self._squash is not None else []
        self._move_on(changes, files)
        return DeliveryFacts(added, deaths, squashed)

    def note(self, lines: ChangedLines, given: Credit) -> None:
        """Take note of the classified lines of a delivery; rows have only their numbers."""

    def _versions(self, change: FileChange, before: Node, after: Node) -> FileVersions:
        """Both versions of a changed file. An unread difference removes all old lines."""
        source = change.previous_path or change.path
        old_ids = NO_LINES if change.status == "A" else self._tree.get(source, NO_LINES)
        old_origins = NO_LINES if change.status == "A" else lookup(before, source)
        new_origins = NO_LINES if change.status == "D" else lookup(after, change.path)
        count = change.lines_after or 0
        added, deleted = hunk_lines(change.hunks)
        is_whole = (
            len(old_ids) == len(old_origins) and len(new_origins) == count == len(old_ids) - deleted + added
        )
        store = self._classifier.store
        if change.lines is not None and is_whole:
            first = store.lines
            added_ids = store.reserve(added)
            removed_ids, new_ids = self._edits.edit(old_ids, change.hunks, first)
            return FileVersions(
                change.path,
                change.previous_path,
                old_ids,
                new_ids,
                added_ids,
                removed_ids,
                change.hunks,
                change.lines,
                self._edits.pick_added(new_origins, change.hunks),
                self._edits.pick_removed(old_origins, change.hunks),
            )
        died = len(old_ids)
        return FileVersions(
            change.path,
            change.previous_path,
            old_ids,
            store.reserve(len(new_origins)),
            NO_LINES,
            old_ids,
            [(1, died, 0, 0)] if died else [],
            FileLines(removed_gone=b"\1" * died, removed_layout=bytes(died)),
            new_origins,
            old_origins if len(old_origins) == died else np.full(died, -1, np.int32),
            is_unread=True,
        )

    def _credit_unread(self, files: Sequence[FileVersions], delivery: Delivery) -> None:
        """Assign unread lines to their commit of birth. They weigh nothing."""
        store = self._classifier.store
        for file in files:
            if file.is_unread:
                positions, inverse = np.unique(self.ownership.births(file.born), return_inverse=True)
                births = [store.position(self.ownership.born_commits[position]) for position in positions]
                values = np.asarray(births, np.int32)[inverse]
                delivered = np.full(len(values), delivery.position, np.int32)
                store.assign(file.new_ids, {"birth": values, "delivery": delivered})

    def _move_on(self, changes: Sequence[FileChange], files: Sequence[FileVersions]) -> None:
        """Update the tree to its state after the delivery."""
        for change in changes:
            if change.status in ("D", "R"):
                self._tree.pop(change.previous_path or change.path, None)
        for change, file in zip(changes, files, strict=True):
            if change.status != "D":
                self._tree[change.path] = file.new_ids

    def _removers(self, delivery: Delivery, files: Sequence[FileVersions], removed: Removed) -> array[int]:
        """Number of the removing commit per removed line: the first commit that removed it, else the delivery."""
        count = sum(len(file.gone) for file in files)
        itself = self._classifier.store.position(delivery.sha)
        gone = [(sha, lines) for sha, by_path in removed for _, lines in by_path]
        if len(removed) == 1 or not count or not gone:
            return array("i", [itself]) * count
        numbered = [(self._classifier.store.position(sha), lines) for sha, lines in gone]
        first: dict[int, int] = {}
        for number, lines in reversed(numbered):
            first.update(zip(lines.tolist(), repeat(number)))
        return array("i", [first.get(line, itself) for file in files for line in file.gone.tolist()])
