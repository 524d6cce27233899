"""Linear: hierarchy, history, changes, deletions, kills, refusals."""

from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import graphql
import httpx
import pytest

from ingest.connections.model import Checked
from ingest.errors import ProviderRefused, RateLimited, Refusal
from ingest.providers.linear import documents
from ingest.providers.linear.tracker import Linear
from tests.ingest.providers.graphql_server import subset
from tests.ingest.providers.linear.workspace import ANN, CANCELED, DOING, DONE, SDL, TODO, Workspace, at
from tests.ingest.providers.syncing import Synced, rows_after_kills
from tests.official_schemas.graphql_schemas import official
from tests.suite.tiers import some


@pytest.fixture(params=["subset", "official"])
def workspace(request: pytest.FixtureRequest) -> Workspace:
    return Workspace(official("linear") if request.param == "official" else subset(SDL))


def synced(folder: Path, workspace: Workspace) -> Synced:
    return Synced(folder, Linear(), workspace.server, "https://api.linear.app")


def time(hours: float) -> datetime:
    return datetime.fromisoformat(at(hours)).astimezone(UTC)


def test_initiatives_projects_and_issues_form_a_tree(tmp_path: Path, workspace: Workspace) -> None:
    top = workspace.initiative(1, owner=ANN, targetDate="2026-05-02", targetDateResolution="quarter")
    below = workspace.initiative(2, parentInitiative=top, status="Completed", completedAt=at(5))
    project = workspace.project(
        1, initiatives=[below, top], lead=ANN, startDate="2026-02-01", targetDate="2026-02-10",
        targetDateResolution="month",
    )  # fmt: skip
    epic = workspace.issue(1, project=project)
    workspace.issue(2, project=project, parent=epic)
    workspace.issue(3, project=project, parent=workspace.issue(4))
    workspace.issue(5, parent=epic, dueDate="2026-03-04")
    run = synced(tmp_path, workspace)
    assert run.run().is_complete
    items = run.items()
    assert {key: one["parent_ids"] for key, one in items.items()} == {
        "n1": [],
        "n2": ["n1"],
        "p1": ["n2", "n1"],
        "i1": ["p1"],
        "i2": ["i1", "p1"],
        "i3": ["p1", "i4"],
        "i4": [],
        "i5": ["i1"],
    }
    assert {items[key]["kind"] for key in ("n1", "p1", "i1")} == set(Linear.levels)
    assert [items[key]["target_on"] for key in ("n1", "p1", "i5")] == [
        date(2026, 6, 30), date(2026, 2, 28), date(2026, 3, 4)
    ]  # fmt: skip
    assert items["p1"]["start_on"] == date(2026, 2, 1)
    assert (items["n2"]["status_category"], items["n2"]["completed_at"]) == ("done", time(5))
    assert [items[key]["assignee_email"] for key in ("n1", "p1")] == ["ann@acme.example"] * 2
    assert (items["i1"]["team_key"], items["p1"]["team_name"]) == ("API", "Interfaces")


