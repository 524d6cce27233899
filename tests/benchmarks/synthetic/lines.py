"""Rows of `delivered_lines` and `line_deaths`: lines that deliveries add, and earlier lines that they remove."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ingest.schemas import git
from tests.benchmarks.synthetic.changes import ADDED, DELETED, MODIFIED, RENAMED, STATUSES, Changes
from tests.benchmarks.synthetic.columns import (
    Bools,
    Ints,
    hexes,
    lists,
    masked,
    numbers,
    structs,
    table,
    take,
    within,
)
from tests.benchmarks.synthetic.commits import EXTRACTOR_VERSION
from tests.benchmarks.synthetic.history import DAY, History

CLASSES = ("layout", "moved", "returned", "copied", "substituted", "comment", "novel")
LAYOUT, MOVED, RETURNED, COPIED, SUBSTITUTED, COMMENT, NOVEL = range(len(CLASSES))
_SHARES = np.array([0.14, 0.07, 0, 0, 0.04, 0.1, 0.65])
_MAX_TOKENS, _MAX_RANK, _MAX_BINS = 31, 10, 250
_FRESH = 14 * DAY


@dataclass(frozen=True)
class Net:
    """The delivered changes sorted by file, with what the delivery as a whole did to the file.

    `row` are positions in Changes; the other arrays run beside it. `group` numbers the pairs (delivery,
    file); `before` is the position in `row` of the file's last change before the delivery, else -1.
    """

    row: Ints
    group: Ints
    before: Ints
    status: Ints
    version: Ints
    version_before: Ints


def net(changes: Changes, history: History) -> Net:
    inside = history.delivery[changes.commit[changes.order]] >= 0
    row = changes.order[inside]
    file, delivery = changes.file[row], history.delivery[changes.commit[row]]
    new_file = np.concatenate(([True], file[1:] != file[:-1]))
    new_group = new_file | np.concatenate(([True], delivery[1:] != delivery[:-1]))
    group = np.cumsum(new_group) - 1
    begin = np.flatnonzero(new_group)
    end = np.append(begin[1:], len(row)) - 1
    before = np.where(new_file[begin], -1, begin - 1)
    version = changes.version[row[end]]
    version_before = np.where(before < 0, version, changes.version[row[before]])
    first, final = changes.status[row[begin]], changes.status[row[end]]
    status = np.where(first == ADDED, ADDED, np.where(version != version_before, RENAMED, MODIFIED))
    status = np.where(final == DELETED, DELETED, status)
    return Net(row, group, before[group], status[group], version[group], version_before[group])


def delivered_lines(
    rng: np.random.Generator, changes: Changes, history: History, net: Net, source: dict[str, str]
) -> pa.Table:
    """Own lines of each delivered change, and a second row where some of them return after a removal."""
    has_lines = (changes.added[net.row] > 0) & (net.status != DELETED)
    own = np.flatnonzero(has_lines)
    returned = np.flatnonzero(has_lines & (net.before >= 0) & (rng.random(len(net.row)) < 0.2))
    at = np.concatenate((own, returned))
    at = at[np.argsort(at, kind="stable")]
    is_returned = np.concatenate(([False], at[1:] == at[:-1]))
    row, earlier = net.row[at], net.row[net.before[at]]
    commit, past = changes.commit[row], changes.commit[earlier]
    age = history.committed_at[commit] - history.committed_at[past]
    replaces = (net.before[at] >= 0) & (age < _FRESH) & (rng.random(len(at)) < 0.5) & ~is_returned
    count = np.where(is_returned, 1 + changes.added[row] // 10, changes.added[row])
    copies = (rng.random(len(at)) < 0.05) & ~is_returned
    bins = _bins(rng, count, np.where(is_returned, RETURNED, -1), replaces, copies)

    novel = np.bincount(bins.row, bins.lines * (bins.kind == NOVEL), len(at)).astype(np.int64)
    has_copies = np.bincount(bins.row, bins.kind == COPIED, len(at)) > 0
    groups = int(net.group[-1]) + 1 if len(net.group) else 0
    content = hexes(rng, groups, 32)
    # One change in a hundred is a cherry-pick of another one.
    same = np.where(rng.random(groups) < 0.01, rng.integers(0, max(groups, 1), groups), np.arange(groups))
    facts = {name: column.take(pa.array(row)) for name, column in changes.facts().items()}
    other = np.roll(row, 1)
    columns = (
        source
        | facts
        | {
            "delivery_sha": _delivery_sha(history, commit),
            "predecessor_sha": _predecessor_sha(history, commit),
            "path": changes.paths_at(row, net.version[at]),
            "previous_path": masked(changes.paths_at(row, net.version_before[at]), net.status[at] == RENAMED),
            "status": take(STATUSES, net.status[at]),
            "content_hash": take(content, same[net.group[at]], facts["role"].to_numpy(False) != "data"),
            "novel_lines": numbers(np.bincount(net.group[at], novel, groups)[net.group[at]]),
            "credited_sha": take(history.shas, commit),
            "birth_sha": take(history.shas, np.where(is_returned, past, commit)),
            "removal_sha": take(history.shas, past, is_returned),
            "replaced_sha": take(history.shas, past, replaces),
            "copied_from": masked(changes.paths_at(other, changes.version[other]), has_copies),
            "lines": bins.delivered(len(at)),
            "extractor_version": EXTRACTOR_VERSION,
        }
    )
    return table(git.DELIVERED_FILE_LINES, columns)


def line_deaths(
    rng: np.random.Generator, changes: Changes, history: History, net: Net, source: dict[str, str]
) -> pa.Table:
    """Deaths of lines that earlier deliveries brought, each change's from one or several commits of birth."""
    dying = np.flatnonzero((changes.deleted[net.row] > 0) & (net.before >= 0))
    births = np.minimum(rng.geometric(0.3, len(dying)), changes.deleted[net.row[dying]])
    at, number = np.repeat(dying, births), within(births)
    older = net.before[at] - number * np.repeat(rng.integers(1, 4, len(dying)), births)
    is_same_file = changes.file[net.row[np.maximum(older, 0)]] == changes.file[net.row[at]]
    at, older = at[is_same_file & (older >= 0)], older[is_same_file & (older >= 0)]
    row = net.row[at]
    births = np.unique(at, return_counts=True)[1]
    share, rest = np.divmod(changes.deleted[row], np.repeat(births, births))
    count = share + (within(births) < rest)
    commit, birth = changes.commit[row], changes.commit[net.row[older]]
    bins = _bins(rng, count, np.full(len(at), -1), np.zeros(len(at), bool), np.zeros(len(at), bool))
    facts = {name: column.take(pa.array(row)) for name, column in changes.facts().items()}
    columns = (
        source
        | facts
        | {
            "delivery_sha": _delivery_sha(history, commit),
            "remover_sha": take(history.shas, commit),
            "path": changes.paths_at(row, net.version_before[at]),
            "origin_sha": take(history.shas, birth),
            "birth_sha": take(history.shas, birth),
            "birth_delivery_sha": _delivery_sha(history, birth),
            "is_file_deleted": pa.array(net.status[at] == DELETED),
            "is_revert": pa.array(history.is_revert[history.delivery[commit]]),
            "lines": bins.dead(rng, len(at), changes.added[row] > 0),
            "extractor_version": EXTRACTOR_VERSION,
        }
    )
    return table(git.LINE_DEATHS, columns)


