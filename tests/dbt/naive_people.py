"""Who is who, the slow way: one pass per pair of addresses, no SQL. Knows only what the invented people need."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import Any

Row = dict[str, Any]
AGENTS = {
    "noreply@anthropic.com",
    "198982749+copilot@users.noreply.github.com",
}
GENERIC = {"root@localhost"}
# A login's address does not join by its name: these two were merged by somebody (invented_identities.USUAL).
DECIDED = {"ada@example.net", "12345+ada@users.noreply.github.com"}


def compared_name(name: str) -> str:
    """The name as it is compared."""
    folded = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return " ".join(w for w in re.split(r"[^a-z0-9\[\]]+", folded) if len(w) > 1)


def full_name(name: str) -> str | None:
    """The name as it is compared; None where it is too short to join anybody."""
    compared = compared_name(name)
    return compared if " " in compared else None


def is_robot(name: str, email: str) -> bool:
    return "[bot]" in name or email.lower() in AGENTS


def login(email: str) -> str | None:
    found = re.fullmatch(r"(?:\d+\+)?(.+)@users\.noreply\.github\.com", email.lower())
    return found[1] if found else None


def same(one: tuple[str, str], other: tuple[str, str]) -> bool:
    """Whether two addresses are joined directly."""
    if one[1].lower() == other[1].lower() and one[1].lower() not in GENERIC:
        return True
    if login(one[1]) and login(one[1]) == login(other[1]):
        return True
    if {one[1].lower(), other[1].lower()} == DECIDED:
        return True
    names = full_name(one[0]), full_name(other[0])
    are_free = not any(is_robot(*person) or login(person[1]) for person in (one, other))
    return names[0] is not None and names[0] == names[1] and are_free


def groups(people: list[tuple[str, str]]) -> dict[tuple[str, str], int]:
    """Number of the person behind each (name, address)."""
    number = {person: i for i, person in enumerate(people)}
    changed = True
    while changed:
        changed = False
        for one in people:
            for other in people:
                if number[one] != number[other] and (one == other or same(one, other)):
                    number[one] = number[other] = min(number[one], number[other])
                    changed = True
    return number


def regrouped(
    number: dict[tuple[str, str], int],
    apart: Sequence[set[tuple[str, str]]],
    together: Sequence[set[tuple[str, str]]],
) -> dict[tuple[str, str], int]:
    """The groups after splits (each a new person) and then merges (all whom one names are one)."""
    decided = dict(number)
    for place, people in enumerate(apart):
        decided |= {person: -1 - place for person in people if person in decided}
    for people in together:
        meant = {decided[person] for person in people}
        decided = {person: min(meant) if n in meant else n for person, n in decided.items()}
    return decided


def co_authors(commit: Row) -> list[tuple[str, str]]:
    found = []
    for trailer in commit["trailers"]:
        match = re.fullmatch(r"(.*?) <(.*)>", trailer["value"])
        if trailer["key"].lower() == "co-authored-by" and match:
            found.append((match[1], match[2]))
    return found


def shares(commit: Row, number: dict[tuple[str, str], int]) -> tuple[list[tuple[int, int]], bool]:
    """(person, millionths) with the author first, and whether the author is a robot."""
    robots = {number[p] for p in number if is_robot(*p)}
    author = number[commit["author_name"], commit["author_email"]]
    others = [number[p] for p in co_authors(commit)]
    people = [author] + [p for p in dict.fromkeys(others) if p != author and p not in robots]
    if commit["author_email"].lower() in AGENTS and len(people) > 1:
        people = people[1:]
    if len(people) == 1:
        return [(people[0], 1_000_000)], people[0] in robots
    first = max(500_000, 1_000_000 // len(people))
    rest, extra = divmod(1_000_000 - first, len(people) - 1)
    given = [(people[0], first)]
    given += [(p, rest + (1 if i < extra else 0)) for i, p in enumerate(people[1:])]
    return given, people[0] in robots
