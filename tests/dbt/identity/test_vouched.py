"""Joins of addresses to people whose logins a connected host vouches for, and rows that are nobody's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.dbt import warehouse
from tests.dbt.invented import invented_lake, invented_pull_requests
from tests.dbt.invented.invented_history import History
from tests.dbt.invented.invented_identities import Decisions, Person
from tests.dbt.invented.invented_pull_requests import CONNECTION, pull_request, repository, source_commit
from tests.dbt.invented.invented_trackers import Trackers, connection

# By login. The host gives these addresses to the accounts.
VOUCHED: dict[str, Person] = {
    "annlee": ("Ann Lee", "ann@corp.example"),
    "lea": ("Lea Moss", "lea@corp.example"),
    "bo1": ("Bo Ekman", "bo1@corp.example"),
    "bo2": ("Bo Ekman", "bo2@corp.example"),
    "cydow": ("Cy Dow", "cy@corp.example"),
    "dielm": ("Di Elm", "di@corp.example"),
    "mallory": ("Mal Ory", "mal@corp.example"),
    "evefay": ("Eve Fay", "eve@corp.example"),
    "octo": ("octo", "octo@corp.example"),
    "ivyjoy": ("Ivy Joy", "ivy@corp.example"),
}
ANN_AT_HOME = ("ann LEE", "ann@home.example")
LEA_AT_HOME = ("Lea Moss", "lea@home.example")
BO_AT_HOME, OLD_BO = ("Bo Ekman", "bo@home.example"), ("Bo Ekman", "bo@old.example")
CY_AT_HOME = ("Cy Dow", "cy@home.example")
PAIR = [("Cy Dow", "pair@corp.example"), ("Di Elm", "pair@corp.example")]
# Mallory writes under a further address, under the name of a colleague, and a mailmap.
MALLORYS = ("Mal Ory", "m2@else.example")
AS_ROB = ("Rob Roe", "mal@corp.example")
ROB = [("Rob Roe", "rob@home.example"), ("Rob Roe", "rob@old.example")]
MAPPED = ("Mapped Person", "mapped@old.example")
EVES = [("Eve Fay", "e2@else.example"), ("Gus Hay", "e2@else.example")]
GUS = ("Gus Hay", "gus@home.example")
OCTO = ("octo", "octo@home.example")
# A maintainer applied a patch of each of two colleagues under the own address. The host knows one of them.
MAINTAINER = ("Mo Applier", "mo@home.example")
APPLIED = [("Ann Lee", MAINTAINER[1]), ("Una Known", MAINTAINER[1])]
UNA = ("Una Known", "una@home.example")
# People who commit under the names of their programs.
IVYS_AGENT = ("Claude Opus 4.5", "ivy@corp.example")
KIT, KITS_AGENT = ("Kit Lux", "kit@home.example"), ("Claude Opus 4.5", "kit@home.example")
KITS_LOGIN = ("Claude Sonnet 4", "7+kitlux@users.noreply.github.com")
AGENTS = [
    ("Claude", "noreply@anthropic.com"),
    ("copilot-swe-agent[bot]", "198982749+Copilot@users.noreply.github.com"),
    ("Devin AI", "158243242+devin-ai-integration[bot]@users.noreply.github.com"),
    ("aider", "aider@aider.chat"),
    ("Claude Opus 4.5", "opus@nowhere.example"),
]
NOBODY = [("(no author)", ""), ("(no author)", "(no author)@5c0d3b1e-7a11-4f0e-9d3c-2b1a90aa1c22")]
# Suggested, never joined.
SIMILAR = [
    [("Pia Quint", "pia@home.example"), ("Quint, Pia (EXT)", "external.pq@corp.example")],
    [("Jürgen Groß", "groß@home.example"), ("Juergen Gross", "jg@corp.example")],
    [("Søren Muñoz", "soren@home.example"), ("Munoz, Soeren", "sm@corp.example")],
    [("jbrandt", ""), ("jbrandt", "jbrandt@5c0d3b1e-7a11-4f0e-9d3c-2b1a90aa1c22")],
    [("Uwe Falk", "uwefalk7@home.example"), ("Falke", "uwefalk7@corp.example")],
]
# First and family names before the @ say nothing, and neither do words of machines.
APART = [
    ("Lee Marvin", "lm@home.example"), ("Marvin Leeds", "ml@corp.example"),
    ("Thomas Quill", "thomas@quill.example"), ("Thomas Reed", "thomas@reed.example"), ("tr", "thomas@else.example"),
    ("Wim Post", "debian@post.example"), ("Xaver Ohm", "debian@ohm.example"),
]  # fmt: skip


def write(root: Path, shuffle: int | None = None) -> None:
    here = History("acme/here", seed=1)
    single = [
        ANN_AT_HOME,
        LEA_AT_HOME,
        BO_AT_HOME,
        OLD_BO,
        CY_AT_HOME,
        *PAIR,
        MALLORYS,
        AS_ROB,
        *ROB,
        MAPPED,
        *EVES,
    ]
    single += [*APPLIED, UNA, GUS, OCTO, IVYS_AGENT, KIT, KITS_AGENT, KITS_LOGIN, *AGENTS, *NOBODY, *APART]
    single += [person for people in SIMILAR for person in people]
    for person in single:
        here.say("Change the parser", author=person)
    # The host came late: most addresses are older than those that it knows.
    for person in (*VOUCHED.values(), MAINTAINER):
        for _ in range(21):
            here.say("Change the lexer", author=person)
    here.map(MAPPED[1], MALLORYS[1])
    history = here.finish()
    of_host = [
        pull_request(
            history.id,
            number,
            author=login,
            commits=[source_commit(f"{number:040x}", *person, author_login=login)],
        )
        for number, (login, person) in enumerate(VOUCHED.items(), start=1)
    ]
    control = {"connections": [connection(CONNECTION, "GITHUB", "hosts")]}
    decisions = Decisions(splits={"lea": [LEA_AT_HOME]})
    trackers = Trackers(items={}, deletions={}, control=control)
    invented_lake.write(root, [history], shuffle=shuffle, identities=decisions, trackers=trackers)
    host = repository("acme/here", "https://github.com/acme/here.git")
    invented_pull_requests.write(root, of_host, [host], shuffle=shuffle)


def built(folder: Path, shuffle: int | None = None) -> dict[Person, dict[str, Any]]:
    write(folder / "raw", shuffle)
    file = warehouse.build(folder / "raw", folder, select="+int_identity__suggestions")
    query = "select * from int_identity__developers"
    found = {(row["name"], row["address"]): row for row in warehouse.rows(file, query)}
    pairs = warehouse.rows(
        file, "select developer_id, suggested_developer_id, reason from int_identity__suggestions"
    )
    for row in found.values():
        row["suggestions"] = {
            (str(pair["suggested_developer_id"]), str(pair["reason"]))
            for pair in pairs
            if pair["developer_id"] == row["developer_id"]
        }
    return found


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> dict[Person, dict[str, Any]]:
    return built(tmp_path_factory.mktemp("vouched"))


Found = dict[Person, dict[str, Any]]


def number(people: Found, *some: Person) -> list[object]:
    return [people[name, email.lower()]["developer_id"] for name, email in some]


def test_a_full_name_joins_an_address_to_the_person_on_a_host(people: Found) -> None:
    assert len(set(number(people, VOUCHED["annlee"], ANN_AT_HOME))) == 1
    assert people[ANN_AT_HOME]["reason"] == "FIRST_USED"
    assert len(set(number(people, VOUCHED["cydow"], CY_AT_HOME))) == 1
    assert len(set(number(people, VOUCHED["mallory"], MALLORYS, AS_ROB))) == 1


def test_a_split_wins_over_the_full_name(people: Found) -> None:
    assert len(set(number(people, VOUCHED["lea"], LEA_AT_HOME))) == 2
    assert people[LEA_AT_HOME]["reason"] == "SPLIT"


def test_a_name_of_two_people_on_a_host_joins_nobody(people: Found) -> None:
    assert len(set(number(people, VOUCHED["bo1"], VOUCHED["bo2"], BO_AT_HOME, OLD_BO))) == 4
    assert len(people[BO_AT_HOME]["suggestions"]) == 3


def test_an_address_of_two_people_joins_neither(people: Found) -> None:
    assert len(set(number(people, *PAIR))) == 1
    assert len(set(number(people, VOUCHED["cydow"], VOUCHED["dielm"], PAIR[0]))) == 3


def test_no_name_and_no_mailmap_takes_the_work_of_a_colleague(people: Found) -> None:
    """One commit under the name of a colleague, one line of a mailmap, and a second name beside one's own."""
    assert len(set(number(people, *ROB))) == 1
    assert len(set(number(people, VOUCHED["mallory"], ROB[0], MAPPED))) == 3
    assert len(set(number(people, VOUCHED["evefay"], *EVES))) == 1
    assert len(set(number(people, VOUCHED["evefay"], GUS))) == 2


