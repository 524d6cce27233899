"""A file that people or programs let grow is judged by what comes, and not by what it once was."""

import random
from collections.abc import Callable

import pytest

from tests.git_repository import GitRepository
from tests.ingest.git.changes.test_change_reader import read, reader_of
from tests.ingest.git.engines import ENGINES, reading_with
from tests.ingest.git.machine_text.test_content import WORDS, definitions, digits, log, rows, words

Lines = list[str]


def text(lines: Lines) -> str:
    return "".join(f"{line}\n" for line in lines)


def prose(dice: random.Random, count: int) -> Lines:
    """Sentences whose lines differ in their signs."""
    signs = [".", ", ", ": ", " (1) ", "; ", " - ", "! ", " `x` ", "?"]
    return [
        "".join(words(dice, 1, 3) + dice.choice(signs) for _ in range(dice.randint(3, 6)))
        for _ in range(count)
    ]


def role_after(repository: GitRepository, path: str, *versions: Lines) -> tuple[str, str | None]:
    """Role and evidence of the last change of a file that had these versions."""
    for version in versions:
        sha = repository.commit({path: text(version)})
    (change,) = read(repository, sha).own
    return change.role, change.machine_evidence


@pytest.mark.parametrize(("path", "make"), [("run.txt", log), ("sums.txt", digits), ("seed.sql", rows)])
def test_records_that_come_in_small_steps_are_worth_nothing(
    repository: GitRepository, path: str, make: Callable[[random.Random], Lines]
) -> None:
    lines = make(random.Random(2))
    lines = [*lines, *make(random.Random(3))]
    steps = [lines[:stop] for stop in range(30, len(lines) + 1, 30)]
    role, evidence = role_after(repository, path, *steps)
    assert (role, evidence is not None) == ("export", True)


def test_records_in_a_document_of_people_leave_it_a_document(repository: GitRepository) -> None:
    dice = random.Random(4)
    page = prose(dice, 200)
    assert role_after(repository, "guide.md", page, page + log(dice)[:40]) == ("documentation", None)


def test_prose_that_people_write_into_a_table_is_theirs(repository: GitRepository) -> None:
    dice = random.Random(5)
    table = definitions(dice, 400)
    assert role_after(repository, "notes.yml", table)[0] == "data"
    assert role_after(repository, "notes.yml", table, table + prose(dice, 160)) == ("configuration", None)
    assert role_after(repository, "more.yml", table, table + definitions(dice, 80))[0] == "data"


def test_a_table_that_people_let_grow_in_small_steps_is_theirs(repository: GitRepository) -> None:
    lines = definitions(random.Random(6), 300)
    steps = [lines[:stop] for stop in range(60, len(lines), 60)]
    assert role_after(repository, "routes.yml", *steps) == ("configuration", None)


def test_a_table_that_people_turn_into_prose_is_a_document(repository: GitRepository) -> None:
    dice = random.Random(7)
    table = [f"| {words(dice, 1, 1)} | {dice.randint(1, 99)} |" for _ in range(500)]
    page = prose(dice, 300)
    steps = [page[:stop] + table[stop * 2 :] for stop in range(50, 301, 50)]
    assert role_after(repository, "trees.md", table)[0] in ("data", "export")
    assert role_after(repository, "trees2.md", table, *steps) == ("documentation", None)


@pytest.mark.parametrize(
    ("path", "begin", "end", "line"),
    [
        ("guide.md", "<!-- toc -->", "<!-- tocstop -->", "- [{}](#{})"),
        ("a.go", "// BEGIN GENERATED", "// END GENERATED", "var {} = {}"),
        ("a.rb", "# begin generated", "# end generated", "{} = :{}"),
        ("page.html", "<script>", "</script>", "{}" + "(a,b);" * 200 + "{}"),
    ],
)
def test_parts_of_programs_are_found_from_the_change_on_that_completes_them(
    repository: GitRepository, path: str, begin: str, end: str, line: str
) -> None:
    """The reader remembers which versions have no hint at such a part, and then looks at the difference alone."""
    people = [f"word{n}" for n in range(40)]

    def written(stop: int) -> Lines:
        return [line.format(name, name) for name in WORDS[:stop]]

    versions = [
        people,
        [*people[:20], "more", *people[20:]],
        [*people[:20], begin, *people[20:]],
        [*people[:20], begin, *written(3), end, *people[20:]],
        [*people[:20], begin, *written(5), end, *people[20:]],
        [*people[:21], begin, *written(5), end, *people[22:]],
    ]
    commits = [repository.commit({path: text(version)}) for version in versions]
    by_engine = []
    for engine in ENGINES:
        with reading_with(engine):
            reader = reader_of(repository)
            by_engine.append(
                [read(repository, sha, reader=reader).own[0].machine_evidence for sha in commits]
            )
    assert all(found == by_engine[0] for found in by_engine)
    assert [evidence is not None for evidence in by_engine[0]] == [False, False, False, True, True, False]
