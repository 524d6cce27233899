"""Rewriting by a tool: the same edit in many lines is a substitution, whatever else the lines say."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from tests.git_repository import GitRepository
from tests.ingest.git.extraction import Extraction
from tests.ingest.git.line_facts import compare

LINES = 30
WORDS = (
    "amount",
    "balance",
    "branch",
    "charge",
    "client",
    "country",
    "credit",
    "currency",
    "deadline",
    "entry",
)
OLD_TIMES = 30 * 86_400


def names(seed: int) -> list[list[str]]:
    """Two names and an expression for each line; the expressions differ in their shapes."""
    random = Random(f"names {seed}")

    def name() -> str:
        return f"{random.choice(WORDS)}_{random.choice(WORDS)}"

    def expression() -> str:
        return name() + "".join(f" {random.choice('+-*/%&|^')} {name()}" for _ in range(random.randint(3, 9)))

    return [[name(), name(), expression()] for _ in range(LINES)]


REWRITES: dict[str, tuple[str, Callable[..., str], Callable[..., str]]] = {
    "short arrays": (
        "a.php",
        lambda a, b, c: f"$this->{a} = array('{b}' => {c}, array({b}));",
        lambda a, b, c: f"$this->{a} = ['{b}' => {c}, [{b}]];",
    ),
    "optional types": (
        "a.py",
        lambda a, b, c: f"{a}: Optional[{b}] = find({c})",
        lambda a, b, c: f"{a}: {b} | None = find({c})",
    ),
    "asserts": (
        "test_a.py",
        lambda a, b, c: f"self.assertEqual({a}.{b}, {c})",
        lambda a, b, c: f"assert {a}.{b} == {c}",
    ),
    "wrapped calls": (
        "a.py",
        lambda a, b, c: f"self.assertEqual(\n    {a}.{b},\n    {c},\n)",
        lambda a, b, c: f"assert {a}.{b} == {c}",
    ),
    "one more argument": (
        "a.go",
        lambda a, b, c: f"{a} := store.{b}({c})",
        lambda a, b, c: f"{a} := store.{b}(ctx, {c})",
    ),
    "comments": (
        "a.php",
        lambda a, b, c: f"// @param \\Foo\\{a} ${b} The {c} to be found",
        lambda a, b, c: f"// @param {a} ${b} The {c} to be found, or null",
    ),
}


@pytest.fixture
def classes(tmp_path: Path) -> Callable[..., Counter[str]]:
    """Lines by class of the last of several versions of a file, each a month after the one before."""

    def found(path: str, *versions: list[str]) -> Counter[str]:
        repository = GitRepository(tmp_path / "repository")
        for version in versions:
            repository.commit({path: "\n".join(version) + "\n"})
            repository.clock += OLD_TIMES
        extraction = Extraction(repository.path, tmp_path / "lake")
        extraction.run()
        assert not compare(extraction)[0]
        counts: Counter[str] = Counter()
        for row in extraction.rows("delivered_lines", delivery_sha=repository.heads["main"]):
            for line in row["lines"]:
                if line["tokens"] or line["class"] == "substituted":
                    counts[line["class"]] += line["lines"]
        return counts

    return found


@pytest.mark.parametrize("kind", REWRITES)
def test_the_same_edit_of_many_lines_is_a_substitution_but_for_the_first(
    classes: Callable[..., Counter[str]], kind: str
) -> None:
    path, before, after = REWRITES[kind]
    lines = [[before(*n) for n in names(1)], [after(*n) for n in names(1)]]
    found = classes(path, *lines)
    assert found["substituted"] >= LINES - 2, found
    assert found["novel"] + found["comment"] <= 2, found


def test_lines_that_are_added_among_rewritten_ones_are_new(classes: Callable[..., Counter[str]]) -> None:
    path, before, after = REWRITES["short arrays"]
    old, new = [before(*n) for n in names(1)], [after(*n) for n in names(1)]
    for at in range(0, LINES, 5):
        new.insert(2 * at // 2 + at // 5, f"$this->write_{WORDS[at // 5]}({at} + $offset);")
    found = classes(path, old, new)
    assert found["novel"] <= 6 + 2, found
    assert found["substituted"] >= LINES - 8, found


def test_edits_that_differ_are_new_work(classes: Callable[..., Counter[str]]) -> None:
    """Each line gets an argument of its own, so that no two edits are alike."""
    old = [f"{a} = store.{b}({c})" for a, b, c in names(1)]
    new = [f"{a} = store.{b}({c}, limit=settings.read({i}))" for i, (a, b, c) in enumerate(names(1))]
    assert classes("a.py", old, new) == {"novel": LINES}


def test_exchanged_lines_are_new_work(classes: Callable[..., Counter[str]]) -> None:
    old = [f"{a} = {b}({c})" for a, b, c in names(1)]
    new = [f"return {a}.{b}[{c}] - {i}" for i, (a, b, c) in enumerate(names(2))]
    assert classes("a.py", old, new)["substituted"] <= 1
