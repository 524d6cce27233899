"""Numbers in words, as a program counts them out, are its text; a list that says more is people's."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from ingest.git.machine_text.counted_words import LEAST_COUNTED, counted_words
from tests.git_repository import GitRepository
from tests.ingest.git.extraction import Extraction

ONES = ["nil", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
TENS = ["zero", "ten", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]


def number(value: int) -> str:
    hundreds, rest = divmod(value, 100)
    tens, ones = divmod(rest, 10)
    return f"{ONES[hundreds]} hundred {TENS[tens]}-{ONES[ones]}"


def listed(values: Iterable[int], line: Callable[[int], str]) -> str:
    return "words:\n" + "".join(f"  {line(value)}\n" for value in values)


def counted(text: str, path: str = "locales/shop.yml") -> int:
    parts = counted_words(path, text.encode(), [(0, 0, 1, text.count("\n"))])
    return sum(part.stop - part.start for part in parts)


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("numbers.yml", lambda n: f"- '{number(n)}'"),
        ("numbers.yml", lambda n: f"{n}: '{number(n)}'"),
        ("numbers.yaml", lambda n: f"'{number(n)}': {n}"),
        ("numbers.yml", lambda n: f"'{number(n)}': '{number(n)}th'"),
        ("numbers.json", lambda n: f'"{number(n)}": {n},'),
        ("numbers.json", lambda n: f'"{number(n)}",'),
        ("numbers.properties", lambda n: f"{n} = {number(n)}"),
    ],
)
def test_numbers_in_words_are_counted_by_a_program(path: str, line: Callable[[int], str]) -> None:
    assert counted(listed(range(300), line), path) == 300


@pytest.mark.parametrize(
    "text",
    [
        # A hundred of them are a table of people.
        listed(range(100), lambda n: f"{n}: '{number(n)}'"),
        # Each line says something: a price, a text, a name, a colour of a shade, a way to a file.
        listed(range(300), lambda n: f"'{number(n)}': {n * n % 97}"),
        listed(range(300), lambda n: f"'{number(n)}': '{TENS[n * n % 7]} {ONES[n * 7 % 9]} of the shop'"),
        listed(range(300), lambda n: f"{n}: '{TENS[n * n % 7]} {ONES[n * 7 % 9]} of {TENS[n * 3 % 10]}'"),
        listed(range(300), lambda n: f"{TENS[n // 10 % 10]}-{n // 100}-{n % 10}00: '#{n * 977 % 4096:03x}'"),
        listed(range(300), lambda n: f"- src/shop/{TENS[n // 37]}/order_{n * n % 101}.ts"),
        listed(range(300), lambda n: f"{n}: shop/{ONES[n * 7 % 10]}/{TENS[n * 3 % 10]}.png"),
        # The count leaps.
        listed(range(0, 900, 3), lambda n: f"{n}: '{number(n)}'"),
    ],
)
def test_lists_that_people_write_are_theirs(text: str) -> None:
    assert counted(text) == 0


def test_only_lists_in_data_are_looked_at() -> None:
    text = listed(range(300), lambda n: f"{n}: '{number(n)}'")
    assert counted(text, "src/numbers.py") == counted(text, "docs/numbers.md") == 0


def test_only_the_added_lines_are_looked_at() -> None:
    text = listed(range(300), lambda n: f"{n}: '{number(n)}'").encode()
    assert counted_words("a.yml", text, [(0, 0, 1, LEAST_COUNTED - 1)]) == []
    assert [one.stop for one in counted_words("a.yml", text, [(0, 0, 2, LEAST_COUNTED)])] == [
        LEAST_COUNTED + 1
    ]


@pytest.mark.parametrize(
    "line", ["- '", "- a", "a: b: c", "'", '"a": "', "a" * 5_000, "- " * 2_000, "a = " * 500]
)
def test_hostile_lists_take_little_time(line: str) -> None:
    began = time.process_time()
    counted(f"{line}\n" * 400)
    assert time.process_time() - began < 2


def test_the_counted_lines_earn_nothing_beside_those_of_people(
    tmp_path: Path, repository: GitRepository
) -> None:
    repository.commit({"README.md": "Words\n"})
    text = "locale: en\nseparator: ', '\nminus: below\n" + listed(range(300), lambda n: f"{n}: '{number(n)}'")
    sha = repository.commit({"src/numbers.yml": text})
    extraction = Extraction(repository.path, tmp_path / "raw")
    extraction.run()
    assert [
        row["novel_lines"] for row in extraction.rows("delivered_lines") if row["delivery_sha"] == sha
    ] == [4]
