"""The list of commits, and the explanation of one commit in integer units."""

from datetime import date
from typing import Any

import httpx
import pytest

from tests.api.conftest import ROOT
from tests.api.published_facts import Commit, Facts
from tests.suite.tiers import spread


def everything(client: httpx.Client, size: int = 7, **params: Any) -> list[dict[str, Any]]:
    """All pages of a list of commits."""
    rows: list[dict[str, Any]] = []
    token = ""
    while True:
        answer = client.get(f"{ROOT}/commits", params=params | {"pageSize": size, "pageToken": token})
        assert answer.status_code == 200, answer.text
        body = answer.json()
        rows += body["commits"]
        token = body["nextPageToken"]
        assert len(body["commits"]) <= size
        if not token:
            assert body["totalSize"] == len(rows)
            return rows


def newest_first(commits: list[Commit]) -> list[str]:
    delivered = sorted((-c.delivered_at.timestamp(), c.id) for c in commits if c.delivered_at is not None)
    return [key for _, key in delivered] + sorted(c.id for c in commits if c.delivered_at is None)


@pytest.mark.parametrize("size", [1, 7, 50, 1000])
def test_pages_give_every_commit_once_newest_delivery_first(
    client: httpx.Client, facts: Facts, size: int
) -> None:
    assert [row["id"] for row in everything(client, size)] == newest_first(facts.commits)


def test_filters_narrow_and_combine(client: httpx.Client, facts: Facts) -> None:
    web, api = list(facts.repositories)[:2]
    ada, grace = list(facts.developers)[:2]
    first, last = date(2026, 8, 1), date(2026, 10, 31)
    cases: list[tuple[dict[str, Any], Any]] = [
        ({"repository": web}, lambda c: c.repository == web),
        ({"repository": [web, api]}, lambda c: c.repository in (web, api)),
        ({"developer": ada}, lambda c: c.developer == ada),
        (
            {"developer": [ada, grace], "repository": web},
            lambda c: c.developer in (ada, grace) and c.repository == web,
        ),
        *(
            ({"team": team}, lambda c, team=team: team in facts.and_above(facts.team_of_commit(c)))
            for team in facts.teams
        ),
        (
            {"team": list(facts.teams)[:2], "developer": ada},
            lambda c: (
                c.developer == ada
                and not {*list(facts.teams)[:2]}.isdisjoint(facts.and_above(facts.team_of_commit(c)))
            ),
        ),
        ({"category": ["FIXES", "tests"]}, lambda c: c.category in ("fixes", "tests")),
        ({"startDate": str(first)}, lambda c: c.delivered_at and first <= c.delivered_at.date()),
        (
            {"startDate": str(first), "endDate": str(last)},
            lambda c: c.delivered_at and first <= c.delivered_at.date() <= last,
        ),
        ({"aiAssisted": "true"}, lambda c: c.ai),
        ({"aiAssisted": "false"}, lambda c: not c.ai),
        (
            {"counted": "false"},
            lambda c: not c.changes or c.developer == facts.bot or c.repository == facts.sandbox,
        ),
        ({"misdated": "true"}, lambda c: c.is_misdated),
        ({"misdated": "false", "repository": web}, lambda c: not c.is_misdated and c.repository == web),
        ({"search": "FEAT:"}, lambda c: c.subject.startswith("feat:")),
        ({"search": "number 15"}, lambda c: "number 15" in c.subject),
        ({"search": facts.commits[5].sha[:9]}, lambda c: c.sha == facts.commits[5].sha),
        ({"search": "100% _"}, lambda _: False),
        (
            {"repository": web, "search": "fix", "aiAssisted": "true"},
            lambda c: c.repository == web and "fix" in c.subject and c.ai,
        ),
    ]
    assert any(one.is_misdated for one in facts.commits)
    for params, wanted in cases:
        expected = newest_first([commit for commit in facts.commits if wanted(commit)])
        assert [row["id"] for row in everything(client, **params)] == expected, params


@pytest.mark.parametrize(
    "order",
    [
        "etv desc",
        "etv",
        "subject",
        "delivered_at",
        "deliveredAt desc",
        "deliveredAt desc, etv",
        "category desc, etv",
        "zeroReason, sha desc",
    ],
)
@pytest.mark.parametrize("size", [3, 40])
def test_any_order_is_paged_without_gaps_or_repeats(
    client: httpx.Client, facts: Facts, order: str, size: int
) -> None:
    rows = everything(client, size, orderBy=order)
    assert sorted(row["id"] for row in rows) == sorted(commit.id for commit in facts.commits)
    # The last term first, as sorting is stable; nulls last both ways.
    wanted = sorted(rows, key=lambda row: row["id"])
    for term in reversed(order.split(",")):
        name, *direction = term.split()
        name = {"delivered_at": "deliveredAt"}.get(name, name)
        descending = direction == ["desc"]
        given = sorted((r for r in wanted if r[name] is not None), key=lambda r: r[name], reverse=descending)
        wanted = given + [r for r in wanted if r[name] is None]
    assert [row["id"] for row in rows] == [row["id"] for row in wanted]


