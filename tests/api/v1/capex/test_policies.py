"""CapEx policies over HTTP: previews compared with loops over the facts, versions, and closed months."""

import csv
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import date
from fractions import Fraction
from math import floor
from typing import Any

import httpx
import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session

from api.control.audit import Target, record_for
from api.control.capex import locks as capex_locks
from api.control.capex import restatements as capex_restatements
from api.control.models import CapexLockedRow
from api.control.operations import operations
from api.control.principals import OPERATOR
from api.control.store import ControlStore
from tests.api.conftest import ROOT, Deployment, client_for
from tests.api.published_facts import ORGANIZATION, Facts

Serve = Callable[..., AbstractContextManager[str]]


@pytest.fixture
def client(deployment: Deployment, serve: Serve) -> Iterator[httpx.Client]:
    deployment.publish()
    with serve(deployment.data_dir) as address, client_for(address, deployment.key(scope="write")) as client:
        yield client


def policy(valid_from: str, *rules: dict[str, Any], reason: str = "Agreed.") -> dict[str, Any]:
    return {"validFrom": valid_from, "rules": list(rules), "reason": reason}


def preview(client: httpx.Client, body: dict[str, Any]) -> dict[str, Any]:
    answer = client.post(f"{ROOT}/capexPolicies:preview", json={k: body[k] for k in ("validFrom", "rules")})
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def hours_of(facts: Facts, counts: Callable[[Any, str], bool]) -> dict[str, Fraction]:
    """CapEx hours by month, in exact fractions: 160 hours × the capitalizable share, summed over developers."""
    main = {commit.id: commit.category or "" for commit in facts.commits}
    efforts: dict[tuple[date, str], list[int]] = defaultdict(lambda: [0, 0])
    for change in facts.changes:
        if not change.is_bot and not change.is_sandbox:
            cell = efforts[change.day.replace(day=1), change.developer]
            cell[0] += change.effort
            cell[1] += change.effort * counts(change, main[change.commit])
    hours: dict[str, Fraction] = defaultdict(Fraction)
    for (month, _), (whole, part) in efforts.items():
        if whole and month < date(2026, 11, 1):
            hundredths = floor(Fraction(16000 * part, whole) + Fraction(1, 2))
            hours[month.isoformat()] += Fraction(hundredths, 100)
    return hours


@pytest.mark.parametrize(
    ("rules", "counts"),
    [
        ([], lambda *_: False),
        ([{"category": "FIXES"}], lambda change, _: change.category == "fixes"),
        (
            [
                {"category": "TESTS", "commitCategory": "FEATURES"},
                {"category": "TESTS"},
                {"category": "FEATURES"},
            ],
            lambda change, _: change.category in ("tests", "features"),
        ),
        (
            [{"category": "tests", "commitCategory": "features"}],
            lambda change, main: (change.category, main) == ("tests", "features"),
        ),
    ],
)
def test_a_preview_applies_the_rules_to_every_completed_month(
    client: httpx.Client, facts: Facts, rules: list[dict[str, Any]], counts: Callable[[Any, str], bool]
) -> None:
    shown = preview(client, policy("2026-06-01", *rules))
    expected = hours_of(facts, counts)
    found = {month["month"]: month["proposedCapexHours"] for month in shown["months"]}
    assert found == {
        month: pytest.approx(float(hours), abs=1e-9)
        for month, hours in expected.items()
        if month >= "2026-06-01"
    }
    assert len(found) >= 4
    assert shown["proposedCapexHours"] == pytest.approx(sum(found.values()))
    for month in [*shown["months"], shown]:
        difference = month["proposedCapexHours"] - month["capexHours"]
        assert month["changeHours"] == pytest.approx(difference, abs=1e-9)


def test_a_rule_may_be_about_one_repository(
    client: httpx.Client, deployment: Deployment, facts: Facts
) -> None:
    repository = facts.changes[0].repository
    body = policy("2026-06-01", {"category": "FEATURES", "repositoryId": repository})
    assert (
        client.post(f"{ROOT}/capexPolicies:preview", json=body | {"rules": body["rules"]}).status_code == 400
    )
    deployment.store.upsert_repository(ORGANIZATION, repository, name="one", origin="x/one")
    shown = preview(client, body)
    expected = hours_of(facts, lambda c, _: c.category == "features" and c.repository == repository)
    for month in shown["months"]:
        assert month["proposedCapexHours"] == pytest.approx(float(expected[month["month"]]), abs=1e-9)


