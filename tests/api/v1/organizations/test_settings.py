"""Creating and renaming an organization, and its settings."""

from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from api.control.organizations import organizations
from api.control.principals import OPERATOR
from api.control.store import ControlStore, open_store
from tests.api.conftest import client_for, serving
from tests.api.people import Clock, join, make_account, sign_in
from tests.suite.tiers import fewer

ORGANIZATIONS = "/api/v1/organizations"


@pytest.fixture
def ada(tmp_path: Path, store: ControlStore, clock: Clock) -> Iterator[httpx.Client]:
    with (
        serving(tmp_path, clock) as address,
        client_for(address, sign_in(store, make_account(store, "ada@example.org"))) as client,
    ):
        yield client


def ok(answer: httpx.Response) -> dict[str, Any]:
    assert answer.status_code == 200, answer.text
    body: dict[str, Any] = answer.json()
    return body


def make(client: httpx.Client, name: str) -> dict[str, Any]:
    return ok(client.post(ORGANIZATIONS, json={"name": name}))


def actions(client: httpx.Client, slug: str) -> list[tuple[str, Any, Any]]:
    entries = ok(client.get(f"{ORGANIZATIONS}/{slug}/auditEntries", params={"orderBy": "at"}))["auditEntries"]
    return [(entry["action"], entry["before"], entry["after"]) for entry in entries]


def test_the_creator_of_an_organization_owns_it_and_works_in_it(ada: httpx.Client) -> None:
    first, second = make(ada, "Acme & Co"), make(ada, "Acme & Co")
    assert (first["slug"], second["slug"]) == ("acme-co", "acme-co-2")
    assert ok(ada.get(ORGANIZATIONS))["totalSize"] == 2
    [member] = ok(ada.get(f"{ORGANIZATIONS}/acme-co/members"))["members"]
    assert (member["email"], member["role"]) == ("ada@example.org", "OWNER")
    [session] = ok(ada.get("/auth/sessions"))["sessions"]
    assert session["activeOrganizationId"] == second["id"]
    assert actions(ada, "acme-co") == [
        ("organizations.create", None, {"name": "Acme & Co", "slug": "acme-co"})
    ]


def test_creating_many_is_rate_limited_and_refused_ones_are_not_counted(ada: httpx.Client) -> None:
    refused = [ada.post(ORGANIZATIONS, json={"name": "\u200d"}).status_code for _ in range(7)]
    assert refused == [400] * 7
    codes = [ada.post(ORGANIZATIONS, json={"name": "Acme"}).status_code for _ in range(5 + 2)]
    assert codes == [200] * 5 + [429] * 2


@pytest.mark.parametrize("name", ["", "   ", "x" * 256, "two\nlines"])
def test_an_invalid_name_is_refused(ada: httpx.Client, name: str) -> None:
    make(ada, "Acme")
    for answer in (
        ada.post(ORGANIZATIONS, json={"name": name}),
        ada.patch(f"{ORGANIZATIONS}/acme", json={"name": name}),
    ):
        assert answer.status_code == 400
        assert answer.json()["details"][0]["fieldViolations"][0]["field"] == "name"


def test_renaming_keeps_id_and_address(ada: httpx.Client, clock: Clock) -> None:
    made = make(ada, "Acme")
    clock.advance(seconds=1)
    renamed = ok(ada.patch(f"{ORGANIZATIONS}/acme", json={"name": "Umbrella"}))
    assert {**made, "name": "Umbrella"} == renamed == ok(ada.get(f"{ORGANIZATIONS}/acme"))
    ok(ada.patch(f"{ORGANIZATIONS}/acme", json={"name": "Umbrella"}))
    assert actions(ada, "acme")[1:] == [("organizations.rename", {"name": "Acme"}, {"name": "Umbrella"})]


@pytest.mark.both_databases
def test_settings_that_are_sent_are_replaced_and_others_stay(ada: httpx.Client, clock: Clock) -> None:
    make(ada, "Acme")
    path = f"{ORGANIZATIONS}/acme/settings"
    before = ok(ada.get(path))
    clock.advance(seconds=1)
    change = {
        "timeZone": "Europe/Berlin",
        "defaultAnalysisStartDate": "2026-03-01",
        "workCategoryGrouping": "TWO",
        "hasAiTeamColumns": False,
    }
    assert ok(ada.patch(path, json=change)) == before | change
    assert ok(ada.get(path)) == before | change
    masked = ok(ada.patch(path, params={"updateMask": "defaultAnalysisStartDate"}, json={"timeZone": "UTC"}))
    unsent = ada.patch(path, params={"updateMask": "companyContext"}, json={})
    assert unsent.json()["details"][0]["fieldViolations"][0]["field"] == "updateMask"
    assert masked == before | change | {"defaultAnalysisStartDate": None}
    [_, first, second] = actions(ada, "acme")
    assert first[2] == {
        "timeZone": "Europe/Berlin",
        "defaultAnalysisStartDate": "2026-03-01",
        "workCategoryGrouping": "two",
        "hasAiTeamColumns": False,
    }
    assert second == (
        "organizations.changeSettings",
        {"defaultAnalysisStartDate": "2026-03-01"},
        {"defaultAnalysisStartDate": None},
    )


def test_the_log_calls_each_setting_as_it_is_called_over_http(ada: httpx.Client) -> None:
    make(ada, "Acme")
    path = f"{ORGANIZATIONS}/acme/settings"
    before = ok(ada.get(path))
    changes: dict[str, Any] = {
        name: not value if isinstance(value, bool) else {"hoursPerDay": 7.35, "minimumGroupSize": 3}.get(name)
        for name, value in before.items()
    }
    changes = {name: value for name, value in changes.items() if value is not None}
    assert len(changes) == 7
    after = ok(ada.patch(path, json=changes))
    [_, entry] = actions(ada, "acme")
    assert entry[1:] == ({name: before[name] for name in changes}, {name: after[name] for name in changes})


