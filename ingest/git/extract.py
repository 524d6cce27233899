"""Extraction of one repository: from its refs to committed batches of facts.

Deliveries are taken in mainline order. Workers read commits ahead; this process carries line origins forward,
classifies what was delivered and writes batches. A run that is killed goes on from its last batch, and facts
do not depend on where batches end. Commits that no delivery brought yet come last.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import pyarrow as pa
import pygit2

from ingest.errors import ShrinkRefused
from ingest.git import checkpoint
from ingest.git.changes import CommitChanges, CommitTask
from ingest.git.deliveries import Delivery, trace_deliveries
from ingest.git.delivery_lines import DeliveryLines
from ingest.git.history import reachable, read_history
from ingest.git.messages import is_revert
from ingest.git.mirror import RepositorySource
from ingest.git.objects import leave_checks_to_us
from ingest.git.origins import Origins, PathChange
from ingest.git.refs import Ref, extracted_refs
from ingest.git.replay import path_change, stored_changes
from ingest.git.rows import EXTRACTOR_VERSION, RowWriter, read_message
from ingest.git.tables import build
from ingest.git.trees import TreeReader
from ingest.git.workers import read_commits
from ingest.lake import Lake, Source, SourceState
from ingest.schemas import git as schemas

BATCH_COMMITS = 20_000
BATCH_LINES = 2_000_000
"""A batch ends at the first of both: about a minute of work, and some hundred megabytes of rows."""
KEEP_AT_LEAST = 0.5
"""A repository whose reachable commits fall below this share of what they were is not taken over."""

_CHECKPOINT = "classifier.npz"
_APPENDED = ("commits", "file_changes", "references", "delivered_lines", "line_deaths", "problems")


@dataclass(frozen=True)
class Progress:
    """`stage` is what is being done, `done` of `total` commits."""

    stage: str
    done: int
    total: int


@dataclass(frozen=True)
class ExtractionReport:
    """What one run did. `seconds` is wall time per stage."""

    commits_new: int
    commits_total: int
    deliveries_new: int
    skipped_objects: int
    head: str
    unchanged: bool
    seconds: dict[str, float] = field(default_factory=dict)


def refs_changed(source: RepositorySource, lake: Lake) -> bool:
    """Whether an extraction would find anything new; cheap, for deciding to do nothing."""
    refs = extracted_refs(pygit2.Repository(str(source.path)))
    stored = lake.source("git", source.organization_id, source.repository_id).state()
    return stored.extra.get("refs") != _fingerprint(refs)


def extract_repository(
    source: RepositorySource,
    lake: Lake,
    *,
    workers: int,
    on_progress: Callable[[Progress], None] | None = None,
) -> ExtractionReport:
    """Bring the lake up to date with one repository.

    Raises SourceBusy, ShrinkRefused, Permanent (a commit or tree of the repository cannot be read).
    """
    target = lake.source("git", source.organization_id, source.repository_id)
    with target.extracting():
        state = target.state()
        repo = pygit2.Repository(str(source.path))
        refs = extracted_refs(repo)
        head = next(ref.head_sha for ref in refs if ref.is_default)
        if state.extra.get("refs") == _fingerprint(refs):
            total = int(state.extra["commits"])
            return ExtractionReport(0, total, 0, state.rows.get("problems", 0), head, unchanged=True)
        if state.extra.get("basis", _basis(source)) != _basis(source):
            target.clear()
            state = target.state()
        run = _Run(source, target, state, repo, refs, workers, on_progress or (lambda _: None))
        return run.extract(head)


def _fingerprint(refs: Sequence[Ref]) -> list[list[object]]:
    return [[r.name, r.head_sha, r.is_default] for r in refs] + [[EXTRACTOR_VERSION]]


def _basis(source: RepositorySource) -> list[str]:
    """What stored facts rest on: when any of it changes, all of them are made anew."""
    return [EXTRACTOR_VERSION, checkpoint.VERSION, source.default_branch, _address(source) or ""]


def _address(source: RepositorySource) -> str | None:
    """The normalized address of a remote; None for a repository that only has a path."""
    return None if source.origin.startswith("/") else source.origin


class _Run:
    """One run over one repository."""

    def __init__(
        self,
        source: RepositorySource,
        target: Source,
        state: SourceState,
        repo: pygit2.Repository,
        refs: Sequence[Ref],
        workers: int,
        on_progress: Callable[[Progress], None],
    ) -> None:
        self._source, self._target, self._state = source, target, state
        self._repo, self._refs, self._workers, self._on_progress = repo, refs, workers, on_progress
        self._rows = RowWriter(source.organization_id, source.repository_id)
        self._seconds: dict[str, float] = {}
        self._clock = time.perf_counter()
        self._verify = not source.is_trusted_mirror
        self._new = self._done = 0

    def extract(self, head: str) -> ExtractionReport:
        leave_checks_to_us()
        self._commits = read_history(
            self._repo, [ref.head_sha for ref in self._refs], verify_hashes=self._verify
        )
        self._refuse_shrinkage()
        self._deliveries = trace_deliveries(
            self._commits, head, self._source.default_branch, _address(self._source)
        )
        self._stored = set(self._target.read("commits", ["commit_sha"])["commit_sha"].to_pylist())
        self._memory = b""
        self._end_stage("history")
        lines, start = self._resume()
        self._end_stage("replay")
        tasks = list(self._tasks(start))
        changes = read_commits(str(self._source.path), tasks, self._workers, verify_hashes=self._verify)
        self._total = len(tasks)
        for delivery in self._deliveries[start:]:
            self._deliver(delivery, changes, lines)
        for result in changes:
            self._record(result)
        self._end_stage("changes and lines")
        state = self._finish(lines)
        self._end_stage("writing")
        return ExtractionReport(
            self._new,
            len(self._commits),
            len(self._deliveries) - start,
            state.rows.get("problems", 0),
            head,
            unchanged=False,
            seconds=self._seconds,
        )

    def _refuse_shrinkage(self) -> None:
        before, now = int(self._state.extra.get("commits", 0)), len(self._commits)
        if now < before * KEEP_AT_LEAST:
            raise ShrinkRefused(
                f"{self._source.name}: {now} commits are reachable, {before} were before. If its history was "
                f"meant to be replaced, remove the repository and add it again; otherwise repair its refs."
            )

    def _resume(self) -> tuple[DeliveryLines, int]:
        """The classifier as the last batch left it, and the first delivery that it has not seen."""
        delivered = [sha for d in self._deliveries for sha in d.commits]
        origins = Origins(TreeReader(self._repo), self._commits, delivered)
        known = stored_changes(self._target) if self._stored else {}
        settled = self._settled_deliveries()
        lines = DeliveryLines(origins, self._deliveries)
        self._known, self._stored_lines = known, self._lines_stored_beyond(settled)
        for delivery in self._deliveries[:settled]:
            for sha in delivery.commits:
                origins.advance(sha, known.get(sha, ()), self._parents(sha, delivery))
        if settled:
            payload = self._target.read_file(_CHECKPOINT)
            assert payload is not None
            lines.resume(payload)
        return lines, settled

    def _lines_stored_beyond(self, settled: int) -> set[str]:
        """Deliveries whose lines are stored although the classifier has to take them again."""
        again = self._stored & {delivery.sha for delivery in self._deliveries[settled:]}
        if not again:
            return again
        tables = (self._target.read(name, ["delivery_sha"]) for name in ("delivered_lines", "line_deaths"))
        return again & {sha for table in tables for sha in table["delivery_sha"].unique().to_pylist()}

    def _settled_deliveries(self) -> int:
        """Deliveries that the stored checkpoint has seen; 0 where the mainline was rewritten before its end."""
        last = self._state.extra.get("settled")
        if last is None:
            return 0
        position = int(last["position"])
        on_mainline = position < len(self._deliveries) and self._deliveries[position].sha == last["sha"]
        return position + 1 if on_mainline else 0

    def _parents(self, sha: str, delivery: Delivery) -> Sequence[str]:
        """Parents in the order in which they are asked for a line: the mainline's first."""
        parents = self._commits[sha].parents
        if sha == delivery.sha and delivery.is_redirected:
            return sorted(parents, key=lambda p: p != delivery.predecessor)
        return parents

    def _tasks(self, start: int) -> Iterator[CommitTask]:
        """What the workers have to read, in the order in which it is consumed."""
        delivered: set[str] = set()
        for position, delivery in enumerate(self._deliveries):
            delivered.update(delivery.commits)
            for sha in delivery.commits:
                is_delivery = position >= start and sha == delivery.sha
                if is_delivery or (position >= start and sha not in self._stored):
                    yield self._task(sha, delivery.predecessor if is_delivery else None, is_delivery)
        for sha in self._commits:
            if sha not in delivered and sha not in self._stored:
                yield self._task(sha, None, is_delivery=False)

    def _task(self, sha: str, predecessor: str | None, is_delivery: bool) -> CommitTask:
        commit = self._commits[sha]
        trees = tuple(self._commits[p].tree for p in commit.parents)
        net = self._commits[predecessor].tree if predecessor and len(trees) > 1 else None
        return CommitTask(sha, commit.tree, trees, is_delivery, net)

    def _deliver(self, delivery: Delivery, changes: Iterator[CommitChanges], lines: DeliveryLines) -> None:
        before = lines.origins.root(delivery.predecessor) if delivery.predecessor else {}
        removed = []
        for sha in delivery.commits:
            if sha == delivery.sha or sha not in self._stored:
                result = next(changes)
                self._record(result)
                parents = self._commits[sha].parents
                own: Sequence[PathChange] = [path_change(c, parents) for c in result.own]
            else:
                own = self._known.get(sha, ())
            removed.append((sha, lines.origins.advance(sha, own, self._parents(sha, delivery))))
        net = result.own if result.net is None else result.net
        facts = lines.settle(delivery, before, net, removed)
        if delivery.sha not in self._stored_lines:
            self._rows.add_delivered(delivery, facts)
            self._rows.add_deaths(delivery, facts, self._reverting(delivery))
        if self._rows.batch.commits >= BATCH_COMMITS or self._rows.batch.lines >= BATCH_LINES:
            self._write({}, self._settled(delivery, lines), {"refs": None})

    def _reverting(self, delivery: Delivery) -> set[str]:
        found = set()
        for sha in delivery.commits:
            message = read_message(self._commits[sha])
            if is_revert(message.subject, message.body):
                found.add(sha)
        return found

    def _record(self, result: CommitChanges) -> None:
        if result.sha not in self._stored:
            self._rows.add_commit(self._commits[result.sha], result)
            self._new += 1
        self._done += 1
        if self._done % 50 == 0 or self._done == self._total:
            self._on_progress(Progress("commits", self._done, self._total))

    def _settled(self, delivery: Delivery, lines: DeliveryLines) -> dict[str, object]:
        self._memory = lines.checkpoint()
        return {"position": delivery.position, "sha": delivery.sha}

    def _finish(self, lines: DeliveryLines) -> SourceState:
        """The last batch: what is rewritten in each run, and the refs that make the run complete."""
        commits, refs = self._commits, self._refs
        default = reachable(commits, [r.head_sha for r in refs if r.is_default])
        branches = reachable(commits, [r.head_sha for r in refs if r.kind != "tag"])
        tags = reachable(commits, [r.head_sha for r in refs if r.kind == "tag"])
        every = sorted(self._stored | commits.keys())
        rows = {
            "deliveries": self._rows.deliveries(self._deliveries, commits, refs),
            "refs": self._rows.refs(refs),
            "reachability": self._rows.reachability(every, default, branches, tags),
            "repository_runs": [self._run_row()],
        }
        replaced = {name: build(schemas.TABLES[name], content) for name, content in rows.items()}
        settled = self._settled(self._deliveries[-1], lines)
        return self._write(replaced, settled, {"refs": _fingerprint(refs), "commits": len(commits)})

    def _run_row(self) -> tuple[object, ...]:
        source = self._source
        skipped = self._state.rows.get("problems", 0) + len(self._rows.batch.rows["problems"])
        return (
            source.organization_id,
            source.repository_id,
            source.name,
            source.origin,
            source.default_branch,
            self._deliveries[-1].sha,
            source.is_shallow,
            source.is_partial,
            len(self._commits),
            skipped,
            sum(c.is_time_clamped for c in self._commits.values()),
            EXTRACTOR_VERSION,
        )

    def _write(
        self, replaced: dict[str, pa.Table], settled: dict[str, object], extra: dict[str, object]
    ) -> SourceState:
        batch = self._rows.take()
        known = {"commits": self._state.extra.get("commits", 0), "basis": _basis(self._source)}
        self._state = self._target.commit(
            batch.tables(_APPENDED),
            replaced,
            known | extra | {"settled": settled},
            {_CHECKPOINT: self._memory},
        )
        return self._state

    def _end_stage(self, name: str) -> None:
        now = time.perf_counter()
        self._seconds[name] = now - self._clock
        self._clock = now
