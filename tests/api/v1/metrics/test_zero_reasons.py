"""Work without ETV: every part compared with loops over the commits of the organization."""

from collections import Counter
from datetime import date
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.api.conftest import ROOT, client_for, deploy, serving
from tests.api.published_facts import ORGANIZATION, Commit, Facts, make_facts
from tests.api.published_rows import write

MEASURES = ("commits", "files", "linesAdded")


def answer(client: httpx.Client, **params: Any) -> dict[str, Any]:
    response = client.get(f"{ROOT}/zeroReasons", params=params)
    assert response.status_code == 200, response.text
    found: dict[str, Any] = response.json()
    return found


def sums(facts: Facts, commits: list[Commit]) -> dict[str | None, tuple[int, ...]]:
    found: dict[str | None, Counter[str]] = {}
    for commit in commits:
        for reason, *amounts in facts.parts(commit):
            found.setdefault(reason, Counter()).update(dict(zip(MEASURES, amounts, strict=True)))
    return {reason: tuple(amounts[name] for name in MEASURES) for reason, amounts in found.items()}


def shown(one: dict[str, Any]) -> tuple[int, ...]:
    return tuple(one[name] for name in MEASURES)


def delivered(facts: Facts, repository: str | None = None) -> list[Commit]:
    return [
        commit
        for commit in facts.commits
        if commit.delivered_at
        and (commit.repository == repository if repository else commit.repository != facts.sandbox)
    ]


def test_reasons_and_counted_work_add_up_to_all_delivered_work(client: httpx.Client, facts: Facts) -> None:
    found, expected = answer(client), sums(facts, delivered(facts))
    assert shown(found["counted"]) == expected.pop(None)
    assert {one["zeroReason"]: shown(one) for one in found["zeroReasons"]} == expected
    assert set(expected) == {"BOT", "GENERATED", "NO_COUNTED_LINES"}
    parts = [found["counted"], *found["zeroReasons"]]
    for name in MEASURES:
        assert found["total"][name] == sum(one[name] for one in parts)
    for one in found["zeroReasons"]:
        assert one["commitShare"] == pytest.approx(one["commits"] / found["total"]["commits"])
        assert one["lineShare"] == pytest.approx(one["linesAdded"] / found["total"]["linesAdded"])
        assert one["title"]
        assert one["description"].endswith(".")
    lines = [one["linesAdded"] for one in found["zeroReasons"]]
    assert lines == sorted(lines, reverse=True)
    assert found["suppressedReason"] is None
    days = [commit.delivered_at.date() for commit in facts.commits if commit.delivered_at]
    assert found["startDate"] == min(days).isoformat()


def test_a_repository_a_team_and_a_range_leave_theirs(client: httpx.Client, facts: Facts) -> None:
    for repository in facts.repositories:
        expected = sums(facts, delivered(facts, repository))
        assert shown(answer(client, repository=repository)["counted"]) == expected[None]
    team = next(key for key, (name, _, _) in facts.teams.items() if name == "Core")
    mine = [one for one in delivered(facts) if team in facts.and_above(facts.team_of_commit(one))]
    found = answer(client, team=team.upper())
    assert {one["zeroReason"]: shown(one) for one in found["zeroReasons"]} | {
        None: shown(found["counted"])
    } == sums(facts, mine)
    first, last = date(2026, 8, 3), date(2026, 9, 20)
    within = [
        one for one in delivered(facts) if one.delivered_at and first <= one.delivered_at.date() <= last
    ]
    ranged = answer(client, startDate=first.isoformat(), endDate=last.isoformat())
    assert shown(ranged["counted"]) == sums(facts, within)[None]
    assert answer(client, startDate="2030-01-01")["total"] == dict.fromkeys(MEASURES, 0)


def test_the_largest_five_of_each_reason_have_a_link(client: httpx.Client, facts: Facts) -> None:
    hosted = next(iter(facts.repositories))
    for one in answer(client)["zeroReasons"]:
        lines: Counter[str] = Counter()
        for commit in delivered(facts):
            for reason, _, _, added in facts.parts(commit):
                if reason == one["zeroReason"]:
                    lines[commit.id] += added
        expected = sorted((n for n in lines.values() if n), reverse=True)[:5]
        assert [commit["linesAdded"] for commit in one["largest"]] == expected
        for large in one["largest"]:
            commit = next(c for c in facts.commits if c.id == large["id"])
            assert (large["sha"], large["subject"]) == (commit.sha, commit.subject)
            assert large["linesAdded"] == lines[commit.id]
            if commit.repository == hosted:
                assert large["link"] == f"https://git.example/acme/web/commit/{commit.sha}"
            else:
                assert large["link"] == f"/api/v1/organizations/{ORGANIZATION}/commits/{commit.id}"
                assert client.get(large["link"]).json()["sha"] == commit.sha


def test_a_reason_for_more_than_a_tenth_of_a_repository_gives_a_warning(
    client: httpx.Client, facts: Facts
) -> None:
    expected = set()
    for repository in set(facts.repositories) - {facts.sandbox}:
        parts = sums(facts, delivered(facts, repository))
        commits, _, lines = (sum(amounts[number] for amounts in parts.values()) for number in range(3))
        expected |= {
            (reason, repository)
            for reason, amounts in parts.items()
            if reason and max(amounts[0] / commits, amounts[2] / lines) > 0.1
        }
    found = answer(client)["warnings"]
    assert {(one["zeroReason"], one["repositoryId"]) for one in found} == expected
    assert expected
    assert {one["repositoryName"] for one in found} <= set(facts.repositories.values())
    assert all(max(one["commitShare"], one["lineShare"]) > 0.1 for one in found)


def test_a_repository_of_which_nothing_counts_says_why(tmp_path: Path) -> None:
    facts = make_facts()
    [copy] = (key for key, name in facts.repositories.items() if name == "acme/api")
    for commit in facts.commits:
        if commit.repository == copy:
            commit.changes = []
    deployment = deploy(tmp_path / "data", facts, write(facts, tmp_path / "built.duckdb"))
    deployment.publish()
    with serving(deployment.data_dir) as address, client_for(address, deployment.key()) as client:
        said = {}
        for key in facts.repositories:
            said[key] = client.get(f"{ROOT}/repositories/{key}").json()["zeroReason"]
            reasons = answer(client, repository=key)
            first = reasons["zeroReasons"][0]["zeroReason"] if reasons["zeroReasons"] else None
            assert said[key] == (None if reasons["counted"]["commits"] else first)
    assert [key for key, reason in said.items() if reason is not None] == [copy]


def test_an_unknown_repository_and_a_backward_range_are_refused(client: httpx.Client) -> None:
    assert client.get(f"{ROOT}/zeroReasons", params={"repository": "nothing"}).status_code == 404
    backwards = client.get(f"{ROOT}/zeroReasons", params={"startDate": "2026-02-01", "endDate": "2026-01-01"})
    assert backwards.status_code == 400
