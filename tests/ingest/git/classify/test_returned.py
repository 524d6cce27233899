"""Lines that come back: each within a release cycle, a block that stood together within ten years."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from ingest.git.classify.returned import BLOCK_LINES
from tests.git_repository import GitRepository
from tests.ingest.git.extraction import Extraction
from tests.ingest.git.line_facts import compare, stored_facts

DAY = 86_400
NAMES = (
    "load",
    "store",
    "merge",
    "split",
    "count",
    "order",
    "print",
    "watch",
    "close",
    "share",
    "raise",
    "trace",
)
BLOCK = [f"{name}_value = {name}(shelf, '{name[::-1]}')" for name in NAMES]


def text(*lines: str) -> str:
    return "".join(f"{line}\n" for line in lines)


@pytest.fixture
def returned(new_repository: Callable[..., GitRepository], tmp_path: Path) -> Callable[..., Counter[str]]:
    """The classes of the lines of the last of some versions of a file, each so many days after the one before."""

    def classes(*versions: tuple[int, str | dict[str, str | None]]) -> Counter[str]:
        repository = new_repository()
        # Times after today are no times of work.
        time = repository.clock - 4_000 * DAY
        for days, content in versions:
            time += days * DAY
            files = {"a.py": content} if isinstance(content, str) else content
            repository.commit({"b.py": "x = 1\n", **files}, at=time)
        extraction = Extraction(repository.path, tmp_path / repository.path.name)
        extraction.run()
        assert not compare(extraction)[0]
        found: Counter[str] = Counter()
        for key, lines in stored_facts(extraction).added.items():
            if key[0] == repository.heads["main"]:
                found[key[9]] += lines
        return found

    return classes


@pytest.mark.parametrize("days", [300, 366, 3_650])
def test_a_block_that_left_at_once_comes_back_within_ten_years(
    days: int, returned: Callable[..., Counter[str]]
) -> None:
    assert returned((0, text(*BLOCK)), (1, ""), (days, text(*BLOCK))) == {"returned": len(BLOCK)}


def test_after_ten_years_a_block_is_new(returned: Callable[..., Counter[str]]) -> None:
    assert returned((0, text(*BLOCK)), (1, ""), (3_651, text(*BLOCK))) == {"novel": len(BLOCK)}


def test_a_file_that_somebody_restores_after_years_earns_what_is_new_in_it(
    returned: Callable[..., Counter[str]],
) -> None:
    restored = text(*BLOCK, "brand = new(shelf)")
    found = returned((0, {"c.py": text(*BLOCK)}), (30, {"c.py": None}), (1_500, {"lib/c.py": restored}))
    assert found == {"returned": len(BLOCK), "novel": 1}


def test_few_lines_come_back_within_a_release_cycle_alone(returned: Callable[..., Counter[str]]) -> None:
    few = BLOCK[: BLOCK_LINES - 1]
    assert returned((0, text(*few)), (1, ""), (91, text(*few))) == {"novel": len(few)}
    assert returned((0, text(*few)), (1, ""), (90, text(*few))) == {"returned": len(few)}


def test_lines_of_many_removals_are_no_block(returned: Callable[..., Counter[str]]) -> None:
    assert returned((0, text(*BLOCK)), (1, text(*BLOCK[6:])), (1, ""), (200, text(*BLOCK))) == {"novel": 12}


def test_new_lines_end_a_block(returned: Callable[..., Counter[str]]) -> None:
    mixed = [*BLOCK[:6], "brand = new(shelf)", *BLOCK[6:]]
    assert returned((0, text(*BLOCK)), (1, ""), (200, text(*mixed))) == {"novel": len(mixed)}


def test_repeated_lines_come_back_as_often_as_they_left(returned: Callable[..., Counter[str]]) -> None:
    twice = [*BLOCK[:5], "close(shelf)", *BLOCK[5:], "close(shelf)", "close(shelf)"]
    gone = twice[:-1]
    assert returned((0, text(*gone)), (1, ""), (200, text(*twice)))["returned"] == len(gone)


def test_a_block_comes_back_from_the_middle_of_a_removed_file(returned: Callable[..., Counter[str]]) -> None:
    whole = (
        [f"before = {number}" for number in range(9)] + BLOCK + [f"after = {number}" for number in range(9)]
    )
    assert returned((0, text(*whole)), (1, ""), (200, text(*BLOCK)))["returned"] == len(BLOCK)


def test_empty_lines_and_returned_lines_stand_in_a_block(returned: Callable[..., Counter[str]]) -> None:
    spaced = text(*BLOCK[:6]) + "\n\n\n" + text("stop(shelf, all)", *BLOCK[6:])
    last = (100, text("stop(shelf, all)"))
    found = returned(
        (0, spaced), (1, ""), last, (1, ""), (50, text(*BLOCK[:6], "stop(shelf, all)", *BLOCK[6:]))
    )
    assert found == {"returned": len(BLOCK) + 1}


def test_lines_in_another_order_are_no_block(returned: Callable[..., Counter[str]]) -> None:
    assert returned((0, text(*BLOCK)), (1, ""), (200, text(*reversed(BLOCK)))) == {"novel": len(BLOCK)}


def test_common_lines_of_many_files_are_no_block(returned: Callable[..., Counter[str]]) -> None:
    names = [f"org.books.{name.title()}" for name in NAMES]
    old: dict[str, str | None] = {
        f"old/C{at:02}.java": f"import {name};\n\npublic class C{at} {{\n    int value{at} = {at};\n}}\n"
        for at, name in enumerate(names)
    }
    fresh = "".join(f"import {name};\n" for name in names)
    found = returned((0, old), (1, dict.fromkeys(old)), (300, {"src/Fresh.java": fresh}))
    assert found["returned"] == 0


def test_one_line_files_are_no_block(returned: Callable[..., Counter[str]]) -> None:
    old: dict[str, str | None] = {f"part{at:02}.py": text(line) for at, line in enumerate(BLOCK)}
    found = returned((0, old), (1, dict.fromkeys(old)), (300, {"whole.py": text(*BLOCK)}))
    assert found == {"novel": len(BLOCK)}


def test_lines_of_many_places_of_a_file_are_no_block(returned: Callable[..., Counter[str]]) -> None:
    apart = "".join(f"{line}\nkept_{at} = {at} * width + {at}\n" for at, line in enumerate(BLOCK))
    kept = "".join(f"kept_{at} = {at} * width + {at}\n" for at in range(len(BLOCK)))
    found = returned((0, apart), (1, kept), (300, {"whole.py": text(*BLOCK)}))
    assert found == {"novel": len(BLOCK)}


def test_declarations_of_many_rules_are_no_block(returned: Callable[..., Counter[str]]) -> None:
    said = [f"{name}-{name[::-1]}: {at + 2}px;" for at, name in enumerate(NAMES)]
    old = "".join(f".old{at}x {{\n    {one}\n}}\n" for at, one in enumerate(said))
    new = ".hero {\n" + "".join(f"    {one}\n" for one in said) + "}\n"
    found = returned((0, {"old.css": old}), (1, {"old.css": None}), (300, {"hero.css": new}))
    assert found["returned"] == 0


@pytest.mark.parametrize("seed", range(6))
def test_random_parts_return_as_the_plain_loops_say(returned: Callable[..., Counter[str]], seed: int) -> None:
    """Few lines, many of them equal and some empty: all implementations find the same blocks."""
    chosen = random.Random(seed)
    pool = [*BLOCK, *BLOCK[:3], "", "close(shelf)", "close(shelf)"]
    whole = [chosen.choice(pool) for _ in range(60)]
    versions: list[tuple[int, str | dict[str, str | None]]] = []
    for _ in range(5):
        start = chosen.randrange(30)
        part = whole[start : start + chosen.randrange(12, 40)]
        if chosen.random() < 0.5:
            part[chosen.randrange(len(part))] = chosen.choice(pool)
        versions += [(chosen.choice((1, 100, 200)), text(*part)), (chosen.choice((1, 50)), "")]
    for number in range(2, len(versions) + 1, 3):
        returned(*versions[:number])
