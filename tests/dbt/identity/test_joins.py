"""Joins of addresses by name, mailmap and verified login, against plain loops over pairs.

All cases are people of one organization who share no name and no address with those of another case.
"""

from __future__ import annotations

import random
from collections import defaultdict
from dataclasses import replace
from pathlib import Path

import pytest

from tests.dbt import warehouse
from tests.dbt.invented import invented_lake
from tests.dbt.invented.invented_history import History
from tests.dbt.invented.invented_identities import Decisions, Person, developer_id, split_id
from tests.dbt.naive import naive_people

WHO = "select developer_id, name, address, reason from int_identity__developers"
SEEDS = range(3)


def pair_of(name: str) -> tuple[Person, Person]:
    """Two addresses with one full name, on hosts without logins."""
    first, last = name.split()
    return (name, f"{first}@{last}.example".lower()), (
        f"{first}  {last.upper()}",
        f"{last}@work.example".lower(),
    )


def ids_of(name: str) -> list[str]:
    return [developer_id(email) for _, email in pair_of(name)]


# Each pair of addresses is a case: whether it is one developer, and whether a merge is suggested.
PAIRS = {
    "Jane Roe": (True, False),
    # What a member verified gains the other address, unless that one is verified too.
    "Mary Mailbox": (True, False),
    "Mona Member": (True, False),
    "Vera Verified": (False, True),
    "Olga Merged": (True, False),
    # Neither joined nor suggested once an administrator has said that they are two.
    "Nora Dismissed": (False, False),
    # A split pair is not suggested again, although the names are equal.
    "Peter Parted": (False, False),
    "Rita Rejoined": (True, False),
    # A merge with somebody who is not there does nothing.
    "Tina Lonely": (True, False),
}
OF_PAIRS = Decisions(
    members=[
        pair_of("Mary Mailbox")[0][1].upper(), pair_of("Mona Member")[1][1], pair_of("Olga Merged")[0][1],
        pair_of("Nora Dismissed")[0][1], "somebody@else.example", *(who for _, who in pair_of("Vera Verified")),
    ],
    merges={
        "olga": ids_of("Olga Merged"), "rita": [ids_of("Rita Rejoined")[0], split_id("rita")],
        "tina": [ids_of("Tina Lonely")[1], developer_id("gone")],
    },
    splits={"peter": [pair_of("Peter Parted")[1]], "rita": [pair_of("Rita Rejoined")[1]]},
    dismissals={"nora": ids_of("Nora Dismissed")},
)  # fmt: skip
# Letters are addresses. Each has a different name, so that no other rule joins them.
MAPPED = {letter: (f"P{letter}", f"{letter}@x.example") for letter in "abcdefghi"}
MAPPED["login"] = ("Plogin", "1+login@users.noreply.github.com")
# Commits of Mallory under the name of a person, or with her login as name: Ann has verified her login, Bea has not.
ROBBED = {
    login: [
        (name, f"{number}+{login}@users.noreply.github.com"),
        (name, f"{login}@users.noreply.github.com"),
        (name, f"m@{login}.example"),
        (login, f"n@{login}.example"),
    ]
    for number, (name, login) in enumerate([("Ann Lee", "annlee"), ("Bea Day", "beaday")], start=7)
}
# Two people at one machine, whom the mailmap of their repository tells apart.
STATION = [
    ("Greta Moll", "greta.moll@x.example"), ("Hugo Lenz", "hugo.lenz@x.example"),
    ("Greta", "pairing.station@x.example"), ("Hugo", "pairing.station@x.example"),
]  # fmt: skip
# One person under ten names, and others with two of them.
TREES = ("ash", "birch", "cedar", "elm", "fir", "holly", "larch", "oak", "pine", "yew")
RENAMED = [(f"Cara {tree}", "cara@y.example") for tree in TREES]
NAMESAKES = [("Cara Ash", "ash@z.example"), ("Cara Yew", "yew@z.example")]
LOGINS = ("octocat", "josé", "ann-lee", "Zo", "Admin", "Claude")
NAMES = ("Ann Lee", "ann  LEE", "Ann B. Lee", "Bo Ek", "helper[bot]", *LOGINS)
HOSTS = ("users.noreply.github.com", "noreply.codeberg.example")
LETTERS = str.maketrans("0123456789", "qwrtpsdfgh")


def families(seed: int) -> tuple[list[Person], list[str]]:
    """Sixty families of two to six addresses, which share names only within the family, and addresses of members."""
    chance = random.Random(seed)
    people, members = list[Person](), list[str]()
    for family in range(60):
        own = [_random_person(chance, 100 * seed + family + 10) for _ in range(chance.randint(2, 6))]
        people += own
        members += chance.sample([email for _, email in own], k=chance.choice((0, 0, 1)))
    return list(dict.fromkeys((name, email.lower()) for name, email in people)), members


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


