"""Squashes: delivered commits that bring the work of other commits, which the clone still has.

The commits are those of a pull request whose number the squash names and whose head a review ref keeps, or those of a
branch that once had the tree of the squash, such as one that is merged later. Each is read once more as if the squash
had been a merge (`squash_lines`). Squashes of one author's commits are left out: nothing is to be shared.

Keep out: squashes that only a host or the files tell (SQL), whose commits share by changed lines.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count

from ingest.git.deliveries import Delivery
from ingest.git.messages.merges import merge_facts
from ingest.git.messages.parse import decode, split
from ingest.git.objects.commit_graph import Commit
from ingest.git.objects.refs import REVIEWS, Ref

MAX_SOURCES = 500
"""Commits of a squash that are read again. A branch that is squashed often is bounded by its squash before."""
_COAUTHOR = b"co-authored-by:"


@dataclass(frozen=True, slots=True)
class Squash:
    """A delivered commit with the branch that it brings, under names that no commit of the history has.

    `sources` are copies of the commits, parents first, whose parents among them have the names of the copies; a parent
    outside is a delivered commit. `merge` would have merged the last of them into the parent of the squash.
    """

    sha: str
    sources: tuple[Commit, ...]
    merge: Commit

    @property
    def commits(self) -> dict[str, Commit]:
        """All copies by their names."""
        return {commit.sha: commit for commit in (*self.sources, self.merge)}

    def source_of(self, name: str) -> str | None:
        """Object id of the commit of which `name` is a copy; None for the merge and for other names."""
        squash, _, sha = name.partition(" ")
        return sha if squash == self.sha and sha else None


def find_squashes(
    commits: Mapping[str, Commit], deliveries: Sequence[Delivery], refs: Sequence[Ref]
) -> dict[str, Squash]:
    """The squashes of several authors' commits, by object id. `commits` holds parents first.

    A squash depends on commits and refs alone, not on the run that sees it.
    """
    return _Search(commits, deliveries, refs).find()


class _Search:
    def __init__(
        self, commits: Mapping[str, Commit], deliveries: Sequence[Delivery], refs: Sequence[Ref]
    ) -> None:
        self._commits, self._deliveries = commits, deliveries
        self._order = dict(zip(commits, count()))
        self._positions = {sha: d.position for d in deliveries for sha in d.commits}
        self._reviews = {ref.name.removeprefix(REVIEWS): ref.head_sha for ref in refs if ref.kind == "review"}
        self._by_tree = self._branch_trees()
        self._same: dict[str, str] = {}
        """Commit of a branch → the earlier squash that has its tree, with which the branch begins anew."""

    def _branch_trees(self) -> dict[str, list[str]]:
        """Commits that are no steps of the mainline, by the trees that steps of single commits have."""
        alone = {self._commits[d.sha].tree for d in self._deliveries if len(d.commits) == 1}
        steps = {d.sha for d in self._deliveries}
        found: dict[str, list[str]] = {}
        for sha, commit in self._commits.items():
            if commit.tree in alone and sha not in steps:
                found.setdefault(commit.tree, []).append(sha)
        return found

    def find(self) -> dict[str, Squash]:
        found = {}
        for delivery in self._deliveries:
            for sha, head in self._candidates(delivery):
                sources = self._sources(delivery.position, sha, head)
                if sources and self._are_of_several(sources):
                    found[sha] = self._squash(sha, sources)
        return found

    def _candidates(self, delivery: Delivery) -> list[tuple[str, str]]:
        """A commit of the delivery and the head of the branch that it may have squashed."""
        if len(delivery.commits) == 1:
            head = self._same_tree(delivery.position, self._commits[delivery.sha])
            if head is not None:
                self._same[head] = delivery.sha
                return [(delivery.sha, head)]
        head = self._reviewed(delivery)
        plain = [sha for sha in delivery.commits if len(self._commits[sha].parents) == 1]
        # A host may merge the squash.
        is_alone = len(plain) == 1 and len(delivery.commits) <= 2
        return [(plain[0], head)] if head is not None and is_alone else []

    def _same_tree(self, position: int, squash: Commit) -> str | None:
        """The last commit of a branch with the tree of the squash, which is older and not delivered before."""
        if len(squash.parents) != 1 or self._commits[squash.parents[0]].tree == squash.tree:
            return None
        heads = [
            sha
            for sha in self._by_tree.get(squash.tree, ())
            if self._is_after(sha, position) and self._commits[sha].committer.time <= squash.committer.time
        ]
        return heads[-1] if heads else None

    def _is_after(self, sha: str, position: int) -> bool:
        """Whether a commit is delivered later, or never."""
        return self._positions.get(sha, position + 1) > position

    def _reviewed(self, delivery: Delivery) -> str | None:
        """The head of the pull request that the delivery names, as it was then."""
        if not self._reviews:
            return None
        step = self._commits[delivery.sha]
        message = split(decode(step.message, step.encoding))
        head = self._reviews.get(merge_facts(message.subject, message.body).pull_request or "")
        while head is not None and head in self._commits:
            commit = self._commits[head]
            if not self._is_after(head, delivery.position):
                return None
            if commit.committer.time <= step.committer.time:
                return head
            head = commit.parents[0] if commit.parents else None
        return None

    def _sources(self, position: int, sha: str, head: str) -> list[Commit]:
        """The commits of the branch, parents first; none where they cannot be those of the squash."""
        found, pending = {head}, [head]
        while pending and len(found) <= MAX_SOURCES:
            for parent in self._commits[pending.pop()].parents:
                if parent == sha or parent not in self._commits:
                    return []
                if parent not in found and not self._is_base(parent, position):
                    found.add(parent)
                    pending.append(parent)
        if len(found) > MAX_SOURCES:
            return []
        return [self._commits[name] for name in sorted(found, key=self._order.__getitem__)]

    def _is_base(self, sha: str, position: int) -> bool:
        same = self._same.get(sha)
        return not self._is_after(sha, position) or (same is not None and self._positions[same] < position)

    def _are_of_several(self, sources: Sequence[Commit]) -> bool:
        written = [commit for commit in sources if len(commit.parents) < 2]
        authors = {(commit.author.name, commit.author.email.lower()) for commit in written}
        return len(authors) > 1 or (
            len(written) > 1 and any(_COAUTHOR in commit.message.lower() for commit in written)
        )

    def _squash(self, sha: str, sources: Sequence[Commit]) -> Squash:
        names = {source.sha: f"{sha} {source.sha}" for source in sources}
        copies = tuple(
            replace(
                source,
                sha=names[source.sha],
                parents=tuple(names.get(p) or self._same.get(p, p) for p in source.parents),
            )
            for source in sources
        )
        squash = self._commits[sha]
        merge = replace(squash, sha=f"{sha} ", parents=(squash.parents[0], copies[-1].sha))
        return Squash(sha, copies, merge)
