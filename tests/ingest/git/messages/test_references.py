from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.git.messages import parse
from ingest.git.messages.references import (
    MAX_IN_LINE,
    MAX_IN_MESSAGE,
    find_in_branch,
    find_in_line,
    find_in_message,
    may_hold_reference,
)

GITHUB, JIRA = "https://github.com/owner/repo/issues/45", "https://team.atlassian.net/browse/ABC-123"


def in_message(text: str) -> list[tuple[str, str | None, str, str]]:
    """Place, trailer key, shape and target of what is found in a raw message."""
    message = parse.split(text)
    return [(r.found_in, r.trailer_key, r.shape, r.target) for r in find_in_message(*message)]


def in_subject(text: str) -> list[tuple[str, str]]:
    return [(shape, target) for place, _, shape, target in in_message(text) if place == "subject"]


def in_code(line: str) -> list[tuple[str, str]]:
    return [(r.shape, r.target) for r in find_in_line(line.encode())]


def in_branch(name: str) -> list[tuple[str, str]]:
    return [(r.shape, r.target) for r in find_in_branch(name)]


# Messages


@pytest.mark.parametrize(
    ("subject", "expected"),
    [
        ("ABC-123 Title", [("key", "ABC-123")]),
        ("[ABC-123] Title", [("key", "ABC-123")]),
        ("fix(ABC-123): title", [("key", "ABC-123")]),
        ("ABC-123: title, and XY2-7.", [("key", "ABC-123"), ("key", "XY2-7")]),
        ("#ABC-123 title", [("key", "ABC-123")]),
        ("MY_PROJ-9 title", [("key", "MY_PROJ-9")]),
        ("ABC-123-add-it", [("key", "ABC-123")]),
        ("feature/ABC-123 merged", [("key", "ABC-123")]),
        ("修复ABC-123问题 #12号", [("number", "12"), ("key", "ABC-123")]),
        ("fixes eng-12, closes: Eng-13", [("key", "ENG-12"), ("key", "ENG-13")]),
        ("about eng-12", []),
        ("A-1 B-2", []),
        ("ABC-0 ABC-012", []),
        ("version ABC-1.2 and ABC-2021-1234", []),
        ("x-ABC-12 x.ABC-12 &ABC-12 xABC-12", []),
        ("Fix #45", [("number", "45")]),
        ("title (#45)", [("number", "45")]),
        ("#45: title", [("number", "45")]),
        ("Fixes #1, #2 and #3.", [("number", "1"), ("number", "2"), ("number", "3")]),
        (
            "fixes#45 PR#46 issue#47 Bug:#48",
            [("number", "45"), ("number", "46"), ("number", "47"), ("number", "48")],
        ),
        ("bug 45, Issue 46, ticket: 47", [("number", "45"), ("number", "46"), ("number", "47")]),
        ("issue 2.5 and bug 3-way", []),
        ("&#39; #fff #45a ##45 #0 word#45 a/#45", []),
        ("owner/repo#45", [("qualified", "owner/repo#45")]),
        ("(see owner/my.repo-x#45)", [("qualified", "owner/my.repo-x#45")]),
        ("group/sub/repo#45 -a/b#1", [("qualified", "group/sub/repo#45"), ("qualified", "a/b#1")]),
        ("GH-45 and gh-46: title, GH#47", [("number", "47"), ("gh", "45")]),
        ("fix gh-46", [("gh", "46")]),
        ("AB#45 xAB#46", [("ab", "45")]),
        (f"See {GITHUB}#issuecomment-7).", [("url", GITHUB)]),
        (f"{JIRA}?focused=1", [("url", JIRA)]),
        ("https://example.org/ABC-123#45", []),
        ("UTF-8, SHA-256", [("key", "UTF-8"), ("key", "SHA-256")]),  # candidates: no issue has these keys
        ("ISO-8859-1 and CVE-2021-44228", []),
        ("Plain title", []),
    ],
)
def test_references_in_subjects_are_found(subject: str, expected: list[tuple[str, str]]) -> None:
    assert in_subject(subject) == expected