def test_a_commit_is_found_by_id_and_by_sha(client: httpx.Client, facts: Facts) -> None:
    for commit in facts.commits[:20]:
        by_id = client.get(f"{ROOT}/commits/{commit.id}").json()
        assert by_id["sha"] == commit.sha
        assert client.get(f"{ROOT}/commits/{commit.sha}").json() == by_id
        assert client.get(f"{ROOT}/commits/{commit.sha.upper()}").json() == by_id
        for digits in (7, 10, 39):
            assert client.get(f"{ROOT}/commits/{commit.sha[:digits]}").json() == by_id
        assert client.get(f"{ROOT}/commits/{commit.sha[:6]}").status_code == 404
        files = client.get(f"{ROOT}/commits/{commit.id}/files").json()
        assert client.get(f"{ROOT}/commits/{commit.sha[:8].upper()}/files").json() == files


def test_the_error_of_an_unknown_commit_says_how_to_name_one_and_what_can_be_the_case(
    client: httpx.Client,
) -> None:
    for unknown in ("0000000", "no-commit", "f" * 40):
        refused = client.get(f"{ROOT}/commits/{unknown}")
        assert refused.status_code == 404
        assert refused.json()["message"] == (
            f"no commit '{unknown}' (give its id, SHA, or at least the first 7 digits of the SHA) in the newest build"
            " of this organization: it does not exist, was removed, or is newer than this build"
        )


def test_pages_of_files_go_on_for_an_abbreviated_sha(client: httpx.Client, facts: Facts) -> None:
    commit = max(facts.commits, key=lambda c: len(c.changes))
    path = f"{ROOT}/commits/{commit.sha[:7]}/files"
    first = client.get(path, params={"pageSize": 1}).json()
    second = client.get(path, params={"pageSize": 1, "pageToken": first["nextPageToken"]})
    assert second.status_code == 200, second.text
    assert second.json()["files"] != first["files"]


def test_the_explanation_adds_and_multiplies_up_exactly(client: httpx.Client, facts: Facts) -> None:
    explained = 0
    for commit in spread(facts.commits, 80):
        shown = client.get(f"{ROOT}/commits/{commit.id}").json()
        assert shown["fileTotal"] == len(shown["files"]) == len(commit.changes)
        assert round(shown["etv"] * 1e6) == sum(file["etvMicros"] for file in shown["files"]) == commit.etv
        assert round(shown["points"] * 1e6) == sum(file["pointsMicros"] for file in shown["files"])
        assert [file["path"] for file in shown["files"]] == sorted(file["path"] for file in shown["files"])
        for file in shown["files"]:
            assert sum(entry["pointsMicros"] for entry in file["lineClasses"]) == file["linePointsMicros"]
            assert all(
                entry["lines"] * entry["weightMicros"] == entry["pointsMicros"]
                for entry in file["lineClasses"]
            )
            total = file["linePointsMicros"] + file["removedPointsMicros"] + file["fileBonusMicros"]
            assert total * file["roleFactorMicros"] // 10**6 == file["pointsMicros"]
            assert file["pointsMicros"] // 58 == file["effortMicros"]
            assert file["effortMicros"] * file["multiplierMicros"] // 10**6 == file["etvMicros"]
            assert {entry["class"] for entry in file["lineClasses"]} == {"NOVEL", "COMMENT"}
        if commit.changes:
            (credit,) = shown["credits"]
            assert (credit["developerId"], credit["share"]) == (commit.developer, 1)
            assert credit["developerName"] == facts.developers[commit.developer]
            assert round(credit["etv"] * 1e6) == commit.etv
            explained += 1
        assert [sign["tool"] for sign in shown["aiEvidence"]] == (["claude_code"] if commit.ai else [])
        origins = [(origin["commitSha"], origin["likelihood"]) for origin in shown["likelyOrigins"]]
        likelier = [(facts.commits[1].sha, 0.46), (facts.commits[0].sha, 0.35)]
        assert origins == (likelier if commit.category == "fixes" else [])
    assert explained > 50


def test_the_files_of_a_commit_are_paged(client: httpx.Client, facts: Facts) -> None:
    commit = max(facts.commits, key=lambda c: len(c.changes))
    path, files, token = f"{ROOT}/commits/{commit.id}/files", [], ""
    while True:
        body = client.get(path, params={"pageSize": 1, "pageToken": token}).json()
        files += body["files"]
        token = body["nextPageToken"]
        if not token:
            break
    assert files == client.get(f"{ROOT}/commits/{commit.id}").json()["files"]
    assert len(files) == len(commit.changes) > 1


def test_a_commit_without_files_has_an_empty_page_of_them(client: httpx.Client, facts: Facts) -> None:
    commit = next(commit for commit in facts.commits if not commit.changes)
    body = client.get(f"{ROOT}/commits/{commit.id}/files").json()
    assert body == {"files": [], "nextPageToken": "", "totalSize": 0}
