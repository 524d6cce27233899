"""Asana: hierarchy, status, history, subtasks and the fields of a task."""

from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest

from ingest.providers.asana.tracker import Asana
from tests.ingest.connections.running import Handler
from tests.ingest.providers.asana.workspace import ANN, AsanaServer, at
from tests.ingest.providers.syncing import Synced


@pytest.fixture
def server() -> AsanaServer:
    return AsanaServer()


def synced(folder: Path, handler: Handler, workspace: str | None = "w1") -> Synced:
    options = {"workspace": workspace} if workspace else {}
    return Synced(folder, Asana(), handler, "https://app.asana.com", options=options)


def time(hours: int) -> datetime:
    return datetime.fromisoformat(at(hours)).astimezone(UTC)


def test_goals_portfolios_projects_tasks_and_subtasks_form_a_tree(
    tmp_path: Path, server: AsanaServer
) -> None:
    server.goal(1, status="green", owner=ANN, time_period={"start_on": "2026-01-01", "end_on": "2026-03-31"})
    server.goal(2, status="achieved", due_on="2026-02-01")
    server.project(1, owner=ANN, due_on="2026-06-30", start_on="2026-01-02")
    server.project(2, completed=True, completed_at=at(9))
    server.project(3, archived=True)
    server.portfolio(1, "p1", "p2", "f2")
    server.portfolio(2, "p3", due_on="2026-12-31")
    server.supports = {"g1": ["g2", "p1", "k9"], "g2": ["f1"]}
    server.task(1, "p2", "p1")
    server.task(2, parent="k1")
    server.task(3, parent="k2")
    server.task(4, "p1", resource_subtype="milestone", due_on="2026-05-01")
    server.task(5, "p1", resource_subtype="approval")
    server.task(9, "p3")
    run = synced(tmp_path, server)
    report = run.run()
    assert (report.failures, report.unread) == ({}, {})
    items = run.items()
    assert {key: (one["kind"], one["parent_ids"]) for key, one in items.items()} == {
        "g1": ("goal", []),
        "g2": ("goal", ["g1"]),
        "f1": ("portfolio", ["g2"]),
        "f2": ("portfolio", ["f1"]),
        "p1": ("project", ["g1", "f1"]),
        "p2": ("project", ["f1"]),
        "p3": ("project", ["f2"]),
        "k1": ("task", ["p1", "p2"]),
        "k2": ("subtask", ["k1"]),
        "k3": ("subtask", ["k2"]),
        "k4": ("milestone", ["p1"]),
        "k5": ("task", ["p1"]),
        "k9": ("task", ["p3", "g1"]),
    }
    assert {one["kind"] for one in items.values()} == set(Asana.levels)
    assert [items[key]["target_on"] for key in ("g1", "g2", "f2", "p1", "k4")] == [
        date(2026, 3, 31), date(2026, 2, 1), date(2026, 12, 31), date(2026, 6, 30), date(2026, 5, 1)
    ]  # fmt: skip
    assert [items[key]["status_category"] for key in ("g1", "g2", "p1", "p2", "p3")] == [
        "doing", "done", "doing", "done", "done"
    ]  # fmt: skip
    assert items["p2"]["completed_at"] == time(9)
    assert [items[key]["assignee_email"] for key in ("g1", "p1")] == ["ann@acme.example"] * 2
    assert (items["p1"]["team_key"], items["k1"]["team_name"], items["k5"]["type_name"]) == (
        "t1", "Interfaces", "Approval"
    )  # fmt: skip


def test_a_task_has_its_id_estimate_labels_people_and_times(tmp_path: Path, server: AsanaServer) -> None:
    fields = [
        {"gid": "c1", "name": "ID", "representation_type": "custom_id", "display_value": "ENG-45"},
        {"gid": "c2", "name": "Story points", "type": "number", "number_value": 3, "display_value": "3"},
    ]
    server.project(1)
    server.task(
        45, "p1", completed=True, completed_at=at(40), assignee=ANN, custom_fields=fields, start_on="2026-01-03",
        due_at="2026-01-09T22:00:00.000Z", tags=[{"gid": "l", "name": "bug"}], permalink_url="https://app.asana.com/0/1/45",
    )  # fmt: skip
    run = synced(tmp_path, server)
    run.run()
    one = run.items()["k45"]
    assert (one["key"], one["estimate"], one["labels"]) == ("ENG-45", 3.0, ["bug"])
    assert (one["assignee"], one["assignee_name"], one["assignee_email"]) == (
        "u1",
        "Ann Archer",
        "ann@acme.example",
    )
    assert (one["start_on"], one["target_on"], one["completed_at"]) == (
        date(2026, 1, 3),
        date(2026, 1, 9),
        time(40),
    )
    assert one["url"] == "https://app.asana.com/0/1/45"
    assert [(c["before"], c["after"], c["after_category"], c["at"]) for c in one["history"]] == [
        (None, "Incomplete", "todo", time(0)),
        ("Incomplete", "Completed", "done", time(40)),
    ]


