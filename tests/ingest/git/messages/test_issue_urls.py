from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.git.messages.issue_urls import issue_address, plain_address

SAME = {
    "https://github.com/owner/repo/issues/45": [
        "http://github.com/owner/repo/issues/45",
        "https://GitHub.com/owner/repo/issues/45/",
        "https://github.com:443/owner/repo/issues/45#issuecomment-1",
        "https://github.com/owner/repo/issues/45?notification=1",
    ],
    "https://github.com/owner/repo/pull/45": ["https://github.com/owner/repo/pull/45/files#diff-1"],
    "https://codeberg.org/owner/repo/pulls/45": ["https://codeberg.org/owner/repo/pulls/45"],
    "https://gitlab.com/group/sub/project/-/issues/45": [
        "https://gitlab.com/group/sub/project/-/issues/45#note_1",
        "https://gitlab.com/group/sub/project/issues/45",
    ],
    "https://gitlab.example.org/group/project/-/issues/45": [
        "https://gitlab.example.org/group/project/issues/45"
    ],
    "https://gitlab.com/g/p/-/merge_requests/45": [
        "https://gitlab.com/g/p/merge_requests/45",
        "https://gitlab.com/g/p/-/merge_requests/45/diffs?commit_id=1",
    ],
    "https://bitbucket.org/owner/repo/issues/45": ["https://bitbucket.org/owner/repo/issues/45/a-slug"],
    "https://bitbucket.org/owner/repo/pull-requests/45": [
        "https://bitbucket.org/owner/repo/pull-requests/45/diff"
    ],
    "https://git.example.org/projects/KEY/repos/repo/pull-requests/45": [
        "https://git.example.org/projects/KEY/repos/repo/pull-requests/45/overview"
    ],
    "https://team.atlassian.net/browse/ABC-123": [
        "https://team.atlassian.net/browse/abc-123?focusedCommentId=1",
        "https://team.atlassian.net/jira/software/projects/ABC/boards/1?selectedIssue=ABC-123",
        "https://team.atlassian.net/jira/software/c/projects/ABC/issues/ABC-123",
        "https://team.atlassian.net/projects/ABC/issues/ABC-123?filter=all",
    ],
    "https://example.org/jira/browse/ABC-123": ["https://example.org/jira/browse/ABC-123"],
    "https://linear.app/team/issue/ENG-123": ["https://linear.app/team/issue/ENG-123/a-slug-of-words"],
    "https://team.youtrack.cloud/issue/ABC-123": ["https://team.youtrack.cloud/issue/ABC-123/Slug"],
    "https://dev.azure.com/org/project/_workitems/edit/45": [
        "https://dev.azure.com/org/project/_workitems/edit/45/",
        "https://org.visualstudio.com/project/_workitems/edit/45",
        "https://org.visualstudio.com/DefaultCollection/project/_workitems/edit/45",
        "https://dev.azure.com/org/project/_boards/board/t/Team/Stories/?workitem=45",
    ],
    "https://dev.azure.com/org/project/_git/repo/pullrequest/45": [
        "https://dev.azure.com/org/project/_git/repo/pullrequest/45?_a=files"
    ],
    "https://app.asana.com/0/123/456": ["https://app.asana.com/0/123/456/f"],
    "https://app.shortcut.com/org/story/45": ["https://app.shortcut.com/org/story/45/a-slug"],
    "https://bugs.example.org/show_bug.cgi?id=45": [
        "https://bugs.example.org/show_bug.cgi?id=45#c3",
        "https://bugs.example.org/show_bug.cgi?ctype=xml&id=45",
    ],
    "https://bugs.launchpad.net/project/+bug/45": ["https://bugs.launchpad.net/project/+bug/45"],
    "https://review.example.org/c/project/sub/+/45": ["https://review.example.org/c/project/sub/+/45/3"],
    "https://tracker.example.org/issues/45": ["https://tracker.example.org/issues/45"],
}


@pytest.mark.parametrize(("expected", "written"), [(e, w) for e, all_of in SAME.items() for w in all_of])
def test_addresses_of_an_issue_have_one_spelling(expected: str, written: str) -> None:
    assert issue_address(written) == expected


@pytest.mark.parametrize("address", SAME)
def test_the_spelling_is_stable(address: str) -> None:
    assert issue_address(address) == address


@pytest.mark.parametrize(
    "address",
    [
        "https://github.com/owner/repo",
        "https://github.com/owner/repo/issues",
        "https://github.com/owner/repo/issues/new",
        "https://github.com/owner/repo/issues/45abc",
        "https://github.com/owner/repo/blob/main/issues/45.md",
        "https://github.com/owner/repo/commit/1234567",
        "https://me:secret@github.com/owner/repo/issues/45",
        "https://example.org/UTF-8",
        "https://team.atlassian.net/browse/ABC",
        "ftp://github.com/owner/repo/issues/45",
        "https://github.com",
        "https://",
        "",
        "https://github.com/owner/repo/issues/45?" + "x" * 3000,
    ],
)
def test_other_addresses_are_not_issues(address: str) -> None:
    assert issue_address(address) is None


@given(st.text(max_size=40))
def test_any_text_can_be_parsed_as_an_issue_url(text: str) -> None:
    for address in (text, f"https://{text}", f"https://github.com/{text}/issues/1"):
        found = issue_address(address)
        if found is not None:
            assert issue_address(found) == found


def test_other_addresses_keep_the_parts_that_identify_the_page() -> None:
    assert (
        plain_address("http://Lists.Example.org:8080/a/?id=1#n2")
        == "https://lists.example.org:8080/a/?id=1#n2"
    )
    assert plain_address("https://example.org/a/") == "https://example.org/a"
    assert plain_address("not an address") == "not an address"
