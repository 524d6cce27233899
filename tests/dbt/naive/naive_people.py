"""The rules of identity in plain loops over pairs of addresses. Covers only the cases of the invented people."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Sequence
from itertools import combinations
from typing import Any

Row = dict[str, Any]
Person = tuple[str, str]
AGENTS = {
    "noreply@anthropic.com",
    "198982749+copilot@users.noreply.github.com",
}
GENERIC = {"root@localhost"}
# The generic names that occur among the invented people.
GENERIC_NAMES = {"root", "admin", "claude", "devin"}


def compared_name(name: str) -> str:
    """The normalized form of a name."""
    folded = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return " ".join(w for w in re.split(r"[^a-z0-9\[\]]+", folded) if len(w) > 1)


def full_name(name: str) -> str | None:
    """The normalized form of a full name; None if it is too short to join people."""
    compared = compared_name(name)
    return compared if " " in compared else None


def is_robot(name: str, email: str) -> bool:
    return "[bot]" in name or email.lower() in AGENTS


def account(email: str) -> tuple[str, str, str] | None:
    """Host, number and login of an address; None if it names no login."""
    mailbox, _, host = email.lower().partition("@")
    if not host.startswith(("users.noreply.", "noreply.")):
        return None
    number, mark, rest = mailbox.partition("+" if "+" in mailbox else "-")
    return (host, number, rest) if mark and number.isdigit() else (host, "", mailbox)


def is_one_account(one: str, other: str) -> bool:
    """Whether two addresses belong to the same login of a host."""
    left, right = account(one), account(other)
    if left is None or right is None or left[0] != right[0]:
        return False
    return left[2] == right[2] or left[1] == right[1] != ""


def proven_addresses(people: Sequence[Person], members: Collection[str]) -> set[str]:
    """The verified addresses of members, and all addresses of the same logins."""
    used = {email.lower() for _, email in people}
    proven = {email.lower() for email in members} & used
    while more := {email for email in used - proven if any(is_one_account(email, one) for one in proven)}:
        proven |= more
    return proven


def logins_called(name: str, people: Sequence[Person]) -> set[str]:
    """The login with this display name, as a set of one; empty if none or several have it."""
    called = unicodedata.normalize("NFKD", name.strip()).encode("ascii", "ignore").decode().lower()
    if len(called) < 3 or called in GENERIC_NAMES:
        return set()
    humans = [person for person in people if not is_robot(*person)]
    hosts = {of[0] for _, email in humans if (of := account(email)) and of[2] == called}
    mailboxes = {
        email.lower()
        for other, email in humans
        if account(email) is None
        and unicodedata.normalize("NFKD", other.strip()).encode("ascii", "ignore").decode().lower() == called
    }
    return {called} if len(hosts) == len(mailboxes) == 1 else set()


def units(people: Sequence[Person]) -> dict[Person, int]:
    """Number of the address or login of each (name, address), which nobody can take by writing a name."""
    pairs = [
        (one, other)
        for one, other in combinations(people, 2)
        if one[1].lower() == other[1].lower() not in GENERIC or is_one_account(one[1], other[1])
    ]
    return _connected(people, pairs)


def attachments(
    people: Sequence[Person], proven: Collection[str]
) -> tuple[dict[Person, Person], dict[str, set[int]]]:
    """The vouched person to whom a name adds an address, and the vouched units with each full name."""
    unit = units(people)
    humans = [person for person in people if not is_robot(*person)]
    vouched: dict[str, set[int]] = {}
    for person in humans:
        if person[1].lower() in proven and (name := full_name(person[0])):
            vouched.setdefault(name, set()).add(unit[person])
    claims: dict[int, set[int]] = {}
    for person in humans:
        if person[1].lower() not in proven:
            claims.setdefault(unit[person], set()).update(vouched.get(full_name(person[0]) or "", ()))
    first = {number: person for person, number in reversed(unit.items())}
    attached = {
        person: first[min(claims[unit[person]])]
        for person in humans
        if person[1].lower() not in proven and len(claims[unit[person]]) == 1
    }
    return attached, vouched


def same(
    one: Person,
    other: Person,
    people: Sequence[Person],
    proven: Collection[str] = (),
    taken: Collection[str] = (),
) -> bool:
    """Whether the rules join two people directly. `taken`: full names of vouched people."""
    emails = one[1].lower(), other[1].lower()
    if AGENTS.issuperset(emails):
        return True
    if emails[0] == emails[1] and emails[0] not in GENERIC:
        return True
    if is_one_account(*emails):
        return True
    if any(is_robot(*person) or person[1].lower() in proven for person in (one, other)):
        return False
    names = full_name(one[0]), full_name(other[0])
    if names[0] is not None and names[0] == names[1] and names[0] not in taken:
        return True
    return any(
        account(left[1]) is None and (of := account(right[1])) and of[2] in logins_called(left[0], people)
        for left, right in ((one, other), (other, one))
    )


def groups(people: list[Person], members: Collection[str] = ()) -> dict[Person, int]:
    """Number of the person of each (name, address)."""
    proven = proven_addresses(people, members)
    attached, vouched = attachments(people, proven)
    owned = proven | {email.lower() for _, email in attached}
    pairs = [
        (one, other)
        for one, other in combinations(people, 2)
        if one == other or same(one, other, people, owned, vouched)
    ]
    return _connected(people, [*pairs, *attached.items()])


def _connected(people: Sequence[Person], pairs: Sequence[tuple[Person, Person]]) -> dict[Person, int]:
    number = {person: i for i, person in enumerate(people)}
    before: dict[Person, int] = {}
    while before != number:
        before = dict(number)
        for one, other in pairs:
            number[one] = number[other] = min(number[one], number[other])
    return number


def regrouped(
    number: dict[Person, int],
    apart: Sequence[set[Person]],
    together: Sequence[set[Person]],
) -> dict[Person, int]:
    """The groups after splits (each a new person) and then merges (one person each)."""
    decided = dict(number)
    for place, people in enumerate(apart):
        decided |= {person: -1 - place for person in people if person in decided}
    for people in together:
        meant = {decided[person] for person in people}
        decided = {person: min(meant) if n in meant else n for person, n in decided.items()}
    return decided


def co_authors(commit: Row) -> list[Person]:
    found = []
    for trailer in commit["trailers"]:
        match = re.fullmatch(r"(.*?) <(.*)>", trailer["value"])
        if trailer["key"].lower() == "co-authored-by" and match:
            found.append((match[1], match[2]))
    return found


def shares(
    commit: Row, number: dict[Person, int], known_robots: Collection[Person] = ()
) -> tuple[list[tuple[int, int]], bool]:
    """(person, millionths) with the author first, and whether the author is a robot.

    People said that `known_robots` are robots.
    """
    robots = {number[p] for p in number if is_robot(*p) or p in known_robots}
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
