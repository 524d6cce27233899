"""A document that stands in the tree already earns nothing for another markup."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random

import pytest

from tests.git_repository import GRACE, GitRepository
from tests.ingest.git.changes.rewording.test_rewordings import ITEMS, MARKDOWN, RST
from tests.ingest.git.extraction import Extraction

OWN = "Whoever reads orders from several shops at once sets an own number of readers for each of them.\n"
_WORDS = [
    "shop",
    "order",
    "letter",
    "stock",
    "price",
    "customer",
    "parcel",
    "shelf",
    "season",
    "invoice",
    "window",
    "street",
]
_RANDOM = Random("other")
OTHER = "".join(
    f"* {' '.join(_RANDOM.choices(_WORDS, k=_RANDOM.randint(6, 14)))}.\n" for _ in range(len(ITEMS))
)


def novel_lines(repository: GitRepository, lake: Path) -> Counter[str]:
    """New lines of the last delivery by path."""
    extraction = Extraction(repository.path, lake)
    extraction.run()
    found: Counter[str] = Counter()
    for row in extraction.rows("delivered_lines", delivery_sha=repository.heads["main"]):
        found[row["path"]] += sum(line["lines"] for line in row["lines"] if line["class"] == "novel")
    return found


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("README.md", "README.rst"),
        ("README.md", "docs/README.rst"),
        ("docs/release-notes.md", "docs/release-notes.rst"),
    ],
)
def test_the_same_document_in_another_markup_is_a_copy(first: str, second: str, tmp_path: Path) -> None:
    repository = GitRepository(tmp_path / "repository")
    repository.commit({first: MARKDOWN})
    repository.commit({second: RST + OWN}, author=GRACE)
    found = novel_lines(repository, tmp_path / "lake")[second]
    # The title, the note's sign and what is really new.
    assert 1 <= found <= 4


def test_of_two_documents_that_come_together_one_earns(tmp_path: Path) -> None:
    repository = GitRepository(tmp_path / "repository")
    repository.commit({"a.py": "x = 1\n"})
    repository.commit({"README.md": MARKDOWN, "README.rst": RST}, author=GRACE)
    found = novel_lines(repository, tmp_path / "lake")
    assert found["README.md"] > 100
    assert found["README.rst"] <= 4


@pytest.mark.parametrize(
    ("second", "text"),
    [
        ("README.rst", OTHER),
        ("HISTORY.rst", RST),
        ("README.rst", "".join(RST.splitlines(keepends=True)[:20])),
    ],
)
def test_other_words_another_name_and_a_short_text_are_new(second: str, text: str, tmp_path: Path) -> None:
    repository = GitRepository(tmp_path / "repository")
    repository.commit({"README.md": MARKDOWN})
    repository.commit({second: text}, author=GRACE)
    found = novel_lines(repository, tmp_path / "lake")[second]
    assert found >= 0.8 * len([line for line in text.splitlines() if line.strip()])


PAGE = f"""\
<!DOCTYPE html>
<html><head><meta charset="utf-8"><title>Guide</title></head>
<body><h1>Order tracking</h1><ul>
{"".join(f"<li>{line}</li>{chr(10)}" for line in MARKDOWN.splitlines())}</ul></body></html>
"""
RENDERED = PAGE.replace("<title>", '<meta name="generator" content="pandoc"><title>')


@pytest.mark.parametrize("folder", ["", "docs/"])
@pytest.mark.parametrize("is_together", [True, False])
def test_the_source_of_a_rendered_page_earns(folder: str, is_together: bool, tmp_path: Path) -> None:
    source, page = f"{folder}guide.md", f"{folder}guide.html"
    repository = GitRepository(tmp_path / "repository")
    repository.commit({"a.py": "x = 1\n"} | ({} if is_together else {page: RENDERED}))
    repository.commit({source: MARKDOWN} | ({page: RENDERED} if is_together else {}), author=GRACE)
    assert novel_lines(repository, tmp_path / "lake")[source] > 100


def test_the_text_of_somebody_else_is_no_original(tmp_path: Path) -> None:
    repository = GitRepository(tmp_path / "repository")
    repository.commit({"docs/.gitattributes": "*.rst linguist-vendored\n", "docs/guide.rst": RST})
    repository.commit({"docs/guide.md": MARKDOWN}, author=GRACE)
    assert novel_lines(repository, tmp_path / "lake")["docs/guide.md"] > 100


def test_a_page_that_people_wrote_before_is_an_original(tmp_path: Path) -> None:
    repository = GitRepository(tmp_path / "repository")
    repository.commit({"docs/guide.html": PAGE})
    repository.commit({"docs/guide.md": MARKDOWN}, author=GRACE)
    assert novel_lines(repository, tmp_path / "lake")["docs/guide.md"] <= 4


@pytest.mark.parametrize("ending", [".md", ""])
def test_a_page_that_comes_with_its_text_is_the_copy(ending: str, tmp_path: Path) -> None:
    text = f"docs/README{ending}"
    repository = GitRepository(tmp_path / "repository")
    repository.commit({"a.py": "x = 1\n"})
    repository.commit({text: MARKDOWN, "docs/README.html": PAGE}, author=GRACE)
    found = novel_lines(repository, tmp_path / "lake")
    assert found[text] > 100
    # What stands around the text
    assert found["docs/README.html"] <= 8


@pytest.mark.parametrize("original", ["README", "README.pod", "docs/README"])
def test_documents_of_people_have_many_names(original: str, tmp_path: Path) -> None:
    repository = GitRepository(tmp_path / "repository")
    repository.commit({original: RST})
    repository.commit({"README.md": MARKDOWN}, author=GRACE)
    assert novel_lines(repository, tmp_path / "lake")["README.md"] <= 4
