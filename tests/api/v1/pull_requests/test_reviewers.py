"""The load of reviewers, compared with loops over the facts."""

from collections import defaultdict
from datetime import date
from statistics import median
from typing import Any

import httpx
import pytest

from tests.api.conftest import ROOT
from tests.api.published_facts import UNIT, Facts
from tests.api.pull_request_facts import PullRequest, login, pull_requests

FIRST, LAST = date(2026, 6, 1), date(2026, 11, 20)
DAYS = {"startDate": str(FIRST), "endDate": str(LAST)}


def answered(facts: Facts) -> list[PullRequest]:
    return [
        one
        for one in pull_requests(facts)
        if one.reviewed_at and FIRST <= one.reviewed_at.date() <= LAST and one.repository != facts.sandbox
    ]


def test_a_reviewer_has_the_answers_of_the_range(client: httpx.Client, facts: Facts) -> None:
    by_reviewer: dict[str, list[PullRequest]] = defaultdict(list)
    for one in answered(facts):
        assert one.reviewer is not None
        by_reviewer[one.reviewer].append(one)
    found = client.get(f"{ROOT}/reviewers", params=DAYS).json()
    shown = {row["developerId"]: row for row in found["reviewers"]}
    assert shown.keys() == by_reviewer.keys()
    assert found["totalSize"] == len(by_reviewer)
    counts = [row["pullRequests"] for row in found["reviewers"]]
    assert counts == sorted(counts, reverse=True)
    for key, own in by_reviewer.items():
        row = shown[key]
        assert (row["login"], row["developerName"]) == (login(facts, key), facts.developers[key])
        assert (row["pullRequests"], row["answers"]) == (len(own), len(own))
        assert row["approvals"] == sum(one.approved_at is not None for one in own)
        hours = [hours for one in own if (hours := one.hours("pickup")) is not None]
        assert row["responseHours"] == pytest.approx(median(hours) / UNIT, abs=2e-6)
        assert row["loadShare"] == pytest.approx(len(own) / len(answered(facts)))


def test_filters_narrow_the_reviews_and_the_rows(client: httpx.Client, facts: Facts) -> None:
    web = next(iter(facts.repositories))
    in_web = [one for one in answered(facts) if one.repository == web]
    rows: list[dict[str, Any]] = client.get(f"{ROOT}/reviewers", params=DAYS | {"repository": web}).json()[
        "reviewers"
    ]
    assert sum(row["pullRequests"] for row in rows) == len(in_web)
    some = client.get(f"{ROOT}/reviewers", params=DAYS | {"filter": "pullRequests > 1000"}).json()
    assert (some["reviewers"], some["totalSize"]) == ([], 0)
    ids: list[str] = []
    token = ""
    while True:
        page = client.get(
            f"{ROOT}/reviewers", params=DAYS | {"pageSize": 1, "pageToken": token, "orderBy": "login"}
        )
        ids += [row["login"] for row in page.json()["reviewers"]]
        token = page.json()["nextPageToken"]
        if not token:
            break
    assert ids == sorted({login(facts, one.reviewer) for one in answered(facts)})