def test_a_preview_ends_where_a_later_version_begins_and_changes_nothing(client: httpx.Client) -> None:
    client.post(f"{ROOT}/capexPolicies", json=policy("2026-09-01", {"category": "FIXES"}))
    before = client.get(f"{ROOT}/capexPolicies").json()
    months = [month["month"] for month in preview(client, policy("2026-07-01"))["months"]]
    assert months == ["2026-07-01", "2026-08-01"]
    assert client.get(f"{ROOT}/capexPolicies").json() == before


def test_versions_are_made_listed_and_withdrawn(client: httpx.Client, deployment: Deployment) -> None:
    rules = [{"category": "TESTS", "commitCategory": "FEATURES"}, {"category": "FEATURES"}]
    first = client.post(f"{ROOT}/capexPolicies", json=policy("2026-01-01", *rules))
    second = client.post(f"{ROOT}/capexPolicies", json=policy("2026-01-01"))
    assert first.headers["X-Operation"]
    assert [one.json()["name"] for one in (first, second)] == ["policy-1", "policy-2"]
    versions = {row["policy_version"] for row in deployment.store.snapshot(ORGANIZATION)["capex_rules"]}
    assert versions == {"policy-1", "policy-2"}
    gone = client.post(f"{ROOT}/capexPolicies/{second.json()['id']}:withdraw")
    again = client.post(f"{ROOT}/capexPolicies/{second.json()['id']}:withdraw")
    assert (gone.json()["state"], gone.json()) == ("WITHDRAWN", again.json())
    assert "X-Operation" in gone.headers
    assert "X-Operation" not in again.headers
    found = client.get(f"{ROOT}/capexPolicies").json()["capexPolicies"]
    assert [(one["version"], one["state"]) for one in found] == [(2, "WITHDRAWN"), (1, "ACTIVE")]
    kept = deployment.store.snapshot(ORGANIZATION)["capex_rules"]
    assert [(row["category"], row["commit_category"]) for row in kept] == [
        ("features", "any"),
        ("tests", "features"),
    ]
    entries = client.get(f"{ROOT}/auditEntries", params={"action": "capexPolicies.create"}).json()
    rules = [rule for entry in entries["auditEntries"] for rule in entry["after"]["rules"]]
    assert {frozenset(rule) for rule in rules} == {
        frozenset({"category", "commitCategory", "repositoryId", "issueType", "objectiveId"})
    }


@pytest.mark.parametrize(
    ("body", "field"),
    [
        (policy("2026-01-02"), "validFrom"),
        (policy("2026-01-01", {"category": "LUNCH"}), "rules"),
        (policy("2026-01-01", {"category": "TESTS", "commitCategory": "odd"}), "rules"),
        (policy("2026-01-01", {"category": "TESTS", "repositoryId": "unknown"}), "rules"),
        (policy("2026-01-01", reason=" "), "reason"),
    ],
)
def test_an_invalid_policy_is_refused(client: httpx.Client, body: dict[str, Any], field: str) -> None:
    answer = client.post(f"{ROOT}/capexPolicies", json=body)
    assert answer.status_code == 400
    assert field in answer.text


def close(client: httpx.Client, month: str) -> httpx.Response:
    return client.post(f"{ROOT}/capexLocks", json={"month": month, "note": "Signed."})


