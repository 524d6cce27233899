"""Summaries over HTTP: the stored facts, in every format, without what a caller may not see."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from datetime import timedelta
from typing import Any

import httpx
import pytest

from api.control.connections.connections import NewConnection, add_connection
from api.control.connections.sync_status import note_failure, note_success
from api.control.organizations import organizations
from api.control.principals import OPERATOR
from api.control.summaries import revisions
from api.control.summaries.kinds import Period, ScopeKind
from api.control.visibility import Visibility
from api.presentation.summaries.notes import MISSING
from api.read.summaries.stored import stored_text
from tests.api.conftest import ROOT, Deployment, client_for
from tests.api.people import join, make_account, sign_in
from tests.api.published_facts import ORGANIZATION
from tests.api.scoped_deployment import make_lead, put_teams
from tests.api.scoped_facts import below, make_scoped_facts
from tests.api.summary_texts import MICRO, MONDAY, facts_of, key_of, put, text_of

Serve = Callable[..., AbstractContextManager[str]]
WEEK = timedelta(weeks=1)
SUMMARIES = f"{ROOT}/summaries"


@pytest.fixture
def address(deployment: Deployment, serve: Serve) -> Iterator[str]:
    deployment.publish()
    with serve(deployment.data_dir) as address:
        yield address


@pytest.fixture
def client(deployment: Deployment, address: str) -> Iterator[httpx.Client]:
    with client_for(address, deployment.key(scope="write")) as client:
        yield client


@pytest.fixture
def summary(deployment: Deployment) -> str:
    return put(deployment.store, key_of())


def read(client: httpx.Client, path: str = "", **params: Any) -> Any:
    answer = client.get(f"{SUMMARIES}{path}", params=params)
    assert answer.status_code == 200, answer.text
    return answer.json()


def parts(document: Any) -> Iterator[Any]:
    """Every part of a document."""
    for section in document["sections"]:
        for item in section["items"]:
            yield from item["parts"]
            yield from (part for row in item["rows"] for cell in row for part in cell)
            yield from (part for bar in item["bars"] for part in (*bar["name"], bar["number"]))


def test_the_list_has_every_summary_once_newest_first(deployment: Deployment, client: httpx.Client) -> None:
    starts = [MONDAY - number * WEEK for number in range(3)]
    for start in starts:
        put(deployment.store, key_of(start=start))
        put(deployment.store, key_of(ScopeKind.REPOSITORY, "r1", start), name="web")
    rows: list[Any] = []
    token = ""
    while True:
        page = read(client, pageSize=2, pageToken=token)
        rows += page["summaries"]
        token = page["nextPageToken"]
        if not token:
            break
    assert page["totalSize"] == len({row["id"] for row in rows}) == 6
    assert [row["startDate"] for row in rows] == [str(start) for start in starts for _ in range(2)]
    some = read(client, scopeKind="repository", endDate=str(MONDAY - timedelta(days=1)), period="WEEK")
    assert [(row["scopeName"], row["endDate"]) for row in some["summaries"]] == [
        ("web", str(start + timedelta(days=6))) for start in starts[1:]
    ]
    assert read(client, scopeId="r1", orderBy="startDate")["summaries"][0]["startDate"] == str(starts[-1])
    assert read(client, period="MONTH")["summaries"] == []
    assert read(client, isRestated=True)["summaries"] == []


def test_a_summary_shows_the_stored_facts_and_every_number_is_one_of_theirs(
    client: httpx.Client, summary: str
) -> None:
    found = read(client, f"/{summary}")
    expected = {fact.fact_id: fact for fact in facts_of(key_of())}
    assert {fact["id"] for fact in found["facts"]} == expected.keys()
    for fact in found["facts"]:
        stored = expected[fact["id"]]
        assert fact["value"] == (stored.value_micro or 0) / MICRO
        assert fact["subjectTitle"] == stored.subject_title
        assert fact["basis"] == stored.basis
    cited = [part for part in parts(found["document"]) if part["factId"] is not None]
    assert {part["factId"] for part in cited} == expected.keys()
    told = {(part["factId"], part["field"]): part["text"] for part in cited}
    assert told["etv", "value"] == "41.7"
    assert (found["revision"]["number"], found["revision"]["writtenBy"], found["revision"]["failure"]) == (
        1,
        "RULES",
        None,
    )
    assert (found["scopeKind"], found["period"], found["endDate"]) == ("ORGANIZATION", "WEEK", "2026-11-15")


@pytest.mark.parametrize(
    ("accept", "media_type", "has"),
    [
        ("text/markdown", "text/markdown; charset=utf-8", "# "),
        ("text/plain", "text/plain; charset=utf-8", "41.7"),
        ("text/html,application/xhtml+xml,*/*;q=0.8", "text/html; charset=utf-8", "&lt;b&gt;"),
        ("application/pdf", "application/pdf", "%PDF-"),
        ("application/json, text/markdown;q=0.5", "application/json", '"document"'),
        ("*/*", "application/json", '"document"'),
    ],
)
def test_a_summary_comes_in_the_accepted_format(
    client: httpx.Client, summary: str, accept: str, media_type: str, has: str
) -> None:
    answer = client.get(f"{SUMMARIES}/{summary}", headers={"Accept": accept})
    assert (answer.status_code, answer.headers["Content-Type"]) == (200, media_type)
    assert has in answer.content.decode("latin-1")
    assert "Accept" in answer.headers["Vary"]
    if media_type != "application/json":
        assert "sandbox" in answer.headers["Content-Security-Policy"]
        assert answer.headers["X-Content-Type-Options"] == "nosniff"


def test_a_restated_summary_says_so_and_keeps_its_text(
    deployment: Deployment, client: httpx.Client, summary: str
) -> None:
    before = read(client, f"/{summary}")
    [stored] = revisions.stored_since(deployment.store, ORGANIZATION, {Period.WEEK: MONDAY})
    change = {"factId": "etv", "field": "value", "before": "41.7", "after": "39.2"}
    revisions.note_restatement(deployment.store, ORGANIZATION, stored, "b2", "b2", [change])
    after = read(client, f"/{summary}")
    assert (after["document"], after["facts"]) == (before["document"], before["facts"])
    assert (after["revision"]["restatedBuildId"], after["restatedFacts"]) == (
        "b2",
        [change | {"name": "ETV"}],
    )
    assert after["revision"]["restatedAt"] is not None
    assert "39.2" in client.get(f"{SUMMARIES}/{summary}", headers={"Accept": "text/plain"}).text
    assert [row["id"] for row in read(client, isRestated=True)["summaries"]] == [summary]
    assert read(client, isRestated=False)["summaries"] == []


def test_a_restated_value_of_few_people_is_hidden(deployment: Deployment, summary: str) -> None:
    [stored] = revisions.stored_since(deployment.store, ORGANIZATION, {Period.WEEK: MONDAY})
    change = {"factId": "etv", "field": "value", "before": "41.7", "after": "39.2"}
    revisions.note_restatement(deployment.store, ORGANIZATION, stored, "b2", "b2", [change | {"people": 2}])
    for minimum, seen in ((2, [change | {"name": "ETV"}]), (3, [])):
        text = stored_text(deployment.store, ORGANIZATION, Visibility(minimum_group_size=minimum), summary)
        assert text.seen.restated == seen


def test_earlier_texts_stay_readable(deployment: Deployment, client: httpx.Client, summary: str) -> None:
    text = text_of(facts_of(key_of(), etv=39.2), build="b2")
    revisions.store_again(deployment.store, ORGANIZATION, key_of(), text, "operation")
    listed = read(client, f"/{summary}/revisions")
    assert [(one["number"], one["buildId"]) for one in listed["revisions"]] == [(2, "b2"), (1, "b1")]
    values = [
        {fact["id"]: fact["value"] for fact in read(client, path)["facts"]}["etv"]
        for path in (f"/{summary}/revisions/1", f"/{summary}/revisions/2", f"/{summary}")
    ]
    assert values == [41.7, 39.2, 39.2]
    assert client.get(f"{SUMMARIES}/{summary}/revisions/3").status_code == 404


def test_figures_of_few_people_are_left_out_of_every_format(
    deployment: Deployment, client: httpx.Client, summary: str
) -> None:
    organizations.change_settings(deployment.store, OPERATOR, ORGANIZATION, {"minimum_group_size": 3})
    found = read(client, f"/{summary}")
    assert {fact["id"] for fact in found["facts"]} == {"etv"}
    for accept in ("application/json", "text/markdown", "text/plain", "text/html"):
        body = client.get(f"{SUMMARIES}/{summary}", headers={"Accept": accept}).text
        assert "republish" not in body
        assert "41.7" in body
    assert "republish" not in client.get(f"{SUMMARIES}/{summary}/revisions/1").text


def test_a_lead_reads_summaries_of_led_teams_and_of_nothing_else(
    deployment: Deployment, address: str, summary: str
) -> None:
    facts = make_scoped_facts(commits=1)
    put_teams(deployment, facts)
    ids = {
        key: put(deployment.store, key_of(ScopeKind.TEAM, key), name=name)
        for key, (name, *_) in facts.teams.items()
    }
    led = below(facts, "Product")
    account = make_lead(deployment, ("Product",))
    with client_for(address, sign_in(deployment.store, account)) as lead:
        seen = {row["scopeId"] for row in read(lead)["summaries"]}
        assert seen == led
        assert 1 < len(seen) < len(ids)
        for team, key in ids.items():
            assert lead.get(f"{SUMMARIES}/{key}").status_code == (200 if team in led else 403)
        unknown = "0190d3b0-0000-7000-8000-00000000dead"
        told = [
            lead.get(f"{SUMMARIES}/{key}{path}").json()["message"].replace(key, "…")
            for key in (summary, unknown)
            for path in ("", "/revisions", "/revisions/1")
        ]
        assert len(set(told)) == 1
        assert lead.post(f"{SUMMARIES}:regenerate", json={}).status_code == 403
        for params in ({}, {"scopeKind": "REPOSITORY", "scopeId": next(iter(deployment.facts.repositories))}):
            assert lead.get(f"{SUMMARIES}:preview", params=params).status_code == 403


def test_a_draft_tells_the_running_period_and_is_not_stored(
    deployment: Deployment, client: httpx.Client
) -> None:
    team, (name, *_) = next(iter(deployment.facts.teams.items()))
    repository, called = next(iter(deployment.facts.repositories.items()))
    for params, expected in (
        ({}, "Acme"),
        ({"scopeKind": "TEAM", "scopeId": team}, name),
        ({"scopeKind": "REPOSITORY", "scopeId": repository}, called),
    ):
        found = read(client, ":preview", **params)
        assert (found["scopeName"], found["document"]["isDraft"]) == (expected, True)
        assert (found["startDate"], found["endDate"]) == ("2026-11-16", "2026-11-22")
        assert [fact["value"] for fact in found["facts"] if fact["id"] == "etv"] == [41.7]
    text = client.get(f"{SUMMARIES}:preview", headers={"Accept": "text/plain"}).text
    assert "DRAFT" in text.upper()
    assert "41.7" in text
    assert read(client)["summaries"] == []
    assert client.get(f"{SUMMARIES}:preview", params={"scopeKind": "TEAM"}).status_code == 400
    for params in ({"scopeKind": "TEAM", "scopeId": "gone"}, {"period": "QUARTER"}):
        assert client.get(f"{SUMMARIES}:preview", params=params).status_code == 404
    organizations.change_settings(deployment.store, OPERATOR, ORGANIZATION, {"minimum_group_size": 3})
    assert {fact["id"] for fact in read(client, ":preview")["facts"]} == {"etv"}


def test_a_draft_is_remembered_per_build_reader_and_context(
    deployment: Deployment, client: httpx.Client
) -> None:
    first = client.get(f"{SUMMARIES}:preview")
    assert first.headers["X-Warehouse-Build"] == first.json()["buildId"]
    tag = {"If-None-Match": first.headers["ETag"]}
    assert client.get(f"{SUMMARIES}:preview", headers=tag).status_code == 304
    organizations.change_settings(
        deployment.store, OPERATOR, ORGANIZATION, {"company_context": "We sell tea."}
    )
    told = client.get(f"{SUMMARIES}:preview", headers=tag)
    assert (told.status_code, told.json()["contextVersion"]) == (200, first.json()["contextVersion"] + 1)
    tag = {"If-None-Match": told.headers["ETag"]}
    organizations.change_settings(deployment.store, OPERATOR, ORGANIZATION, {"minimum_group_size": 3})
    assert client.get(f"{SUMMARIES}:preview", headers=tag).status_code == 200
    deployment.publish()
    again = client.get(f"{SUMMARIES}:preview", headers=tag)
    assert (again.status_code, again.json()["buildId"] != told.json()["buildId"]) == (200, True)


def test_a_draft_says_that_connections_fail(deployment: Deployment, client: httpx.Client) -> None:
    def told() -> str:
        return client.get(f"{SUMMARIES}:preview", headers={"Accept": "text/plain"}).text

    first = client.get(f"{SUMMARIES}:preview")
    assert "can be missing" not in told()
    wanted = NewConnection("GITEA", "hosts", "https://host.example", "Host", "secret of host")
    made = add_connection(deployment.store, OPERATOR, ORGANIZATION, wanted)
    note_failure(deployment.store, ORGANIZATION, made.id, reason="TLS", message="The certificate ended.")
    said = f"1 connection fails: what happened since {made.created_at:%-d %b %Y} can be missing."
    assert said in told()
    second = client.get(f"{SUMMARIES}:preview", headers={"If-None-Match": first.headers["ETag"]})
    assert second.status_code == 200
    last = second.json()["document"]["sections"][-1]
    assert (last["heading"], last["items"][-1]["parts"][0]["text"]) == (MISSING, said)
    note_success(deployment.store, ORGANIZATION, made.id, rows={})
    assert "can be missing" not in told()


def test_members_ask_for_new_texts_and_viewers_do_not(
    deployment: Deployment, address: str, client: httpx.Client
) -> None:
    answer = client.post(f"{SUMMARIES}:regenerate", json={})
    assert (answer.status_code, answer.json()["state"], answer.json()["targetKind"]) == (
        200,
        "PENDING",
        "organization",
    )
    assert answer.headers["X-Operation"] == answer.json()["id"]
    assert client.post(f"{SUMMARIES}:regenerate", json={"repositoryId": "gone"}).status_code == 404
    for role, status in (("member", 200), ("viewer", 403)):
        account = join(deployment.store, ORGANIZATION, role, make_account(deployment.store))
        with client_for(address, sign_in(deployment.store, account)) as one:
            assert one.post(f"{SUMMARIES}:regenerate", json={}).status_code == status