def fix_context(rng: np.random.Generator, deaths: pa.Table) -> pa.Table:
    """Context of a third of the changes that remove lines, by the authors of the removed lines."""
    found = deaths.filter(pc.less(deaths["remover_sha"], "5"))
    columns = {
        name: found[name].combine_chunks() for name in git.FIX_CONTEXT.names if name in found.column_names
    }
    columns |= {
        "commit_sha": found["remover_sha"].combine_chunks(),
        "near_weight_micro": pa.array(rng.integers(0, 5_000_000, found.num_rows)),
        "function_lines": numbers(rng.integers(0, 60, found.num_rows)),
    }
    return table(git.FIX_CONTEXT, columns)


@dataclass(frozen=True)
class Bins:
    """Histogram entries of many rows, sorted by row and distinct within one."""

    row: Ints
    kind: Ints
    tokens: Ints
    own: Ints
    rank: Ints
    lines: Ints

    def delivered(self, rows: int) -> pa.Array:
        original = np.where(self.kind == RETURNED, np.where(self.tokens > 4, NOVEL, COMMENT), self.kind)
        return self._lists(rows, git.DELIVERED_LINES, {"original_class": take(CLASSES, original)})

    def dead(self, rng: np.random.Generator, rows: int, is_replaced: Bools) -> pa.Array:
        more = {
            "has_token_gone": pa.array(rng.random(len(self.row)) < 0.85),
            "is_replaced": pa.array(is_replaced[self.row]),
            "is_alive_elsewhere": pa.array(rng.random(len(self.row)) < 0.05),
        }
        return self._lists(rows, git.DEAD_LINES, more)

    def _lists(self, rows: int, kind: pa.StructType, more: dict[str, pa.Array]) -> pa.Array:
        columns = more | {
            "class": take(CLASSES, self.kind),
            "tokens": numbers(self.tokens),
            "own_tokens": numbers(self.own),
            "rank": numbers(self.rank),
            "in_test": pa.array(np.zeros(len(self.row), bool)),
            "lines": numbers(self.lines),
        }
        return lists(np.bincount(self.row, minlength=rows), structs(kind, columns))


