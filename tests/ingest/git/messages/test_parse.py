from __future__ import annotations

import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pygit2
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ingest.git.messages import merges, parse
from tests.git_repository import GitRepository

BOTH = "\x01"

# Lines whose order decides what Git takes for a subject, a body and trailers.
LINES = [
    *["", "", "", " ", "\t", "\r", " \t\r"],
    *["Signed-off-by: Ada <ada@example.org>", "Signed-off-by:x", "(cherry picked from commit 1234567)"],
    *[
        "Key: value",
        "Key:",
        "key-2:value",
        "Key : spaced",
        "Key\t: x",
        "Key: value\r",
        "-: dash",
        "1: one",
        "k: a: b",
    ],
    *[" continued", "\tcontinued", "  ", " Key: inside"],
    *[
        "plain text",
        "two words: no key",
        "é: not ascii",
        ": no key",
        "http://example.org/x",
        "---",
        "\x0c",
        "\x0b",
    ],
    *[
        "# comment",
        "#",
        "Conflicts:",
        "\tfile.c",
        "Conflicts: no",
        parse._CUT_LINE,
        f" {parse._CUT_LINE}",
    ],
]
lines = st.sampled_from(LINES) | st.text(
    st.characters(exclude_characters="\0\x01\n", exclude_categories=["Cs"]), max_size=8
)
texts = st.lists(lines, max_size=14).map("\n".join)


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> GitRepository:
    return GitRepository(tmp_path_factory.mktemp("messages") / "repository")


def as_git_reads(history: GitRepository, shas: list[str]) -> list[tuple[str, str, list[str]]]:
    """Subject, body and trailers of commits in Git's own words."""
    form = f"--format=%s{BOTH}%b{BOTH}%(trailers:only,unfold)"
    out = history.git("log", "-z", "--no-walk=unsorted", "--stdin", form, text="\n".join(shas))
    records = [record.split(BOTH) for record in out.split("\0")[: len(shas)]]
    return [(s, b.rstrip("\n"), [t for t in trailers.split("\n") if t]) for s, b, trailers in records]


def as_we_read(message: parse.Message) -> tuple[str, str, list[str]]:
    return message.subject, message.body, [f"{key}: {value}" for key, value in message.trailers]


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(st.lists(texts, min_size=1, max_size=40))
def test_messages_are_split_as_git_splits_them(history: GitRepository, written: list[str]) -> None:
    shas = [history.commit(message=text.encode(), parents=[]) for text in written]
    expected = as_git_reads(history, shas)
    found = [as_we_read(parse.split(text if text.endswith("\n") else f"{text}\n")) for text in written]
    assert found == expected


@pytest.mark.parametrize(
    "message",
    [
        "Subject\n\nKey: value\n",
        "Subject\n\nText.\n\nKey: value\nOther: more\n  folded\n\there\n",
        "Subject\n\nKey: value\ntext\n",
        "Subject\n\nSigned-off-by: A <a@b>\none\ntwo\nthree\n",
        "Subject\n\nSigned-off-by: A <a@b>\none\ntwo\nthree\nfour\n",
        "Subject\n\nKey: value\n\nConflicts:\n\tfile.c\n\n# comment\n",
        "Subject\nKey: value\n",
        "Subject\n\n\n  \nBody: x\n   \n",
        "Key: value\n\nKey: value\n",
        "S\n\nKey: value\n" + parse._CUT_LINE + "\nOther: x\n",
    ],
)
def test_the_rules_of_trailers_one_by_one(history: GitRepository, message: str) -> None:
    sha = history.commit(message=message, parents=[])
    assert [as_we_read(parse.split(message))] == as_git_reads(history, [sha])


def test_a_message_ends_at_a_nul_as_it_does_for_git(history: GitRepository) -> None:
    sha = history.commit(message=b"Subject\n\nBody\0hidden\n\nKey: value\n", parents=[])
    assert parse.split("Subject\n\nBody\0hidden\n\nKey: value\n") == ("Subject", "Body", [])
    assert as_git_reads(history, [sha])[0][:2] == ("Subject", "Body")


@pytest.mark.parametrize("text", ["", "\n", " \n\t\n", "\0"])
def test_an_empty_message_is_empty(text: str) -> None:
    assert parse.split(text) == ("", "", [])


# Encodings


