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
from ingest.git.messages.parse import Person, Trailer
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
    commit = pygit2.Repository(str(history.git_dir))[sha]
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


def written_by_git(repository: GitRepository, sides: list[str], into: str) -> str:
    """Git's own message for a merge of branches (or `url branch`, `-r` for a remote-tracking one)."""
    sha = repository.heads["main"]
    rows = []
    for side in sides:
        if " " in side:
            url, branch = side.split(" ")
            rows.append(f"{sha}\t\tbranch '{branch}' of {url}")
        elif side.startswith("origin/"):
            rows.append(f"{sha}\t\tremote-tracking branch '{side}' of .")
        else:
            rows.append(f"{sha}\t\tbranch '{side}' of .")
    command = ["-c", "merge.suppressDest=", "fmt-merge-msg", "--into-name", into]
    return repository.git(*command, text="\n".join(rows) + "\n").split("\n")[0]


@pytest.mark.parametrize(
    ("sides", "into", "branches"),
    [
        (["topic"], "main", ["topic"]),
        (["feature/deep/one"], "develop", ["feature/deep/one"]),
        (["one", "two"], "main", ["one", "two"]),
        (["one", "two", "three", "four"], "main", ["one", "two", "three", "four"]),
        (["origin/feature/x"], "main", ["feature/x"]),
        (["origin/one", "origin/two", "origin/three"], "main", ["one", "two", "three"]),
        (["https://example.org/a/b topic"], "main", ["topic"]),
        (["one", "origin/two"], "main", ["one", "two"]),
        (
            ["one", "https://a.org/x two", "https://a.org/x three", "https://b.org/y four"],
            "main",
            ["one", "two", "three", "four"],
        ),
    ],
)
def test_branches_of_git_s_merge_messages_are_found(
    repository: GitRepository, sides: list[str], into: str, branches: list[str]
) -> None:
    repository.commit({"a": "1\n"})
    subject = written_by_git(repository, sides, into)
    assert subject.startswith("Merge ")
    assert merges.merge_facts(subject, "").branches == branches


@pytest.mark.parametrize(
    ("subject", "body", "branches", "pull_request", "is_squash_hint"),
    [
        ("Merge pull request #12 from owner/feature/x", "Title", ["feature/x"], "12", False),
        ("Merge pull request 'A (b) #3' (#12) from owner/topic into main", "", ["topic"], "12", False),
        (
            "Merge branch 'topic' into 'main'",
            "Title\n\nSee merge request group/sub/proj!12",
            ["topic"],
            "12",
            False,
        ),
        (
            "Merge branch 'topic' into 'main'",
            "See merge request https://x.org/g/p!7\n",
            ["topic"],
            "7",
            False,
        ),
        ("Merged in feature/x (pull request #3)", "Title", ["feature/x"], "3", True),
        ("Merge pull request #3 in PROJ/repo from feature/x to main", "* commit", ["feature/x"], "3", False),
        (
            "Pull request #3: Title",
            "Merge in PROJ/repo from feature/x to main\n\n* commit",
            ["feature/x"],
            "3",
            True,
        ),
        ("Merged PR 12: Title", "", [], "12", True),
        ("Merge pull request 12 from topic into main", "", ["topic"], "12", False),
        ("Auto merge of #99 - owner:topic, r=someone", "", ["topic"], "99", False),
        ("Merge #99", "99: Title r=a a=b", [], "99", False),
        ("feat: title (#123)", "* one\n* two", [], "123", True),
        ("feat: title (!123)", "", [], "123", True),
        ('Revert "feat: title (#1)" (#2)', "", [], "2", True),
        ("Merge topic 'fast-things'", "", ["fast-things"], None, False),
        ("Merge tag 'v1.0' of git://example.org/x", "", [], None, False),
        ("Merge commit '1234567'", "", [], None, False),
        ("Fix #123", "", [], None, False),
        ("Merge the two parsers", "", [], None, False),
        ("Handle (#12) early", "", [], None, False),
    ],
)
def test_branches_and_pull_requests_of_the_usual_hosts_are_found(
    subject: str, body: str, branches: list[str], pull_request: str | None, is_squash_hint: bool
) -> None:
    assert merges.merge_facts(subject, body) == (branches, pull_request, is_squash_hint)