@pytest.mark.both_databases
def test_a_closed_month_answers_the_signed_rows(client: httpx.Client) -> None:
    present = client.get(
        f"{ROOT}/capex", params={"startDate": "2026-08-01", "endDate": "2026-08-31", "pageSize": 1000}
    ).json()["rows"]
    assert close(client, "2026-08-01").json()["rows"] == len(present) > 0
    signed = client.get(f"{ROOT}/capex", params={"version": "locked", "pageSize": 1}).json()
    rows = signed["rows"]
    while signed["nextPageToken"]:
        params = {"version": "locked", "pageSize": 1, "pageToken": signed["nextPageToken"]}
        signed = client.get(f"{ROOT}/capex", params=params).json()
        rows += signed["rows"]
    by_developer = {row["developerId"]: row for row in present}
    assert len(rows) == len(present)
    for row in rows:
        assert row == pytest.approx(by_developer[row["developerId"]])
    as_csv = client.get(f"{ROOT}/capex", params={"version": "LOCKED", "format": "CSV"})
    assert as_csv.headers["content-disposition"] == 'attachment; filename="capex-locked.csv"'
    of_month = {"version": "LOCKED", "format": "CSV", "startDate": "2026-09-01", "endDate": "2026-09-30"}
    named = client.get(f"{ROOT}/capex", params=of_month).headers["content-disposition"]
    assert named == 'attachment; filename="capex-locked-2026-09.csv"'
    current = client.get(
        f"{ROOT}/capex", params={"startDate": "2026-08-01", "endDate": "2026-08-31", "format": "CSV"}
    )
    assert sorted(as_csv.text.splitlines()) == sorted(current.text.splitlines())
    assert client.get(f"{ROOT}/capex", params={"version": "LOCKED", "filter": "hours>1"}).status_code == 400
    assert (
        client.get(f"{ROOT}/capex", params={"version": "LOCKED", "startDate": "2026-09-01"}).json()["rows"]
        == []
    )


@pytest.mark.both_databases
def test_a_month_that_was_closed_before_there_was_an_interval_has_none(
    client: httpx.Client, deployment: Deployment
) -> None:
    close(client, "2026-08-01")
    store = deployment.store
    [*signed] = capex_locks.signed_rows(store, ORGANIZATION, None, None)
    assert all(row["capex_percent_low"] is not None for row in signed)
    ends = ("capex_percent_low", "capex_percent_high")
    with store.write_transaction(ORGANIZATION) as session:
        for row in session.scalars(select(CapexLockedRow)):
            row.row = {name: value for name, value in row.row.items() if name not in ends}
    rows = client.get(f"{ROOT}/capex", params={"version": "LOCKED"}).json()["rows"]
    assert {(row["capexPercentLow"], row["capexPercentHigh"]) for row in rows} == {(None, None)}
    assert {row["capexPercent"] for row in rows} == {row["capex_percent"] for row in signed}
    as_csv = client.get(f"{ROOT}/capex", params={"version": "LOCKED", "format": "CSV"}).text
    assert {row["capex_percent_low"] for row in csv.DictReader(as_csv.splitlines())} == {""}
    # An interval that comes, or narrows, changes no signed figure.
    present = [row | {"month": date.fromisoformat(row["month"])} for row in signed]
    assert capex_restatements.restate(store, ORGANIZATION, "same", present, ["rules"]) == 0


def test_a_refused_closing_gives_the_reason(client: httpx.Client) -> None:
    for month, reason in (
        ("2026-11-01", "has not ended"),
        ("2026-08-02", "first day"),
        ("1999-01-01", "no row"),
    ):
        refused = close(client, month)
        assert refused.status_code == 400
        assert reason in refused.json()["message"]
    assert close(client, "2026-08-01").status_code == 200
    assert close(client, "2026-08-01").status_code == 409
    client.post(f"{ROOT}/teams", json={"name": "Web"})
    assert "for the next build" in close(client, "2026-09-01").json()["message"]


@pytest.mark.both_databases
def test_a_month_is_opened_with_a_reason_and_its_totals_stay_in_the_log(client: httpx.Client) -> None:
    rows = close(client, "2026-08-01").json()["rows"]
    assert client.post(f"{ROOT}/capexLocks/2026-08-01:unlock", json={"reason": " "}).status_code == 400
    assert client.post(f"{ROOT}/capexLocks/2026-08-01:unlock", json={"reason": "Mistake."}).status_code == 200
    assert client.post(f"{ROOT}/capexLocks/2026-08-01:unlock", json={"reason": "Mistake."}).status_code == 404
    assert client.get(f"{ROOT}/capexLocks").json()["totalSize"] == 0
    [entry] = client.get(f"{ROOT}/auditEntries", params={"action": "capexLocks.delete"}).json()[
        "auditEntries"
    ]
    assert (entry["before"]["rows"], entry["after"]) == (rows, {"reason": "Mistake."})
    assert entry["before"]["capexHours"] > 0


