"""Joins of addresses by name, mailmap and verified login, against plain loops over pairs."""

from __future__ import annotations

import random
from collections import defaultdict
from pathlib import Path

import pytest

from tests.dbt import warehouse
from tests.dbt.invented import invented_lake
from tests.dbt.invented.invented_history import History
from tests.dbt.invented.invented_identities import Decisions, Person, developer_id, split_id
from tests.dbt.naive import naive_people

WHO = "select developer_id, name, address, reason from int_identity__developers"


def pair_of(name: str) -> tuple[Person, Person]:
    """Two addresses with one full name, on hosts without logins."""
    first, last = name.split()
    return (name, f"{first}@{last}.example".lower()), (
        f"{first}  {last.upper()}",
        f"{last}@work.example".lower(),
    )


def ids_of(name: str) -> list[str]:
    return [developer_id(email) for _, email in pair_of(name)]


def test_a_name_joins_unless_a_member_or_a_decision_forbids_it(tmp_path: Path) -> None:
    """Each pair of addresses is a case: whether it is one developer, and whether a merge is suggested."""
    cases = {
        "Jane Roe": (True, False),
        "Mary Member": (False, True),
        "Mona Member": (False, True),
        "Olga Merged": (True, False),
        "Nora Dismissed": (False, False),
        # A split pair is not suggested again, although the names are equal.
        "Peter Parted": (False, False),
        "Rita Rejoined": (True, False),
        # A merge with somebody who is not there does nothing.
        "Tina Lonely": (True, False),
    }
    identities = Decisions(
        members=[
            pair_of("Mary Member")[0][1].upper(), pair_of("Mona Member")[1][1], pair_of("Olga Merged")[0][1],
            pair_of("Nora Dismissed")[0][1], "somebody@else.example",
        ],
        merges={
            "olga": ids_of("Olga Merged"), "rita": [ids_of("Rita Rejoined")[0], split_id("rita")],
            "tina": [ids_of("Tina Lonely")[1], developer_id("gone")],
        },
        splits={"peter": [pair_of("Peter Parted")[1]], "rita": [pair_of("Rita Rejoined")[1]]},
        dismissals={"nora": ids_of("Nora Dismissed")},
    )  # fmt: skip
    history = History("acme/small", seed=1)
    for name in cases:
        for person in pair_of(name):
            history.say("Change the parser", author=person)
    invented_lake.write(tmp_path / "raw", [history.finish()], identities=identities)
    file = warehouse.build(tmp_path / "raw", tmp_path, select="+int_identity__suggestions")
    developers = {(row["name"], row["address"]): row["developer_id"] for row in warehouse.rows(file, WHO)}
    suggested, found = _pairs(file), {}
    for name in cases:
        one, other = (developers[person] for person in pair_of(name))
        ways = {
            (one, other, f"SAME_FULL_NAME:{name.lower()}"),
            (other, one, f"SAME_FULL_NAME:{name.lower()}"),
        }
        assert suggested & ways in (set(), ways)
        found[name] = one == other, ways <= suggested
        suggested -= ways
    assert found == cases
    assert suggested == set()


def test_a_mailmap_joins_its_writers_and_suggests_what_a_member_has_verified(tmp_path: Path) -> None:
    """Letters are addresses. Each has a different name, so that no other rule joins them."""
    people = {letter: (f"P{letter}", f"{letter}@x.example") for letter in "abcdefghi"}
    people["login"] = ("Plogin", "1+login@users.noreply.github.com")
    here, elsewhere = History("acme/here", seed=1), History("acme/elsewhere", seed=2)
    for person in people.values():
        (elsewhere if person == people["g"] else here).say("Change the parser", author=person)
    for commit, proper in (*zip("acdfg", "bbeeh", strict=True), ("i", "login")):
        here.map(people[commit][1].upper(), people[proper][1])
    identities = Decisions(members=[people["e"][1]])
    invented_lake.write(tmp_path / "raw", [here.finish(), elsewhere.finish()], identities=identities)
    file = warehouse.build(tmp_path / "raw", tmp_path, select="+int_identity__suggestions")
    developer = {row["address"]: row["developer_id"] for row in warehouse.rows(file, WHO)}
    reasons = {row["address"]: row["reason"] for row in warehouse.rows(file, WHO)}
    of = {letter: developer[address] for letter, (_, address) in people.items()}
    assert of["a"] == of["b"] == of["c"]
    assert sorted(reasons[people[letter][1]] for letter in "abc") == ["FIRST_USED", "MAILMAP", "MAILMAP"]
    # An address of a host is joined like any other.
    assert of["i"] == of["login"]
    assert reasons[people["login"][1]] == "MAILMAP"
    assert len({of[letter] for letter in ("a", "d", "e", "f", "g", "h", "i")}) == 7
    e = people["e"][1]
    ways = [("d", "e", e), ("d", "f", e), ("e", "f", e)]
    expected = {(of[one], of[other], f"MAILMAP:{proper}") for one, other, proper in ways}
    assert _pairs(file) == expected | {(other, one, reason) for one, other, reason in expected}