@pytest.mark.parametrize(
    ("message", "default", "origin", "expected"),
    [
        ("Merge branch 'main' into work", "main", None, True),
        ("Merge branch 'main' into work\n\n# Conflicts:\n#\ta.py\n", "main", None, True),
        ("Merge branch 'main'", "main", None, True),
        ("Merge branch 'main' of github.com:owner/name", "main", "github.com/owner/name", True),
        (
            "Merge branch 'main' of https://github.com/Owner/Name into work",
            "main",
            "github.com/owner/name",
            True,
        ),
        ("Merge branch 'main' of alias:owner/name.git", "main", "github.com/owner/name", True),
        # A clone without a known address matches no address.
        ("Merge branch 'main' of github.com:owner/name", "main", None, False),
        ("Merge branch 'main' of github.com:owner/name into work", "main", None, False),
        ("Merge branch 'main' of https://github.com/fork/name into work", "main", None, False),
        ("Merge branch 'main' of ../elsewhere", "main", None, False),
        ("Merge branch 'main' of . into work", "main", None, True),
        ("Merge branch 'main' of github.com:owner/name into main", "main", "github.com/owner/name", True),
        ("Merge branch 'main' of . into work", "main", "github.com/owner/name", True),
        ("Merge branch 'main' of github.com:fork/name", "main", "github.com/owner/name", False),
        ("Merge branch 'main' of ../elsewhere", "main", "github.com/owner/name", False),
        ("Merge remote-tracking branch 'origin/main' into work", "main", None, True),
        ("Merge remote-tracking branch 'origin/main'", "main", None, True),
        ("Merge remote branch 'origin/main' into work", "main", None, True),
        ("Merge remote-tracking branch 'refs/remotes/origin/main' into work", "main", None, True),
        ("Merge remote-tracking branch 'upstream/main' into work", "main", None, True),
        ("Merge remote-tracking branch 'upstream/main' into main", "main", None, False),
        ("Merge remote-tracking branch 'upstream/main'", "main", None, False),
        ("Merge remote-tracking branch 'colleague/main' into work", "main", None, False),
        ("Merge branch 'master' into work", "main", None, True),
        ("Merge branch 'master' into work", "develop", None, False),
        ("Merge branch 'develop' into work", "develop", None, True),
        ("Merge branch 'main' into 'work'", "main", None, True),
        ("Merge branch 'main' into 'work'\n\nSee merge request group/proj!12", "main", None, False),
        ("Merge branch 'main' into 'work'\r\n\r\nSee merge request group/proj!12\r\n", "main", None, False),
        ("Merge branch 'main' into main", "main", None, False),
        ("Merge branch 'master' into main", "main", None, False),
        ("Merge branch 'work' into main", "main", None, False),
        ("Merge branch 'main-2' into work", "main", None, False),
        ("Merge branch 'main' into work because of tests", "main", None, False),
        ("Merge branches 'main' and 'x' into work", "main", None, False),
        ("Merge pull request #1 from owner/main", "main", None, False),
        ("Merge pull request #1 from owner/x\n\nMerge branch 'main' into x", "main", None, False),
        ("Merge tag 'main' into work", "main", None, False),
        ("Text\n\nMerge branch 'main' into work", "main", None, False),
        ("\n\nMerge branch 'main' into work", "main", None, True),
        ("Merge branch 'feature.main' into work", ".main", None, False),
    ],
)
def test_only_a_merge_of_the_default_branch_itself_moves_the_mainline(
    message: str, default: str, origin: str | None, expected: bool
) -> None:
    assert merges.names_default_branch_as_merged_side(message, default, origin) is expected


@pytest.mark.parametrize("side", ["main", "https://example.org/owner/name main", "origin/main"])
def test_git_s_own_message_for_a_merge_of_the_default_branch_is_recognized(
    repository: GitRepository, side: str
) -> None:
    repository.commit({"a": "1\n"})
    subject = written_by_git(repository, [side], "work")
    origin = "example.org/owner/name"
    assert merges.names_default_branch_as_merged_side(subject, "main", origin)
    assert not merges.names_default_branch_as_merged_side(subject, "other", origin)


# Reverts and co-authors


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


def test_co_authors_are_listed_once_and_in_order() -> None:
    trailers = [
        Trailer("Co-authored-by", "Grace Hopper <grace@example.org>"),
        Trailer("Signed-off-by", "Ada <ada@example.org>"),
        Trailer("CO-AUTHORED-BY", "Ada  <ada@example.org> (pairing)"),
        Trailer("Co-Authored-By", "Grace Hopper <grace@example.org>"),
        Trailer("Co-authored-by", "no address"),
        Trailer("Co-authored-by", "<only@example.org>"),
    ]
    assert parse.co_authors(trailers) == [
        Person("Grace Hopper", "grace@example.org"),
        Person("Ada", "ada@example.org"),
        Person("no address", ""),
        Person("", "only@example.org"),
    ]


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
        parse.co_authors(message.trailers)
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