def test_stories_are_the_history_of_a_task(tmp_path: Path, server: AsanaServer) -> None:
    server.project(1)
    server.task(9, "p1", completed=True, completed_at=at(8), sections={"p1": "Shipped"})
    server.story(9, 5, "section_changed", new_section={"gid": "s2", "name": "In review"})
    server.story(9, 2, "section_changed", new_section={"gid": "s1", "name": "In progress"})
    server.story(9, 3, "comment_added", text="In review")
    server.story(9, 6, "marked_complete")
    server.story(9, 7, "marked_incomplete")
    server.story(9, 8, "marked_complete")
    server.story(9, 8, "section_changed", new_section={"gid": "s3", "name": "Shipped"})
    run = synced(tmp_path, server)
    run.run()
    one = run.items()["k9"]
    assert [(step["after"], step["after_category"], step["at"]) for step in one["history"]] == [
        ("Incomplete", "todo", time(0)),
        ("In progress", "doing", time(2)),
        ("In review", "doing", time(5)),
        ("Completed", "done", time(6)),
        ("In review", "doing", time(7)),
        ("Completed", "done", time(8)),
        ("Shipped", "done", time(8)),
    ]
    assert (one["started_at"], one["history"][1]["actor"]) == (time(2), "u1")
    assert "comment_added" not in one["payload"]


def test_a_status_field_counts_before_sections_in_the_history(tmp_path: Path, server: AsanaServer) -> None:
    server.project(1)
    server.task(9, "p1", **status_field("In progress"))
    server.story(9, 2, "section_changed", new_section={"gid": "s1", "name": "Done"})
    field = {"gid": "c", "name": "Status"}
    server.story(9, 3, "enum_custom_field_changed", custom_field={"gid": "d", "name": "Color"},
                 new_enum_value={"gid": "v", "name": "Done"})  # fmt: skip
    server.story(9, 4, "enum_custom_field_changed", custom_field=field,
                 new_enum_value={"gid": "v", "name": "In progress"})  # fmt: skip
    run = synced(tmp_path, server)
    run.run()
    one = run.items()["k9"]
    assert [(step["after"], step["at"]) for step in one["history"]] == [
        ("Incomplete", time(0)),
        ("In progress", time(4)),
    ]


def test_stories_are_asked_for_only_of_tasks_that_changed(tmp_path: Path, server: AsanaServer) -> None:
    server.project(1)
    for number in range(4):  # the first one is as it was created
        server.task(number, "p1")
    run = synced(tmp_path, server)

    def asked() -> list[str]:
        found = [one.url.path for one in server.requests if one.url.path.endswith("/stories")]
        server.requests.clear()
        return [path.split("/")[-2] for path in found]

    run.run()
    assert asked() == ["k1", "k2", "k3"]
    run.run()
    assert asked() == []
    server.tasks["k2"] |= {"name": "Renamed", "modified_at": at(90)}
    assert run.run().rows == {"items": 1}
    assert asked() == ["k2"]
    # A goal that a task supports is no change of the task.
    server.goal(1)
    server.supports = {"g1": ["k2"]}
    assert run.run().rows == {"items": 2}
    assert run.items()["k2"]["parent_ids"] == ["p1", "g1"]


def status_field(value: str) -> dict[str, Any]:
    field = {"gid": "c", "name": "Status", "type": "enum", "display_value": value}
    return {"custom_fields": [field]}


@pytest.mark.parametrize(
    ("fields", "section", "status", "category"),
    [
        ({}, "Untitled", "Untitled", "todo"),
        ({}, "Backend", "Backend", "todo"),
        ({}, "In review", "In review", "doing"),
        ({}, "Not started", "Not started", "todo"),
        ({}, "Done", "Done", "done"),
        ({}, "Won't do", "Won't do", "canceled"),
        ({"completed": True}, "In review", "Completed", "done"),
        ({"completed": True}, "Won't do", "Won't do", "canceled"),
        (status_field("In progress"), "Done", "In progress", "doing"),
        (status_field("Delivery"), "Done", "Delivery", "todo"),
    ],
)
def test_status_follows_completion_custom_status_and_section(
    tmp_path: Path, server: AsanaServer, fields: dict[str, Any], section: str, status: str, category: str
) -> None:
    server.project(1)
    server.task(1, "p1", sections={"p1": section}, **fields)
    run = synced(tmp_path, server)
    run.run()
    one = run.items()["k1"]
    assert (one["status"], one["status_category"]) == (status, category)


def test_a_hidden_person_has_a_name_and_no_address(tmp_path: Path, server: AsanaServer) -> None:
    server.hidden_users = {"u1"}
    server.project(1, owner=ANN)
    server.task(1, "p1", assignee=ANN)
    run = synced(tmp_path, server)
    assert run.run().is_complete
    assert (run.items()["k1"]["assignee_name"], run.items()["k1"]["assignee_email"]) == ("Ann Archer", None)


def test_a_malformed_row_is_counted_and_the_others_are_kept(tmp_path: Path, server: AsanaServer) -> None:
    server.project(1)
    server.task(1, "p1")
    server.task(2, "p1", created_at=None)
    server.task(3, "p1", projects="text")
    server.tasks["k3"]["projects"] = [{"gid": "p1"}, "text"]
    run = synced(tmp_path, server)
    report = run.run()
    assert report.unread == {"tasks/p1": 2}
    assert sorted(run.items()) == ["k1", "p1"]
