"""Documents that only got another markup or other files keep their words, and earn as moved lines do."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.git.changes.rewording.phrases import WORDS, ChangedText, Rewordings
from ingest.git.changes.rewording.rewordings import LEAST_LINES, find_rewordings
from tests.git_repository import GRACE, GitRepository
from tests.ingest.git.extraction import Extraction
from tests.ingest.git.line_facts import compare

_WORDS = [
    "reader",
    "text",
    "folder",
    "command",
    "answer",
    "version",
    "tree",
    "line",
    "name",
    "number",
    "crash",
    "path",
]
_RANDOM = Random("items")
ITEMS = [f"* {' '.join(_RANDOM.choices(_WORDS, k=_RANDOM.randint(7, 14)))}.\n" for _ in range(LEAST_LINES)]
RST = """\
Changes
-------

* Fixed a crash in :func:`parse` where a folder has no name at all, see `#12 <https://example.org/issues/12>`__.
* Added a **faster** path for texts of one line, which the command ``read`` takes from now on.

.. note:: Everybody who keeps an own reader of such texts has to build it again after this version.
""" + "".join(ITEMS)
MARKDOWN = """\
# Changes

- Fixed a crash in `parse` where a folder has no name at all, see [#12](https://example.org/12).
- Added a *faster* path for texts of one line, which the command
  `read` takes from now on.

> Everybody who keeps an own reader of such texts has to build it again after this version.
""" + "".join(ITEMS).replace("*", "-").replace("``", "`")


def found(removed: str, added: str) -> Rewordings:
    def split(text: str) -> list[bytes | None]:
        return [*text.encode().splitlines(), *[None, b"-"] * LEAST_LINES, None]

    (rewordings,) = find_rewordings([ChangedText("a", split(removed), split(added))])
    return rewordings


def test_another_markup_and_other_lines_keep_the_words() -> None:
    rewordings = found(RST, MARKDOWN)
    assert sorted(rewordings.added)[:6] == [0, 2, 3, 4, 6, 7]
    assert [rewordings.added[line][1] for line in (2, 3, 4)] == [3, 4, 4]


@pytest.mark.parametrize(
    "new", ["The reader takes at most ten texts of one line at once.", "It is fast now."]
)
def test_a_sentence_with_a_word_of_its_own_is_new(new: str) -> None:
    old = "The reader takes at most nine texts of one line at once.\nIt was slow."
    assert not found(old, new).added


def test_a_removed_sentence_is_found_once() -> None:
    sentence = "Every folder of the tree has a name that nobody changes."
    assert list(found(sentence, f"{sentence}\n{sentence}").added) == [0]


@given(seed=st.integers(0, 10_000))
@settings(max_examples=60, deadline=None)
def test_the_words_of_a_reworded_line_stand_in_removed_texts(seed: int) -> None:
    """Oracle: the definition, without counting how often a phrase stands there."""
    random = Random(seed)

    def side() -> list[bytes | None]:
        return [
            None
            if random.random() < 0.2
            else b" ".join(random.choices([b"a", b"b", b"c"], k=random.randint(0, 9)))
            for _ in range(random.randint(10, 30))
        ] + [None]

    documents = [ChangedText(name, side(), side()) for name in ("one", "two")]
    removed = {phrase for one in documents for phrase, _ in phrases(one.removed)}
    for one, said in zip(documents, find_rewordings(documents), strict=True):
        covered = {place for phrase, places in phrases(one.added) if phrase in removed for place in places}
        numbers = [line for line in one.added if line is not None]
        for number in said.added:
            assert {(number, word) for word in range(len((numbers[number] or b"").split()))} <= covered


def phrases(lines: Sequence[bytes | None]) -> list[tuple[tuple[bytes, ...], list[tuple[int, int]]]]:
    """The phrases of one side, each with the line and the number of each of its words."""
    every: list[tuple[tuple[bytes, ...], list[tuple[int, int]]]] = []
    words: list[tuple[bytes, tuple[int, int]]] = []
    number = 0
    for line in lines:
        if line is None:
            for at in range(len(words) - WORDS + 1):
                some = words[at : at + WORDS]
                every.append((tuple(word for word, _ in some), [place for _, place in some]))
            words = []
            continue
        words += [(word, (number, i)) for i, word in enumerate(line.split())]
        number += 1
    return every


@pytest.mark.parametrize(
    "text", ["<a" * 50_000, ":a" * 50_000, "{" * 100_000, "http://" * 20_000, "a " * 50_000]
)
def test_hostile_lines_take_no_time(text: str) -> None:
    started = time.process_time()
    found(text, text)
    assert time.process_time() - started < 5


def novel(repository: GitRepository, lake: Path) -> dict[str, int]:
    """Novel lines by author of the last delivery."""
    extraction = Extraction(repository.path, lake)
    extraction.run()
    assert not compare(extraction)[0]
    authors = {row["commit_sha"]: row["author_name"] for row in extraction.rows("commits")}
    counts: dict[str, int] = {}
    for row in extraction.rows("delivered_lines", delivery_sha=repository.heads["main"]):
        count = sum(line["lines"] for line in row["lines"] if line["class"] == "novel")
        if count:
            counts[authors[row["credited_sha"]]] = counts.get(authors[row["credited_sha"]], 0) + count
    return counts


def test_a_document_in_another_markup_earns_its_new_lines_alone(tmp_path: Path) -> None:
    repository = GitRepository(tmp_path / "repository")
    repository.commit({"CHANGES.rst": RST})
    added = MARKDOWN + "- Nobody has to build anything again with the next version, which is out soon.\n"
    repository.commit({"CHANGES.rst": None, "CHANGES.md": added}, author=GRACE)
    assert novel(repository, tmp_path / "lake") == {"Grace Hopper": 1}


def test_a_colleague_who_converts_a_document_on_a_branch_takes_no_credit(tmp_path: Path) -> None:
    repository = GitRepository(tmp_path / "repository")
    repository.commit({"README": "A service.\n"})
    repository.branch("work")
    repository.commit({"CHANGES.rst": RST}, branch="work")
    repository.commit({"CHANGES.rst": None, "CHANGES.md": MARKDOWN}, branch="work", author=GRACE)
    repository.merge("work")
    assert novel(repository, tmp_path / "lake") == {"Ada Lovelace": 5 + len(ITEMS)}
