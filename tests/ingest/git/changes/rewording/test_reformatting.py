"""A formatter over many files says nothing new, whatever signs it adds; nor does it take credit."""

from __future__ import annotations

import re
import time
from collections import Counter
from pathlib import Path
from random import Random

import pytest

from ingest.git.changes.rewording import reformatting
from ingest.git.changes.rewording.code_words import find_in_order
from ingest.git.changes.rewording.reformatting import LEAST_LINES
from tests.git_repository import GRACE, GitRepository
from tests.ingest.git.extraction import Extraction

FILES = 12
NAMES = (
    *("reader", "writer", "folder", "answer", "version", "branch", "number", "path"),
    *("total", "value", "amount", "order", "letter", "owner"),
)
OWN = "    $parcel->weigh($scales)->ship($courier);\n"


@pytest.mark.parametrize(
    "line", ["x " + "*" * 40_000, "x " + "*" * 40_000 + "/ y", "/" * 80_000, "u" * 80_000]
)
def test_hostile_lines_take_no_time(line: str) -> None:
    started = time.process_time()
    find_in_order("a.c", [line.encode()], [line.encode()])
    assert time.process_time() - started < 1


def test_signs_of_comments_at_both_ends_are_no_words() -> None:
    found = find_in_order(
        "a.c",
        [b"/** Weighs the parcel twice a day. ***/", b"x = 1;"],
        [b" * Weighs the parcel twice", b" * a day. ", b"**/"],
    )
    assert sorted(found.added) == [0, 1, 2]


@pytest.mark.parametrize(
    ("line", "is_layout"),
    [("total = a + (b * c)", True), ("total = (a * b) + c", False), ("total = (b + a) * c", False)],
)
def test_brackets_are_layout_and_operators_are_not(line: str, *, is_layout: bool) -> None:
    assert bool(find_in_order("a.c", [b"total = (a + b) * c"], [line.encode()]).added) is is_layout


def expression(random: Random, depth: int = 3) -> str:
    """A term of a shape that hardly any other has."""
    one, two = random.sample(NAMES, 2)
    if not depth:
        return f"${one}->{two}"
    left, right = (expression(random, random.randrange(depth)) for _ in range(2))
    return random.choice(
        [
            f"${one}->{two}({left}, {right})",
            f"{left} . '{one}' . {right}",
            f"{one}({left})",
            f"{left} + {right}",
        ]
    )


def written(random: Random) -> str:
    """A class as its author wrote it: tabs, short forms and few braces."""
    lines = ["<?php", f"class {random.choice(NAMES).title()}{random.randrange(999)} {{", ""]
    for _ in range(6):
        one, two, three = random.sample(NAMES, 3)
        lines += [
            f"\tpublic function {one}{two.title()}(${two}, ${three}) {{",
            *(f"\t\t${random.choice(NAMES)} = {expression(random, 4)};" for _ in range(9)),
            f"\t\tif(!{expression(random)}) return {expression(random)};",
            f"\t\t${one} = array('{one}' => ${two}, '{three}' => array({random.randrange(99)}, ${three}));",
            f"\t\tforeach(${three} as ${two}) ${one}[] = {expression(random)};",
            f"\t\tswitch(${one}) {{",
            f"\t\t\tcase {random.randrange(99)}: return {expression(random)};",
            f'\t\t\tdefault: return "{two}" . {expression(random)};',
            "\t\t}",
            "\t}",
            "",
        ]
    return "\n".join([*lines, "}", ""])


def formatted(text: str) -> str:
    """The same as a formatter writes it."""
    text = text.replace("\t", "    ").replace('"', "'")
    text = re.sub(r"(?m)^( *)((?:class|public function) .*) \{$", r"\1\2\n\1{", text)
    text = re.sub(
        r"(?m)^( *)(if|foreach)(\(.*?\)) ((?:return |\$\w+\[\]).*;)$", r"\1\2 \3 {\n\1    \4\n\1}", text
    )
    text = re.sub(r"(?m)^( *)(case .*?|default): (.*)$", r"\1\2:\n\1    \3", text)
    while "array(" in text:
        text = re.sub(r"array\(([^()]*)\)", r"[\1]", text)
    return text