def _bins(rng: np.random.Generator, lines: Ints, only: Ints, has_fresh: Bools, copies: Bools) -> Bins:
    """Histograms of `lines` lines per row, of one class (`only`) or a usual mixture (-1)."""
    drawn = np.minimum(np.ceil(lines**0.75).astype(np.int64), _MAX_BINS)
    row = np.repeat(np.arange(len(lines)), drawn)
    number = np.arange(len(row)) - np.repeat(np.cumsum(drawn) - drawn, drawn)
    weight = lines[row] // drawn[row] + (number < lines[row] % drawn[row])
    kind = np.searchsorted(np.cumsum(_SHARES), rng.random(len(row)) * 0.999999)
    kind = np.where(copies[row] & (rng.random(len(row)) < 0.6), COPIED, kind)
    kind = np.where(only[row] >= 0, only[row], kind)
    tokens = np.minimum(rng.negative_binomial(2, 0.22, len(row)), _MAX_TOKENS) * (kind != LAYOUT)
    own = np.where(has_fresh[row], np.minimum(tokens + rng.integers(0, 4, len(row)), _MAX_TOKENS), tokens)
    ranked = (kind == NOVEL) | (kind == SUBSTITUTED)
    rank = np.where(ranked, np.minimum(rng.zipf(2.3, len(row)), _MAX_RANK), 1)
    sizes = (len(CLASSES), _MAX_TOKENS + 1, _MAX_TOKENS + 1, _MAX_RANK + 1)
    key = np.ravel_multi_index((row, kind, tokens, own, rank), (max(len(lines), 1), *sizes))
    distinct, inverse = np.unique(key, return_inverse=True)
    row, kind, tokens, own, rank = np.unravel_index(distinct, (max(len(lines), 1), *sizes))
    return Bins(row, kind, tokens, own, rank, np.bincount(inverse, weight, len(distinct)).astype(np.int64))


def _delivery_sha(history: History, commit: Ints) -> pa.Array:
    return take(history.shas, history.last[history.delivery[commit]])


def _predecessor_sha(history: History, commit: Ints) -> pa.Array:
    delivery = history.delivery[commit]
    return take(history.shas, history.last[delivery - 1], delivery > 0)
