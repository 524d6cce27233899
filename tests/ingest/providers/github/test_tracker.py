"""GitHub Issues: hierarchy, Projects, milestones and the fields of an issue."""

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import graphql
import pytest

from ingest.connections.model import WantedRepository
from ingest.providers.github import issue_documents as documents
from ingest.providers.github.tracker import GitHubIssues
from tests.ingest.providers.github.tracker_server import ANN, BOB, SDL, START, GitHubServer, at, board
from tests.ingest.providers.graphql_server import subset
from tests.ingest.providers.syncing import Synced
from tests.official_schemas.graphql_schemas import official

WANTED = [
    WantedRepository("uuid-api", "github.com/acme/api"),
    WantedRepository("uuid-web", "github.com/Acme/Web"),
]


@pytest.fixture(params=["subset", "official"])
def server(request: pytest.FixtureRequest) -> GitHubServer:
    made = GitHubServer(official("github") if request.param == "official" else subset(SDL))
    made.repository("acme/api", 1)
    return made


def synced(folder: Path, server: GitHubServer) -> Synced:
    return Synced(folder, GitHubIssues(), server, "https://github.com", repositories=WANTED)


def time(hours: int) -> datetime:
    return START + timedelta(hours=hours)


def test_projects_milestones_epics_and_sub_issues_form_a_tree(tmp_path: Path, server: GitHubServer) -> None:
    update = [{"status": "AT_RISK", "startDate": "2026-01-05", "targetDate": "2026-06-30"}]
    project, closed = server.project(1, statusUpdates=update), server.project(2, closed=True, closedAt=at(3))
    server.project(3, template=True)
    first = server.milestone(1, dueOn="2026-03-01T08:00:00Z", progressPercentage=40.0)
    initiative = server.issue(1, type="Initiative")
    epic = server.issue(2, type="Epic", parent=initiative)
    plain = server.issue(3, projectItems=[board(closed), board(project)], milestone=first)
    server.issue(4, parent=epic, milestone=first, type="Bug")
    server.issue(5, parent=plain, milestone=first)
    server.issue(6, parent=plain, projectItems=[board(server.project(4))])
    server.issue(7, parent=plain)
    run = synced(tmp_path, server)
    assert run.run().failures == {}
    items = run.items()
    assert {key: (one["kind"], one["parent_ids"]) for key, one in items.items()} == {
        "P1": ("project", []),
        "P2": ("project", []),
        "P4": ("project", []),
        "M1_1": ("milestone", []),
        "I1_1": ("initiative", []),
        "I1_2": ("epic", ["I1_1"]),
        "I1_3": ("issue", ["P1", "P2", "M1_1"]),
        "I1_4": ("issue", ["I1_2", "M1_1"] if server.has_types else ["M1_1", "I1_2"]),
        "I1_5": ("issue", ["I1_3", "M1_1"]),
        "I1_6": ("issue", ["P4", "I1_3"]),
        "I1_7": ("issue", ["I1_3"]),
    }
    assert {one["kind"] for one in items.values()} == set(GitHubIssues.levels)
    assert items["I1_4"]["type_name"] == "Bug"
    assert (items["P1"]["target_on"], items["P1"]["start_on"], items["P1"]["status"]) == (
        date(2026, 6, 30), date(2026, 1, 5), "At risk"
    )  # fmt: skip
    assert (items["P2"]["status_category"], items["P2"]["completed_at"]) == ("done", time(3))
    one = items["M1_1"]
    assert (one["target_on"], one["status_category"], one["number"]) == (date(2026, 3, 1), "doing", None)


def test_an_issue_has_its_key_history_fields_and_pull_requests(tmp_path: Path, server: GitHubServer) -> None:
    events = [
        {
            "__typename": "ClosedEvent",
            "id": "e1",
            "createdAt": at(2),
            "stateReason": "NOT_PLANNED",
            "actor": BOB,
        },
        {"__typename": "ReopenedEvent", "id": "e2", "createdAt": at(3), "actor": ANN},
        {
            "__typename": "ClosedEvent",
            "id": "e3",
            "createdAt": at(4),
            "stateReason": "COMPLETED",
            "actor": None,
        },
    ]
    values = {"status": "Done", "target_date": "2026-04-05", "start_date": "2026-02-03", "story_points": 5.0}
    server.issue(
        45, state="CLOSED", stateReason="COMPLETED", closedAt=at(4), assignees=[BOB, ANN], timelineItems=events,
        labels=[{"id": "l", "name": "bug"}], projectItems=[board(server.project(1), **values)],
        closedByPullRequestsReferences=[{"id": "pr", "url": "https://github.com/acme/api/pull/46"}],
    )  # fmt: skip
    run = synced(tmp_path, server)
    run.run()
    one = run.items()["I1_45"]
    assert (one["key"], one["number"], one["repository_id"]) == ("acme/api#45", 45, "uuid-api")
    assert (one["status"], one["status_category"], one["resolution"]) == ("Closed", "done", "completed")
    assert (one["assignee"], one["creator"], one["labels"]) == ("bob", "ann", ["bug"])
    assert (one["start_on"], one["target_on"], one["estimate"]) == (date(2026, 2, 3), date(2026, 4, 5), 5.0)
    assert one["pull_requests"] == ["https://github.com/acme/api/pull/46"]
    assert one["completed_at"] == time(4)
    assert [(c["before"], c["after"], c["after_category"], c["at"], c["actor"]) for c in one["history"]] == [
        (None, "Open", "todo", time(0), None),
        ("Open", "Closed", "canceled", time(2), "bob"),
        ("Closed", "Open", "todo", time(3), "ann"),
        ("Open", "Closed", "done", time(4), None),
    ]