def test_the_text_is_kept_as_written() -> None:
    found = find_in_message("fixes eng-12 see owner/repo#4 AB#5", f"({GITHUB}?a=b)", [])
    assert [r.text for r in found] == ["owner/repo#4", "AB#5", "eng-12", f"{GITHUB}?a=b"]


@pytest.mark.parametrize(
    ("trailer", "expected"),
    [
        ("Fixes: #45", [("number", "45")]),
        ("Closes: ABC-123", [("key", "ABC-123")]),
        ("Closes: abc-123, abc-124", [("key", "ABC-123"), ("key", "ABC-124")]),
        ("Issue: 45, 46,", [("number", "45"), ("number", "46")]),
        ("Issue-Id: 45", [("number", "45")]),
        ("Issue: 3 of them are left", []),
        ("Coverity-issue: 45 Resource leak", [("number", "45")]),
        ("Bug: owner/repo#45", [("qualified", "owner/repo#45")]),
        ("Refs: AB#45", [("ab", "45")]),
        ('Fixes: 1234567890ab ("Title of 12")', [("sha", "1234567890ab")]),
        ("Fixes: 1234567 (text)", [("sha", "1234567")]),
        (f"Link: {GITHUB}", [("url", GITHUB)]),
        (
            "Reported-at: https://Lists.example.org/2024/12.html#n1",
            [("url", "https://lists.example.org/2024/12.html#n1")],
        ),
        ("Version: 2-1", []),
        (
            "Part-of: <https://gitlab.example.org/g/p/-/merge_requests/9>",
            [("url", "https://gitlab.example.org/g/p/-/merge_requests/9")],
        ),
        ("Signed-off-by: Team ABC-123 <a#45@example.org>", []),
        ("Reviewed-by: X-9 <x@y>", []),
        ("Change-Id: I1234-5", []),
        ("git-svn-id: https://svn.example.org/repo/trunk@45 1-2", []),
    ],
)
def test_references_in_trailers_are_found(trailer: str, expected: list[tuple[str, str]]) -> None:
    key = trailer.partition(":")[0]
    found = in_message(f"Title\n\nBody.\n\n{trailer}\n")
    assert found == [("trailer", key, shape, target) for shape, target in expected]


@pytest.mark.parametrize("key", ["Bugzilla ID", "Coverity issue", "Bug", "Work item", "Fixes"])
def test_lines_like_trailers_count_wherever_they_stand(key: str) -> None:
    found = in_message(f"Title\n\n{key}: 45\nCc: stable\n\nMore text.\n\nSigned-off-by: A <a@b>\n")
    assert found == [("trailer", key, "number", "45")]


def test_a_trailer_is_not_found_in_the_body_a_second_time() -> None:
    text = "Title\n\nSee #1 and #2.\n\nFixes: #2\nCloses: ABC-3\n  ABC-4\nSigned-off-by: A <a@b>\n"
    assert sorted(in_message(text), key=str) == sorted(
        [
            ("body", None, "number", "1"),
            ("body", None, "number", "2"),
            ("trailer", "Fixes", "number", "2"),
            ("trailer", "Closes", "key", "ABC-3"),
            ("trailer", "Closes", "key", "ABC-4"),
        ],
        key=str,
    )


def test_a_reference_counts_once_per_place() -> None:
    assert in_message("#1 and #1\n\n#1\n#1\n") == [
        ("subject", None, "number", "1"),
        ("body", None, "number", "1"),
    ]


def test_reverts_refer_to_commits() -> None:
    sha = "0123456789abcdef0123456789abcdef01234567"
    assert in_message(f'Revert "x"\n\nThis reverts commit {sha}.\n') == [("body", None, "sha", sha)]


# Code


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("// TODO(ABC-123): later", [("key", "ABC-123")]),
        ("# see owner/repo#45", [("qualified", "owner/repo#45")]),
        ("# GH-45, AB#46", [("ab", "46"), ("gh", "45")]),
        (f'"""{GITHUB}"""', [("url", GITHUB)]),
        (f"<a href='{JIRA}'>", [("url", JIRA)]),
        ("# see https://example.org/x/ABC-123", []),
        ("# fixes #45, issue 45, bug#45, gh-45", []),
    ],
)
def test_references_in_code_are_found(line: str, expected: list[tuple[str, str]]) -> None:
    assert in_code(line) == expected


