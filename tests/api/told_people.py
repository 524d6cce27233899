"""Figures that can be computed from shown sums, by Gaussian elimination: the oracle of the minimum group size."""

from collections.abc import Hashable, Sequence
from collections.abc import Set as AbstractSet
from itertools import combinations

# Work that sums count together: anything, and last the person who did it.
Cell = tuple[Hashable, str]
# Large enough that a rank modulo it is the rank, but by an accident of one in millions.
_PRIME = 2**31 - 1


def rank(rows: Sequence[Sequence[int]]) -> int:
    """Rank of a matrix of integers."""
    left = [list(row) for row in rows]
    found = 0
    for column in range(len(rows[0]) if rows else 0):
        pivot = next((row for row in left if row[column]), None)
        if pivot is None:
            continue
        left.remove(pivot)
        inverse = pow(pivot[column], -1, _PRIME)
        left = [
            [(a - b * row[column] * inverse) % _PRIME for a, b in zip(row, pivot, strict=True)]
            if row[column]
            else row
            for row in left
        ]
        found += 1
    return found


def told(shown: Sequence[AbstractSet[Cell]], least: int) -> list[tuple[str, ...]]:
    """Groups of fewer than `least` people with work that the sums over these sets of cells reveal."""
    cells = sorted(set().union(*shown), key=repr)
    rows = [[int(cell in one) for cell in cells] for one in shown]
    everything = rank(rows)
    people = sorted({person for _, person in cells})
    found = []
    for size in range(1, least):
        for few in combinations(people, size):
            others = [number for number, (_, person) in enumerate(cells) if person not in few]
            # A combination that is zero for everybody else, and not zero.
            if everything > rank([[row[number] for number in others] for row in rows]):
                found.append(few)
    return found
