"""A file that was converted to another language keeps its words, and earns as moved lines do."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.git.changes.conversions import LEAST_LINES, find_conversion
from tests.git_repository import GRACE, GitRepository
from tests.ingest.git.changes.test_rewordings import novel

FIELDS = [
    "head",
    "tail",
    "limit",
    "offset",
    "owner",
    "shared",
    "buffer",
    "segment",
    "source",
    "sink",
    "timeout",
]
JAVA = (
    "package shop;\n\npublic final class Segment {\n"
    + "".join(
        f"""\
  private int {field};

  /** Returns the {field} of this segment, or fails with {field.upper()}_ERROR where it is closed. */
  public int read{field.title()}(int count) {{
    if (closed) throw new IllegalStateException("{field} is closed");
    {field} = {field} + count * {number};
    return {field};
  }}
"""
        for number, field in enumerate(FIELDS)
    )
    + "}\n"
)
KOTLIN = (
    "package shop\n\nclass Segment {\n"
    + "".join(
        f"""\
  private var {field}: Int = Int.MIN_VALUE

  /** Returns the {field} of this segment, or fails with {field.upper()}_ERROR where it is closed. */
  fun read{field.title()}(count: Int): Int {{
    if (closed) throw IllegalStateException("{field} is closed")
    {field} = {field} + count * {number}
    return {field}
  }}
"""
        for number, field in enumerate(FIELDS)
    )
    + "}\n"
)
REWRITTEN = (
    "package shop\n\nclass Segment(private val pages: List<Page>) {\n"
    + "".join(
        f"""\
  /** Sums what all pages tell about {field}. */
  fun sum{field.title()}Pages(): Long =
    pages
      .filter {{ page -> page.isOpen && !page.isLost }}
      .sumOf {{ page -> page.sizeOf("{field}-{number}") }}

"""
        for number, field in enumerate(FIELDS)
    )
    + "}\n"
)
OWN = '  fun shrinkToPowersOfTwo(): Nothing = error("nobody asked for it")\n'


def converted(old: str, new: str) -> set[int] | None:
    found = find_conversion("Segment.java", old.encode().splitlines(), new.encode().splitlines())
    return None if found is None else set(found.added)


def test_lines_with_the_words_of_the_removed_file_are_converted() -> None:
    lines = KOTLIN.splitlines()
    found = converted(JAVA, KOTLIN)
    assert found is not None
    # Each field has a value now, and every other line is the same in other words.
    left = [line for number, line in enumerate(lines) if line.strip(" }") and number not in found]
    assert len(left) == len(FIELDS)
    assert all("MIN_VALUE" in line for line in left)


def test_a_line_of_new_words_is_new() -> None:
    found = converted(JAVA, KOTLIN.removesuffix("}\n") + OWN + "}\n")
    assert found is not None
    assert len(KOTLIN.splitlines()) - 1 not in found


@pytest.mark.parametrize("new", [REWRITTEN, "\n".join(KOTLIN.splitlines()[: LEAST_LINES - 1])])
def test_a_file_that_somebody_wrote_anew_and_a_short_one_are_no_conversions(new: str) -> None:
    assert converted(JAVA, new) is None


@given(
    old=st.lists(st.lists(st.sampled_from("abc"), max_size=4).map(" ".join), max_size=90),
    new=st.lists(
        st.lists(st.sampled_from("abcd"), max_size=4).map(" ".join), min_size=LEAST_LINES, max_size=90
    ),
)
def test_converted_lines_have_no_more_words_than_the_removed_file(old: list[str], new: list[str]) -> None:
    found = find_conversion("a", [line.encode() for line in old], [line.encode() for line in new])
    if found is not None:
        assert not Counter(w for number in found.added for w in new[number].split()) - Counter(
            " ".join(old).split()
        )
        assert all(old[number].split() for number in found.kept)


@pytest.mark.parametrize(
    ("path", "text"), [("src/kotlin/Segment.kt", KOTLIN), ("lib/Segment.kt", KOTLIN + OWN)]
)
def test_a_conversion_earns_its_new_lines_alone(tmp_path: Path, path: str, text: str) -> None:
    repository = GitRepository(tmp_path / "repository")
    repository.commit({"src/java/Segment.java": JAVA})
    repository.commit({"src/java/Segment.java": None, path: text}, author=GRACE)
    found = novel(repository, tmp_path / "lake")
    assert set(found) <= {"Grace Hopper", "Ada Lovelace"}
    assert sum(found.values()) < 20


def test_a_file_in_another_language_that_somebody_wrote_anew_earns(tmp_path: Path) -> None:
    repository = GitRepository(tmp_path / "repository")
    repository.commit({"src/java/Segment.java": JAVA})
    repository.commit({"src/java/Segment.java": None, "src/kotlin/Segment.kt": REWRITTEN}, author=GRACE)
    assert novel(repository, tmp_path / "lake")["Grace Hopper"] > 30
