"""Facts of commits and files as rows of the raw tables, collected into batches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set

from ingest.git.changes.commit_changes import CommitChanges, FileChange
from ingest.git.deliveries import Delivery
from ingest.git.messages import merges, parse
from ingest.git.messages.mailmap import MailmapEntry
from ingest.git.objects.commit_graph import Commit, reachable
from ingest.git.objects.contents import CORRUPT, MALFORMED, MISSING, Problem
from ingest.git.objects.refs import Ref
from ingest.git.repository_source import RepositorySource
from ingest.git.rows.batch import Batch
from ingest.git.rows.commit_rows import (
    EXTRACTOR_VERSION,
    MICROSECONDS,
    file_facts,
    problem_row,
    read_message,
)
from ingest.git.rows.histograms import DeliveryFacts
from ingest.lake.tables import Row
from ingest.schemas import git as schemas


class RowWriter:
    """Turns facts of one repository into rows. Columns follow `ingest.schemas.git`."""

    def __init__(self, organization_id: str, repository_id: str) -> None:
        self._source = (organization_id, repository_id)
        self._version = (EXTRACTOR_VERSION,)
        self.batch = Batch(self._source, EXTRACTOR_VERSION)

    def take(self) -> Batch:
        """The rows so far; the next batch is empty."""
        taken, self.batch = self.batch, Batch(self._source, EXTRACTOR_VERSION)
        return taken

    def add_commit(self, changes: CommitChanges) -> None:
        """Add the rows that came with the changes of a commit."""
        assert changes.packed is not None
        self.batch.add_packed(changes.packed, changes.number)
        # Problems stay rows, because others ask for them.
        self.batch.rows["problems"].extend(self._whole(changes.problem_rows))
        self.batch.commits += 1
        self.batch.lines += sum(c.lines_added + c.lines_deleted for c in changes.own)

    def _whole(self, rows: Iterable[Row]) -> Iterator[Row]:
        return ((*self._source, *row, *self._version) for row in rows)

    def add_problems(self, sha: str | None, problems: Sequence[Problem]) -> None:
        self.batch.rows["problems"].extend(self._whole(problem_row(sha, p) for p in problems))

    def unread_objects(self) -> list[str]:
        """Ids of the objects that the batch could not read."""
        found = self._problems()
        return [sha for sha, reason in found if sha and reason in (MISSING, CORRUPT)]

    def skipped_objects(self) -> int:
        """Number of problems of the batch, without malformed commits, whose facts are complete."""
        return sum(reason != MALFORMED for _, reason in self._problems())

    def _problems(self) -> list[tuple[str | None, str]]:
        """Object and reason of each problem of the batch."""
        rows = (dict(zip(schemas.PROBLEMS.names, row, strict=True)) for row in self.batch.rows["problems"])
        return [(row["object_sha"], row["reason"]) for row in rows]

    def add_delivered(self, delivery: Delivery, facts: DeliveryFacts) -> None:
        self.batch.add(
            "delivered_lines",
            (
                (
                    *self._source,
                    delivery.sha,
                    delivery.predecessor,
                    change.path,
                    change.previous_path,
                    change.status,
                    *file_facts(change),
                    change.content_hash,
                    *row,
                    *self._version,
                )
                for change, row in facts.added
            ),
        )

    def add_deaths(self, delivery: Delivery, facts: DeliveryFacts, reverting: set[str]) -> None:
        """Add rows of removed lines. `reverting` lists the commits whose messages declare a revert."""
        self.batch.add(
            "line_deaths",
            (
                (
                    *self._source,
                    delivery.sha,
                    remover,
                    change.previous_path or change.path,
                    *born,
                    *file_facts(change),
                    change.status == "D",
                    delivery.sha in reverting or remover in reverting,
                    histogram,
                    *self._version,
                )
                for change, (remover, *born, histogram) in facts.removed
            ),
        )

    def add_squashed(self, facts: DeliveryFacts) -> None:
        """Add the lines of a squash by the commits whose work it brings."""
        self.batch.add(
            "squash_lines",
            (
                (*self._source, squash, source, change.path, *file_facts(change), *row, *self._version)
                for change, (squash, source, *row) in facts.squashed
            ),
        )

    def add_fix_context(self, delivery: Delivery, sha: str, facts: Sequence[tuple[FileChange, Row]]) -> None:
        self.batch.add(
            "fix_context",
            (
                (
                    *self._source,
                    delivery.sha,
                    sha,
                    change.previous_path or change.path,
                    *row,
                    *file_facts(change),
                    *self._version,
                )
                for change, row in facts
            ),
        )

    def deliveries(
        self, deliveries: Sequence[Delivery], commits: dict[str, Commit], refs: Sequence[Ref]
    ) -> list[Row]:
        by_head: dict[str, list[str]] = {}
        for ref in refs:
            if ref.kind not in ("tag", "review") and not ref.is_default:
                by_head.setdefault(ref.head_sha, []).append(_short_name(ref.name))
        return [self._delivery_row(d, commits, by_head) for d in deliveries]

    def _delivery_row(
        self, delivery: Delivery, commits: dict[str, Commit], by_head: dict[str, list[str]]
    ) -> Row:
        commit = commits[delivery.sha]
        message = read_message(commit)
        merge = merges.merge_facts(message.subject, message.body)
        carried = [*merge.branches, *(name for sha in delivery.commits for name in by_head.get(sha, ()))]
        kind = "merge" if len(commit.parents) > 1 else "squash" if merge.is_squash_hint else "direct"
        return (
            *self._source,
            delivery.sha,
            delivery.predecessor,
            delivery.position,
            kind,
            delivery.delivered_at * MICROSECONDS,
            list(dict.fromkeys(carried)),
            merge.pull_request,
            parse.is_revert(message.subject, message.body),
            delivery.is_unrelated_root,
            list(delivery.commits),
            list(delivery.unrelated),
            list(delivery.joining),
            list(delivery.upstream),
            delivery.upstream_base,
            *self._version,
        )

    def refs(self, refs: Sequence[Ref]) -> list[Row]:
        return [(*self._source, r.name, r.kind, r.head_sha, r.is_default, *self._version) for r in refs]

    def reachability(
        self, shas: Iterable[str], commits: dict[str, Commit], refs: Sequence[Ref], upstream: Set[str]
    ) -> list[Row]:
        """Which kinds of refs reach each commit; `upstream` are the commits of a fork's parent."""
        default = [ref for ref in refs if ref.is_default]
        branches = [ref for ref in refs if ref.kind not in ("tag", "review")]
        tags = [ref for ref in refs if ref.kind == "tag"]
        reviews = [ref for ref in refs if ref.kind == "review"]
        kinds = (default, branches, tags, reviews)
        reached = [*(reachable(commits, [ref.head_sha for ref in kind]) for kind in kinds), upstream]
        return [(*self._source, sha, *(sha in one for one in reached), *self._version) for sha in shas]

    def repository_run(
        self,
        source: RepositorySource,
        deliveries: Sequence[Delivery],
        commits: Iterable[Commit],
        count: int,
        skipped: int,
    ) -> Row:
        """The run itself: `count` commits are reachable, `skipped` objects have no complete facts."""
        return (
            *self._source,
            source.name,
            source.origin,
            source.default_branch,
            deliveries[-1].sha,
            source.is_shallow,
            source.is_partial,
            count,
            skipped,
            sum(commit.is_time_clamped for commit in commits),
            sum(delivery.is_misdated for delivery in deliveries),
            *self._version,
        )

    def mailmap_entries(self, entries: Sequence[MailmapEntry]) -> list[Row]:
        return [(*self._source, *entry, *self._version) for entry in entries]


def _short_name(name: str) -> str:
    return name.removeprefix("refs/heads/").removeprefix("refs/remotes/origin/")
