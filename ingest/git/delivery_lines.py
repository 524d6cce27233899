"""Deliveries one after the other: line ids meet what the workers read, lines get their class."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ingest.errors import LakeCorrupt
from ingest.git import checkpoint
from ingest.git.changes import FileChange
from ingest.git.deliveries import Delivery
from ingest.git.file_lines import FileLines
from ingest.git.line_rows import credit, death_rows, delivered_rows, novel_lines
from ingest.git.line_store import LineStore
from ingest.git.lines import Classifier, FileVersions
from ingest.git.origins import NO_LINES, LineIds, Node, Origins, lookup
from ingest.git.tables import Row

Removed = Sequence[tuple[str, Sequence[tuple[str, LineIds]]]]
"""Commits of a delivery, parents first, with the lines that each removed."""


@dataclass(frozen=True, slots=True)
class DeliveryFacts:
    """Rows of one delivery, each with the file it is about; novel lines by path."""

    added: list[tuple[FileChange, Row]]
    removed: list[tuple[FileChange, Row]]
    novel: dict[str, int]


class DeliveryLines:
    """Classifies deliveries in mainline order."""

    def __init__(self, origins: Origins, deliveries: Sequence[Delivery]) -> None:
        self.origins = origins
        self._deliveries = deliveries
        self._position = {sha: d.position for d in deliveries for sha in d.commits}
        self._classifier = Classifier(LineStore(), origins.spare)

    def resume(self, payload: bytes, head: str) -> None:
        """Go on after the delivery `head`, whose origins must have been replayed. Raises LakeCorrupt."""
        try:
            self._classifier = checkpoint.restore(payload, self.origins.root(head), self.origins)
        except (checkpoint.CheckpointUnusable, ValueError, KeyError, OSError) as error:
            raise LakeCorrupt(
                f"The stored line memory does not fit the stored history ({error}). Remove the repository "
                "and add it again to extract it from the start."
            ) from error

    def checkpoint(self, head: str) -> bytes:
        """What `resume` needs after the delivery `head`."""
        return checkpoint.save(self._classifier, self.origins.root(head))

    def settle(
        self, delivery: Delivery, before: Node, changes: Sequence[FileChange], removed: Removed
    ) -> DeliveryFacts:
        """Classify one delivery; `before` holds the files of its predecessor."""
        store = self._classifier.store
        store.grow(self.origins.next_id)
        after = self.origins.root(delivery.sha)
        changes = sorted(changes, key=lambda c: c.path)
        files = [_versions(change, before, after) for change in changes]
        removers = self._removers(delivery, files, removed)
        lines = self._classifier.judge(files, delivery.delivered_at, removers)
        given = credit(lines, delivery, self.origins, store)
        added = delivered_rows(lines, changes, given, store)
        deaths = death_rows(lines, changes, self.origins, store, self._deliveries, self._position)
        novel = {change.path: novel_lines(lines, number) for number, change in enumerate(changes)}
        self._classifier.settle(lines, delivery.delivered_at, given.credited, is_merge=delivery.is_merge)
        return DeliveryFacts(added, deaths, novel)

    def _removers(self, delivery: Delivery, files: Sequence[FileVersions], removed: Removed) -> list[int]:
        """Number of the removing commit per removed line: the first that removed it, else the delivery."""
        ids = np.concatenate([NO_LINES, *(f.removed_ids() for f in files)])
        itself = self._classifier.store.position(delivery.sha)
        if len(removed) == 1 or not len(ids):
            return [itself] * len(ids)
        gone = [(sha, lines) for sha, by_path in removed for _, lines in by_path]
        if not gone:
            return [itself] * len(ids)
        every = np.concatenate([lines for _, lines in gone])
        owners = np.repeat(
            [self._classifier.store.position(sha) for sha, _ in gone], [len(lines) for _, lines in gone]
        )
        known, first = np.unique(every, return_index=True)
        at = np.minimum(np.searchsorted(known, ids), len(known) - 1)
        found: list[int] = np.where(known[at] == ids, owners[first[at]], itself).tolist()
        return found


def _versions(change: FileChange, before: Node, after: Node) -> FileVersions:
    """Line ids of a changed file on both sides; a difference that was not read takes the old lines out."""
    old_ids = NO_LINES if change.status == "A" else lookup(before, change.previous_path or change.path)
    new_ids = NO_LINES if change.status == "D" else lookup(after, change.path)
    added = sum(h[3] for h in change.hunks)
    deleted = sum(h[1] for h in change.hunks)
    is_whole = len(new_ids) - added == len(old_ids) - deleted
    if change.lines is not None and is_whole and len(new_ids) == (change.lines_after or 0):
        return FileVersions(change.path, change.previous_path, old_ids, new_ids, change.hunks, change.lines)
    count = len(old_ids)
    unread = FileLines(removed_gone=[True] * count, removed_layout=[False] * count)
    hunks = [(1, count, 0, 0)] if count else []
    return FileVersions(change.path, change.previous_path, old_ids, new_ids, hunks, unread, is_unread=True)