def test_a_day_within_a_month_is_no_closed_month(client: httpx.Client) -> None:
    """An answer such as "not closed" or an empty list of restatements would be wrong."""
    close(client, "2026-08-01")
    for answer in (
        client.post(f"{ROOT}/capexLocks/2026-08-15:unlock", json={"reason": "Mistake."}),
        client.get(f"{ROOT}/capexRestatements", params={"month": "2026-08-15"}),
    ):
        assert (answer.status_code, answer.json()["code"]) == (400, 3)
        assert answer.json()["details"][0]["fieldViolations"][0]["field"] == "month"


def test_figures_that_are_replaced_while_a_month_is_closed_are_not_signed(
    client: httpx.Client, deployment: Deployment, monkeypatch: pytest.MonkeyPatch
) -> None:
    decided = ControlStore.write_transaction

    @contextmanager
    def late(store: ControlStore, organization_id: str | None = None) -> Iterator[Session]:
        with decided(store, organization_id) as session:
            deployment.publish()
            monkeypatch.setattr(ControlStore, "write_transaction", decided)
            yield session

    monkeypatch.setattr(ControlStore, "write_transaction", late)
    refused = close(client, "2026-08-01")
    assert (refused.status_code, refused.json()["code"]) == (400, 9)
    assert "just published" in refused.json()["message"]
    assert close(client, "2026-08-01").status_code == 200


@pytest.mark.both_databases
def test_a_build_that_changes_a_closed_month_leaves_a_restatement_once(
    client: httpx.Client, deployment: Deployment
) -> None:
    close(client, "2026-08-01")
    store = deployment.store
    signed = capex_locks.signed_rows(store, ORGANIZATION, None, None)
    present = [row | {"month": date.fromisoformat(row["month"])} for row in signed]
    assert capex_restatements.restate(store, ORGANIZATION, "same", present, ["nothing"]) == 0
    changed = [dict(row) for row in present]
    changed[0]["capex_hours"] += 1
    gone = changed.pop()
    assert capex_restatements.restate(store, ORGANIZATION, "b2", changed, ["teams.update: Web"]) == 2
    assert capex_restatements.restate(store, ORGANIZATION, "b2", changed, ["teams.update: Web"]) == 0
    found = client.get(f"{ROOT}/capexRestatements", params={"month": "2026-08-01"}).json()[
        "capexRestatements"
    ]
    by_developer = {one["developerId"]: one for one in found}
    assert len(found) == 2
    assert by_developer[gone["developer_id"]]["after"] is None
    one = by_developer[changed[0]["developer_id"]]
    assert (one["changed"], one["reasons"], one["buildId"]) == (["capexHours"], ["teams.update: Web"], "b2")
    assert one["after"]["capexHours"] == one["before"]["capexHours"] + 1
    # Back to what was signed: another restatement, from the last figure known.
    assert capex_restatements.restate(store, ORGANIZATION, "b3", present, []) == 2
    assert client.get(f"{ROOT}/capexLocks").json()["capexLocks"][0]["restatements"] == 4
    assert capex_locks.signed_rows(store, ORGANIZATION, None, None) == signed


def test_a_repository_that_cannot_be_read_keeps_no_month_open_and_is_no_reason(
    deployment: Deployment, client: httpx.Client
) -> None:
    store = deployment.store
    with store.write_transaction(ORGANIZATION) as session:
        target = Target("repository", "r", "odd")
        record_for(session, ORGANIZATION, OPERATOR, "repositories.create", target, read_again="r")
    assert (
        capex_restatements.reasons_of(store, ORGANIZATION, operations.current_watermark(store, ORGANIZATION))
        == []
    )
    assert close(client, "2026-08-01").status_code == 200


def test_changes_that_a_build_takes_in_are_the_reasons(deployment: Deployment, client: httpx.Client) -> None:
    client.post(f"{ROOT}/teams", json={"name": "Web"})
    watermark = operations.current_watermark(deployment.store, ORGANIZATION)
    client.post(f"{ROOT}/teams", json={"name": "Later"})
    assert capex_restatements.reasons_of(deployment.store, ORGANIZATION, watermark) == ["teams.create: Web"]
    assert capex_restatements.reasons_of(deployment.store, ORGANIZATION, None) == []