def test_the_applied_patch_of_a_colleague_joins_nobody(people: Found) -> None:
    assert len(set(number(people, MAINTAINER, *APPLIED))) == 1
    assert len(set(number(people, MAINTAINER, VOUCHED["annlee"], UNA))) == 3


def test_a_name_of_one_word_joins_nobody(people: Found) -> None:
    assert len(set(number(people, VOUCHED["octo"], OCTO))) == 2


def test_agents_are_one_row_and_people_with_agents_are_people(people: Found) -> None:
    assert len(set(number(people, *AGENTS))) == 1
    assert {people[name, email.lower()]["is_agent"] for name, email in AGENTS} == {True}
    assert number(people, VOUCHED["ivyjoy"]) == number(people, IVYS_AGENT)
    assert number(people, KIT) == number(people, KITS_AGENT)
    own = [*number(people, KIT, KITS_LOGIN, VOUCHED["ivyjoy"], AGENTS[0])]
    assert len(set(own)) == 4
    assert not any(people[one]["is_robot"] for one in (KIT, KITS_AGENT, KITS_LOGIN, IVYS_AGENT))


def test_nobody_is_one_row_without_value(people: Found) -> None:
    assert len(set(number(people, *NOBODY))) == 1
    assert all(people[one]["is_robot"] for one in NOBODY)


def test_other_spellings_and_bare_logins_are_suggested(people: Found) -> None:
    missing = []
    for one, other in SIMILAR:
        (left, right), (first, second) = number(people, one, other), (one, other)
        suggestions = people[first[0], first[1].lower()]["suggestions"]
        if left == right or right not in {who for who, _ in suggestions}:
            missing.append((first, second, suggestions))
    assert missing == []
    assert [one for one in APART if people[one]["suggestions"]] == []


def test_the_order_of_rows_joins_nobody_else(people: Found, tmp_path: Path) -> None:
    again = built(tmp_path, shuffle=7)
    assert {one: row["developer_id"] for one, row in again.items()} == {
        one: row["developer_id"] for one, row in people.items()
    }