@given(st.text(max_size=30), st.integers(0, 10**9), st.text(max_size=30))
def test_a_bare_number_never_counts_in_code(before: str, number: int, after: str) -> None:
    found = find_in_line(f"{before}#{number}{after}".encode())
    assert "number" not in {reference.shape for reference in found}


pieces = st.sampled_from(
    ["ABC-12", "GH-4", "a/b#3", "AB#2", "x/y.z#9", GITHUB, JIRA, "#4", "-1", "é", "\xff", "/", "_", "A", " "]
)


@given(st.lists(pieces | st.text(max_size=4), max_size=8).map("".join))
def test_the_cheap_look_ahead_never_misses(text: str) -> None:
    line = text.encode("utf-8", "replace")
    if find_in_line(line):
        assert may_hold_reference(line)
        assert may_hold_reference(b"before\n" + line + b"\nafter")


def test_most_code_is_skipped_by_the_cheap_test() -> None:
    for line in (
        b"x = a - 1",
        b"color: #333;",
        b"if (i-1 > n) { // 2024-01-02",
        b"#include <a.h>",
        b"a -= B - 1",
    ):
        assert not may_hold_reference(line)


@given(st.binary(max_size=60))
def test_any_bytes_can_be_searched(line: bytes) -> None:
    for reference in find_in_line(line):
        reference.text.encode()
        reference.target.encode()


# Branches


@pytest.mark.parametrize(
    ("branch", "expected"),
    [
        ("ABC-123", [("key", "ABC-123")]),
        ("feature/abc-123-add-thing", [("key", "ABC-123")]),
        ("me/ABC-123_add_thing", [("key", "ABC-123")]),
        ("feature_ABC-123", [("key", "ABC-123")]),
        ("45-fix-it", [("number", "45")]),
        ("feature/45_fix_it", [("number", "45")]),
        ("issue/45", [("number", "45")]),
        ("issue-45", [("number", "45")]),
        ("fix/issue45", [("number", "45")]),
        ("fix-45-title", [("number", "45")]),
        ("fix/#45", [("number", "45")]),
        ("gh-45", [("gh", "45")]),
        ("release/3", []),
        ("release/1.2", []),
        ("v1.2.3", []),
        ("dependabot/npm_and_yarn/lodash-4.17.21", []),
        ("backup-2024-01-02", []),
        ("main", []),
    ],
)
def test_references_in_branch_names_are_found(branch: str, expected: list[tuple[str, str]]) -> None:
    assert in_branch(branch) == expected


@given(st.text(max_size=40))
def test_references_of_any_branch_name_have_a_target(name: str) -> None:
    for reference in find_in_branch(name):
        assert reference.target
        assert reference.found_in == "branch"


# Hostile texts

UNITS = [
    *[
        "#1",
        "#1 ",
        "&#1",
        "a/",
        "a/b#",
        "a/b#1 ",
        "A-1",
        "A_",
        "AB-1 ",
        "AB-1-",
        "ab1-1 ",
        "1-",
        "-1",
        "fix ",
        "fixes ab",
    ],
    *[
        "https://",
        "http://a/",
        "https://a.b/c/d/issues/1?",
        "https://a/b/-/c/",
        "http://a/x/browse/A-",
        "issue ",
        "bug: ",
    ],
    *["Issue: 1\n", "Fixes: 1 ", "1, ", "AB#1", "GH-1 ", "a.b/c-", "\n", " \n", "é", "0/", "/1-a", "_issue"],
]


@pytest.mark.parametrize("unit", UNITS)
def test_no_text_takes_more_than_linear_time(unit: str) -> None:
    """Quadratic time would be minutes for half a megabyte; linear time is about a second."""
    flood = (unit * (500_000 // len(unit) + 1))[:500_000]
    began = time.process_time()
    for text in (flood, f"Title\n\n{flood}", f"Title 1\n\nBody\n\nFixes: {flood}"):
        message = parse.split(text)
        assert len(find_in_message(*message)) <= MAX_IN_MESSAGE
    may_hold_reference(flood.encode())
    assert len(find_in_line(flood.encode())) <= MAX_IN_LINE
    find_in_branch(flood)
    assert time.process_time() - began < 15