@pytest.mark.parametrize(
    ("encoding", "codec"),
    [
        ("ISO-8859-1", "latin-1"),
        ("iso8859-15", "iso8859-15"),
        ("windows-1252", "cp1252"),
        ("EUC-JP", "euc-jp"),
        ("Shift_JIS", "shift-jis"),
        ("KOI8-R", "koi8-r"),
        ("GB18030", "gb18030"),
        ("UTF-8", "utf-8"),
    ],
)
def test_a_declared_encoding_is_read_as_git_reads_it(
    history: GitRepository, encoding: str, codec: str
) -> None:
    text = {"KOI8-R": "Привет", "EUC-JP": "日本語", "Shift_JIS": "日本語", "GB18030": "中文"}.get(
        encoding, "Käse œ"
    )
    raw = text.encode(codec, "replace")
    sha = history.commit(message=raw, parents=[], headers=f"encoding {encoding}\n".encode())
    commit = pygit2.Repository(str(history.git_dir))[sha].peel(pygit2.Commit)
    decoded = parse.decode(commit.raw_message, commit.message_encoding)
    assert parse.split(decoded).subject == as_git_reads(history, [sha])[0][0]


@pytest.mark.parametrize(
    "encoding", [None, "", "no-such", "utf-8", "x" * 100_000, "a\0b", "rot13", "zlib", "idna"]
)
def test_bytes_that_fit_no_encoding_are_marked(encoding: str | None) -> None:
    assert parse.decode(b"caf\xe9 \xff", encoding) == "caf\ufffd \ufffd"


@pytest.mark.parametrize(
    "encoding", ["punycode", "unicode_escape", "raw_unicode_escape", "utf-7", "utf-16", "hex"]
)
def test_encodings_that_are_not_text_are_ignored(encoding: str) -> None:
    assert parse.decode(rb"plain \x41 +ADw-", encoding) == r"plain \x41 +ADw-"


def test_a_wrongly_declared_encoding_falls_back_to_utf8() -> None:
    assert parse.decode("日本".encode(), "ascii") == "日本"


@given(st.binary(max_size=200), st.none() | st.text(max_size=12))
def test_any_bytes_become_text_that_can_be_stored(raw: bytes, encoding: str | None) -> None:
    parse.decode(raw, encoding).encode("utf-8")


# Merges


def test_reverts_written_by_git_name_the_commit(new_repository: Callable[..., GitRepository]) -> None:
    repository = new_repository()
    repository.commit({"a": "1\n"})
    plain = repository.commit({"a": "2\n"}, "Second")
    repository.branch("side")
    repository.commit({"b": "1\n"}, branch="side")
    repository.commit({"c": "1\n"})
    merge = repository.merge("side")
    repository.checkout()
    for arguments in (["-m", "1", merge], [plain], ["HEAD"]):
        reverted = repository.git("rev-parse", arguments[-1]).strip()
        repository.git("revert", "--no-edit", *arguments)
        message = parse.split(repository.git("log", "-1", "--format=%B"))
        assert parse.is_revert(message.subject, message.body)
        assert reverted in parse.reverted_shas(message.body)


@pytest.mark.parametrize(
    ("subject", "body", "is_revert", "shas"),
    [
        ('Revert "x"', "", True, []),
        ("Back to the old one", "This reverts commit 1234567.", True, ["1234567"]),
        (
            "x",
            "This reverts commits 1234567, 89abcde and fedcba9876.",
            True,
            ["1234567", "89abcde", "fedcba9876"],
        ),
        ("x", "This reverts commit\n1234567", False, []),
        ("x", "This partially reverts commit 1234567", True, ["1234567"]),
        ("x", "This reverts commit 1234567, reversing\nchanges made to 89abcde.", True, ["1234567"]),
        ("revert: feat: x", "This reverts commit 1234567.", True, ["1234567"]),
        ("revert(core)!: x", "", True, []),
        ("Revert the order of arguments", "", False, []),
        ("Revert: x", "", True, []),
        ("reverts x", "It reverts commit 1234567", False, []),
    ],
)
def test_marked_reverts_are_distinguished_from_talk_of_reverting(
    subject: str, body: str, is_revert: bool, shas: list[str]
) -> None:
    assert parse.is_revert(subject, body) is is_revert
    assert parse.reverted_shas(body) == shas


BEN, CLEO = "Ben Ode <ben@x.example>", "Cleo Fry <cleo@x.example>"
SQUASHED = f"""Squashed commit of the following:

commit 0123456789abcdef0123456789abcdef01234567
Author: {BEN}
Date:   Mon Mar 2 10:00:00 2026 +0000

    Parse the options

    Co-authored-by: {CLEO}
"""


