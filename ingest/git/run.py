"""One run over one repository: it reads commits ahead, takes deliveries in mainline order and writes batches.

Workers read commits; this process carries line ownership forward and classifies delivered lines. A killed run
continues after its last batch, and facts do not depend on the ends of batches. Undelivered commits come last. Keep
out: whether a run is needed, and from which state it starts (`extract`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence

import pyarrow as pa
import pygit2

from ingest.errors import ShrinkRefused
from ingest.git.blame.fix_context import context_rows
from ingest.git.blame.ownership import Ownership, PathChange
from ingest.git.blame.replay import path_change, stored_changes
from ingest.git.cache_validity import address_of, fingerprint, repaired, skipped_objects, unread_objects
from ingest.git.changes.commit_changes import CommitChanges, FileChange
from ingest.git.changes.workers import Workers, read_commits, without_collector
from ingest.git.deliveries import Delivery, misdated, trace_deliveries
from ingest.git.delivery_lines import DeliveryLines
from ingest.git.mainline_clock import TOLERANCE, first_ahead
from ingest.git.messages.mailmap import MailmapEntry, read_mailmap
from ingest.git.messages.parse import decode, is_revert, may_be_fix
from ingest.git.objects.commit_graph import reachable, read_history
from ingest.git.objects.contents import set_up_libgit2
from ingest.git.objects.refs import Ref
from ingest.git.objects.trees import TreeReader
from ingest.git.objects.upstream import upstream_commits
from ingest.git.reading_plan import ReadingPlan
from ingest.git.repository_source import RepositorySource
from ingest.git.rows.commit_rows import CommitRows, read_message
from ingest.git.rows.writer import RowWriter
from ingest.git.squashes import find_squashes
from ingest.lake import Source
from ingest.lake.tables import build
from ingest.schemas import git as schemas

BATCH_COMMITS = 10_000
BATCH_LINES = 1_000_000
"""A batch ends at the first of both limits: about a minute of work, and some hundred megabytes of rows."""
KEEP_AT_LEAST = 0.5
"""A run is refused where the number of reachable commits falls below this share of the last run's."""

_CHECKPOINT = "classifier.npz"
_APPENDED = (
    "commits", "file_changes", "references", "delivered_lines", "line_deaths", "fix_context", "squash_lines",
    "problems",
)  # fmt: skip
_OF_DELIVERIES = ("delivered_lines", "line_deaths", "fix_context")
"""Written together: a delivery that has rows in one of them is stored."""