def classes(repository: GitRepository, lake: Path) -> dict[str, Counter[str]]:
    """Lines of code of the last delivery by author and class."""
    extraction = Extraction(repository.path, lake)
    extraction.run()
    authors = {row["commit_sha"]: row["author_name"] for row in extraction.rows("commits")}
    found: dict[str, Counter[str]] = {}
    for row in extraction.rows("delivered_lines", delivery_sha=repository.heads["main"]):
        for line in row["lines"]:
            counts = found.setdefault(authors[row["credited_sha"]], Counter())
            counts[line["class"]] += line["lines"]
    return found


@pytest.mark.parametrize("seed", range(3))
def test_a_formatter_has_less_than_a_twentieth_of_the_new_lines(seed: int, tmp_path: Path) -> None:
    random = Random(seed)
    files = {f"src/{number}.php": written(random) for number in range(FILES)}
    repository = GitRepository(tmp_path / "repository")
    repository.commit(files)
    author = classes(repository, tmp_path / "first")["Ada Lovelace"]["novel"]
    repository.commit({path: formatted(text) for path, text in files.items()}, author=GRACE)
    formatter = classes(repository, tmp_path / "second").get("Grace Hopper", Counter())
    earning = {name: formatter[name] for name in ("novel", "comment", "substituted", "removed")}
    assert sum(earning.values()) < author / 20, earning


def test_own_lines_of_the_same_change_are_new(tmp_path: Path) -> None:
    random = Random("own")
    files = {f"src/{number}.php": written(random) for number in range(FILES)}
    repository = GitRepository(tmp_path / "repository")
    repository.commit(files)
    after = {
        path: formatted(text).replace("    switch", OWN * 3 + "    switch", 1) for path, text in files.items()
    }
    repository.commit(after, author=GRACE)
    assert classes(repository, tmp_path / "lake")["Grace Hopper"]["novel"] >= 2 * FILES


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("$weight && $limit", "$limit && $weight"),
        ("$weight && $limit", "$weight || $limit"),
        ("$weight < $limit", "$weight > $limit"),
        ("$weight - $limit > $parcel", "$weight > $parcel - $limit"),
    ],
)
def test_a_condition_that_a_person_turned_around_is_new_beside_the_layout(
    before: str, after: str, tmp_path: Path
) -> None:
    random = Random("turned")
    files = {
        f"src/{number}.php": written(random).replace(
            "\t\tswitch", f"\t\tif({before}) return 7;\n\t\tswitch", 2
        )
        for number in range(FILES)
    }
    repository = GitRepository(tmp_path / "repository")
    repository.commit(files)
    laid_out = {path: formatted(text) for path, text in files.items()}
    turned = {path: text.replace(f"if ({before})", f"if ({after})") for path, text in laid_out.items()}
    assert turned != laid_out
    repository.commit(turned, author=GRACE)
    found = classes(repository, tmp_path / "lake")["Grace Hopper"]
    assert found["novel"] + found["substituted"] >= 2 * FILES


def test_a_change_that_lays_out_few_lines_keeps_what_its_words_say(tmp_path: Path) -> None:
    """Swapped conditions in code that otherwise stays are work."""
    before = "".join(
        f"  if (old{n} < new{n}) {{\n    keep(old{n}, new{n});\n  }}\n" for n in range(LEAST_LINES)
    )
    after = "".join(
        f"  if (new{n} <= old{n}) {{\n    keep(new{n}, old{n});\n  }}\n" for n in range(LEAST_LINES)
    )
    repository = GitRepository(tmp_path / "repository")
    repository.commit({"a.js": before})
    repository.commit({"a.js": after}, author=GRACE)
    found = classes(repository, tmp_path / "lake")["Grace Hopper"]
    assert found["novel"] + found["substituted"] >= 2 * LEAST_LINES


def test_files_that_no_people_write_are_not_compared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of their words would take memory."""
    random = Random(0)
    files = {f"src/{number}.php": written(random) for number in range(FILES)}
    repository = GitRepository(tmp_path / "repository")
    repository.commit(files)
    repository.commit({path: formatted(text) for path, text in files.items()}, author=GRACE)
    known = classes(repository, tmp_path / "known")["Grace Hopper"]["novel"]
    monkeypatch.setattr(reformatting, "MOST_BYTES", 100)
    assert classes(repository, tmp_path / "large")["Grace Hopper"]["novel"] > 2 * known
