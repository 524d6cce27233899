"""A document earns nothing for the code that the same commit adds as code, and all for what it says beside it."""

from __future__ import annotations

from pathlib import Path

import pytest

from ingest.git.changes.rewording.quoted_code import LEAST_LINES, quoted_lines
from tests.git_repository import GitRepository
from tests.ingest.git.changes.rewording.test_document_copies import novel_lines

STEPS = {
    word: f"    def {word}_of(self, {word}_id: int) -> str:\n        return self.{word}s.find({word}_id, {n * n + 3})\n"
    for n, word in enumerate(["order", "price", "parcel", "customer", "courier", "refund", "stock", "label"])
}
CODE = "class Shop:\n" + "".join(STEPS.values())
PLAN = "# Plan\n\n" + "".join(
    f"- [ ] Let the shop say the {word} of somebody, and nothing beside it.\n\n```python\n{code}```\n\n"
    for word, code in STEPS.items()
)
PROSE = 1 + len(STEPS)
FENCES = 2 * len(STEPS)


@pytest.mark.parametrize("path", ["docs/superpowers/plans/shop.md", "PLAN.md"])
def test_the_code_of_a_plan_earns_where_it_is_code(path: str, tmp_path: Path) -> None:
    repository = GitRepository(tmp_path / "repository")
    repository.commit({"README.md": "A shop.\n"})
    repository.commit({path: PLAN, "src/shop.py": CODE})
    found = novel_lines(repository, tmp_path / "lake")
    assert found["src/shop.py"] == CODE.count("\n")
    assert PROSE <= found[path] <= PROSE + FENCES


def test_a_branch_of_a_plan_and_its_code_is_one_delivery(tmp_path: Path) -> None:
    repository = GitRepository(tmp_path / "repository")
    repository.commit({"README.md": "A shop.\n"})
    repository.branch("work")
    repository.commit({"docs/plan.md": PLAN}, branch="work")
    repository.commit({"src/shop.py": CODE}, branch="work")
    repository.merge("work")
    found = novel_lines(repository, tmp_path / "lake")
    assert found["src/shop.py"] == CODE.count("\n")
    assert found["docs/plan.md"] <= PROSE + FENCES


@pytest.mark.parametrize(
    ("document", "code"),
    [
        # How to use the code is no quote of it.
        (PLAN.replace("_id: int) -> str:", "_id: int, day: str) -> Text:").replace("find(", "ask("), CODE),
        (PLAN, "class Shop:\n    pass\n"),
        # Text outside of fences, and code that a document adds itself
        (PLAN.replace("```python\n", "").replace("```\n", ""), CODE),
    ],
)
def test_other_lines_of_a_document_are_its_own(document: str, code: str) -> None:
    lines = document.encode().split(b"\n")
    known = frozenset(b" ".join(line.split()) for line in code.encode().split(b"\n"))
    assert list(quoted_lines(lines, [(0, 0, 1, len(lines))], known)) == []


def test_a_block_is_quoted_where_half_of_it_is_code() -> None:
    text = b"Use it:\n```\nshop.open()\nshop.sell(1)\n}\n```\nand\n~~~~ py\na = 1\n```\nshop.close()\nb = 2\n~~~~\n"
    lines = text.split(b"\n")
    known = frozenset({b"shop.open()", b"shop.close()", b"Use it:", b"and"})
    assert list(quoted_lines(lines, [(0, 0, 1, len(lines))], known)) == [2, 4]
    assert list(quoted_lines(lines, [(2, 0, 3, 1), (5, 0, 5, 1)], known)) == [0, 1]


def test_a_short_document_is_not_compared(tmp_path: Path) -> None:
    repository = GitRepository(tmp_path / "repository")
    repository.commit({"README.md": "A shop.\n"})
    short = "".join(PLAN.splitlines(keepends=True)[: LEAST_LINES - 1])
    repository.commit({"docs/plan.md": short, "src/shop.py": CODE})
    assert novel_lines(repository, tmp_path / "lake")["docs/plan.md"] > PROSE + FENCES
