"""Selects the groups of a tree whose split by category is hidden, so that no sum reveals the work of few people.

A group shows its total and its split, its total alone, or nothing (hiding.py). A group with a category of too few
people never shows its split. That is not enough: a team's tests minus those of its sub-teams may be one person's work,
and the total of a sub-team that wrote only tests is its tests. A graph finds what a reader could compute:
- A sum of shown figures treats all work of one category below the same shown figures alike. It multiplies that work
  by one factor for the nearest group above that shows its split (per category), plus one factor for the nearest group
  above that shows its total alone (for all categories).
- Such work is a *line* of the graph between these two groups, or between one of them and the ground.
- A sum leaves a line out where the two factors add up to zero. A sum over fewer than `minimum_group_size` people would
  therefore cut the graph along lines of few people.
Ends that enough people connect are merged. Where a line remains between two different ends, one more split is hidden.
"""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from operator import add, or_
from typing import NamedTuple

from api.access.group_privacy.hiding import with_those_above
from api.control.categories import CATEGORIES

# The categories of a person as bits, and their numbers.
CATEGORY_BITS = {category: 1 << number for number, category in enumerate(CATEGORIES)}
EVERY_CATEGORY = sum(CATEGORY_BITS.values())
NUMBERS = [
    [number for number in range(len(CATEGORIES)) if bits >> number & 1] for bits in range(EVERY_CATEGORY + 1)
]
NOTHING = (0,) * len(CATEGORIES)
GROUND = 0


class Work(NamedTuple):
    """The work in a group itself: the number of people without work elsewhere by their categories, and the categories
    of each other person.
    """

    alone: Mapping[int, int]
    others: Mapping[Hashable, int]


def work_of(own: Mapping[str | None, Mapping[Hashable, int]]) -> dict[str | None, Work]:
    """The work of each group, from a row per person and group with its categories."""
    groups = Counter(person for people in own.values() for person in people)
    return {
        key: Work(
            Counter(bits for person, bits in people.items() if groups[person] == 1),
            {person: bits for person, bits in people.items() if groups[person] > 1},
        )
        for key, people in own.items()
    }


@dataclass(slots=True)
class _Line:
    """Work between two ends: categories by group; and the splits that make it a line, each with its category."""

    parts: dict[str | None, int]
    made_by: set[tuple[str | None, int]]

    def take(self, other: "_Line") -> None:
        for key, bits in other.parts.items():
            self.parts[key] = self.parts.get(key, 0) | bits
        self.made_by |= other.made_by


_Lines = dict[tuple[int, int], _Line]


