"""The soak finds what it is there for: readers without lists, growth, and decisions that were lost."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import httpx
import pytest

from tests.chaos.soak import asking, decisions, footprint
from tests.chaos.soak.deployment import Deployment

MORNING = datetime(2026, 3, 10, 10, tzinfo=UTC)
HEADERS = {"X-Warehouse-Build": "build", "ETag": "tag"}
Answers = Callable[[httpx.Request], httpx.Response]


def deployment(answers: Answers, data: Path = Path()) -> Deployment:
    """A deployment whose API gives these answers."""
    served = SimpleNamespace(address="http://api", process=SimpleNamespace(is_alive=lambda: True))
    made = SimpleNamespace(
        client=lambda: httpx.Client(base_url="http://api/", transport=httpx.MockTransport(answers)),
        served=served,
        data=data,
        clock=SimpleNamespace(now=MORNING.timestamp),
        ingest_key="key",
    )
    return cast("Deployment", made)


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        (lambda: httpx.Response(503, json={}), "no list was read"),
        (lambda: httpx.Response(200, json={}, headers={"X-Warehouse-Build": "build"}), "KeyError('ETag')"),
        (lambda: httpx.Response(200, text="no JSON", headers=HEADERS), "JSONDecodeError"),
    ],
    ids=["refused", "without ETag", "no JSON"],
)
def test_readers_that_get_no_list_are_a_problem(
    monkeypatch: pytest.MonkeyPatch, answer: Callable[[], httpx.Response], problem: str
) -> None:
    monkeypatch.setattr(asking, "PAUSE", 0.01)
    asked_paths = set()

    def answers(request: httpx.Request) -> httpx.Response:
        asked_paths.add(request.url.path)
        return answer()

    with asking.readers(deployment(answers), {}) as asked:
        until = time.monotonic() + 10
        while len(asked_paths) < len(asking.PAGES) and time.monotonic() < until:
            time.sleep(0.01)
    assert len(asked_paths) == len(asking.PAGES), "the readers ended"
    assert problem in " ".join(asked.problems)


def days(count: int) -> list[footprint.Footprint]:
    """Days of which each leaves 50 MB, 1,000 files, an open file and a process."""
    return [
        footprint.Footprint(number * 50 * footprint.MB, number * 1000, 0, number * 10, number, Counter())
        for number in range(count)
    ]


@pytest.mark.parametrize("count", [footprint.MIN_DAYS - 1, footprint.MIN_DAYS, 24])
def test_growth_is_found_when_days_are_compared_with_others(count: int) -> None:
    found = list(footprint.growth(days(count)))
    if count < footprint.MIN_DAYS:
        assert found == []
        return
    assert found[:2] == [
        "50.0 more MB on the disk each day, at most 3.0 are right",
        "1000.0 more files each day, at most 60 are right",
    ]
    assert len(found) == 4


class Forgetful:
    """An API that acknowledges everything, and forgets what it is told to forget."""

    def __init__(self, forgets: Iterable[str]) -> None:
        self._forgets = forgets
        self._lists: dict[str, list[dict[str, Any]]] = {
            "commits": [{"id": "a"}, {"id": "b"}, {"id": "c"}],
            "checkOccurrences": [{"id": "slow", "endedAt": None, "snoozedUntil": None}],
            "commitExclusions": [],
        }
        self.is_refusing = False

    def __call__(self, request: httpx.Request) -> httpx.Response:
        path = request.url.path.strip("/")
        if self.is_refusing:
            return httpx.Response(503, json={})
        if request.method == "GET":
            return httpx.Response(200, json={path: self._lists.get(path, [])})
        name, _, verb = path.rpartition("/")[2].partition(":")
        if verb not in self._forgets:
            self._change(name, verb)
        return httpx.Response(200, json={"id": path})

    def _change(self, name: str, verb: str) -> None:
        if verb in ("exclude", "include"):
            kept = [one for one in self._lists["commitExclusions"] if one["commitId"] != name]
            made = [{"commitId": name, "isExcluded": True}] if verb == "exclude" else []
            self._lists["commitExclusions"] = kept + made
        elif verb == "snooze":
            self._lists["checkOccurrences"][0]["snoozedUntil"] = "2026-03-12"


@pytest.mark.parametrize(
    ("forgotten", "lost"),
    [
        ("exclude", "exclusion of c: True was acknowledged, False is there"),
        ("include", "exclusion of a: False was acknowledged, True is there"),
        ("snooze", "snooze of slow: 2026-03-12 was acknowledged, None is there"),
        ("nothing", None),
    ],
)
def test_a_lost_decision_is_found(tmp_path: Path, forgotten: str, lost: str | None) -> None:
    decided = decisions.Decisions(deployment(Forgetful([forgotten]), tmp_path))
    decided.of_day(MORNING, count=9)
    found = [one for one in decided.lost() if one.startswith(("exclusion", "snooze"))]
    assert found == ([lost] if lost else [])
    assert decided.problems == []


def test_an_api_that_refuses_for_ever_is_a_problem_and_no_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(decisions, "PATIENCE", 0.0)
    api = Forgetful([])
    decided = decisions.Decisions(deployment(api, tmp_path))
    api.is_refusing = True
    decided.of_day(MORNING, count=2)
    assert decided.problems == ["commits: 503 {}", "commits: 503 {}"]
    assert "unknown, because a list cannot be read: commitExclusions: 503 {}" in list(decided.lost())


def test_an_api_that_does_not_answer_is_a_problem_and_no_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(decisions, "PATIENCE", 0.0)

    def answers(request: httpx.Request) -> httpx.Response:
        raise httpx.ReadTimeout("slow", request=request)

    decided = decisions.Decisions(deployment(answers, tmp_path))
    decided.of_day(MORNING, count=1)
    assert decided.problems == ["commits: ReadTimeout('slow')"]
    assert "unknown, because a list cannot be read: commitExclusions: ReadTimeout('slow')" in list(
        decided.lost()
    )