def test_an_issue_has_its_status_history_keys_branch_and_pull_requests(
    tmp_path: Path, workspace: Workspace
) -> None:
    spans = [
        {"id": "h2", "startedAt": at(2), "endedAt": at(9), "state": DOING},
        {"id": "h1", "startedAt": at(0), "endedAt": at(2), "state": TODO},
        {"id": "h3", "startedAt": at(9), "endedAt": None, "state": DONE},
    ]
    links = [
        {"url": "https://github.com/acme/api/pull/7", "sourceType": "github", "metadata": {}},
        {"url": "https://gitlab.com/acme/api/-/merge_requests/8", "sourceType": "gitlab", "metadata": {}},
        {"url": "https://github.com/acme/api/issues/9", "sourceType": "github", "metadata": {}},
        {"url": "https://evil.example/pull/7", "sourceType": "slack", "metadata": {}},
    ]
    workspace.issue(
        45, previousIdentifiers=["OLD-3"], state=DONE, startedAt=at(2), completedAt=at(9), estimate=3, assignee=ANN,
        creator=ANN, stateHistory=spans, attachments=links, labels=[{"id": "l", "name": "Bug"}],
    )  # fmt: skip
    run = synced(tmp_path, workspace)
    run.run()
    one = run.items()["i45"]
    assert (one["key"], one["previous_keys"], one["number"]) == ("API-45", ["OLD-3"], 45)
    assert (one["branch_name"], one["estimate"], one["labels"]) == ("ann/api-45", 3.0, ["Bug"])
    assert one["pull_requests"] == [links[0]["url"], links[1]["url"]]
    assert (one["started_at"], one["completed_at"]) == (time(2), time(9))
    assert (one["assignee"], one["assignee_name"], one["creator"]) == ("u-ann", "Ann Archer", "u-ann")
    assert [(c["before"], c["after"], c["after_category"], c["at"]) for c in one["history"]] == [
        (None, "Todo", "todo", time(0)),
        ("Todo", "In Review", "doing", time(2)),
        ("In Review", "Done", "done", time(9)),
    ]


@pytest.mark.parametrize(
    ("state", "times", "category"),
    [
        (TODO, {}, "todo"),
        ({"id": "t", "name": "Triage", "type": "triage"}, {}, "todo"),
        (DOING, {}, "doing"),
        (DONE, {}, "done"),
        (CANCELED, {}, "canceled"),
        ({"id": "t", "name": "New", "type": "invented"}, {"startedAt": at(1)}, "doing"),
        ({"id": "t", "name": "New", "type": "invented"}, {"startedAt": at(1), "completedAt": at(2)}, "done"),
    ],
)
def test_types_of_status_are_categories(
    tmp_path: Path, workspace: Workspace, state: Any, times: dict[str, str], category: str
) -> None:
    workspace.issue(1, state=state, **times)
    run = synced(tmp_path, workspace)
    run.run()
    one = run.items()["i1"]
    assert (one["status"], one["status_category"]) == (state["name"], category)
    assert one["resolution"] == ("Won't do" if category == "canceled" else None)


def test_every_page_is_read_and_a_second_run_asks_for_changes_only(
    tmp_path: Path, workspace: Workspace
) -> None:
    for number in range(1, 131):
        workspace.issue(number)
    run = synced(tmp_path, workspace)
    assert run.run().rows == {"items": 130}
    second = run.run()
    assert (second.rows, second.requests) == ({}, 3)
    assert run.rows() == 130
    workspace.issue(7, title="Renamed", updatedAt=at(500))
    third = run.run()
    assert (third.rows, third.requests) == ({"items": 1}, 3)
    assert run.items()["i7"]["title"] == "Renamed"


def test_nested_connections_are_read_beyond_their_first_page(tmp_path: Path, workspace: Workspace) -> None:
    initiatives = [workspace.initiative(number) for number in range(1, 31)]
    workspace.project(1, initiatives=initiatives)
    workspace.issue(
        1,
        labels=[{"id": f"l{n:03}", "name": f"label {n:03}"} for n in range(150)],
        stateHistory=[
            {"id": f"h{n}", "startedAt": at(n), "state": DOING if n % 2 else TODO} for n in range(60)
        ],
    )
    run = synced(tmp_path, workspace)
    run.run()
    items = run.items()
    assert items["p1"]["parent_ids"] == [one["id"] for one in initiatives]
    assert items["i1"]["labels"] == [f"label {n:03}" for n in range(150)]
    assert [change["at"] for change in items["i1"]["history"]] == [time(n) for n in range(60)]


