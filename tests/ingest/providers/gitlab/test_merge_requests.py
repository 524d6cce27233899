"""Merge requests of GitLab: their phases, merges and people, in every edition and version."""

from __future__ import annotations

from typing import Any

import pytest

from ingest.lake import Source
from tests.ingest.connections.running import (
    Recorded,
    events,
)
from tests.ingest.providers.gitlab.host_runs import read, time
from tests.ingest.providers.gitlab.host_server import (
    GitLabServer,
    at,
    change,
    commit,
    merge_request,
    note,
    sha,
    user,
)


def test_the_life_of_a_merge_request(source: Source) -> None:
    server = GitLabServer(
        merge_requests=[
            merge_request(
                1,
                updated=at(10),
                created_at=at(1),
                state="merged",
                merged_at=at(9),
                merge_user=user("eve"),
                merge_commit_sha=sha(100),
                user_notes_count=2,
                labels=["bug", "web"],
                reviewers=[user("bob")],
                description="Closes #4",
            )
        ],
        notes={
            1: [
                note(at(1, 1), "marked this merge request as **draft**", "ann"),
                note(at(2), "added 1 commit\n\n* 0123abcd - Change 2", "ann"),
                note(at(2, 1), "marked this merge request as **ready**", "ann"),
                note(
                    at(3),
                    "requested review from @bob, @cat.x and @dan and removed review request for @old",
                    "ann",
                ),
                note(at(4), "Why so?", "bob", is_system=False),
                note(at(5), "left review comments without approving", "bob"),
                note(at(6), "requested changes", "cat.x"),
                note(at(7), "approved this merge request", "cat.x"),
                note(at(7, 1), "approved this merge request", "dan"),
                note(at(7, 2), "unapproved this merge request", "dan"),
                note(at(7, 3), "reset approvals from @cat.x and @dan by pushing to the branch", "ann"),
                note(at(8), "approved this merge request", "bob"),
                note(at(8, 1), "approved this merge request in spirit", "eve", is_system=False),
            ]
        },
        changes={
            1: [
                change(at(8, 5), "closed", "ann"),
                change(at(8, 6), "reopened", "ann"),
                change(at(9), "merged", "eve"),
            ]
        },
        commits={1: [commit(3), commit(2), commit(1)]},
        closes={
            1: [{"id": 9, "iid": 4, "references": {"full": "acme/plans#4"}}, {"id": "ABC-7", "title": "Pay"}]
        },
    )
    one = read(source, server)["1"]
    assert events(one) == [
        ("draft", "ann", None),
        ("ready", "ann", None),
        ("review_requested", "ann", "bob"),
        ("review_requested", "ann", "cat.x"),
        ("review_requested", "ann", "dan"),
        ("commented", "bob", None),
        ("reviewed", "bob", None),
        ("changes_requested", "cat.x", None),
        ("approved", "cat.x", None),
        ("approved", "dan", None),
        ("unapproved", "dan", None),
        ("unapproved", "cat.x", None),
        ("unapproved", "dan", None),
        ("approved", "bob", None),
        ("commented", "eve", None),
        ("closed", "ann", None),
        ("reopened", "ann", None),
        ("merged", "eve", None),
    ]
    assert [event["at"] for event in one["events"]][:2] == [time(1, 1), time(2, 1)]
    assert (one["state"], one["merged_at"], one["closed_at"], one["merged_by"]) == (
        "merged",
        time(9),
        time(9),
        "eve",
    )
    assert (one["source_branch"], one["target_branch"], one["head_sha"]) == ("topic-1", "main", sha(1))
    assert (one["author"], one["author_name"], one["author_kind"]) == ("ann", "Ann", "person")
    assert (one["reviewers"], one["labels"]) == (["bob", "cat.x", "dan"], ["bug", "web"])
    assert one["linked_issues"] == ["acme/plans#4", "ABC-7"]
    assert [made["sha"] for made in one["commits"]] == [sha(1), sha(2), sha(3)]
    assert "Co-authored-by: Cat" in one["commits"][0]["message"]
    assert (one["commit_count"], one["comment_count"]) == (3, 2)
    assert one["repository_id"] == "repository-of-shop"


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ("marked this merge request as **draft**", "draft"),
        ("marked this merge request as **draft** from 0123abcd", "draft"),
        ("marked this merge request as **ready**", "ready"),
        ("marked as a **Work In Progress**", "draft"),
        ("marked as a **Work In Progress** from 0123abcd", "draft"),
        ("unmarked as a **Work In Progress**", "ready"),
        ("unmarked this merge request as a Work In Progress", "ready"),
        ("approved this merge request", "approved"),
        ("unapproved this merge request", "unapproved"),
        ("requested changes", "changes_requested"),
        ("left review comments without approving", "reviewed"),
        ("reviewed this merge request", "reviewed"),
        ("closed via merge request !12", "closed"),
        ("Status changed to reopened", "reopened"),
        ("merged", "merged"),
    ],
)
def test_notes_of_old_and_new_versions_are_understood(source: Source, words: str, kind: str) -> None:
    server = GitLabServer(merge_requests=[merge_request(1)], notes={1: [note(at(5), words)]})
    assert events(read(source, server)["1"]) == [(kind, "bob", None)]


