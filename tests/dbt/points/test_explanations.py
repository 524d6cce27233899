"""The sentence that explains a commit: its numbers add up to the lines of the commit."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

from tests.dbt import warehouse
from tests.dbt.naive.naive_scores import Commit, Scores

CLASSES = ("novel", "substituted", "comment", "returned", "moved", "copied", "layout")
NUMBER = r"\d[\d,]*"
PART = re.compile(rf"({NUMBER}) ({'|'.join(CLASSES)}|in files that do not count)")
SENTENCE = re.compile(
    rf"^({NUMBER}) lines?(?:: (?P<parts>.*?)| added| of its own)"
    rf"(?:; ({NUMBER}) more gone or credited to others)?(?:;|$)"
)
# Reasons of whole files. Their lines are not judged one by one.
OF_FILES = {
    "BINARY",
    "GENERATED",
    "VENDORED",
    "MINIFIED",
    "EXPORT",
    "LICENCE",
    "SUBMODULE",
    "LOCK",
    "DUPLICATE",
    "MERGE",
    "NO_NEW_LINES",
    "NOT_IN_DELIVERY",
}


def count(text: str) -> int:
    """A number with its thousands grouped."""
    assert f"{int(text.replace(',', '')):,}" == text
    return int(text.replace(",", ""))


def sentences(built: Path) -> dict[str, str]:
    query = "select commit_sha, explanation from commits_by_time where delivery_sha is not null"
    return {row["commit_sha"]: row["explanation"] for row in warehouse.rows(built, query)}


def gone_lines(sha: str, commit: Commit) -> int:
    """Lines of the commit that its delivery does not have."""
    if commit.row["is_merge"] or commit.delivery["delivery_sha"] == sha:
        return 0
    return sum(max(0, file.added - file.delivered) for file in commit.files.values())


def test_the_numbers_of_an_explanation_add_up_to_the_lines_of_the_commit(built: Path, naive: Scores) -> None:
    seen: Counter[str] = Counter()
    for sha, said in sentences(built).items():
        commit = naive.commits[sha]
        found = SENTENCE.match(said)
        assert found, said
        parts = {kind: count(number) for number, kind in PART.findall(found["parts"] or "")}
        left_out = sum(file.delivered for file in commit.files.values() if file.reason in OF_FILES)
        assert sum(parts.values()) == count(found[1]) == sum(file.delivered for file in commit.files.values())
        assert parts.get("in files that do not count", 0) == left_out, said
        assert count(found[3] or "0") == gone_lines(sha, commit), said
        in_tests = sum(file.in_tests for file in commit.files.values() if file.reason not in OF_FILES)
        named = re.search(rf"; ({NUMBER}) of ({NUMBER}) lines (?:is an inline test|are inline tests)", said)
        assert (named and (count(named[1]), named[2])) == ((in_tests, found[1]) if in_tests else None), said
        seen.update([*(["in tests"] if in_tests else []), *parts, *(["gone"] if found[3] else [])])
    assert {*CLASSES, "in files that do not count", "gone", "in tests"} <= {
        kind for kind, times in seen.items() if times > 3
    }


def test_novel_lines_are_without_new_words_if_and_only_if_none_of_them_weighs_anything(built: Path) -> None:
    query = f"""
        with entries as (
            select commit_sha, unnest(line_classes) as entry from fct_commit_files
            where coalesce(zero_reason, '') not in ('{"', '".join(OF_FILES)}')
        )
        select commit_sha, max(entry.weight_micro) as weight
        from entries join line_kinds on kind = entry.kind
        where class = 'novel' group by commit_sha
    """
    weights = {row["commit_sha"]: row["weight"] for row in warehouse.rows(built, query)}
    said = {sha: "novel without new words" in text for sha, text in sentences(built).items()}
    assert {sha for sha, is_said in said.items() if is_said} == {
        sha for sha, weight in weights.items() if not weight
    }
    assert len(set(said.values())) == 2


def test_a_commit_without_counted_lines_does_not_claim_new_work(built: Path) -> None:
    query = """
        select explanation from commits_by_time
        where zero_reason = 'NO_COUNTED_LINES' and regexp_matches(explanation, '[0-9] novel')
    """
    found = [row["explanation"] for row in warehouse.rows(built, query)]
    assert found
    assert [one for one in found if "without new words" not in one and "taken back" not in one] == []