@pytest.fixture(scope="module")
def joined(tmp_path_factory: pytest.TempPathFactory) -> Path:
    here, elsewhere = History("acme/here", seed=1), History("acme/elsewhere", seed=2)
    for person in MAPPED.values():
        (elsewhere if person == MAPPED["g"] else here).say("Change the parser", author=person)
    for commit, proper in (*zip("acdfg", "bbeeh", strict=True), ("i", "login")):
        here.map(MAPPED[commit][1].upper(), MAPPED[proper][1])
    of_families = [families(seed) for seed in SEEDS]
    people = [person for name in PAIRS for person in pair_of(name)]
    people += [person for robbed in ROBBED.values() for person in robbed]
    people += [person for family, _ in of_families for person in family]
    for person in (*people, *STATION, *RENAMED, *NAMESAKES):
        here.say("Change the parser", author=person)
    for (name, station), (_, own) in zip(STATION[2:], STATION[:2], strict=True):
        here.map(station, own, name)
    members = [*OF_PAIRS.members, MAPPED["e"][1], ROBBED["annlee"][0][1]]
    members += [email for _, own in of_families for email in own]
    identities = replace(OF_PAIRS, members=members)
    folder = tmp_path_factory.mktemp("joined")
    invented_lake.write(folder / "raw", [here.finish(), elsewhere.finish()], identities=identities)
    return warehouse.build(folder / "raw", folder, select="+int_identity__suggestions")


@pytest.fixture(scope="module")
def developers(joined: Path) -> dict[Person, str]:
    return {(row["name"], row["address"]): row["developer_id"] for row in warehouse.rows(joined, WHO)}


def suggestions(joined: Path, developers: set[str]) -> set[tuple[str, ...]]:
    """Suggested merges of some developers: both, and the reason."""
    query = "select developer_id, suggested_developer_id, reason from int_identity__suggestions"
    found = {tuple(row.values()) for row in warehouse.rows(joined, query)}
    return {one for one in found if developers & set(one[:2])}


def test_a_name_joins_unless_a_member_or_a_decision_forbids_it(
    joined: Path, developers: dict[Person, str]
) -> None:
    found = {}
    suggested = suggestions(joined, {developers[person] for name in PAIRS for person in pair_of(name)})
    for name in PAIRS:
        one, other = (developers[person] for person in pair_of(name))
        ways = {
            (one, other, f"SAME_FULL_NAME:{name.lower()}"),
            (other, one, f"SAME_FULL_NAME:{name.lower()}"),
        }
        assert suggested & ways in (set(), ways)
        found[name] = one == other, ways <= suggested
        suggested -= ways
    assert found == PAIRS
    assert suggested == set()


def test_a_mailmap_joins_its_writers_and_suggests_what_a_member_has_verified(
    joined: Path, developers: dict[Person, str]
) -> None:
    reasons = {row["address"]: row["reason"] for row in warehouse.rows(joined, WHO)}
    of = {letter: developers[person] for letter, person in MAPPED.items()}
    assert of["a"] == of["b"] == of["c"]
    assert sorted(reasons[MAPPED[letter][1]] for letter in "abc") == ["FIRST_USED", "MAILMAP", "MAILMAP"]
    # An address of a host is joined like any other.
    assert of["i"] == of["login"]
    assert reasons[MAPPED["login"][1]] == "MAILMAP"
    assert len({of[letter] for letter in ("a", "d", "e", "f", "g", "h", "i")}) == 7
    e = MAPPED["e"][1]
    ways = [("d", "e", e), ("d", "f", e), ("e", "f", e)]
    expected = {(of[one], of[other], f"MAILMAP:{proper}") for one, other, proper in ways}
    expected |= {(other, one, reason) for one, other, reason in expected}
    assert suggestions(joined, set(of.values())) == expected


def test_a_mailmap_with_names_tells_the_people_of_an_address_apart(developers: dict[Person, str]) -> None:
    greta, hugo, at_station, hugo_at_station = (developers[person] for person in STATION)
    assert greta == at_station
    assert hugo == hugo_at_station
    assert greta != hugo


def test_an_address_with_many_names_is_one_developer_and_its_names_join_nobody(
    developers: dict[Person, str],
) -> None:
    assert len({developers[person] for person in RENAMED}) == 1
    assert len({developers[person] for person in (*RENAMED, *NAMESAKES)}) == 3


@pytest.mark.parametrize("seed", SEEDS)
def test_random_people_equal_those_of_loops_over_pairs(
    joined: Path, developers: dict[Person, str], seed: int
) -> None:
    people, members = families(seed)
    ours = {developers[person] for person in people}
    found = defaultdict(set)
    for person, developer in developers.items():
        if developer in ours:
            found[developer].add(person)
    groups = defaultdict(set)
    for person, number in naive_people.groups(people, members).items():
        groups[number].add(person)
    assert sorted(map(sorted, found.values())) == sorted(map(sorted, groups.values()))
    reasons = {row["reason"] for row in warehouse.rows(joined, WHO) if row["developer_id"] in ours}
    assert reasons == {"FIRST_USED", "SAME_ADDRESS", "SAME_LOGIN", "SAME_FULL_NAME", "NAME_IS_LOGIN"}


def test_a_verified_login_gains_what_has_its_name_and_no_bare_login(
    joined: Path, developers: dict[Person, str]
) -> None:
    """An address without owner under the full name is Ann's. Mallory's, under the bare login, only suggests."""
    numbers: dict[str, list[int]] = {}
    for login, people in ROBBED.items():
        own = [developers[person] for person in people]
        numbers[login] = [list(dict.fromkeys(own)).index(developer) for developer in own]
    assert numbers == {"annlee": [0, 0, 0, 1], "beaday": [0, 0, 0, 0]}
    suggested = {
        login: {reason for *_, reason in suggestions(joined, {developers[person] for person in people})}
        for login, people in ROBBED.items()
    }
    assert suggested == {"annlee": {"NAME_IS_LOGIN:annlee"}, "beaday": set()}
