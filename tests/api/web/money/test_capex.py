"""The page of CapEx: figures of the interface, and forms that preview a policy, lock a month and open it again."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager

import httpx
import pytest

from api.web.sessions.cookies import NAME
from tests.api.conftest import ROOT, Deployment, client_for
from tests.api.people import join, sign_in
from tests.api.published_facts import ORGANIZATION
from tests.api.web.conftest import HOME
from tests.api.web.pages import Page

Serve = Callable[..., AbstractContextManager[str]]
MONTH, FIRST = "2026-10", "2026-10-01"
PAGE = f"{HOME}/capex?month={MONTH}"


@pytest.fixture
def manager(deployment: Deployment, serve: Serve) -> Iterator[httpx.Client]:
    """A browser of an owner of an organization that the test may change."""
    deployment.publish()
    session = sign_in(deployment.store, join(deployment.store, ORGANIZATION, "owner"))
    with serve(deployment.data_dir) as address, client_for(address) as made:
        made.headers["Accept"] = "text/html"
        made.cookies.set(NAME, session)
        yield made


def rest(browser: httpx.Client, path: str, **asked: str) -> dict[str, list[dict[str, object]]]:
    session = browser.cookies[NAME]
    answer = browser.get(f"{ROOT}/{path}", params=asked, headers={"Authorization": f"Bearer {session}"})
    found: dict[str, list[dict[str, object]]] = answer.json()
    return found


def send(browser: httpx.Client, act: str, **fields: str) -> httpx.Response:
    token = Page(browser.get(PAGE).text).fields["token"]
    return browser.post(PAGE, data={"token": token, "act": act} | fields)


def test_a_month_has_the_rows_of_the_interface_and_their_sum(
    browser: httpx.Client, client: httpx.Client
) -> None:
    rows = client.get(
        f"{ROOT}/capex", params={"startDate": FIRST, "endDate": FIRST, "pageSize": 1000}
    ).json()["rows"]
    assert rows
    found = Page(browser.get(PAGE).text)
    for row in rows:
        cells = found.row(row["developerName"])
        if row["capexPercent"] is None:
            assert cells[7].startswith("–")
        else:
            # Hours are rounded so that they add up.
            assert float(cells[7].replace(",", "")) == pytest.approx(row["capexHours"], abs=0.1)
            assert float(cells[8].replace(",", "")) == pytest.approx(row["opexHours"], abs=0.1)
    capex = sum(row["capexHours"] or 0 for row in rows)
    opex = sum(row["opexHours"] or 0 for row in rows)
    assert f"{capex:,.1f} hours, against {opex:,.1f} of OpEx" in found.text
    assert f"{100 * capex / (capex + opex):.0f} % of October 2026’s hours" in found.text.replace(
        "\u00a0", " "
    )


def test_a_month_is_locked_and_opened_by_forms(manager: httpx.Client) -> None:
    assert "Lock October" in Page(manager.get(PAGE).text).text
    done = send(manager, "lock", month=FIRST, note="Signed <b>by</b> finance.")
    assert (done.status_code, done.headers["location"]) == (303, f"{PAGE}&done=lock")
    [lock] = rest(manager, "capexLocks")["capexLocks"]
    assert (lock["month"], lock["note"]) == (FIRST, "Signed <b>by</b> finance.")
    found = Page(manager.get(done.headers["location"]).text)
    assert "October is locked" in found.text
    assert "Signed <b>by</b> finance." in found.text
    assert any("version=LOCKED" in link for link in found.links)

    refused = send(manager, "unlock", month=FIRST, reason="")
    assert refused.status_code == 422
    assert rest(manager, "capexLocks")["capexLocks"]
    assert "eason" in Page(refused.text).text
    assert send(manager, "unlock", month=FIRST, reason="By mistake.").status_code == 303
    assert rest(manager, "capexLocks")["capexLocks"] == []


def test_a_running_month_has_no_lock(manager: httpx.Client) -> None:
    found = Page(manager.get(f"{HOME}/capex?month=2026-11").text)
    assert "November 2026 still runs" in found.text
    assert "lock" not in [field for field in found.fields if field == "month"]
    refused = send(manager, "lock", month="2026-11-01")
    assert refused.status_code == 422
    assert "2026-11 has not ended; close it after its last day" in Page(refused.text).text


def test_a_policy_is_previewed_before_it_is_stored(manager: httpx.Client) -> None:
    fields = {
        "validFrom": MONTH,
        "FEATURES": "ANY",
        "MAINTENANCE": "ANY",
        "TESTS": "FEATURES",
        "issueType": "",
    }
    shown = send(manager, "preview", **fields)
    assert shown.status_code == 200
    session = manager.cookies[NAME]
    rules = [
        {"category": "FEATURES", "commitCategory": "ANY"},
        {"category": "MAINTENANCE", "commitCategory": "ANY"},
        {"category": "TESTS", "commitCategory": "FEATURES"},
    ]
    told = manager.post(
        f"{ROOT}/capexPolicies:preview",
        json={"validFrom": FIRST, "rules": rules},
        headers={"Authorization": f"Bearer {session}"},
    ).json()
    row = next(row for row in Page(shown.text).rows if row and row[0] == "October 2026" and len(row) == 6)
    [month] = told["months"]
    assert row[3] == f"{month['proposedCapexHours']:,.1f}"
    assert rest(manager, "capexPolicies")["capexPolicies"] == []
    stored = send(manager, "policy", reason="Agreed with the auditor.", **fields)
    assert stored.status_code == 303
    [version] = rest(manager, "capexPolicies")["capexPolicies"]
    assert version["validFrom"] == FIRST
    assert version["reason"] == "Agreed with the auditor."


def test_rules_about_repositories_are_kept_added_and_left_out_by_the_form(
    manager: httpx.Client, deployment: Deployment
) -> None:
    first, second = rest(manager, "repositories", pageSize="2", orderBy="name")["repositories"]
    for one in (first, second):
        deployment.store.upsert_repository(ORGANIZATION, str(one["id"]), name="one", origin=f"x/{one['id']}")
    fields = {"validFrom": MONTH, "FEATURES": "ANY"}
    new = {"newCategory": "FIXES", "newRepository": str(first["id"])}
    shown = send(manager, "preview", **fields, **new)
    assert f"fixes, in {str(first['name']).lower()}" in Page(shown.text).text
    # The form that puts it in force has the same rule.
    assert Page(shown.text).fields["newRepository"] == first["id"]
    assert send(manager, "policy", reason="Agreed.", **fields, **new).status_code == 303
    [version] = rest(manager, "capexPolicies")["capexPolicies"]
    narrow = {"category": "FIXES", "commitCategory": "ANY", "repositoryId": first["id"]}
    unset = {"issueType": None, "objectiveId": None}
    features = {"category": "FEATURES", "commitCategory": "ANY", "repositoryId": None}
    assert version["rules"] == [features | unset, narrow | unset]

    box = Page(manager.get(PAGE).text).fields["rules"]
    new = {"newCategory": "ALL", "newRepository": str(second["id"])}
    assert send(manager, "policy", reason="More.", rules=box, **fields, **new).status_code == 303
    newest = max(rest(manager, "capexPolicies")["capexPolicies"], key=lambda one: int(str(one["version"])))
    rules = newest["rules"]
    assert isinstance(rules, list)
    assert narrow | unset in rules
    assert {rule["category"] for rule in rules if rule["repositoryId"] == second["id"]} == {
        *("FEATURES", "MAINTENANCE", "TESTS", "DOCUMENTATION", "FIXES")
    }
    # Without its box a rule is left out.
    assert send(manager, "policy", reason="Less.", **fields).status_code == 303
    newest = max(rest(manager, "capexPolicies")["capexPolicies"], key=lambda one: int(str(one["version"])))
    assert newest["rules"] == [features | unset]


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"newCategory": "FIXES"}, "choose a repository or an objective"),
        ({"newRepository": "0190d3b0-0000-7000-8000-000000000099"}, "choose what the new rule capitalizes"),
        ({"rules": "[]"}, "a rule that is none"),
        ({"rules": "{"}, "a rule that is none"),
        ({"rules": '{"category": "MAGIC"}'}, "category"),
    ],
)
def test_a_rule_that_is_none_is_refused_with_the_reason(
    manager: httpx.Client, fields: dict[str, str], reason: str
) -> None:
    refused = send(manager, "preview", validFrom=MONTH, **fields)
    assert refused.status_code == 422
    assert reason in Page(refused.text).text
    assert rest(manager, "capexPolicies")["capexPolicies"] == []


def test_a_preview_without_a_month_says_what_is_wrong_and_keeps_the_choices(manager: httpx.Client) -> None:
    refused = send(manager, "preview", validFrom="soon", FEATURES="ANY", issueType="Epic <i>")
    assert refused.status_code == 422
    found = Page(refused.text)
    assert found.fields["issueType"] == "Epic <i>"
    assert found.blocked == []


def test_an_uncertain_commit_is_decided_in_its_row(manager: httpx.Client) -> None:
    found = rest(manager, "commits", pageSize="1", orderBy="etv desc")["commits"][0]
    done = send(manager, "categorize", commit=str(found["id"]), category="FIXES")
    assert done.status_code == 303
    assert done.headers["location"].endswith("done=categorize")


@pytest.mark.parametrize("act", ["lock", "unlock", "policy", "withdraw", "categorize"])
def test_a_forged_form_changes_nothing(manager: httpx.Client, act: str) -> None:
    answer = manager.post(
        PAGE, data={"token": "x", "act": act, "month": FIRST, "policy": "x", "commit": "x", "reason": "x"}
    )
    assert answer.status_code == 403
    assert rest(manager, "capexLocks")["capexLocks"] == []


@pytest.mark.parametrize("role", ["admin", "member", "viewer", "team_lead"])
def test_every_role_gets_the_page_or_the_reason(browser_of: Callable[[str], httpx.Client], role: str) -> None:
    browser = browser_of(role)
    session = next(iter(browser.cookies.values()))
    answer = browser.get(f"{ROOT}/capex", headers={"Authorization": f"Bearer {session}"})
    page = browser.get(PAGE)
    assert page.status_code == answer.status_code
    assert Page(page.text).open == []


@pytest.mark.parametrize("month", ["x", "0001-01", "9999-12", "2026-13", "<b>"])
def test_an_unreadable_month_counts_as_none(browser: httpx.Client, month: str) -> None:
    answer = browser.get(f"{HOME}/capex", params={"month": month})
    assert answer.status_code == 200
    assert "2026" in Page(answer.text).text