def test_a_moved_issue_keeps_its_id_and_a_trashed_one_is_gone_until_restored(
    tmp_path: Path, workspace: Workspace
) -> None:
    for number in (1, 2, 3):
        workspace.issue(number)
    run = synced(tmp_path, workspace)
    run.run()
    workspace.issues["i1"] |= {"identifier": "WEB-9", "previousIdentifiers": ["API-1"], "updatedAt": at(50)}
    workspace.issues["i2"] |= {"trashed": True, "updatedAt": at(51)}
    assert run.run().deleted == 1
    items = run.items()
    assert sorted(items) == ["i1", "i3"]
    assert (items["i1"]["key"], items["i1"]["previous_keys"]) == ("WEB-9", ["API-1"])
    workspace.issues["i2"] |= {"trashed": False, "updatedAt": at(60)}
    run.run()
    assert sorted(run.items()) == ["i1", "i2", "i3"]


def test_issues_deleted_for_good_go_with_a_full_pass_and_an_empty_answer_removes_none(
    tmp_path: Path, workspace: Workspace
) -> None:
    for number in range(1, 31):
        workspace.issue(number)
    run = synced(tmp_path, workspace)
    run.run()
    del workspace.issues["i4"]
    assert run.run().deleted == 0
    assert run.run(days_later=8).deleted == 1
    del workspace.issues["i5"]
    assert run.run(is_full=True).deleted == 1
    assert "i4" not in run.items()
    workspace.issues.clear()
    report = run.run(is_full=True)
    assert "Nothing was removed" in report.failures["issues"]
    assert len(run.items()) == 28


def test_a_project_that_joins_an_initiative_counts_as_changed(tmp_path: Path, workspace: Workspace) -> None:
    initiative, project = workspace.initiative(1), workspace.project(1)
    workspace.project(50)  # so that the overlap does not repeat the first one
    run = synced(tmp_path, workspace)
    run.run()
    project["initiatives"] = [initiative]
    initiative["updatedAt"] = at(100)
    run.run()
    assert run.items()["p1"]["parent_ids"] == ["n1"]


def grown(workspace: Workspace) -> None:
    initiative = workspace.initiative(1)
    for number in range(1, 61):
        workspace.project(number, initiatives=[initiative] * (number % 2))
    for number in range(1, 171):
        labels = [{"id": f"l{n}", "name": str(n)} for n in range(number % 25)]
        workspace.issue(number, project=workspace.projects["p3"], labels=labels)


@pytest.mark.parametrize("every", some((16, 12, 14, 18), 1))
def test_runs_that_are_killed_end_with_the_rows_of_an_undisturbed_run(tmp_path: Path, every: int) -> None:
    workspace = Workspace(subset(SDL))
    grown(workspace)
    assert rows_after_kills(lambda folder: synced(folder, workspace), tmp_path, every) == 231


def test_entities_that_change_while_they_are_read_are_neither_lost_nor_doubled(
    tmp_path: Path, workspace: Workspace
) -> None:
    """Each change moves an issue to the front, so that the next page repeats the last row."""
    for number in range(1, 171):
        workspace.issue(number)

    def touch(page: int) -> None:
        workspace.issues[f"i{page + 1}"] |= {"title": f"Touched {page}", "updatedAt": at(300 + page)}

    workspace.before_list = touch
    run = synced(tmp_path, workspace)
    run.run()
    workspace.before_list = lambda _page: None
    run.run()
    assert {key: one["title"] for key, one in run.items().items()} == {
        key: one["title"] for key, one in workspace.issues.items()
    }


def test_a_malformed_row_is_counted_and_the_others_are_kept(tmp_path: Path) -> None:
    nodes: list[Any] = [{"id": "i1", "title": "without the rest"}, None, "text"]
    world = Workspace(subset(SDL))
    good = world.issue(2)
    transport = httpx.MockTransport(world.server)
    with httpx.Client(transport=transport) as client:
        body = {"query": documents.ISSUES, "variables": {"first": 50}}
        nodes += client.post("https://api.linear.app/graphql", json=body).json()["data"]["issues"]["nodes"]

    def handle(request: httpx.Request) -> httpx.Response:
        noun = next(name for name in documents.PAGES if f"{name}(" in request.content.decode())
        page = {
            "nodes": nodes if noun == "issues" else [],
            "pageInfo": {"hasNextPage": False, "endCursor": None},
        }
        return httpx.Response(200, json={"data": {noun: page}})

    run = Synced(tmp_path, Linear(), handle, "https://api.linear.app")
    report = run.run()
    assert list(run.items()) == [good["id"]]
    assert report.unread == {"issues": 3}
    assert "row without an id" in report.failures["issues"]