LOGINS = ("octocat", "josé", "ann-lee", "Zo", "Admin", "Claude")
NAMES = ("Ann Lee", "ann  LEE", "Ann B. Lee", "Bo Ek", "helper[bot]", *LOGINS)
HOSTS = ("users.noreply.github.com", "noreply.codeberg.example")


@pytest.mark.parametrize("seed", range(3))
def test_random_people_equal_those_of_loops_over_pairs(tmp_path: Path, seed: int) -> None:
    """Sixty families of two to six addresses, which share names only within the family."""
    chance = random.Random(seed)
    people, members = list[Person](), list[str]()
    for family in range(60):
        own = [_random_person(chance, family + 10) for _ in range(chance.randint(2, 6))]
        people += own
        members += chance.sample([email for _, email in own], k=chance.choice((0, 0, 1)))
    people = list(dict.fromkeys((name, email.lower()) for name, email in people))
    history = History("acme/families", seed=1)
    for person in people:
        history.say("Change the parser", author=person)
    identities = Decisions(members=members)
    invented_lake.write(tmp_path / "raw", [history.finish()], identities=identities)
    file = warehouse.build(tmp_path / "raw", tmp_path, select="+int_identity__suggestions")
    found = defaultdict(set)
    for row in warehouse.rows(file, WHO):
        found[row["developer_id"]].add((row["name"], row["address"]))
    groups = defaultdict(set)
    for person, number in naive_people.groups(people, members).items():
        groups[number].add(person)
    assert sorted(map(sorted, found.values())) == sorted(map(sorted, groups.values()))
    reasons = {row["reason"] for row in warehouse.rows(file, WHO)}
    assert reasons == {"FIRST_USED", "SAME_ADDRESS", "SAME_LOGIN", "SAME_FULL_NAME", "NAME_IS_LOGIN"}


LETTERS = str.maketrans("0123456789", "qwrtpsdfgh")


def _random_person(chance: random.Random, family: int) -> Person:
    """A name and address from the few of a family; all families share generic and short ones."""
    letters = str(family).translate(LETTERS)

    def own(word: str) -> str:
        return (
            word
            if word in ("Admin", "Claude", "helper[bot]")
            else letters
            if word == "Zo"
            else word + letters
        )

    login = own(chance.choice(LOGINS)).replace("é", "e")
    number = chance.choice(("", f"{chance.randint(1, 3)}{family}+"))
    mailbox, host = f"{chance.randint(1, 2)}@{letters}.example", f"{number}{login}@{chance.choice(HOSTS)}"
    return own(chance.choice(NAMES)), mailbox if login in ("Admin", "Claude") else chance.choice(
        (mailbox, host)
    )


def test_a_name_joins_no_address_to_a_verified_login(tmp_path: Path) -> None:
    """Commits of Mallory under Ann's name, or with her login as name, stay Mallory's."""
    verified, former = "7+annlee@users.noreply.github.com", "annlee@users.noreply.github.com"
    people = [
        ("Ann Lee", verified),
        ("Ann Lee", former),
        ("Ann Lee", "m@evil.example"),
        ("annlee", "n@evil.example"),
    ]
    history = History("acme/small", seed=1)
    for person in people:
        history.say("Change the parser", author=person)
    found = {}
    repository = history.finish()
    for folder, members in ((tmp_path / "before", []), (tmp_path / "after", [verified])):
        invented_lake.write(folder / "raw", [repository], identities=Decisions(members=members))
        file = warehouse.build(folder / "raw", folder, select="+int_identity__suggestions")
        developers = {(row["name"], row["address"]): row["developer_id"] for row in warehouse.rows(file, WHO)}
        numbers = list(dict.fromkeys(developers.values()))
        found[bool(members)] = (
            [numbers.index(developers[person]) for person in people],
            {reason for *_, reason in _pairs(file)},
        )
    assert found[False] == ([0, 0, 0, 0], set())
    (one, same, *others), suggested = found[True]
    assert one == same
    assert len({one, *others}) == 3
    assert suggested == {"SAME_FULL_NAME:ann lee", "NAME_IS_LOGIN:annlee"}


def _pairs(file: Path) -> set[tuple[str, ...]]:
    query = "select developer_id, suggested_developer_id, reason from int_identity__suggestions"
    return {tuple(row.values()) for row in warehouse.rows(file, query)}
