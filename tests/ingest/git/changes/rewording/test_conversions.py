"""A file that was converted to another language keeps its words, and earns as moved lines do."""

from __future__ import annotations

import time
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.git.changes.commit_changes import FileChange
from ingest.git.changes.file_lines import FileLines
from ingest.git.changes.rewording.conversions import (
    LEAST_LINES,
    WORDS_PER_NEW,
    converted_pairs,
    find_conversion,
)
from ingest.git.diff.renames import PathPair
from ingest.git.lexing.languages import language_of
from tests.git_repository import GRACE, GitRepository
from tests.ingest.git.changes.rewording.test_rewordings import novel
from tests.ingest.git.extraction import Extraction

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


ACCESSORS = "\n".join(
    [
        "import shop.models.Order;",
        "import shop.models.Money;",
        *(f"  order{n}.setOwner(customer.getAddress().getName{n}());" for n in range(30)),
        "  long total = Math.round(order.getSum());",
    ]
)
PROPERTIES = "\n".join(
    [
        "import shop.models.Money",
        "import kotlin.collections.Order",
        *(f"  order{n}.owner = customer!!.address.name{n}" for n in range(30)),
        "  var total = Math.round(order.sum.toDouble()).toLong()",
    ]
)


def test_accessors_are_the_properties_that_another_language_reads() -> None:
    assert converted(ACCESSORS, PROPERTIES) == set(range(len(PROPERTIES.splitlines())))


def test_an_import_of_a_name_that_the_removed_file_has_is_converted_and_another_is_new() -> None:
    found = converted(ACCESSORS, "import shop.mail.Letters\n" + PROPERTIES)
    assert found is not None
    assert 0 not in found


def test_a_line_is_new_where_more_than_one_of_four_words_is() -> None:
    found = converted(ACCESSORS, PROPERTIES + "\n  order.ship(courier, street, weight)")
    assert found is not None
    assert len(PROPERTIES.splitlines()) not in found


@pytest.mark.parametrize("new", [REWRITTEN, "\n".join(KOTLIN.splitlines()[: LEAST_LINES - 1])])
def test_a_file_that_somebody_wrote_anew_and_a_short_one_are_no_conversions(new: str) -> None:
    assert converted(JAVA, new) is None


def test_the_origin_of_a_line_is_the_one_with_its_rarest_word() -> None:
    named = [f"foo.set('{'alpha' if n % 2 else 'beta'}{n}', value);".encode() for n in range(80)]
    plain = [b"foo.set(value);"] * 20
    found = find_conversion("a.js", [*named, *plain], [*plain, *named])
    assert found is not None
    assert {number: origin for number, (_, origin) in found.added.items() if number >= 20} == {
        number + 20: number for number in range(80)
    }
    assert found.kept == list(range(100))


def test_a_file_that_takes_over_little_of_a_large_one_is_no_conversion() -> None:
    lines = JAVA.splitlines()
    other = [f"int other{n} = more{n};" for n in range(200)]
    assert converted("\n".join([*lines, *other[:100]]), KOTLIN) is not None
    assert converted("\n".join([*lines, *other * 10]), KOTLIN) is None


def change(path: str, status: str) -> tuple[PathPair, FileChange]:
    made = FileChange(
        path, None, status, None, None, None, language=language_of(path).name, lines=FileLines()
    )
    return PathPair(None, None, None, None), made


def test_thousands_of_files_of_one_name_are_paired_by_folder_in_no_time() -> None:
    gone = [change(f"src/{name}/index.js", "D") for name in range(4_000)]
    came = [change(f"{'lib' if name % 2 else 'src'}/{name}/index.ts", "A") for name in reversed(range(4_000))]
    began = time.process_time()
    found = [(old[1].path, new[1].path) for old, new in converted_pairs([*gone, *came])]
    assert time.process_time() - began < 3
    assert len(found) == 4_000
    assert all(old.split("/")[1] == new.split("/")[1] for old, new in found)


def test_a_file_of_another_folder_takes_no_file_of_one_that_stays() -> None:
    changes = [change("a/b.js", "D"), change("c/b.js", "D"), change("z/b.ts", "A"), change("c/b.ts", "A")]
    found = {(old[1].path, new[1].path) for old, new in converted_pairs(changes)}
    assert found == {("c/b.js", "c/b.ts"), ("a/b.js", "z/b.ts")}


