"""The lines of one file of a delivery with their numbers, texts and classes, classified again from a clone.

The code is that of a run (`delivery_lines`), over a small history. What only older history tells is missing: that a
line had been removed before, stands in another file, or repeats an earlier replacement. So the caller holds the
classes against the stored ones. Keep out: weights (dbt), the history itself (`excerpts`).
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pygit2

from ingest.git.blame.ownership import Ownership
from ingest.git.blame.replay import path_change
from ingest.git.changes.commit_changes import CommitChanges, FileChange
from ingest.git.changes.workers import read_commits
from ingest.git.classify.changed_lines import ChangedLines
from ingest.git.classify.line_table import CLASSES
from ingest.git.deliveries import Delivery, trace_deliveries
from ingest.git.delivery_lines import DeliveryLines
from ingest.git.diff.texts import split_lines
from ingest.git.limits import Limits
from ingest.git.objects.commit_graph import read_history
from ingest.git.objects.contents import read, set_up_libgit2
from ingest.git.objects.loose_objects import open_git_dir
from ingest.git.objects.repository import open_repository
from ingest.git.objects.trees import TreeReader
from ingest.git.reading_plan import ReadingPlan
from ingest.git.rows.histograms import Credit
from ingest.git.single_lines.excerpts import Excerpt, excerpt
from ingest.git.single_lines.lines import AddedLine, DeliveredFile, RemovedLine

LIMITS = Limits(commit_paths=3_000, object_bytes=4 * 1024 * 1024)
"""Of a delivery that is read while somebody waits."""
MAX_TEXT = 400
"""Characters of a line that are given: a longer one is no line that people read."""
_BRANCH = "main"


def delivered_file(
    path: Path, delivery: str, file: str, copied_from: Sequence[str] = (), limits: Limits = LIMITS
) -> DeliveredFile:
    """The changed lines of the file `file` in a delivery of the clone at `path`.

    Raises NotARepository and its like where there is no clone, Permanent where it lacks an object, LimitExceeded, and
    TooLarge.
    """
    set_up_libgit2()
    clone = open_repository(path)
    with tempfile.TemporaryDirectory(prefix="eas-lines-") as folder:
        small = excerpt(clone, Path(folder), delivery, copied_from, limits)
        found = _classified(small, file, limits)
        if found is None:
            return DeliveredFile()
        repository = open_git_dir(small.path)
        new, old = (_texts(repository, blob) for blob in (found.change.new_blob, found.change.old_blob))
        return DeliveredFile(
            list(_added(found, new, small.original)), list(_removed(found, old, small.original))
        )


class _NotingLines(DeliveryLines):
    """Keeps the classified lines of the last delivery, which a run only counts."""

    noted: tuple[ChangedLines, Credit]

    def note(self, lines: ChangedLines, given: Credit) -> None:
        self.noted = lines, given

    @property
    def commits(self) -> Sequence[str]:
        """The commits by the numbers that lines have."""
        return self._classifier.store.commits


@dataclass(frozen=True)
class _Classified:
    """The changed file at `number` among those of the delivery, and the commits by their numbers."""

    change: FileChange
    number: int
    lines: ChangedLines
    given: Credit
    commits: Sequence[str]


def _classified(small: Excerpt, file: str, limits: Limits) -> _Classified | None:
    """The last delivery of a small history; None where the file is not among its changes, or cannot be read."""
    repository = open_git_dir(small.path)
    commits = read_history(repository, [small.head], limits=limits)
    deliveries = trace_deliveries(commits, small.head, _BRANCH)
    plan = ReadingPlan(commits, deliveries, {}, (), ())
    trees = TreeReader(repository, verify_hashes=True, limits=limits)
    ownership = Ownership(trees, commits, [sha for delivery in deliveries for sha in delivery.commits])
    lines = _NotingLines(ownership, deliveries)
    tasks = list(plan.tasks(0))
    results = read_commits(str(small.path), tasks, 1, verify_hashes=True, limits=limits)
    for delivery in deliveries:
        changes = _deliver(delivery, plan, results, lines)
    classified, given = lines.noted
    for number, version in enumerate(classified.files):
        if version.path == file and not version.is_unread:
            change = next(one for one in changes if one.path == file)
            return _Classified(change, number, classified, given, lines.commits)
    return None


def _deliver(
    delivery: Delivery, plan: ReadingPlan, results: Iterator[CommitChanges], lines: DeliveryLines
) -> Sequence[FileChange]:
    """Classify one delivery as a run does, which reads all commits of a first reading. Returns its changes."""
    lines.begin(delivery)
    for sha in delivery.commits:
        result = next(results)
        parents = plan.commits[sha].parents
        own = [path_change(change, parents) for change in result.own]
        lines.advance(sha, own, plan.parents(sha, delivery), result.plan, result.own)
    net = result.own if result.net is None else result.net
    lines.settle(delivery, net)
    return net


def _added(found: _Classified, texts: Sequence[str], original: Mapping[str, str]) -> Iterator[AddedLine]:
    lines = found.lines
    places = [
        n for _, _, first, count in lines.files[found.number].hunks for n in range(first, first + count)
    ]
    for at, number in zip(lines.added_of(found.number), places, strict=True):
        yield AddedLine(
            number,
            texts[number - 1],
            CLASSES[lines.classes[at]],
            lines.tokens[at],
            lines.ranks[at],
            original[found.commits[found.given.credited[at]]],
        )


def _removed(found: _Classified, texts: Sequence[str], original: Mapping[str, str]) -> Iterator[RemovedLine]:
    lines = found.lines
    places = [
        n for first, count, _, _ in lines.files[found.number].hunks for n in range(first, first + count)
    ]
    for at, number in zip(lines.removed_of(found.number), places, strict=True):
        is_gone = bool(lines.removed_gone[at]) and not lines.removed_alive[at]
        yield RemovedLine(number, texts[number - 1], is_gone, original[found.commits[lines.removers[at]]])


def _texts(repository: pygit2.Repository, blob: str | None) -> Sequence[str]:
    """The lines of a file, for people to read."""
    if blob is None:
        return ()
    data = read(repository.odb, blob, b"blob", verify_hash=True)
    return [line.decode("utf-8", "replace").rstrip("\r\n")[:MAX_TEXT] for line in split_lines(data)]