@pytest.mark.parametrize(
    ("fields", "column", "category", "status"),
    [
        ({}, None, "todo", "Open"),
        ({}, "In review", "doing", "In review"),
        ({}, "Backlog", "todo", "Backlog"),
        ({"state": "CLOSED", "stateReason": "NOT_PLANNED"}, "In review", "canceled", "Closed"),
        ({"state": "CLOSED", "closedAt": at(5)}, None, "done", "Closed"),
    ],
)
def test_states_and_columns_are_categories(
    tmp_path: Path,
    server: GitHubServer,
    fields: dict[str, Any],
    column: str | None,
    category: str,
    status: str,
) -> None:
    server.issue(1, projectItems=[board(server.project(1), status=column)], **fields)
    run = synced(tmp_path, server)
    run.run()
    one = run.items()["I1_1"]
    assert (one["status_category"], one["status"]) == (category, status)


def test_nested_connections_are_read_beyond_their_first_page(tmp_path: Path, server: GitHubServer) -> None:
    kinds = ("ClosedEvent", "ReopenedEvent")
    server.issue(
        1,
        labels=[{"id": f"l{n:03}", "name": f"label {n:03}"} for n in range(130)],
        closedByPullRequestsReferences=[
            {"id": f"r{n}", "url": f"https://h.example/pull/{n}"} for n in range(25)
        ],
        timelineItems=[{"__typename": kinds[n % 2], "id": f"e{n}", "createdAt": at(n)} for n in range(45)],
        projectItems=[board(server.project(n)) for n in range(12)],
    )
    run = synced(tmp_path, server)
    run.run()
    one = run.items()["I1_1"]
    assert one["labels"] == [f"label {n:03}" for n in range(130)]
    assert len(one["pull_requests"]) == 25
    assert len(one["history"]) == 46
    assert one["parent_ids"] == [f"P{n}" for n in range(12)]


def test_types_come_from_rest_where_graphql_lacks_them(tmp_path: Path) -> None:
    server = GitHubServer(subset(SDL.replace("  issueType: IssueType\n", "")))
    server.repository("acme/api", 1)
    for number, kind in enumerate(["Bug", None, "Epic", "Task", "Initiative", "Bug"], start=1):
        server.issue(number, type=kind)
    run = synced(tmp_path, server)
    run.run()
    assert [run.items()[f"I1_{n}"]["type_name"] for n in range(1, 7)] == [
        "Bug", None, "Epic", "Task", "Initiative", "Bug"
    ]  # fmt: skip
    assert [run.items()[f"I1_{n}"]["kind"] for n in (3, 5)] == ["epic", "initiative"]
    assert len(server.rest) == 3


def test_the_second_part_of_the_day_counts_as_the_same_due_day(tmp_path: Path, server: GitHubServer) -> None:
    server.milestone(1, dueOn="2026-03-01T23:59:59Z")
    run = synced(tmp_path, server)
    run.run()
    assert run.items()["M1_1"]["target_on"] == datetime(2026, 3, 1, tzinfo=UTC).date()


@pytest.mark.parametrize(
    "name", ["PROBE", "lookup", "issues", "milestones", "issue_ids", "projects", *documents.NESTED]
)
def test_every_document_is_valid(name: str) -> None:
    schema = official("github")
    fields = {kind: frozenset(schema.type_map[kind].fields) for kind in ("Issue", "ProjectV2")}  # type: ignore[attr-defined]  # objects
    made: dict[str, Callable[[], str]] = {
        "PROBE": lambda: documents.PROBE,
        "lookup": lambda: documents.lookup(3),
        "issues": lambda: documents.issues(fields["Issue"], with_projects=True),
        "milestones": documents.milestones,
        "issue_ids": documents.issue_ids,
        "projects": lambda: documents.projects(fields["ProjectV2"]),
    }
    document = made[name]() if name in made else documents.nested(name)
    assert graphql.validate(schema, graphql.parse(document)) == []
