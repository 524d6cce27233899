"""One branch, delivered by merge, squash, rebase and fast-forward: the same people, AI evidence and pull request."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.dbt import warehouse
from tests.dbt.naive import naive_pull_requests
from tests.dbt.pull_requests.conftest import NUMBER, WAYS
from tests.dbt.pull_requests.reviewed_branches import Reviewed

Row = dict[str, Any]


def of(reviewed: dict[str, Reviewed], merged: Path, way: str, query: str) -> list[Row]:
    """Rows of a query about the pull request of a way, `{id}` in it being the repository."""
    return warehouse.rows(merged, query.format(id=reviewed[way].id))


LINKS = (
    "select links.commit_sha, links.how from pull_request_commits as links "
    "join pull_requests as pulls using (pull_request_id) where pulls.repository_id = '{id}'"
)


@pytest.mark.parametrize("way", WAYS)
def test_the_delivered_commits_are_those_that_git_says(
    reviewed: dict[str, Reviewed], merged: Path, way: str
) -> None:
    one = reviewed[way]
    expected = naive_pull_requests.links(one.folder, one.pull_requests[0])
    found = {row["commit_sha"]: row["how"] for row in of(reviewed, merged, way, LINKS)}
    assert found == expected
    assert set(found.values()) == {way}
    (fact,) = of(reviewed, merged, way, "from pull_requests where repository_id = '{id}'")
    assert (fact["merged_by_way"], fact["delivered_commit_count"]) == (way, len(expected))
    assert fact["number"] == NUMBER
    named = "select commit_sha, pull_request_number from commits_by_time where repository_id = '{id}'"
    numbers = {row["commit_sha"]: row["pull_request_number"] for row in of(reviewed, merged, way, named)}
    assert {sha for sha, number in numbers.items() if number is not None} == set(expected)


def facts(reviewed: dict[str, Reviewed], merged: Path, way: str) -> dict[str, Any]:
    """What must be the same however a branch was delivered."""
    # The commit of a merge itself is the host's.
    people = of(
        reviewed,
        merged,
        way,
        "select distinct developers.primary_email as email from pull_request_commits as links "
        "join pull_requests as pulls using (pull_request_id) "
        "join commit_credits as credits using (commit_id) "
        "join developers as developers on developers.developer_id = credits.developer_id "
        "join commits_by_time as commits on commits.commit_id = links.commit_id "
        "where pulls.repository_id = '{id}' and credits.share_micro > 0 and not commits.is_merge",
    )
    evidence = of(
        reviewed,
        merged,
        way,
        "select distinct evidence.tool, evidence.role, evidence.signal, evidence.matched_text "
        "from pull_request_commits as links "
        "join pull_requests as pulls using (pull_request_id) "
        "join commit_ai_evidence as evidence using (commit_id) where pulls.repository_id = '{id}' order by all",
    )
    (pull,) = of(
        reviewed,
        merged,
        way,
        "select title, state, is_ai_assisted, ai_basis, ai_tools, source_commit_count, commits_after_review "
        "from pull_requests where repository_id = '{id}'",
    )
    return {"people": {row["email"] for row in people}, "evidence": evidence, "pull request": pull}


def test_all_ways_give_the_same_people_and_evidence(reviewed: dict[str, Reviewed], merged: Path) -> None:
    first = facts(reviewed, merged, "merge")
    assert first["people"] == {"ada@example.org", "grace@example.org", "linus@example.org"}
    assert {(row["tool"], row["role"]) for row in first["evidence"]} == {
        ("Claude Code", "assisted"),
        ("Cursor", "assisted"),
    }
    assert first["pull request"]["is_ai_assisted"]
    assert first["pull request"]["ai_tools"] == ["Claude Code", "Cursor"]
    for way in WAYS[1:]:
        assert facts(reviewed, merged, way) == first, way


def test_all_ways_earn_the_same(reviewed: dict[str, Reviewed], merged: Path) -> None:
    etv = {
        way: of(reviewed, merged, way, "select etv_micro from pull_requests where repository_id = '{id}'")[0][
            "etv_micro"
        ]
        for way in WAYS
    }  # fmt: skip
    assert etv["merge"] > 0
    for way in WAYS[1:]:
        assert etv[way] == pytest.approx(etv["merge"], rel=0.02), (way, etv)


def earned(reviewed: dict[str, Reviewed], merged: Path, way: str) -> dict[str, float]:
    """The share of each person in the ETV of the pull request, by address."""
    rows = of(
        reviewed,
        merged,
        way,
        "select developers.primary_email as email, sum(commits.etv_micro * credits.share_micro / 1e6) as etv_micro "
        "from pull_request_commits as links "
        "join pull_requests as pulls using (pull_request_id) "
        "join commits_by_time as commits on commits.commit_id = links.commit_id "
        "join commit_credits as credits on credits.commit_id = links.commit_id "
        "join developers as developers on developers.developer_id = credits.developer_id "
        "where pulls.repository_id = '{id}' group by all",
    )
    whole = sum(row["etv_micro"] for row in rows)
    return {row["email"]: row["etv_micro"] / whole for row in rows if row["etv_micro"]}


def test_the_people_of_a_squash_share_as_those_of_the_merged_branch(
    reviewed: dict[str, Reviewed], merged: Path
) -> None:
    shares = earned(reviewed, merged, "squash")
    assert shares == pytest.approx(earned(reviewed, merged, "merge"), abs=0.05)
    assert len(shares) == 3


def test_the_people_of_a_squash_that_the_clone_does_not_know_share_by_changed_lines(
    reviewed: dict[str, Reviewed], merged: Path
) -> None:
    one = reviewed["plain"]
    sources = [commit["sha"] for commit in one.pull_requests[0]["commits"]]
    expected = naive_pull_requests.shares(one.folder, sources)
    assert earned(reviewed, merged, "plain") == pytest.approx(expected, abs=2e-6)
    assert len(expected) == 3


def test_the_explanation_of_a_squash_says_what_decides_the_shares(
    reviewed: dict[str, Reviewed], merged: Path
) -> None:
    explained = "select explanation from commits_by_time where repository_id = '{id}'"
    told = {
        way: [row["explanation"].split("; shared by ")[1:] for row in of(reviewed, merged, way, explained)]
        for way in ("merge", "squash", "plain")
    }
    assert not any(told["merge"])
    # One of the three source commits has no points in the squash.
    assert [one for one in told["squash"] if one] == [["the points of the lines here of 2 source commits"]]
    assert [one for one in told["plain"] if one] == [["the changed lines of 3 source commits"]]


def test_commits_of_review_refs_alone_earn_nothing(reviewed: dict[str, Reviewed], merged: Path) -> None:
    one = reviewed["lost"]
    only = set(naive_pull_requests.git(one.folder, "rev-list", "refs/eas/review/7", "^main"))
    assert len(only) == 3
    read = of(reviewed, merged, "lost", "select commit_sha from git.commits where repository_id = '{id}'")
    assert only <= {row["commit_sha"] for row in read}, "the facts have them"
    for way in ("lost", "squash"):
        folder = reviewed[way].folder
        shown = of(
            reviewed, merged, way, "select commit_sha from commits_by_time where repository_id = '{id}'"
        )
        main = set(naive_pull_requests.git(folder, "rev-list", "main"))
        assert {row["commit_sha"] for row in shown} == main, way
    daily = "select coalesce(sum(etv_micro), 0) as etv from daily where repository_id = '{id}'"
    (total,) = of(reviewed, merged, "lost", daily)
    own = "select sum(etv_micro) as etv from commits_by_time where repository_id = '{id}'"
    assert of(reviewed, merged, "lost", own) == [total]
    people = "select distinct author_email as email from commits_by_time where repository_id = '{id}'"
    assert of(reviewed, merged, "lost", people) == [{"email": "ken@example.org"}]


def test_commits_take_the_issues_that_host_and_tracker_link(
    reviewed: dict[str, Reviewed], merged: Path
) -> None:
    for way in WAYS:
        linked = of(
            reviewed,
            merged,
            way,
            "select issues.item_key as key, issues.found_in from pull_request_issues as issues "
            "join pull_requests as pulls using (pull_request_id) where repository_id = '{id}' order by 1",
        )
        keys = ["WEB-1", "WEB-3"] if way == "squash" else ["WEB-1"]
        assert linked == [{"key": key, "found_in": "linked"} for key in keys], way
        commits = of(reviewed, merged, way, LINKS)
        aligned = of(
            reviewed,
            merged,
            way,
            "select commit_sha, item_key, found_in from commit_issues where repository_id = '{id}'",
        )
        assert {row["commit_sha"] for row in aligned} <= {row["commit_sha"] for row in commits}
        assert {(row["item_key"], row["found_in"]) for row in aligned} == {
            (key, "pull_request") for key in keys
        }
        (shown,) = of(
            reviewed,
            merged,
            way,
            "select issue_keys, referenced_keys from pull_requests where repository_id = '{id}'",
        )
        assert sorted(shown["issue_keys"]) == ["WEB-1", "WEB-2"], "known ones, as their tracker writes them"
        assert sorted(shown["referenced_keys"]) == ["UTF-8", "WEB-2", "web-1"], "all, as they are written"
