"""Occurrences of checks over HTTP, compared with loops over the facts, and the decisions of people about them."""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import duckdb
import httpx
import pytest

from tests.api import published_rows
from tests.api.check_facts import Occurrence, occurrences
from tests.api.conftest import ROOT, Deployment, client_for
from tests.api.people import Clock
from tests.api.published_facts import AS_OF, UNIT, Facts

Serve = Callable[..., AbstractContextManager[str]]


@pytest.fixture
def clock() -> Clock:
    return Clock(AS_OF + timedelta(days=1))


@pytest.fixture
def client(deployment: Deployment, serve: Serve, clock: Clock) -> Iterator[httpx.Client]:
    deployment.publish()
    with (
        serve(deployment.data_dir, now=clock) as address,
        client_for(address, deployment.key(scope="write")) as client,
    ):
        yield client


@pytest.fixture
def made(deployment: Deployment) -> list[Occurrence]:
    return occurrences(deployment.facts)


def listed(client: httpx.Client, size: int = 1000, **params: Any) -> list[dict[str, Any]]:
    """All pages of the list."""
    rows: list[dict[str, Any]] = []
    token = ""
    while True:
        answer = client.get(
            f"{ROOT}/checkOccurrences", params=params | {"pageSize": size, "pageToken": token}
        )
        assert answer.status_code == 200, answer.text
        body = answer.json()
        rows += body["checkOccurrences"]
        token = body["nextPageToken"]
        if not token:
            assert body["totalSize"] == len(rows)
            return rows


def post(client: httpx.Client, one: Occurrence, verb: str, body: Any = None) -> httpx.Response:
    return client.post(f"{ROOT}/checkOccurrences/{one.id}:{verb}", json=body)


def lasting(made: list[Occurrence]) -> Occurrence:
    return next(one for one in made if one.ended_at is None)


@pytest.mark.parametrize("size", [3, 1000])
def test_pages_give_every_occurrence_once_the_last_opened_first(
    client: httpx.Client, made: list[Occurrence], size: int
) -> None:
    expected = sorted(made, key=lambda one: (-one.opened_at.timestamp(), one.id))
    rows = listed(client, size)
    assert [row["id"] for row in rows] == [one.id for one in expected]
    for row, one in zip(rows, expected, strict=True):
        assert row["kind"] == one.kind.upper()
        assert row["status"] == ("OPEN" if one.ended_at is None else "RESOLVED")
        assert row["severity"] == ("CRITICAL" if one.is_critical else "WARNING")
        assert (row["subjectReference"], row["subjectTitle"]) == (one.reference, one.of.title)
        assert (row["value"], row["threshold"]) == (30, 20)
    assert {row["status"] for row in rows} == {"OPEN", "RESOLVED"}


def test_filters_narrow_and_combine(client: httpx.Client, facts: Facts, made: list[Occurrence]) -> None:
    repository = next(iter(facts.repositories))
    number = made[0].reference or ""
    cases: list[tuple[dict[str, Any], Callable[[Occurrence], bool]]] = [
        ({"status": "open"}, lambda one: one.ended_at is None),
        (
            {"kind": "OPEN_TOO_LONG", "status": "RESOLVED"},
            lambda one: one.kind == "open_too_long" and one.ended_at is not None,
        ),
        ({"repository": repository}, lambda one: one.of.repository == repository),
        ({"search": number}, lambda one: (one.reference or "").startswith(number)),
        (
            {"filter": "severity = CRITICAL AND endedAt:*"},
            lambda one: one.is_critical and one.ended_at is not None,
        ),
    ]
    for params, chosen in cases:
        expected = {one.id for one in made if chosen(one)}
        assert {row["id"] for row in listed(client, **params)} == expected, params
        assert expected, params


def test_an_unknown_kind_is_refused_with_the_kinds_that_exist(client: httpx.Client) -> None:
    answer = client.get(f"{ROOT}/checkOccurrences", params={"kind": "OPEN_TO_LONG"})
    assert answer.status_code == 400
    [violation] = answer.json()["details"][0]["fieldViolations"]
    assert "OPEN_TOO_LONG" in violation["description"]