@pytest.mark.parametrize(
    "words",
    [
        "changed title from **approved this merge request** to **Pay**",
        "mentioned in merge request !7",
        "enabled an automatic merge when the pipeline for 0123abcd succeeds",
        "removed review request for @bob",
        "resolved all threads",
        "added ~3 label",
        "assigned to @bob",
        "changed target branch from `main` to `merged`",
    ],
)
def test_other_notes_are_no_events(source: Source, words: str) -> None:
    server = GitLabServer(merge_requests=[merge_request(1)], notes={1: [note(at(5), words)]})
    assert events(read(source, server)["1"]) == []


def test_a_change_of_state_that_a_note_and_an_event_tell_counts_once(source: Source) -> None:
    """Old merge requests have notes alone, and those of the time between have both."""
    server = GitLabServer(
        merge_requests=[merge_request(1, state="closed", closed_at=at(9), closed_by=user("ann"))],
        notes={1: [note(at(3), "closed"), note(at(4), "reopened"), note(at(9), "closed", "ann")]},
        changes={1: [change(at(9), "closed", "ann")]},
    )
    assert events(read(source, server)["1"]) == [
        ("closed", "bob", None), ("reopened", "bob", None), ("closed", "ann", None)
    ]  # fmt: skip


def test_servers_without_approvals_and_state_events_still_tell_the_end(source: Source) -> None:
    server = GitLabServer(
        merge_requests=[
            merge_request(1, state="merged", merged_at=at(9), merged_by=user("eve")),
            merge_request(2, state="closed", closed_at=at(8), closed_by=user("ann")),
        ],
        has_state_events=False,
    )
    found = read(source, server)
    assert (events(found["1"]), events(found["2"])) == ([("merged", "eve", None)], [("closed", "ann", None)])
    assert (found["1"]["merged_by"], found["2"]["merged_at"]) == ("eve", None)


@pytest.mark.parametrize(
    ("merge", "squash", "merge_sha", "squash_sha"),
    [
        (sha(90), None, sha(90), None),
        (sha(90), sha(80), sha(90), sha(80)),
        (None, sha(80), sha(80), sha(80)),
        (None, None, sha(3), None),
    ],
    ids=["merge", "squash and merge commit", "squash alone", "fast-forward or rebase"],
)
def test_each_way_of_a_merge_names_its_commit(
    source: Source, merge: str | None, squash: str | None, merge_sha: str, squash_sha: str | None
) -> None:
    ended: dict[str, Any] = {"state": "merged", "merged_at": at(9)}
    server = GitLabServer(
        merge_requests=[
            merge_request(3, **ended, merge_commit_sha=merge, squash_commit_sha=squash),
            merge_request(4, merge_commit_sha=sha(91)),
        ]
    )
    found = read(source, server)
    assert (found["3"]["merge_sha"], found["3"]["squash_sha"]) == (merge_sha, squash_sha)
    assert (found["4"]["merge_sha"], found["4"]["state"]) == (None, "open")


def test_deleted_accounts_bots_forks_and_drafts_of_old_versions(source: Source) -> None:
    old = merge_request(2, source_project_id=None, work_in_progress=True)
    del old["draft"]
    server = GitLabServer(
        merge_requests=[
            merge_request(1, author=user("ghost1")),
            old,
            merge_request(3, author=user("project_7_bot_0a1b"), state="locked"),
        ]
    )
    found = read(source, server)
    assert [found[n]["author_kind"] for n in "123"] == ["unknown", "person", "bot"]
    assert (found["1"]["author"], found["1"]["author_name"]) == (None, None)
    assert [found[n]["is_from_fork"] for n in "123"] == [False, True, False]
    assert [found[n]["is_draft"] for n in "123"] == [False, True, False]
    assert found["3"]["state"] == "open"


def test_issues_are_asked_for_where_a_text_could_close_one(source: Source) -> None:
    server = Recorded(
        GitLabServer(
            merge_requests=[merge_request(1), merge_request(2, description="Closes ABC-1"), merge_request(3)],
            commits={3: [{**commit(1), "message": "Fix #7"}]},
        )
    )
    read(source, server)
    assert [path for path in server.paths() if path.endswith("closes_issues")] == [
        f"/tools/api/v4/projects/7/merge_requests/{n}/closes_issues" for n in (2, 3)
    ]
