"""Delivered lines inside tests, from the files of a history to the rows of the lake, in both engines."""

from collections import Counter
from pathlib import Path

import pytest

from ingest.git import native
from tests.git_repository import GitRepository
from tests.ingest.git.extraction import Extraction

CODE = "pub fn add(a: u8, b: u8) -> u8 {\n    a + b\n}\n"
TESTS = """
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adds() {
        assert_eq!(add(1, 2), 3);
    }
}
"""


@pytest.fixture(params=["native", "python"])
def extraction(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, repository: GitRepository, tmp_path: Path
) -> Extraction:
    if request.param == "native" and not native.is_built():
        pytest.skip("the compiled modules are not built")
    monkeypatch.setenv(native.ENGINE, request.param)
    return Extraction(repository.path, tmp_path / "raw")


def lines_in_tests(extraction: Extraction, table: str) -> dict[tuple[str, str], tuple[int, int]]:
    """By delivery and path the number of lines in tests, and of all lines."""
    found: Counter[tuple[str, str, bool]] = Counter()
    for row in extraction.rows(table):
        for entry in row["lines"]:
            found[row["delivery_sha"], row["path"], entry["in_test"]] += entry["lines"]
    places = {key[:2] for key in found}
    return {(s, p): (found[s, p, True], found[s, p, True] + found[s, p, False]) for s, p in places}


def test_lines_are_in_tests_by_the_file_after_the_delivery(
    repository: GitRepository, extraction: Extraction
) -> None:
    first = repository.commit({"src/add.rs": CODE + TESTS})
    more = TESTS.replace("3);\n", "3);\n        assert_eq!(add(0, 0), 0);\n")
    second = repository.commit({"src/add.rs": CODE + "// Done.\n" + more})
    extraction.run()
    assert lines_in_tests(extraction, "delivered_lines") == {
        (first, "src/add.rs"): (9, 13),
        (second, "src/add.rs"): (1, 2),
    }


def test_a_removed_line_was_in_a_test_where_its_delivery_said_so(
    repository: GitRepository, extraction: Extraction
) -> None:
    first = repository.commit({"src/add.rs": CODE + TESTS})
    extraction.run()
    last = repository.commit({"src/add.rs": "// Nothing.\n"})
    extraction.run()
    assert lines_in_tests(extraction, "line_deaths")[last, "src/add.rs"] == (9, 13)
    assert lines_in_tests(extraction, "delivered_lines")[first, "src/add.rs"] == (9, 13)


def test_a_line_that_moves_or_returns_keeps_its_mark(
    repository: GitRepository, extraction: Extraction
) -> None:
    repository.commit({"src/add.rs": CODE + TESTS, "src/other.rs": "fn b() {}\n"})
    gone = repository.commit({"src/add.rs": CODE})
    back = repository.commit({"src/add.rs": CODE + TESTS})
    extraction.run()
    assert lines_in_tests(extraction, "line_deaths")[gone, "src/add.rs"] == (9, 10)
    assert lines_in_tests(extraction, "delivered_lines")[back, "src/add.rs"] == (9, 10)


def test_a_module_that_is_declared_for_tests_is_one(
    repository: GitRepository, extraction: Extraction
) -> None:
    repository.commit(
        {
            "src/lib.rs": "mod add;\n#[cfg(test)]\nmod mocks;\n",
            "src/add.rs": CODE + "#[cfg(test)]\nmod cases;\n#[cfg(not(test))]\nmod real;\n",
            "src/add/cases.rs": CODE,
            "src/add/real.rs": CODE,
            "src/mocks/mod.rs": "pub mod clock;\n",
            "src/mocks/clock.rs": CODE,
            "mocks.rs": CODE,
        }
    )
    extraction.run()
    assert {path: counts for (_, path), counts in lines_in_tests(extraction, "delivered_lines").items()} == {
        "src/lib.rs": (2, 3),
        "src/add.rs": (2, 7),
        "src/add/cases.rs": (3, 3),
        "src/add/real.rs": (0, 3),
        "src/mocks/mod.rs": (1, 1),
        "src/mocks/clock.rs": (3, 3),
        "mocks.rs": (0, 3),
    }


def test_lines_of_test_files_and_other_roles_have_no_mark(
    repository: GitRepository, extraction: Extraction
) -> None:
    repository.commit({"tests/add.rs": CODE + TESTS, "src/tests.rs": TESTS, "build.rs": TESTS})
    extraction.run()
    assert {tests for tests, _ in lines_in_tests(extraction, "delivered_lines").values()} == {0}