def test_days_are_those_of_the_organization(
    client: httpx.Client, deployment: Deployment, made: list[Occurrence], tmp_path: Path
) -> None:
    rewrite(deployment, tmp_path / "warehouse.duckdb", zone="Pacific/Auckland")
    days = {one.id: one.opened_at.astimezone(ZoneInfo("Pacific/Auckland")).date() for one in made}
    elsewhere = [one for one in made if one.opened_at.date() != days[one.id]]
    day = days[elsewhere[0].id]
    rows = listed(client, startDate=f"{day}", endDate=f"{day}")
    assert {row["id"] for row in rows} == {key for key, found in days.items() if found == day}


def test_groups_count_what_the_list_has(client: httpx.Client, made: list[Occurrence]) -> None:
    one = lasting(made)
    assert (
        post(client, one, "snooze", {"untilDate": f"{AS_OF.date() + timedelta(days=5)}"}).status_code == 200
    )
    for by, key in (
        ("KIND", "kind"),
        ("REPOSITORY", "repositoryId"),
        ("TEAM", "teamId"),
        ("DEVELOPER", "developerId"),
    ):
        answer = client.get(f"{ROOT}/checkOccurrences:group", params={"groupBy": by})
        assert answer.status_code == 200, answer.text
        expected = Counter((row[key], row["status"]) for row in listed(client))
        found = {
            (group["key"], status): group[status.lower()]
            for group in answer.json()["groups"]
            for status in ("OPEN", "SNOOZED", "RESOLVED")
            if group[status.lower()]
        }
        assert found == expected
    assert sum(count for (_, status), count in expected.items() if status == "SNOOZED") == 1


def test_a_snoozed_occurrence_is_open_again_on_its_day(
    client: httpx.Client, clock: Clock, made: list[Occurrence]
) -> None:
    one = lasting(made)
    until = clock().date() + timedelta(days=3)
    answer = post(client, one, "snooze", {"untilDate": f"{until}"})
    assert answer.status_code == 200, answer.text
    assert answer.json()["untilDate"] == f"{until}"
    (row,) = [row for row in listed(client, status="SNOOZED") if row["id"] == one.id]
    assert row["snoozedUntil"] == f"{until}"
    clock.advance(days=3)
    (row,) = [row for row in listed(client) if row["id"] == one.id]
    assert (row["status"], row["snoozedUntil"], row["decidedBy"]) == ("OPEN", None, None)


def test_a_resolved_occurrence_says_why_until_it_is_reopened(
    client: httpx.Client, made: list[Occurrence]
) -> None:
    one = lasting(made)
    assert post(client, one, "resolve", {"note": " agreed "}).json()["note"] == "agreed"
    explained = client.get(f"{ROOT}/checkOccurrences/{one.id}").json()
    assert (explained["status"], explained["note"], explained["endedAt"]) == ("RESOLVED", "agreed", None)
    assert one.id not in {row["id"] for row in listed(client, status="OPEN")}
    assert post(client, one, "reopen").status_code == 200
    explained = client.get(f"{ROOT}/checkOccurrences/{one.id}").json()
    assert (explained["status"], explained["note"]) == ("OPEN", None)
    assert [decision["action"] for decision in explained["decisions"]] == ["RESOLVED", "REOPENED"]
    assert [episode["number"] for episode in explained["episodes"]] == [1]
    actions = [row["action"] for row in client.get(f"{ROOT}/auditEntries").json()["auditEntries"]]
    assert {"checkOccurrences.resolve", "checkOccurrences.reopen"} <= set(actions)


def test_a_reopening_without_a_decision_leaves_no_history(
    client: httpx.Client, made: list[Occurrence]
) -> None:
    one = lasting(made)
    answer = post(client, one, "reopen")
    assert (answer.status_code, answer.json()["action"]) == (200, "REOPENED")
    assert client.get(f"{ROOT}/checkOccurrences/{one.id}").json()["decisions"] == []
    actions = [row["action"] for row in client.get(f"{ROOT}/auditEntries").json()["auditEntries"]]
    assert "checkOccurrences.reopen" not in actions


@pytest.mark.parametrize(
    ("verb", "body", "field"),
    [
        ("snooze", {"untilDate": f"{AS_OF.date()}"}, "untilDate"),
        ("snooze", {"untilDate": "2099-01-01"}, "untilDate"),
        ("snooze", {}, "untilDate"),
        ("resolve", {"note": "  "}, "note"),
        ("resolve", {}, "note"),
    ],
)
def test_a_decision_needs_a_day_to_come_or_a_note(
    client: httpx.Client, made: list[Occurrence], verb: str, body: dict[str, str], field: str
) -> None:
    answer = post(client, lasting(made), verb, body)
    assert answer.status_code == 400
    assert answer.json()["details"][0]["fieldViolations"][0]["field"] == field