@pytest.mark.parametrize(
    ("text", "named"),
    [
        (f"S\n\nCo-authored-by: {BEN}\n", []),
        (f"S\n\nCo-authored-by: {BEN}\n\nCo-authored-by: {CLEO}\n", [BEN]),
        (f"S\n\nCo-authored-by: {BEN}\n\nSigned-off-by: Mara <m@x.example>\n", [BEN]),
        (f"S\n\nCo-authored-by: {BEN}\n\nCloses #12\n", [BEN]),
        (f"S\n\nco-authored-by:{BEN}\n\nSee merge request a/b!12\n", [BEN]),
        (f"S\n\n* one\n\nCo-authored-by: {BEN}\n\n* two\n\n---------\n\nCo-authored-by: {BEN}\n", []),
        (f"S\n\n* one\n\nCo-authored-by: {BEN}\nCo-authored-by: {BEN.upper()}\n\n* two\n", [BEN]),
        (f"S\r\n\r\nCo-authored-by: {BEN}\r\n\r\nText.\r\n", [BEN]),
        (SQUASHED, [BEN, CLEO]),
        # Quoted
        (f"S\n\nThe hook refuses:\n\nCo-authored-by: {BEN}\n\nSo it is.\n", []),
        (f"S\n\nText.\n\n    Co-authored-by: {BEN}\n\nText.\n", []),
        (f"S\n\n```\nCo-authored-by: {BEN}\n```\n\nText.\n", []),
        (f"S\n\nSay `Co-authored-by: {BEN}` so.\n\nText.\n", []),
        (f"S\n\n> Co-authored-by: {BEN}\n\nText.\n", []),
        (f"S\n\nCo-authored-by: {BEN} is what we write.\n\nText.\n", []),
        (f"S\n\nAuthor: {BEN}\n\nText.\n", []),
    ],
)
def test_co_authors_are_found_above_the_trailers_unless_they_are_quoted(text: str, named: list[str]) -> None:
    found = parse.named_co_authors(parse.split(text))
    assert found == [("Co-authored-by", one) for one in named]


# Hostile length

UNITS = [
    *[
        "Key: v\n c\n",
        "Key: v\n",
        "\n",
        " \n",
        "\t\n",
        "# \n",
        "#\n\tx\n",
        "Conflicts:\n",
        "Conflicts:\n\tx\n",
        "a-",
        ":",
    ],
    *[
        "Signed-off-by: a\nb\n",
        "This reverts commit ",
        "This reverts commit 1234567, ",
        "1234567, ",
        "'x' and ",
        "'",
    ],
    *[
        "Merge branch 'x' ",
        "Merge pull request '",
        "Merge pull request #1 from ",
        " into ",
        "See merge request ",
        "a!1 ",
    ],
    *["Merge in a ", "<", "a<b>", "revert(", 'Revert "', "\r", "\r\n", "\0", "é"],
]


@pytest.mark.parametrize("unit", UNITS)
def test_no_text_takes_more_than_linear_time(unit: str) -> None:
    """Quadratic time would be minutes for half a megabyte; linear time is a fraction of a second."""
    flood = (unit * (500_000 // len(unit) + 1))[:500_000]
    began = time.process_time()
    for text in (flood, f"Subject\n\n{flood}", f"Merge branch '{flood}", f"x\n\nCo-authored-by: {flood}"):
        message = parse.split(text)
        merges.merge_facts(message.subject, message.body)
        parse.is_revert(message.subject, message.body)
        parse.reverted_shas(message.body)
        parse.named_co_authors(message)
        merges.names_default_branch_as_merged_side(text, "main", "github.com/a/b")
    assert time.process_time() - began < 10


def test_an_ordinary_message_takes_microseconds() -> None:
    text = "Change how it is done (#123)\n\nBecause the other way was slow.\nIt was.\n\nSigned-off-by: Ada <a@b.c>\n"
    times = []
    for _ in range(5):
        began = time.process_time()
        for _ in range(1000):
            parse.split(text)
        times.append((time.process_time() - began) / 1000)
    assert min(times) < 50e-6


def test_trailers_are_those_of_interpret_trailers_too(tmp_path: Path) -> None:
    text = "S\n\nBody\n\nKey: value\n folded\nOther:x\n"
    command = ["git", "interpret-trailers", "--parse"]
    parsed = subprocess.run(command, input=text, capture_output=True, text=True, cwd=tmp_path, check=True)
    assert as_we_read(parse.split(text))[2] == parsed.stdout.splitlines() == ["Key: value folded", "Other: x"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("net/tap: fix crash at close", True),
        ("Do not write past the end\n\nFixes: 0123456789ab", True),
        ("Resolve a DEADLOCK", True),
        ("修复登录", True),
        ("Исправлена опечатка", True),
        ("Add a page of figures", False),
        ("", False),
    ],
)
def test_a_hint_of_a_fix_is_found_anywhere_in_a_message(text: str, expected: bool) -> None:
    assert parse.may_be_fix(text) is expected