def refused(code: str, status: int, headers: dict[str, str] | None = None) -> httpx.Response:
    return httpx.Response(
        status, json={"errors": [{"message": "no", "extensions": {"code": code}}]}, headers=headers
    )


@pytest.mark.parametrize("status", [200, 400])
@pytest.mark.parametrize(
    ("code", "reason", "words"),
    [
        ("AUTHENTICATION_ERROR", Refusal.UNAUTHORIZED, "without the word Bearer"),
        ("FORBIDDEN", Refusal.FORBIDDEN, "scope Read"),
    ],
)
def test_a_refused_key_is_told_apart(
    tmp_path: Path, status: int, code: str, reason: Refusal, words: str
) -> None:
    run = Synced(tmp_path, Linear(), lambda _: refused(code, status), "https://api.linear.app")
    with run.client() as client, pytest.raises(ProviderRefused, match=words) as caught:
        run.tracker.check(client, run.connection)
    assert caught.value.refusal is reason
    assert "s3cret" not in str(caught.value)


def test_a_limit_names_its_reset_in_milliseconds(tmp_path: Path) -> None:
    ends = (datetime.now(UTC) + timedelta(hours=1)).timestamp() * 1000
    headers = {"x-ratelimit-requests-remaining": "0", "x-ratelimit-requests-reset": f"{ends:.0f}"}
    run = Synced(tmp_path, Linear(), lambda _: refused("RATELIMITED", 400, headers), "https://api.linear.app")
    with run.client() as client, pytest.raises(RateLimited) as caught:
        run.tracker.check(client, run.connection)
    assert caught.value.retry_after == pytest.approx(3600, abs=30)


@pytest.mark.parametrize(
    ("secret", "sent"),
    [
        ("lin_api_1", "lin_api_1"),
        ("Bearer lin_api_1", "lin_api_1"),
        ("lin_oauth_1", "Bearer lin_oauth_1"),
    ],
)
def test_only_keys_of_apps_are_sent_as_bearer(tmp_path: Path, secret: str, sent: str) -> None:
    run = Synced(tmp_path, Linear(), lambda _: httpx.Response(500), "https://api.linear.app", secret)
    assert run.tracker.login(run.connection).headers["Authorization"] == sent


def test_a_good_key_names_its_person_and_workspace(tmp_path: Path, workspace: Workspace) -> None:
    run = synced(tmp_path, workspace)
    with run.client() as client:
        assert run.tracker.check(client, run.connection) == Checked("ann@acme.example in Acme")


def test_a_plan_without_initiatives_gives_a_note_and_the_rest(tmp_path: Path, workspace: Workspace) -> None:
    workspace.issue(1)
    workspace.server.refuses = lambda document, _: (
        refused("FORBIDDEN", 400) if " initiatives(first: $first" in document else None
    )
    run = synced(tmp_path, workspace)
    report = run.run()
    assert report.is_complete
    assert "Initiatives are not readable" in report.notes["initiatives: plan"]
    assert list(run.items()) == ["i1"]


@pytest.mark.parametrize(
    "document",
    [documents.VIEWER, documents.ISSUES, documents.PROJECTS, documents.INITIATIVES, *documents.IDS.values(),
     *(documents.nested(*key) for key in documents.NESTED)],
)  # fmt: skip
def test_every_document_is_valid(document: str) -> None:
    assert graphql.validate(official("linear"), graphql.parse(document)) == []
