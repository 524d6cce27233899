"""Signs of AI tools and automatic accounts, and similar names of people and branches."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

from tests.dbt import warehouse
from tests.dbt.invented.signed_commits import BOTS, COMMITS
from tests.dbt.invented.tracked_organization import Tracked


def test_tools_are_distinguished_from_people_and_branches(aligned: Path, tracked: Tracked) -> None:
    query = """
        select commit_sha, tool, max(role) as role
        from commit_ai_evidence join commits_by_time using (commit_id) group by commit_sha, tool
    """
    found: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for row in warehouse.rows(aligned, query):
        found[row["commit_sha"]].add((row["tool"], row["role"]))
    detected = [(words, found[sha]) for sha, (words, _) in zip(tracked.signed_shas, COMMITS, strict=True)]
    assert detected == [(words, set() if sign is None else {sign}) for words, sign in COMMITS]


def test_a_tool_takes_no_share_as_co_author(aligned: Path, tracked: Tracked) -> None:
    query = (
        "select commit_sha, count(*) as people, max(share_micro) as share from int_commit_credits group by 1"
    )
    found = {row["commit_sha"]: (row["people"], row["share"]) for row in warehouse.rows(aligned, query)}
    named = [
        (found[sha], words, sign is not None)
        for sha, (words, sign) in zip(tracked.signed_shas, COMMITS, strict=True)
        if any(key.lower() == "co-authored-by" for key, _ in words.get("trailers", ()))
    ]
    assert len([one for one in named if one[2]]) > 3
    assert [one for one in named if one[2] and one[0] != (1, 1_000_000)] == []
    assert [one for one in named if not one[2] and one[0] == (1, 1_000_000)] == []


def test_an_accepted_suggestion_is_no_assistance(aligned: Path, tracked: Tracked) -> None:
    query = "select commit_sha, is_ai_assisted from commits_by_time"
    found = {row["commit_sha"]: row["is_ai_assisted"] for row in warehouse.rows(aligned, query)}
    expected = [sign is not None and sign[1] != "reviewed" for _, sign in COMMITS]
    assert [found[sha] for sha in tracked.signed_shas] == expected


def test_automatic_accounts_are_distinguished_from_people(aligned: Path) -> None:
    found = {}
    for row in warehouse.rows(aligned, "select is_bot, bot_reason, unnest(addresses) as a from developers"):
        found[row["a"]["name"], row["a"]["email"]] = row["is_bot"]
        assert (row["bot_reason"] is not None) == row["is_bot"]
    assert {key: found[key[0], key[1].lower()] for key in BOTS} == BOTS
