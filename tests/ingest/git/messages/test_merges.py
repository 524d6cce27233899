from __future__ import annotations

import pytest

from ingest.git.messages import merges
from tests.git_repository import GitRepository


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


# Merges of a fork's parent


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("Merge remote-tracking branch 'upstream/main'", True),
        ("Merge remote-tracking branch 'upstream/main' into main\n\n# Conflicts:\n#\ta.py\n", True),
        ("Merge remote branch 'upstream/master'", True),
        ("Merge branch 'upstream'", True),
        ("Merge tag 'upstream/1.2.3' into debian/sid", True),
        ("Merge branch 'owner:main'", True),
        ("Merge branch 'owner:main' into main", True),
        ("Sync with upstream", True),
        ("Merge upstream/main", True),
        ("merge changes from upstream: October", True),
        ("Merge branch 'upstreaming' into main", False),
        ("Merge branch 'fix-upstream-timeout'", False),
        ("Merge pull request #5 from owner/fix-upstream", False),
        ("Merge branch 'main' of github.com:owner/name", False),
        ("Merge tag 'net-6.1' of git://git.kernel.org/pub/scm/linux", False),
        ("Merge the upstream_server option", False),
        ("Update upstream", False),
    ],
)
def test_a_message_names_the_parent_of_a_fork(message: str, expected: bool) -> None:
    assert merges.names_upstream_as_merged_side(message) is expected