class Run:
    """One run over one repository, which adds facts to `target`. Each batch stores the key `validity`.

    Raises Permanent for a commit that cannot be read. `on_progress` receives the number of commits done and in
    total.
    """

    def __init__(
        self,
        source: RepositorySource,
        target: Source,
        validity: list[str],
        repo: pygit2.Repository,
        refs: Sequence[Ref],
        workers: int | Workers,
        on_progress: Callable[[int, int], None],
    ) -> None:
        self._source, self._target, self._validity = source, target, validity
        self._state = target.state()
        self._repo, self._refs, self._workers, self._on_progress = repo, refs, workers, on_progress
        self._rows = RowWriter(source.organization_id, source.repository_id)
        self.deliveries_new = 0
        self.seconds: dict[str, float] = {}
        self._clock = time.perf_counter()
        self._verify = not source.is_trusted_mirror
        self._settled: Delivery | None = None
        self._reverts: dict[str, bool] = {}
        """Whether a commit of this run that no delivery has taken yet is a revert by its message."""
        self.commits_new = self._done = 0
        set_up_libgit2()
        heads = [ref.head_sha for ref in refs]
        own = [ref.head_sha for ref in refs if ref.kind != "review"]
        self.commits = read_history(repo, heads, verify_hashes=self._verify, limits=source.limits)
        # Without commits that only a pull request has: they come and go with its host.
        self.commit_count = len(self.commits if len(own) == len(refs) else reachable(self.commits, own))

    def refuse_less_than(self, before: int) -> None:
        """Raise ShrinkRefused where far fewer commits are reachable than the `before` of the last run."""
        now = self.commit_count
        if now < before * KEEP_AT_LEAST:
            raise ShrinkRefused(
                f"{self._source.name}: the number of reachable commits fell from {before} to {now}. If its history was "
                f"replaced on purpose, run `eas remove` and add the repository again; otherwise repair its refs."
            )

    def trace(self, head: str) -> None:
        """Find the deliveries. Comes before the other steps.

        A time that was possible stays so: a clock that is behind does not date the whole history anew.
        """
        now = max(int(time.time()), int(self._state.extra.get("newest", 0)) - TOLERANCE)
        self.deliveries = trace_deliveries(
            self.commits, head, self._source.default_branch, address_of(self._source), now=now
        )
        self._ahead = first_ahead([self._committed_at(delivery) for delivery in self.deliveries], now)
        self._squashes = find_squashes(self.commits, self.deliveries, self._refs)

    def has_other_past(self) -> bool:
        """Whether stored facts are others today: an impossible time shows, or the branch of a squash has come."""
        settled = self.deliveries[: self._settled_deliveries()]
        known = set(self._state.extra.get("squashes", ()))
        return set(self._state.extra.get("misdated", ())) != misdated(settled) or not known.issuperset(
            self._squashes_in(settled)
        )

    def _committed_at(self, delivery: Delivery) -> int:
        return self.commits[delivery.sha].committer.time

    def _squashes_in(self, deliveries: Sequence[Delivery]) -> list[str]:
        """The squashes that these deliveries bring, in their order."""
        return [sha for delivery in deliveries for sha in delivery.commits if sha in self._squashes]

    @without_collector()
    def extract(self) -> None:
        """Extract all facts that are not stored yet."""
        self._stored = set(self._target.read("commits", ["commit_sha"])["commit_sha"].to_pylist())
        self._end_stage("history")
        lines, start = self._resume()
        self.deliveries_new = len(self.deliveries) - start
        self._end_stage("replay")
        tasks = list(self._plan.tasks(start))
        changes = read_commits(
            str(self._source.path),
            tasks,
            self._workers,
            verify_hashes=self._verify,
            limits=self._source.limits,
            describer=CommitRows(self._source.organization_id),
        )
        self._total = len(tasks)
        for delivery in self.deliveries[start:]:
            self._deliver(delivery, changes, lines)
        for result in changes:
            self._record(result)
            self._write_if_full(lines)
        self._end_stage("changes and lines")
        self._finish(lines)
        self._end_stage("writing")

    def _resume(self) -> tuple[DeliveryLines, int]:
        """The classifier as of the last batch, and the position of the first delivery after it."""
        delivered = [sha for d in self.deliveries for sha in d.commits]
        trees = TreeReader(self._repo, verify_hashes=self._verify, limits=self._source.limits)
        settled = self._settled_deliveries()
        squashed = self._squashes_in(self.deliveries[settled:])
        copies = {name: copy for sha in squashed for name, copy in self._squashes[sha].commits.items()}
        ownership = Ownership(trees, self.commits | copies, [*delivered, *copies])
        known = stored_changes(self._target) if self._stored else {}
        lines = DeliveryLines(ownership, self.deliveries)
        self._known, self._stored_lines = known, self._lines_stored_beyond(settled)
        fixes = self._may_be_fixes(settled)
        self._plan = ReadingPlan(self.commits, self.deliveries, self._squashes, self._stored, fixes)
        for delivery in self.deliveries[:settled]:
            for sha in delivery.commits:
                ownership.advance(sha, known.get(sha, ()), self._plan.parents(sha, delivery))
        if settled:
            payload = self._target.read_file(_CHECKPOINT)
            assert payload is not None
            lines.resume(payload)
        self._settled = self.deliveries[settled - 1] if settled else None
        return lines, settled

    def _may_be_fixes(self, settled: int) -> set[str]:
        """Possible fixes among the new deliveries: their surroundings are read even if the commit is already stored."""
        new = (self.commits[sha] for delivery in self.deliveries[settled:] for sha in delivery.commits)
        plain = (commit for commit in new if len(commit.parents) == 1)
        return {commit.sha for commit in plain if may_be_fix(decode(commit.message, commit.encoding))}

    def _lines_stored_beyond(self, settled: int) -> set[str]:
        """Deliveries with stored lines, or lines around fixes, that the classifier must process again."""
        again = self._stored & {delivery.sha for delivery in self.deliveries[settled:]}
        if not again:
            return again
        tables = (self._target.read(name, ["delivery_sha"]) for name in _OF_DELIVERIES)
        return again & {sha for table in tables for sha in table["delivery_sha"].unique().to_pylist()}

    def _settled_deliveries(self) -> int:
        """Number of deliveries in the stored checkpoint; 0 where the mainline was rewritten within them."""
        last = self._state.extra.get("settled")
        if last is None:
            return 0
        position = int(last["position"])
        on_mainline = position < len(self.deliveries) and self.deliveries[position].sha == last["sha"]
        return position + 1 if on_mainline else 0

    def _deliver(self, delivery: Delivery, changes: Iterator[CommitChanges], lines: DeliveryLines) -> None:
        lines.begin(delivery)
        around = []
        for sha in delivery.commits:
            plan = None
            read: Sequence[FileChange] = ()
            squash = self._squashes.get(sha)
            brought = [next(changes) for _ in squash.commits] if squash is not None else []
            self._done += len(brought)
            if self._plan.is_read(sha, delivery):
                self._write_if_full(lines)
                result = next(changes)
                self._record(result)
                parents = self.commits[sha].parents
                plan, read = result.plan, result.own
                own: Sequence[PathChange] = [path_change(c, parents) for c in read]
                if sha in self._plan.fixes:
                    around.append((sha, context_rows(result.own, lines.ownership, parents[0])))
            else:
                own = self._known.get(sha, ())
            first = lines.ownership.next_id
            lines.advance(sha, own, self._plan.parents(sha, delivery), plan, read)
            if squash is not None:
                lines.take_squash(squash, brought, own, range(first, lines.ownership.next_id))
        facts = lines.settle(delivery, result.own if result.net is None else result.net)
        if delivery.sha not in self._stored_lines:
            self._rows.add_delivered(delivery, facts)
            self._rows.add_squashed(facts)
            self._rows.add_deaths(delivery, facts, self._reverting(delivery))
            for sha, rows in around:
                self._rows.add_fix_context(delivery, sha, rows)
        self._settled = delivery

    def _reverting(self, delivery: Delivery) -> set[str]:
        """The commits of the delivery that are reverts by their message."""
        for sha in delivery.commits:
            if sha not in self._reverts:
                message = read_message(self.commits[sha])
                self._reverts[sha] = is_revert(message.subject, message.body)
        return {sha for sha in delivery.commits if self._reverts.pop(sha)}

    def _record(self, result: CommitChanges) -> None:
        if result.packed is not None:
            self._rows.add_commit(result)
            self._reverts[result.sha] = bool(result.is_revert)
            self.commits_new += 1
        self._done += 1
        if self._done % 50 == 0 or self._done == self._total:
            self._on_progress(self._done, self._total)

    def _finish(self, lines: DeliveryLines) -> None:
        """Write the last batch: the tables that each run rewrites, and the refs that make the run complete."""
        commits, refs = self.commits, self._refs
        parents = upstream_commits(self._repo, self._source.limits, verify_hashes=self._verify)
        every = sorted(self._stored | commits.keys())
        skipped = skipped_objects(self._target) + self._rows.skipped_objects()
        run = self._rows.repository_run(
            self._source, self.deliveries, commits.values(), self.commit_count, skipped
        )
        rows = {
            "deliveries": self._rows.deliveries(self.deliveries, commits, refs),
            "refs": self._rows.refs(refs),
            "reachability": self._rows.reachability(every, commits, refs, parents),
            "mailmap_entries": self._rows.mailmap_entries(self._mailmap()),
            "repository_runs": [run],
        }
        replaced = {name: build(schemas.TABLES[name], content) for name, content in rows.items()}
        unread = [*unread_objects(self._target), *self._rows.unread_objects()]
        extra = {
            "seen": fingerprint(self._source, refs, self._repo),
            "commits": self.commit_count,
            "ahead": self._ahead,
            # Objects that are readable and still a problem, so they do not trigger every run again.
            "repaired": repaired(unread, self._repo),
        }
        self._write(lines, replaced, extra)

    def _mailmap(self) -> list[MailmapEntry]:
        """The mailmap at the head of the default branch. An unreadable one is recorded as a problem once."""
        tree = bytes.fromhex(self.commits[self.deliveries[-1].sha].tree)
        entries, problems = read_mailmap(self._repo, tree, verify_hash=self._verify)
        stored = self._target.read("problems", ["object_sha"])["object_sha"].to_pylist()
        known = {*stored, *self._rows.unread_objects()}
        self._rows.add_problems(None, [p for p in problems if p.object_sha not in known])
        return entries

    def _write_if_full(self, lines: DeliveryLines) -> None:
        """Commit the current batch if it is full. Only the batch with the refs completes the run."""
        batch = self._rows.batch
        if batch.commits >= BATCH_COMMITS or batch.lines >= BATCH_LINES:
            known = {
                name: self._state.extra[name] for name in ("commits", "repaired") if name in self._state.extra
            }
            self._write(lines, {}, known)

    def _write(self, lines: DeliveryLines, replaced: dict[str, pa.Table], extra: dict[str, object]) -> None:
        last = self._settled
        settled = {"position": last.position, "sha": last.sha} if last else None
        done = self.deliveries[: last.position + 1] if last else ()
        self._state = self._target.commit(
            self._rows.take().tables(_APPENDED),
            replaced,
            {
                "basis": self._validity,
                "settled": settled,
                "misdated": sorted(misdated(done)),
                "newest": max((self._committed_at(one) for one in done if not one.is_misdated), default=0),
                "squashes": self._squashes_in(done),
                **extra,
            },
            {_CHECKPOINT: lines.checkpoint()},
        )

    def _end_stage(self, name: str) -> None:
        now = time.perf_counter()
        self.seconds[name] = now - self._clock
        self._clock = now
