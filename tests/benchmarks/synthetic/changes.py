"""The files that each commit changes, and their line counts: arrays and the table `file_changes`."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from ingest.schemas import git
from tests.benchmarks.synthetic.columns import (
    Bools,
    Ints,
    apportion,
    digits,
    either,
    hexes,
    join,
    lists,
    masked,
    numbers,
    starts,
    structs,
    table,
    take,
    within,
)
from tests.benchmarks.synthetic.commits import EXTRACTOR_VERSION
from tests.benchmarks.synthetic.history import History
from tests.benchmarks.synthetic.vocabulary import FILES, FOLDERS

ADDED, MODIFIED, DELETED, RENAMED = range(4)
STATUSES = ("A", "M", "D", "R")
_KINDS = (  # extension, language, role, share
    (".py", "Python", "source", 0.24),
    (".ts", "TypeScript", "source", 0.18),
    (".go", "Go", "source", 0.12),
    (".java", "Java", "source", 0.1),
    ("_test.py", "Python", "test", 0.12),
    (".test.ts", "TypeScript", "test", 0.05),
    (".md", "Markdown", "documentation", 0.07),
    (".yml", "YAML", "configuration", 0.06),
    (".tf", "Terraform", "build", 0.02),
    (".lock", "unknown", "lock", 0.01),
    (".png", "unknown", "data", 0.03),
)
_BINARY = len(_KINDS) - 1
_LOCK = len(_KINDS) - 2


@dataclass(frozen=True)
class Changes:
    """One element per file change, in commit order. `order` sorts them by file, then by commit."""

    commit: Ints
    file: Ints
    kind: Ints
    status: Ints
    version: Ints
    added: Ints
    deleted: Ints
    order: Ints
    is_first_of_file: Bools

    @property
    def is_binary(self) -> Bools:
        return np.equal(self.kind, _BINARY)

    def paths(self) -> pa.Array:
        """Path of the file after each change."""
        return self.paths_at(np.arange(len(self.file)), self.version)

    def paths_at(self, row: Ints, version: Ints) -> pa.Array:
        """Paths of the files that some changes concern, at a version (renames so far)."""
        file, kind = self.file[row], self.kind[row]
        folder = take(FOLDERS, file // 40 % len(FOLDERS))
        name = join(take(FILES, file % len(FILES)), "_", digits(file))
        suffix = either(version > 0, join("_v", digits(version)), "")
        return join(folder, "/", digits(file // 40), "/", name, suffix, take([k[0] for k in _KINDS], kind))

    def facts(self) -> dict[str, pa.Array]:
        """The columns that describe the file, shared by three tables."""
        return {
            "language": take([k[1] for k in _KINDS], self.kind),
            "role": take([k[2] for k in _KINDS], self.kind),
            "is_binary": pa.array(self.is_binary),
            "is_generated": pa.array(self.file % 97 == 5),
            "is_vendored": pa.array(self.file % 89 == 7),
            "is_minified": pa.array(self.file % 499 == 11),
        }

    def sums(self, commits: int) -> dict[str, Ints]:
        """Counts per commit, as `commits` stores them."""
        weights = {"files_changed": None, "lines_added": self.added, "lines_deleted": self.deleted}
        return {
            name: np.bincount(self.commit, weights=values, minlength=commits).astype(np.int64)
            for name, values in weights.items()
        }


def invent(rng: np.random.Generator, history: History, total: int) -> Changes:
    """`total` file changes (fewer where a tiny repository has no room for them), none for most merges."""
    files = max(60, int(3 * total**0.62))
    per_commit = _files_per_commit(rng, history, total, files // 2)
    commit = np.repeat(np.arange(history.count), per_commit)
    # Neighbours stand for one folder; popular files come first.
    seed = (files * rng.random(history.count) ** 3).astype(np.int64)
    stride = np.where(per_commit * 7 < files, rng.choice([1, 1, 2, 3, 7], history.count), 1)
    file = (np.repeat(seed, per_commit) + within(per_commit) * np.repeat(stride, per_commit)) % files

    order = np.lexsort((commit, file))
    sorted_file = file[order]
    is_first = np.concatenate(([True], sorted_file[1:] != sorted_file[:-1]))
    status, version = _statuses(rng, is_first)
    back = np.argsort(order, kind="stable")
    kind = rng.choice(len(_KINDS), files, p=[k[3] for k in _KINDS])[file]
    status, version = status[back], version[back]
    added, deleted = _lines(rng, status, kind)
    return Changes(commit, file, kind, status, version, added, deleted, order, is_first)


def file_changes(
    rng: np.random.Generator, changes: Changes, history: History, source: dict[str, str]
) -> pa.Table:
    count = len(changes.commit)
    status, order = changes.status, changes.order
    after = hexes(rng, count)
    before = np.empty(count, np.int64)
    before[order] = np.roll(order, 1)
    parent = history.first_parent[changes.commit]
    renamed = status == RENAMED
    code_added, comment_added = _split(rng, changes.added)
    code_deleted, comment_deleted = _split(rng, changes.deleted)
    hunks, end = _hunks(rng, changes)
    is_merge = history.is_merge[changes.commit]
    side = {
        "parent_sha": take(history.shas, history.second_parent[changes.commit[is_merge]]),
        "path": changes.paths().filter(pa.array(is_merge)),
        "hunks": hunks.filter(pa.array(is_merge)),
    }
    columns = (
        source
        | changes.facts()
        | {
            "commit_sha": take(history.shas, changes.commit),
            "parent_sha": take(history.shas, parent, parent >= 0),
            "path": changes.paths(),
            "previous_path": masked(changes.paths_at(np.arange(count), changes.version - 1), renamed),
            "status": take(STATUSES, status),
            "similarity": numbers(np.where(changes.added + changes.deleted > 0, 80, 100), renamed),
            "old_blob": take(after, before, status != ADDED),
            "new_blob": masked(after, status != DELETED),
            "lines_added": numbers(changes.added),
            "lines_deleted": numbers(changes.deleted),
            "code_added": numbers(code_added),
            "comment_added": numbers(comment_added),
            "blank_added": numbers(changes.added - code_added - comment_added),
            "code_deleted": numbers(code_deleted),
            "comment_deleted": numbers(comment_deleted),
            "blank_deleted": numbers(changes.deleted - code_deleted - comment_deleted),
            "lines_after": numbers(np.where(status == DELETED, 0, end), ~changes.is_binary),
            "hunks": hunks,
            "other_parents": lists(is_merge.astype(np.int64), structs(git.MERGE_SIDE, side)),
            "symbols": _symbols(rng, changes),
            "skipped_reason": pa.nulls(count, pa.string()),
            "machine_evidence": pa.nulls(count, pa.string()),
            "copyrights": lists(np.zeros(count, np.int64), pa.array([], git.COPYRIGHT)),
            "known_library": pa.nulls(count, pa.string()),
            **dict.fromkeys(
                ("published_lines", "published_later_lines", "compared_lines"), pa.nulls(count, pa.int64())
            ),
            "extractor_version": EXTRACTOR_VERSION,
        }
    )
    return table(git.FILE_CHANGES, columns)


def _files_per_commit(rng: np.random.Generator, history: History, total: int, most: int) -> Ints:
    counts = np.zeros(history.count, np.int64)
    touching = np.flatnonzero(~history.is_merge | (rng.random(history.count) < 0.02))
    weight = rng.lognormal(0, 1.3, len(touching)) * np.where(history.is_merge[touching], 0.3, 1)
    counts[touching] = np.minimum(apportion(weight, max(total, len(touching)), 1), most)
    while surplus := max(total, len(touching)) - int(counts.sum()):
        room = touching[counts[touching] < most]
        if not len(room):
            break
        counts[rng.choice(room, min(surplus, len(room)), replace=False)] += 1
    return counts


def _statuses(rng: np.random.Generator, is_first: Bools) -> tuple[Ints, Ints]:
    """Status and renames so far, along each file's changes; what was deleted comes back as an addition."""
    roll = rng.random(len(is_first))
    deleted = (roll < 0.02) & ~is_first
    deleted[1:] &= ~deleted[:-1].copy()
    back = np.concatenate(([False], deleted[:-1]))
    status = np.where(is_first | back, ADDED, np.where(deleted, DELETED, MODIFIED))
    status[(roll > 0.99) & (status == MODIFIED)] = RENAMED
    renames = np.cumsum(status == RENAMED)
    lengths = np.diff(np.append(np.flatnonzero(is_first), len(is_first)))
    return status, renames - np.repeat(renames[is_first], lengths)


