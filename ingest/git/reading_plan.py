"""The commits that a run reads, in the order in which it takes the results.

Keep out: taking the results (`run`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ingest.git.changes.commit_changes import CommitTask
from ingest.git.deliveries import Delivery
from ingest.git.objects.commit_graph import Commit
from ingest.git.squashes import Squash


@dataclass(frozen=True)
class ReadingPlan:
    """Which commits are read, and how. `stored` are those whose facts the lake has, `fixes` possible fixes."""

    commits: Mapping[str, Commit]
    deliveries: Sequence[Delivery]
    squashes: Mapping[str, Squash]
    stored: Collection[str]
    fixes: Collection[str]

    def tasks(self, start: int) -> Iterator[CommitTask]:
        """The tasks from the delivery at position `start` on: before a squash its sources, undelivered commits last."""
        delivered: set[str] = set()
        for position, delivery in enumerate(self.deliveries):
            delivered.update(delivery.commits)
            for sha in delivery.commits if position >= start else ():
                yield from self._squash_tasks(sha)
                if self.is_read(sha, delivery):
                    yield self._task(sha, delivery)
        for sha in self.commits:
            if sha not in delivered and sha not in self.stored:
                yield self._task(sha, None)

    def is_read(self, sha: str, delivery: Delivery) -> bool:
        """Whether a commit of a new delivery is read again: the lake has no facts of single lines."""
        if sha == delivery.sha or sha not in self.stored or sha in self.fixes:
            return True
        return delivery.brings_several and len(self.commits[sha].parents) <= 1

    def parents(self, sha: str, delivery: Delivery) -> Sequence[str]:
        """Parents in blame order: the mainline parent first."""
        parents = self.commits[sha].parents
        if sha == delivery.sha and delivery.is_redirected:
            return sorted(parents, key=lambda p: p != delivery.predecessor)
        return parents

    def _task(self, sha: str, delivery: Delivery | None) -> CommitTask:
        """The task for a commit. Without a delivery no line of it reaches the mainline."""
        commit = self.commits[sha]
        trees = tuple(self.commits[p].tree for p in commit.parents)
        is_merge = len(trees) > 1
        predecessor = delivery.predecessor if delivery and sha == delivery.sha else None
        net = self.commits[predecessor].tree if predecessor and is_merge else None
        blamed = [self.commits[p].tree for p in self.parents(sha, delivery)] if delivery and is_merge else ()
        wanted = None if sha in self.stored else commit
        with_lines = delivery is not None and (sha == delivery.sha or delivery.brings_several)
        is_merged = delivery is not None and sha != delivery.sha and not is_merge
        return CommitTask(
            sha, commit.tree, trees, with_lines, net, sha in self.fixes, tuple(blamed), is_merged, wanted
        )

    def _squash_tasks(self, sha: str) -> Iterator[CommitTask]:
        """The sources of a squash and its merge; their rows come with the commits themselves."""
        squash = self.squashes.get(sha)
        if squash is None:
            return
        copies = squash.commits
        for commit in copies.values():
            trees = tuple((copies.get(p) or self.commits[p]).tree for p in commit.parents)
            blamed = trees if len(trees) > 1 else ()
            yield CommitTask(
                squash.source_of(commit.sha) or sha, commit.tree, trees, True, blamed_trees=blamed
            )