@dataclass
class _Tree:
    """The groups that have work, by the group above them; None stands for all groups together."""

    below: Mapping[str | None, Sequence[str]]
    own: Mapping[str | None, Work]
    hidden: frozenset[str]
    minimum_group_size: int
    # Per category, the number of people in a group itself without work in other groups.
    alone: dict[str | None, list[int]] = field(default_factory=dict)
    # The number of people who did work of each category in a group and below it.
    whole: dict[str | None, list[int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for key, work in self.own.items():
            self.alone[key] = counts = [0] * len(CATEGORY_BITS)
            for bits, people in work.alone.items():
                for number in NUMBERS[bits]:
                    counts[number] += people
        self._sum_up(None)

    def _sum_up(self, key: str | None) -> tuple[list[int], Mapping[Hashable, int]]:
        """Fill `whole` for the group and all below it.

        Returns how many people with work in one group only worked on each category, and the categories of the others.
        """
        counts = list(self.alone.get(key, NOTHING))
        others = dict(self.own[key].others) if key in self.own else {}
        for child in self.below.get(key, ()):
            more, rest = self._sum_up(child)
            counts = list(map(add, counts, more))
            for person, bits in rest.items():
                others[person] = others.get(person, 0) | bits
        self.whole[key] = list(counts)
        for bits in others.values():
            for number in NUMBERS[bits]:
                self.whole[key][number] += 1
        return counts, others

    def has_few(self, key: str | None) -> bool:
        """Whether a category of the group has people, but fewer than the minimum."""
        return any(0 < people < self.minimum_group_size for people in self.whole[key])

    def are_enough(self, line: _Line) -> bool:
        """Whether at least `minimum_group_size` people did the work of a line."""
        number, others = 0, set[Hashable]()
        for key, categories in line.parts.items():
            work = self.own[key]
            number += sum(people for bits, people in work.alone.items() if bits & categories)
            others.update(person for person, bits in work.others.items() if bits & categories)
            if number + len(others) >= self.minimum_group_size:
                return True
        return False

    def size(self, key: str | None) -> tuple[int, str]:
        """The sort key that selects the smallest group."""
        return sum(self.whole[key]), key or ""


class _Ends:
    """The ends of lines as numbers. Ends that enough people connect are merged."""

    def __init__(self) -> None:
        self._leaders = [GROUND]

    def add(self, number: int) -> int:
        """Append `number` new ends. Returns the first of them."""
        first = len(self._leaders)
        self._leaders += range(first, first + number)
        return first

    def leader(self, end: int) -> int:
        """The representative of all ends that are merged with this one."""
        leaders = self._leaders
        while (above := leaders[end]) != end:
            leaders[end] = leaders[above]
            end = above
        return end

    def unite(self, one: int, other: int) -> None:
        """Merge two ends."""
        self._leaders[self.leader(one)] = self.leader(other)


def without_split(
    parents: Mapping[str, str | None],
    own: Mapping[str | None, Work],
    hidden: frozenset[str],
    minimum_group_size: int,
) -> frozenset[str | None]:
    """The groups of a tree with a hidden split; None when every split is hidden.

    `own` has the work of each group itself, and under None the work outside of groups. `hidden` are the groups with a
    hidden total, from `hide`. As there, a group whose parent is not in `parents` counts as a top group.
    """
    worked = {key: work for key, work in own.items() if work.alone or work.others}
    below = defaultdict[str | None, list[str]](list)
    keys = with_those_above(parents, worked)
    for key in sorted(keys):
        parent = parents[key]
        below[parent if parent in parents else None].append(key)
    tree = _Tree(below, worked, hidden, minimum_group_size)
    split = {key for key in (*keys, None) if key not in hidden and not tree.has_few(key)}
    while found := _to_hide(tree, split):
        split -= found
    return frozenset({*keys, None} - split)


def are_held_together(categories: int, held: Iterable[int]) -> bool:
    """Whether `without_split` hides only splits with a category of few people, for groups without sub-groups.

    `categories` are those of all work in groups without a split. `held` has the categories of enough people, for each
    such group with a shown total and for all hidden groups together. When shared categories connect all of these,
    every difference is the work of enough people. This quick test can miss cases that the full search finds.
    """
    together: list[int] = []
    for bits in held:
        met = [one for one in together if one & bits]
        together = [*(one for one in together if not one & bits), reduce(or_, met, bits)]
    return not categories or any(categories & bits == categories for bits in together)


def _to_hide(tree: _Tree, split: set[str | None]) -> set[str | None]:
    """The splits to hide next; empty when no reader can compute the work of too few people."""
    ends = _Ends()
    places, inner = _places(tree, split, ends)
    found: dict[str | None, str | None] = {}
    for line in _weak(tree, ends, _lines(tree, places, ends)):
        for key, number in line.made_by:
            # Hide the smallest part with work of the category, so that it cannot be subtracted; without one, the whole.
            parts = [part for part in inner.get(key, ()) if tree.whole[part][number]]
            found.setdefault(key, min(parts, key=tree.size) if parts else key)
    return set(found.values())


class _Place(NamedTuple):
    """The ends of a group's own work: the nearest total alone, and the nearest split with an end per category."""

    key: str | None
    total: int
    split: str | None
    # The ends of the other categories follow this one. GROUND without a split.
    first_end: int


def _places(
    tree: _Tree, split: set[str | None], ends: _Ends
) -> tuple[list[_Place], Mapping[str | None, Sequence[str]]]:
    """The place of the work of each group, and the splits directly inside each split."""
    places: list[_Place] = []
    inner = defaultdict[str | None, list[str]](list)

    def visit(key: str | None, total: int, above: str | None, first_end: int) -> None:
        if key in split:
            if first_end != GROUND and key is not None:
                inner[above].append(key)
            above, first_end = key, ends.add(len(CATEGORIES))
        elif key not in tree.hidden:
            total = ends.add(1)
        if key in tree.own:
            places.append(_Place(key, total, above, first_end))
        for child in tree.below.get(key, ()):
            visit(child, total, above, first_end)

    visit(None, GROUND, None, GROUND)
    return places, inner


def _lines(tree: _Tree, places: Sequence[_Place], ends: _Ends) -> _Lines:
    """The lines, except where one group alone has enough people: the ends of such a line are merged instead."""
    few: list[tuple[int, int, _Line]] = []
    for key, total, _, first_end in places:
        if first_end != GROUND:
            for number, people in enumerate(tree.alone[key]):
                if people >= tree.minimum_group_size:
                    ends.unite(total, first_end + number)
    for key, total, split, first_end in places:
        if first_end == GROUND:
            few.append((GROUND, total, _Line({key: EVERY_CATEGORY}, set())))
            continue
        seldom = 0
        for bits in tree.own[key].others.values():
            seldom |= bits
        held = ends.leader(total)
        for number, people in enumerate(tree.alone[key]):
            if (people or seldom >> number & 1) and ends.leader(first_end + number) != held:
                few.append((total, first_end + number, _Line({key: 1 << number}, {(split, number)})))
    return _merged(ends, few)


def _merged(ends: _Ends, lines: Iterable[tuple[int, int, _Line]]) -> _Lines:
    """The lines between different ends, with all lines between the same two ends as one."""
    merged: _Lines = {}
    for first, second, line in lines:
        one, other = ends.leader(first), ends.leader(second)
        between = (one, other) if one < other else (other, one)
        if one == other:
            continue
        if between in merged:
            merged[between].take(line)
        else:
            merged[between] = line
    return merged


def _weak(tree: _Tree, ends: _Ends, lines: _Lines) -> Iterable[_Line]:
    """The edges with too few people, after merging nodes that are connected by enough people."""
    while strong := [between for between, line in lines.items() if tree.are_enough(line)]:
        for one, other in strong:
            ends.unite(one, other)
        lines = _merged(ends, ((*between, line) for between, line in lines.items()))
    return lines.values()