def _lines(rng: np.random.Generator, status: Ints, kind: Ints) -> tuple[Ints, Ints]:
    count = len(status)
    added = rng.lognormal(np.where(status == ADDED, 3.3, 1.0), 1.5).astype(np.int64)
    deleted = (rng.lognormal(1.0, 1.5, count) * (rng.random(count) < 0.85)).astype(np.int64)
    still = (status == RENAMED) & (rng.random(count) < 0.6) | (kind == _BINARY)
    added = np.where((status == DELETED) | still, 0, np.where(kind == _LOCK, added * 8, added))
    deleted = np.where((status == ADDED) | still, 0, np.where(status == DELETED, deleted * 12 + 1, deleted))
    silent = (added + deleted == 0) & ~still
    return np.minimum(np.where(silent, 1, added), 20_000), np.where(silent & (status != ADDED), 1, deleted)


def _split(rng: np.random.Generator, lines: Ints) -> tuple[Ints, Ints]:
    code = np.round(lines * np.clip(rng.normal(0.78, 0.12, len(lines)), 0, 1)).astype(np.int64)
    return code, (lines - code) // 2


def _hunks(rng: np.random.Generator, changes: Changes) -> tuple[pa.Array, Ints]:
    """Hunks whose sizes add up to the change's counts, and the last line that they reach."""
    touched = changes.added + changes.deleted
    whole = (changes.status == ADDED) | (changes.status == DELETED)
    count = np.minimum(1 + rng.poisson(np.minimum(touched / 9, 12)), touched)
    count = np.where(whole, np.minimum(touched, 1), count)
    number, row = within(count), np.repeat(np.arange(len(count)), count)
    size = count[row]
    new = changes.added[row] // size + (number < changes.added[row] % size)
    old = changes.deleted[row] // size + (size - 1 - number < changes.deleted[row] % size)
    gap = np.where(whole[row], 0, 1 + rng.geometric(0.03, len(row)))
    first = starts(count)[:-1][row]
    old_end, new_end = (np.concatenate(([0], np.cumsum(gap + lines))) for lines in (old, new))
    old_start = old_end[1:] - old_end[first] - old + (old > 0)
    new_start = new_end[1:] - new_end[first] - new + (new > 0)
    parts = {"old_start": old_start, "old_lines": old, "new_start": new_start, "new_lines": new}
    reach = np.zeros(len(count), np.int64)
    np.maximum.at(reach, row, new_start + new)
    margin = np.where(whole, -1, rng.geometric(0.01, len(count)))
    column = lists(count, structs(git.HUNK, {name: numbers(values) for name, values in parts.items()}))
    return column, np.maximum(reach + margin, 0)


def _symbols(rng: np.random.Generator, changes: Changes) -> pa.Array:
    count = np.where(changes.status == MODIFIED, rng.integers(0, 3, len(changes.file)), 0)
    owner = np.repeat(changes.file, count)
    return lists(count, join("def handle_", digits(owner % 50 * 20 + within(count)), "(request):"))
