"""Code that a document held first is new where it stands to be run; a document that quotes code is a copy of it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tests.git_repository import GitRepository
from tests.ingest.git.extraction import Extraction

WORDS = ("order", "price", "parcel", "customer", "courier", "refund", "stock", "label", "invoice", "report")
CODE = "class Shop:\n" + "".join(
    f"    def {word}_of(self, {word}_id: int) -> str:\n        return self.{word}s.find({word}_id, '{n * n + 3}')\n"
    for n, word in enumerate(WORDS)
)
LINES = CODE.count("\n")
PLAN = f"# Plan\n\nThe shop gets a class for what people ask of it.\n\n```python\n{CODE}```\n"


def classes(extraction: Extraction, sha: str, path: str) -> Counter[str]:
    found: Counter[str] = Counter()
    for row in extraction.rows("delivered_lines"):
        if (row["delivery_sha"], row["path"]) == (sha, path):
            for one in row["lines"]:
                found[one["class"]] += one["lines"]
    return found


def extracted(repository: GitRepository, tmp_path: Path) -> Extraction:
    extraction = Extraction(repository.path, tmp_path / "raw")
    extraction.run()
    return extraction


@pytest.mark.parametrize(
    ("plan", "code"),
    [
        ("docs/plan.md", "src/shop.py"),
        ("PLAN.md", "lib/shop.py"),
        ("a.rst", "z/shop.py"),
        ("notes.txt", "shop.py"),
    ],
)
def test_code_after_its_plan_is_new(tmp_path: Path, repository: GitRepository, plan: str, code: str) -> None:
    repository.commit({plan: PLAN})
    sha = repository.commit({code: CODE})
    assert classes(extracted(repository, tmp_path), sha, code) == {"novel": LINES}


@pytest.mark.parametrize(
    ("plan", "code"), [("docs/plan.md", "src/shop.py"), ("PLAN.md", "lib/shop.py"), ("a.md", "z/shop.py")]
)
def test_a_plan_with_or_after_its_code_is_a_copy(
    tmp_path: Path, repository: GitRepository, plan: str, code: str
) -> None:
    repository.commit({"README.md": "Shop\n"})
    both = repository.commit({plan: PLAN, code: CODE})
    later = repository.commit({f"later/{plan}": PLAN.replace("# Plan", "# What was planned")})
    extraction = extracted(repository, tmp_path)
    assert classes(extraction, both, code) == {"novel": LINES}
    assert classes(extraction, both, plan)["copied"] >= LINES
    assert classes(extraction, later, f"later/{plan}")["copied"] >= LINES


def test_documents_are_copies_of_documents_and_code_of_code(
    tmp_path: Path, repository: GitRepository
) -> None:
    repository.commit({"docs/plan.md": PLAN})
    text = repository.commit({"docs/old/plan.md": PLAN})
    first = repository.commit({"src/shop.py": CODE})
    second = repository.commit({"src/old/shop.py": CODE})
    extraction = extracted(repository, tmp_path)
    assert classes(extraction, text, "docs/old/plan.md")["novel"] == 0
    assert classes(extraction, first, "src/shop.py") == {"novel": LINES}
    assert classes(extraction, second, "src/old/shop.py") == {"copied": LINES}


def test_a_document_that_becomes_code_is_an_original_of_code(
    tmp_path: Path, repository: GitRepository
) -> None:
    repository.commit({"shop.txt": CODE})
    repository.commit({"shop.txt": None, "shop.py": CODE})
    sha = repository.commit({"lib/shop.py": CODE})
    assert classes(extracted(repository, tmp_path), sha, "lib/shop.py") == {"copied": LINES}


def test_code_whose_document_is_gone_is_new(tmp_path: Path, repository: GitRepository) -> None:
    repository.commit({"shop.py": CODE})
    repository.commit({"shop.py": None, "shop.txt": CODE})
    sha = repository.commit({"docs/shop.md": CODE})
    assert classes(extracted(repository, tmp_path), sha, "docs/shop.md")["novel"] == 0