def test_what_the_data_no_longer_shows_takes_no_decision(
    client: httpx.Client, made: list[Occurrence]
) -> None:
    one = next(one for one in made if one.ended_at is not None)
    answer = post(client, one, "resolve", {"note": "done"})
    assert (answer.status_code, answer.json()["code"]) == (400, 9)
    assert client.post(f"{ROOT}/checkOccurrences/{'0' * 36}:reopen").status_code == 404


def test_a_check_that_was_off_comes_back_with_its_decisions(
    client: httpx.Client, deployment: Deployment, clock: Clock, made: list[Occurrence], tmp_path: Path
) -> None:
    """The build of a check that is off has no occurrences. That of the time after has the same ids again."""
    kind = "open_too_long"
    snoozed, resolved = [one for one in made if one.kind == kind and one.ended_at is None][:2]
    until = clock().date() + timedelta(days=9)
    assert post(client, snoozed, "snooze", {"untilDate": f"{until}"}).status_code == 200
    assert post(client, resolved, "resolve", {"note": "Agreed"}).status_code == 200
    before = [row for row in listed(client) if row["kind"] == kind.upper()]
    for is_on in (False, True):
        assert client.patch(f"{ROOT}/checkKinds/{kind}", json={"isOn": is_on}).status_code == 200
        rewrite(deployment, tmp_path / "warehouse.duckdb", leave_out=() if is_on else (kind,))
        rows = [row for row in listed(client) if row["kind"] == kind.upper()]
        assert rows == (before if is_on else [])
        if not is_on:
            assert client.get(f"{ROOT}/checkOccurrences/{snoozed.id}").status_code == 404
    found = {row["id"]: row for row in before}
    assert (found[snoozed.id]["status"], found[snoozed.id]["snoozedUntil"]) == ("SNOOZED", f"{until}")
    assert (found[resolved.id]["status"], found[resolved.id]["note"]) == ("RESOLVED", "Agreed")


def test_the_value_of_a_resolved_occurrence_is_that_of_the_decision(
    client: httpx.Client, deployment: Deployment, clock: Clock, made: list[Occurrence], tmp_path: Path
) -> None:
    """What a person decided about has its value then: the data goes on, and only open and snoozed ones follow it."""
    resolved, snoozed, opened = [one for one in made if one.ended_at is None][:3]
    ended = next(one for one in made if one.ended_at is not None)
    assert post(client, resolved, "resolve", {"note": "Agreed"}).status_code == 200
    until = clock().date() + timedelta(days=9)
    assert post(client, snoozed, "snooze", {"untilDate": f"{until}"}).status_code == 200
    rewrite(deployment, tmp_path / "warehouse.duckdb", later=12)
    values = {row["id"]: row["value"] for row in listed(client)}
    assert [values[one.id] for one in (resolved, snoozed, opened, ended)] == [30, 42, 42, 42]
    assert resolved.id in {row["id"] for row in listed(client, filter="value < 31")}
    assert post(client, resolved, "reopen").status_code == 200
    assert client.get(f"{ROOT}/checkOccurrences/{resolved.id}").json()["value"] == 42


def rewrite(
    deployment: Deployment, file: Path, leave_out: tuple[str, ...] = (), zone: str = "UTC", later: int = 0
) -> None:
    """Publish the same facts again, without the occurrences of some kinds, in a time zone, with `later` added to each
    value.
    """
    published_rows.write(deployment.facts, file)
    with duckdb.connect(str(file)) as connection:
        connection.execute("update api_v1__organizations set time_zone = ?", [zone])
        connection.execute(
            "update api_v1__check_occurrences set measured_micro = measured_micro + ?", [later * UNIT]
        )
        ids = "select occurrence_id from api_v1__check_occurrences where list_contains(?, kind)"
        for table in ("check_episodes", "check_occurrences"):
            connection.execute(
                f"delete from api_v1__{table} where occurrence_id in ({ids})", [list(leave_out)]
            )
    replace(deployment, warehouse=file).publish()
