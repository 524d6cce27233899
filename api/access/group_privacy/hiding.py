"""Selects the groups of a tree to hide, so that neither a figure nor a difference reveals the work of few people."""

from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

Group = TypeVar("Group", bound=Hashable)
NO_OTHERS: frozenset[Hashable] = frozenset()


class People(NamedTuple):
    """The people of groups: the number of people who worked in only one group, and the other people by id.

    Nearly everybody works in one team, so thousands of people are joined by adding numbers.
    """

    alone: int = 0
    others: frozenset[Hashable] = NO_OTHERS

    @property
    def number(self) -> int:
        """The number of people."""
        return self.alone + len(self.others)


def joined(people: Iterable[People]) -> People:
    """The people of different groups together."""
    parts = list(people)
    return People(
        sum(part.alone for part in parts), NO_OTHERS.union(*(part.others for part in parts if part.others))
    )


def people_of(own: Mapping[Group, Collection[Hashable]]) -> dict[Group, People]:
    """The people of each group, from a row per person and group."""
    groups = Counter(person for people in own.values() for person in people)
    return {
        key: People(
            sum(1 for person in people if groups[person] == 1),
            frozenset(person for person in people if groups[person] > 1),
        )
        for key, people in own.items()
    }


@dataclass(slots=True)
class _Node:
    """A part of the tree: its people, and the people of the rest after its shown parts are subtracted."""

    people: People
    rest: People
    # Shown parts that are in no other shown part, by id.
    shown: dict[str, "_Node"] = field(default_factory=dict)


def hide(parents: Mapping[str, str | None], own: Mapping[str | None, People], least: int) -> frozenset[str]:
    """The hidden groups of a tree.

    `own` has the people of each group itself, and under None the people without a group. A group whose parent is not
    in `parents` counts as a top group; people of an unknown group count as people without a group.
    """
    worked = {key: people for key, people in own.items() if people.number}
    below = defaultdict[str | None, list[str]](list)
    for key in sorted(with_those_above(parents, worked)):
        parent = parents[key]
        below[parent if parent in parents else None].append(key)
    found: set[str] = set()

    def visit(key: str | None, people: People) -> _Node:
        parts, rests = [people], [people]
        shown: dict[str, _Node] = {}
        for child in below.get(key, ()):
            at = worked.get(child, People())
            part = visit(child, at) if child in below else _Node(at, at)
            parts.append(part.people)
            if child in found or part.people.number < least:
                found.add(child)
                shown |= part.shown
                rests.append(part.rest)
            else:
                shown[child] = part
        rest = joined(rests)
        while 0 < rest.number < least and shown:
            smallest = min(shown, key=lambda one: (shown[one].people.number, one))
            taken = shown.pop(smallest)
            found.add(smallest)
            shown |= taken.shown
            rest = joined([rest, taken.rest])
        return _Node(joined(parts), rest, shown)

    visit(None, joined(people for group, people in worked.items() if group not in parents))
    return frozenset(found)


def with_those_above(parents: Mapping[str, str | None], keys: Iterable[str | None]) -> set[str]:
    """These groups of a tree, and every group above them."""
    found: set[str] = set()
    for key in keys:
        above = key
        while above is not None and above in parents and above not in found:
            found.add(above)
            above = parents[above]
    return found