@pytest.mark.both_databases
def test_each_change_of_the_company_context_is_a_version(ada: httpx.Client) -> None:
    make(ada, "Acme")
    path = f"{ORGANIZATIONS}/acme/settings"
    assert ok(ada.get(path))["contextVersion"] == 0
    for text, version in (("We build.", 1), ("We build.", 1), ("We rest.", 2), ("We build.", 3)):
        assert ok(ada.patch(path, json={"companyContext": text}))["contextVersion"] == version
    assert ok(ada.patch(path, json={"hasAiTeamColumns": False}))["companyContext"] == "We build."
    first = ok(ada.get(f"{path}/companyContexts", params={"pageSize": 2}))
    rest = ok(ada.get(f"{path}/companyContexts", params={"pageSize": 2, "pageToken": first["nextPageToken"]}))
    versions = [(one["version"], one["text"]) for one in first["companyContexts"] + rest["companyContexts"]]
    assert versions == [(3, "We build."), (2, "We rest."), (1, "We build.")]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"timeZone": "Middle/Earth"}, "timeZone"),
        ({"timeZone": None}, "timeZone"),
        ({"workCategoryGrouping": "FOUR"}, "workCategoryGrouping"),
        ({"defaultAnalysisStartDate": "soon"}, "defaultAnalysisStartDate"),
        ({"companyContext": "x" * 20_001}, "companyContext"),
        ({"plan": "PAID"}, "plan"),
    ],
)
def test_a_setting_that_makes_no_sense_is_named(ada: httpx.Client, body: dict[str, Any], field: str) -> None:
    make(ada, "Acme")
    answer = ada.patch(f"{ORGANIZATIONS}/acme/settings", json=body)
    assert answer.status_code == 400, answer.text
    assert answer.json()["details"][0]["fieldViolations"][0]["field"] == field


@settings(deadline=None, max_examples=fewer(20))
@given(
    st.dates(date(2000, 1, 1), date(2030, 1, 1)),
    st.sampled_from(["UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata"]),
)
def test_the_default_start_is_midnight_of_the_organization(
    started: tuple[ControlStore, str], day: date, zone: str
) -> None:
    store, acme = started
    changes = {"analysis_start_on": day, "time_zone": zone}
    organizations.change_settings(store, OPERATOR, acme, changes)
    starts = {row["name"]: row["analysis_start_at"] for row in store.snapshot(acme)["repositories"]}
    local = starts["default"].astimezone(ZoneInfo(zone))
    assert (local.date(), local.hour, local.minute) == (day, 0, 0)
    assert starts["own"] == datetime(2020, 5, 5, tzinfo=UTC)


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> tuple[ControlStore, str]:
    """An organization with two repositories: one with a start of its own, one without."""
    store = open_store(tmp_path_factory.mktemp("started"))
    acme = store.ensure_organization("Acme").id
    join(store, acme, "owner")
    store.upsert_repository(acme, "a", name="default", origin="x/a")
    own = datetime(2020, 5, 5, tzinfo=UTC)
    store.upsert_repository(acme, "b", name="own", origin="x/b", analysis_start_at=own)
    return store, acme


def test_the_calendar_is_set_and_the_warehouse_sees_it(ada: httpx.Client, store: ControlStore) -> None:
    acme = make(ada, "Acme")["id"]
    url = f"{ORGANIZATIONS}/{acme}/settings"
    assert ok(ada.get(url))["workingWeekdays"] == ["MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY"]
    holidays = [{"date": "2026-12-26", "name": "Boxing Day"}, {"date": "2026-12-25", "name": "Christmas Day"}]
    sent = {"workingWeekdays": ["SUNDAY", "MONDAY"], "hoursPerDay": 7.35, "holidays": holidays}
    answer = ada.patch(url, json=sent)
    shown = ok(answer)
    assert answer.headers["X-Operation"]
    assert (shown["workingWeekdays"], shown["hoursPerDay"]) == (["MONDAY", "SUNDAY"], 7.35)
    assert [day["date"] for day in shown["holidays"]] == ["2026-12-25", "2026-12-26"]
    seen = store.snapshot(acme)
    assert seen["organizations"][0]["working_weekdays"] == "17"
    assert seen["organizations"][0]["hours_per_day_hundredths"] == 735
    assert [row["holiday_on"] for row in seen["holidays"]] == [date(2026, 12, 25), date(2026, 12, 26)]
    # Who reads repositories changes no figure.
    assert "X-Operation" not in ada.patch(url, json={"analysisMode": "on_request"}).headers
    assert ok(ada.get(url))["analysisMode"] == "ON_REQUEST"


@pytest.mark.parametrize(
    "change",
    [
        {"workingWeekdays": ["MONDAY", "MONDAY"]},
        {"workingWeekdays": ["Caturday"]},
        {"hoursPerDay": 0},
        {"hoursPerDay": 24.01},
        {"hoursPerDay": 7.333},
        {"holidays": [{"date": "2026-12-25", "name": "One"}, {"date": "2026-12-25", "name": "Two"}]},
        {"holidays": [{"date": "2026-12-25", "name": " "}]},
        {"holidays": [{"date": "tomorrow", "name": "One"}]},
        {"analysisMode": "SOMETIMES"},
    ],
)
def test_a_calendar_that_cannot_be_is_refused(ada: httpx.Client, change: dict[str, Any]) -> None:
    url = f"{ORGANIZATIONS}/{make(ada, 'Acme')['id']}/settings"
    before = ok(ada.get(url))
    assert ada.patch(url, json=change).status_code == 400
    assert ok(ada.get(url)) == before