@given(
    old=st.lists(st.lists(st.sampled_from("abc"), max_size=4).map(" ".join), max_size=90),
    new=st.lists(
        st.lists(st.sampled_from("abcx"), max_size=4).map(" ".join), min_size=LEAST_LINES, max_size=90
    ),
)
def test_converted_lines_have_few_words_that_the_removed_file_lacks(old: list[str], new: list[str]) -> None:
    found = find_conversion("a", [line.encode() for line in old], [line.encode() for line in new])
    if found is not None:
        words = Counter(w for number in found.added for w in new[number].split())
        fresh = words - Counter(" ".join(old).split())
        assert fresh.total() * WORDS_PER_NEW <= words.total()
        assert all(old[number].split() for number in found.kept)


def test_a_conversion_that_git_takes_for_a_rename_earns_its_new_lines_alone(tmp_path: Path) -> None:
    notes = "".join(f"// {name} of a segment is read by whoever owns the segment\n" * 5 for name in FIELDS)
    repository = GitRepository(tmp_path / "repository")
    repository.commit({"src/Segment.java": notes + JAVA})
    repository.commit({"src/Segment.java": None, "src/Segment.kt": notes + KOTLIN + OWN}, author=GRACE)
    found = novel(repository, tmp_path / "lake")
    assert 0 < found["Grace Hopper"] < 20


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


def test_what_changes_in_a_file_that_gets_the_name_of_a_related_language_is_own_work(tmp_path: Path) -> None:
    """C++ reads the lines of C as they are, so no converter wrote the others."""
    text = "".join(
        f"int {field}_left(int {field}) {{\n  int left = {field} * {number};\n"
        f"  return left > {field}_limit ? {field} : left;\n}}\n"
        for number, field in enumerate(FIELDS)
    )
    repository = GitRepository(tmp_path / "repository")
    repository.commit({"src/segment.c": text})
    fixed = "".join(
        line.replace("left >", "left * left >=" if number % 8 else "left - 1 >")
        for number, line in enumerate(text.splitlines(keepends=True))
    )
    repository.commit({"src/segment.c": None, "src/segment.cpp": fixed}, author=GRACE)
    extraction = Extraction(repository.path, tmp_path / "lake")
    extraction.run()
    rows = extraction.rows("delivered_lines", delivery_sha=repository.heads["main"])
    assert {line["class"] for row in rows for line in row["lines"]} <= {"novel", "substituted"}


SCRIPT = "".join(
    f"""\
function read{field.title()}(count, owner) {{
  if (owner && count > {number}) throw new Error("{field} is closed");
  const {field} = owner.take(count, "{field}");
  return {field} + count * {number};
}}

"""
    for number, field in enumerate(FIELDS)
)


def renamed(tmp_path: Path, old: str, new: str, paths: tuple[str, str]) -> int:
    """New lines of whoever puts another file into the place of a removed one, too different for a rename of Git."""
    notes = [
        f"// Considerations{number} concerning{name}ownership\n" for name in FIELDS for number in range(6)
    ]
    repository = GitRepository(tmp_path / "repository")
    repository.commit({paths[0]: old + "".join(notes)})
    repository.commit({paths[0]: None, paths[1]: new}, author=GRACE)
    found = novel(repository, tmp_path / "lake")
    return found.get("Grace Hopper", 0)


def test_what_a_converter_writes_into_a_related_language_is_no_new_line(tmp_path: Path) -> None:
    converted = SCRIPT.replace("(count, owner) {", "(count: any, owner: any): any {").replace(
        "const ", "let "
    )
    assert renamed(tmp_path, SCRIPT, converted, ("app/read.js", "web/read.ts")) == 0


@pytest.mark.parametrize(
    ("paths", "before", "after"),
    [
        (
            ("app/read.js", "web/read.ts"),
            "(count, owner) {",
            "(count: number, owner: Owner | null): Promise<number> {",
        ),
        (("app/read.js", "web/read.ts"), "owner && count >", "count < limit && !owner && limit >"),
        (("app/read.c", "core/read.cpp"), "owner && count >", "owner || count <="),
    ],
)
def test_what_somebody_writes_into_a_related_language_is_new(
    paths: tuple[str, str], before: str, after: str, tmp_path: Path
) -> None:
    """Some of its words stand elsewhere in the file, and those of the language are no reason to take them away."""
    reworked = SCRIPT.replace(before, after)
    assert renamed(tmp_path, SCRIPT, reworked, paths) >= len(FIELDS)
