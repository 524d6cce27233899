"""Makes decisions of people and sends telemetry of tools over the API, and finds acknowledged ones that are lost.

An answer of 503, or none, acknowledges nothing. Any other refusal of a change is a problem, and so is a list that
cannot be read within a minute of a quiet machine. Add: a kind of decision.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta
from typing import Any

import httpx

from ingest.lake import Lake
from ingest.telemetry.loading import NOUN, SOURCE
from orchestration.deployment import LOCAL_ORGANIZATION
from tests.api.otlp.test_receiver import request_of
from tests.chaos.patience import Patience
from tests.chaos.soak.deployment import Deployment

EVENTS = 5
CATEGORIES = ("FEATURES", "FIXES", "MAINTENANCE", "TESTS", "DOCUMENTATION")
KIND = "OPEN_TOO_LONG"
PATIENCE, PAUSE = 60.0, 1.0
"""Seconds of a quiet machine in which a list can be read, and between two attempts."""


class NotRead(Exception):
    """The API does not answer a list."""


class Decisions:
    """Decides in turn, and remembers what was acknowledged."""

    def __init__(self, deployment: Deployment) -> None:
        self._deployment = deployment
        self._number = 0
        self.problems: list[str] = []
        self.refused = 0
        self._events: set[str] = set()
        # False: included again.
        self._excluded: dict[str, bool] = {}
        self._snoozed: dict[str, str] = {}
        self._categories: dict[str, str] = {}
        self._settings: dict[str, Any] = {}
        self._kinds: dict[str, Any] = {}
        # By path of the list, the ids of what must be in it.
        self._listed: dict[str, set[str]] = {}
        self._turns: tuple[Callable[[httpx.Client, date], None], ...] = (
            self._exclude, self._categorize, self._make_team, self._change_hours, self._exclude, self._change_kind,
            self._agree_policy, self._include, self._triage,
        )  # fmt: skip

    def of_day(self, morning: datetime, count: int = 4) -> None:
        """Send telemetry and decide some times. A month that ended is closed."""
        today = morning.date()
        with self._deployment.client() as client:
            self._send_events(client)
            for _ in range(count):
                turn = self._turns[self._number % len(self._turns)]
                self._number += 1
                try:
                    turn(client, today)
                except NotRead as error:
                    self.problems.append(str(error))
            if today.day == 3:
                self._close_month(client, (today.replace(day=1) - timedelta(days=1)).replace(day=1))

    def lost(self) -> Iterator[str]:
        """Yield each acknowledged decision that the API no longer answers."""
        with self._deployment.client() as client:
            try:
                yield from self._lost_decisions(client)
            except NotRead as error:
                yield f"unknown, because a list cannot be read: {error}"
        yield from self._lost_events()

    def _lost_decisions(self, client: httpx.Client) -> Iterator[str]:
        excluded = {
            one["commitId"]
            for one in _every(client, "commitExclusions", "commitExclusions")
            if one["isExcluded"]
        }
        yield from _apart("exclusion", self._excluded, {one: one in excluded for one in self._excluded})
        found = {commit: _get(client, f"commits/{commit}").get("category") for commit in self._categories}
        yield from _apart("category", self._categories, found)
        yield from _apart("setting", self._settings, _get(client, "settings"))
        kinds = {one["name"]: one["threshold"] for one in _get(client, "checkKinds")["checkKinds"]}
        yield from _apart("threshold", self._kinds, kinds)
        for path, ids in self._listed.items():
            identifier = "month" if path == "capexLocks" else "id"
            missing = ids - {one[identifier] for one in _every(client, path, path)}
            yield from (f"{path} {one}" for one in sorted(missing))
        # A snooze ends with its day, or with what was found.
        today = str(datetime.fromtimestamp(self._deployment.clock.now(), UTC).date())
        snoozed = {
            one["id"]: one.get("snoozedUntil")
            for one in _every(client, "checkOccurrences", "checkOccurrences")
            if one.get("endedAt") is None
        }
        lasting = {one: until for one, until in self._snoozed.items() if until > today and one in snoozed}
        yield from _apart("snooze", lasting, snoozed)

    def _lost_events(self) -> Iterator[str]:
        source = Lake(str(self._deployment.data / "raw")).source(NOUN, LOCAL_ORGANIZATION, SOURCE)
        stored = source.read("requests")["event_key"].to_pylist()
        if len(stored) != len(set(stored)):
            yield f"{len(stored) - len(set(stored))} events of telemetry are stored twice"
        tokens = source.read("requests")["input_tokens"].to_pylist()
        yield from (f"event {one}" for one in sorted(self._events - set(map(str, tokens))))

    def _send_events(self, client: httpx.Client) -> None:
        first = len(self._events) + 1 + 1000 * self._number
        numbers = [str(first + number) for number in range(EVENTS)]
        records: list[dict[str, Any]] = [
            {
                "time": int(self._deployment.clock.now() * 1e9) + place,
                "input_tokens": {"intValue": number},
                "request_id": {"stringValue": number},
                "user.email": {"stringValue": "ada@example.org"},
            }
            for place, number in enumerate(numbers)
        ]
        headers = {"Authorization": f"Bearer {self._deployment.ingest_key}"}
        address = f"{self._deployment.served.address}/otlp/v1/logs"
        if self._ask(lambda: client.post(address, json=request_of(*records), headers=headers)) is not None:
            self._events |= set(numbers)

    def _exclude(self, client: httpx.Client, today: date) -> None:
        commit = self._some_commit(client, today)
        body = {"reason": "OTHER", "note": f"Agreed on {today}."}
        self._excluded.pop(commit, None)
        if self._post(client, f"commits/{commit}:exclude", body) is not None:
            self._excluded[commit] = True

    def _include(self, client: httpx.Client, today: date) -> None:
        commit = next((one for one, is_excluded in self._excluded.items() if is_excluded), None)
        if commit is None:
            return
        # Without an answer it may be either.
        del self._excluded[commit]
        if self._post(client, f"commits/{commit}:include", {}) is not None:
            self._excluded[commit] = False

    def _categorize(self, client: httpx.Client, today: date) -> None:
        commit, category = self._some_commit(client, today), CATEGORIES[self._number % len(CATEGORIES)]
        if self._post(client, f"commits/{commit}:categorize", {"category": category}) is not None:
            self._categories[commit] = category

    def _make_team(self, client: httpx.Client, today: date) -> None:
        if (made := self._post(client, "teams", {"name": f"Team {self._number}"})) is not None:
            self._listed.setdefault("teams", set()).add(made["id"])

    def _change_hours(self, client: httpx.Client, today: date) -> None:
        hours = 6 + self._number % 3
        if self._ask(lambda: client.patch("settings", json={"hoursPerDay": hours})) is not None:
            self._settings["hoursPerDay"] = hours

    def _change_kind(self, client: httpx.Client, today: date) -> None:
        threshold = 5.0 + self._number
        if self._ask(lambda: client.patch(f"checkKinds/{KIND}", json={"threshold": threshold})) is not None:
            self._kinds[KIND] = threshold

    def _agree_policy(self, client: httpx.Client, today: date) -> None:
        category = CATEGORIES[self._number % len(CATEGORIES)]
        body = {
            "validFrom": str(today.replace(day=1)),
            "rules": [{"category": category}],
            "reason": f"Agreed on {today}.",
        }
        if (made := self._post(client, "capexPolicies", body)) is not None:
            self._listed.setdefault("capexPolicies", set()).add(made["id"])

    def _triage(self, client: httpx.Client, today: date) -> None:
        occurrences = _get(client, "checkOccurrences", {"status": "OPEN"})["checkOccurrences"]
        if not occurrences:
            return
        occurrence, until = occurrences[0]["id"], str(today + timedelta(days=2))
        self._snoozed.pop(occurrence, None)
        if self._post(client, f"checkOccurrences/{occurrence}:snooze", {"untilDate": until}) is not None:
            self._snoozed[occurrence] = until

    def _close_month(self, client: httpx.Client, month: date) -> None:
        if self._post(client, "capexLocks", {"month": str(month), "note": "Signed."}) is not None:
            self._listed.setdefault("capexLocks", set()).add(str(month))

    def _some_commit(self, client: httpx.Client, today: date) -> str:
        """A commit of the last days that nobody decided about."""
        days = {"startDate": str(today - timedelta(days=9)), "endDate": str(today), "pageSize": 100}
        found = _get(client, "commits", days)["commits"]
        known = {one for one, is_excluded in self._excluded.items() if is_excluded} | self._categories.keys()
        free = [
            one["id"]
            for one in found
            if one["id"] not in known and one.get("zeroReason") is None and one.get("isCounted", True)
        ]
        return str(free[0] if free else found[0]["id"])

    def _post(self, client: httpx.Client, path: str, body: dict[str, Any]) -> Any:
        return self._ask(lambda: client.post(path, json=body))

    def _ask(self, request: Callable[[], httpx.Response]) -> Any:
        """What an acknowledged request answers; None for one that was not."""
        try:
            answer = request()
        except httpx.HTTPError:  # a killed API
            self.refused += 1
            return None
        if answer.status_code == 503:
            self.refused += 1
            return None
        if not answer.is_success:
            self.problems.append(f"{answer.request.url.path}: {answer.status_code} {answer.text[:300]}")
            return None
        return answer.json()


def _get(client: httpx.Client, path: str, parameters: dict[str, Any] | None = None) -> Any:
    """What the API answers, with 503 or nothing only for a while. Raises NotRead."""
    patience = Patience(PATIENCE)
    while True:
        try:
            answer = client.get(path, params=parameters)
        except httpx.HTTPError as error:  # a killed API
            reason = repr(error)
        else:
            if answer.status_code == 200:
                return answer.json()
            reason = f"{answer.status_code} {answer.text[:300]}"
            if answer.status_code != 503:
                raise NotRead(f"{path}: {reason}")
        if not patience.lasts(PAUSE):
            raise NotRead(f"{path}: {reason}")


def _every(client: httpx.Client, path: str, field: str) -> Iterator[dict[str, Any]]:
    token = ""
    while True:
        page = _get(client, path, {"pageSize": 100} | ({"pageToken": token} if token else {}))
        yield from page[field]
        if not (token := page.get("nextPageToken") or ""):
            return


def _apart(kind: str, expected: dict[str, Any], found: dict[str, Any]) -> Iterator[str]:
    for name, value in expected.items():
        if found.get(name) != value:
            yield f"{kind} of {name}: {value} was acknowledged, {found.get(name)} is there"
