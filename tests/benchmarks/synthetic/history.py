"""The commit graph of one synthetic repository: direct commits, squashes and merged branches."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from tests.benchmarks.synthetic.columns import Bools, Ints, hexes, starts
from tests.benchmarks.synthetic.people import People

DAY = 86_400_000_000
HOUR = DAY // 24
DIRECT, SQUASH, MERGE = 0, 1, 2
KINDS = ("direct", "squash", "merge")
_OPEN_BRANCH_SHARE = 0.03
_MAX_BRANCH = 200


@dataclass(frozen=True)
class History:
    """One repository's commits as arrays, parents first: delivery after delivery, then the undelivered ones.

    Positions, not shas, name commits. `delivery` is -1 for an undelivered commit; `first_parent` and
    `second_parent` are -1 where there is none. Times are microseconds since 1970.
    """

    shas: pa.StringArray
    delivery: Ints
    first_parent: Ints
    second_parent: Ints
    sizes: Ints
    kinds: Ints
    delivered_at: Ints
    is_revert: Bools
    committed_at: Ints
    authored_at: Ints
    author: Ints
    open_heads: Ints

    @property
    def count(self) -> int:
        return len(self.delivery)

    @property
    def delivered(self) -> int:
        """How many commits are delivered; they come first."""
        return int(self.sizes.sum())

    @property
    def last(self) -> Ints:
        """Per delivery, the position of its delivering commit."""
        return starts(self.sizes)[1:] - 1

    @property
    def is_merge(self) -> Bools:
        return self.second_parent >= 0


def invent(rng: np.random.Generator, commits: int, people: People, begin: int, end: int) -> History:
    """A history of `commits` commits between two instants (microseconds)."""
    merges, squashes = [(0.0, 0.0), (0.25, 0.1), (0.5, 0.0), (0.05, 0.7)][int(rng.integers(4))]
    undelivered = int(commits * _OPEN_BRANCH_SHARE)
    sizes = _sizes(rng, commits - undelivered, merges)
    kinds = np.where(sizes > 1, MERGE, np.where(rng.random(len(sizes)) < squashes, SQUASH, DIRECT))
    delivered_at = _working_instants(rng, len(sizes), begin, end)
    delivery = np.concatenate((np.repeat(np.arange(len(sizes)), sizes), np.full(undelivered, -1)))
    last = starts(sizes)[1:] - 1
    first_parent, second_parent, open_heads = _parents(rng, sizes, last, undelivered)

    committed = np.empty(commits, np.int64)
    delay = (rng.exponential(36, commits) * HOUR).astype(np.int64)
    delay[last] = 0
    inside = delivery >= 0
    committed[inside] = delivered_at[delivery[inside]] - delay[inside]
    committed[~inside] = delivered_at[-1] - delay[~inside]
    committed[inside] = committed[inside][np.lexsort((committed[inside], delivery[inside]))]
    authored = committed - (rng.exponential(2, commits) * HOUR).astype(np.int64)
    return History(
        shas=hexes(rng, commits),
        delivery=delivery,
        first_parent=first_parent,
        second_parent=second_parent,
        sizes=sizes,
        kinds=kinds,
        delivered_at=delivered_at,
        is_revert=rng.random(len(sizes)) < 0.01,
        committed_at=committed,
        authored_at=authored,
        author=_authors(rng, people, delivery),
        open_heads=open_heads,
    )


def _sizes(rng: np.random.Generator, commits: int, merges: float) -> Ints:
    """Commits per delivery, the delivering one included; the first delivery is the root."""
    branch = 2 + np.minimum(rng.pareto(1.3, commits) * 2, _MAX_BRANCH).astype(np.int64)
    sizes = np.where(rng.random(commits) < merges, branch, 1)
    sizes[0] = 1
    ends = np.cumsum(sizes)
    used = int(np.searchsorted(ends, commits)) + 1
    sizes = sizes[:used]
    sizes[-1] -= ends[used - 1] - commits
    return sizes


def _working_instants(rng: np.random.Generator, count: int, begin: int, end: int) -> Ints:
    """Sorted instants, mostly on working days and hours, more of them in bursts than a uniform draw has."""
    days = np.arange(begin // DAY, end // DAY)
    weight = np.where((days + 3) % 7 < 5, 1.0, 0.12) * rng.lognormal(0, 0.8, len(days))
    day = rng.choice(days, count, p=weight / weight.sum())
    hour = np.clip(rng.normal(14, 3.2, count), 0, 23.99)
    return np.sort(day * DAY + (hour * HOUR).astype(np.int64))


def _parents(rng: np.random.Generator, sizes: Ints, last: Ints, undelivered: int) -> tuple[Ints, Ints, Ints]:
    delivered = int(sizes.sum())
    commits = delivered + undelivered
    first = np.arange(commits) - 1
    second = np.full(commits, -1)
    steps = np.arange(1, len(sizes))
    first[last[1:]] = last[:-1]
    merged = steps[sizes[1:] > 1]
    second[last[merged]] = last[merged] - 1
    lag = np.minimum(rng.geometric(0.3, len(merged)), merged)
    first[starts(sizes)[merged]] = last[merged - lag]

    opened = np.flatnonzero(rng.random(undelivered) < 0.15)
    opened = np.union1d(opened, [0])[: max(undelivered, 0)] if undelivered else opened
    fork = np.maximum(len(sizes) - rng.geometric(0.1, len(opened)), 0)
    first[delivered + opened] = last[fork]
    heads = np.append(opened[1:], undelivered) - 1 + delivered if undelivered else opened
    return first, second, heads


def _authors(rng: np.random.Generator, people: People, delivery: Ints) -> Ints:
    """Position of each commit's address: branches belong to a person, activity has a tail, bots do 4 %."""
    team = rng.permutation(people.count)[: max(2, min(people.count, int(rng.lognormal(2.6, 0.9)) + 2))]
    activity = 1 / np.arange(1, len(team) + 1) ** 1.1
    commits = len(delivery)
    chosen = rng.choice(team, commits, p=activity / activity.sum())
    owner = rng.choice(team, int(delivery.max()) + 1, p=activity / activity.sum())
    person = np.where((delivery >= 0) & (rng.random(commits) < 0.9), owner[delivery], chosen)
    address = np.where(rng.random(commits) < 0.8, people.first[person], people.second[person])
    return np.where(rng.random(commits) < 0.04, rng.choice(people.bots, commits), address)
