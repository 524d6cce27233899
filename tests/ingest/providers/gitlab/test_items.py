"""Issues of GitLab as items."""

from datetime import date, datetime, timedelta
from typing import Any

import pytest

from ingest.providers.gitlab.history import Events
from ingest.providers.gitlab.items import Project, issue_item
from tests.ingest.providers.gitlab.tracker_server import issue, project, spelled
from tests.ingest.providers.runs import at

SHOP = project(1, "acme/shop")
OF = Project("1", "acme/shop", "shop", "r-shop")
BOARD = frozenset({"To Do", "Doing", "Review"})


def label(when: datetime, action: str, name: str | None) -> dict[str, Any]:
    return {"user": {"username": "bo"}, "created_at": spelled(when), "action": action,
            "label": {"name": name} if name else None}  # fmt: skip


def state(when: datetime, name: str) -> dict[str, Any]:
    return {"user": {"username": "bo"}, "created_at": spelled(when), "state": name}


def test_the_fields_of_an_issue() -> None:
    made = issue_item(
        issue(
            45,
            at=at(1),
            of=SHOP,
            title="Pay by card",
            issue_type="incident",
            assignees=[{"username": "bo", "name": "Bo Example"}, {"username": "cy"}],
            labels=["bug", {"title": "pay"}],
            weight=3,
            due_date="2026-11-30",
        ),
        OF,
        Events(),
        BOARD,
    )
    assert (made.key, made.number, made.repository_id, made.kind) == (
        "acme/shop#45",
        45,
        "r-shop",
        "incident",
    )
    assert (made.assignee, made.assignee_name, made.assignee_email) == ("bo", "Bo Example", None)
    assert (made.creator, made.labels, made.estimate) == ("ann", ["bug", "pay"], 3.0)
    assert (made.target_on, made.status, made.status_category) == (date(2026, 11, 30), "Open", "todo")


@pytest.mark.parametrize(
    ("fields", "status", "category"),
    [
        ({}, "Open", "todo"),
        ({"labels": ["bug", "To Do"]}, "To Do", "todo"),
        ({"labels": ["Review"]}, "Review", "doing"),
        ({"labels": ["workflow::in dev"]}, "workflow::in dev", "doing"),
        ({"labels": ["workflow::ready"]}, "workflow::ready", "todo"),
        ({"state": "closed", "labels": ["Doing"]}, "Closed", "done"),
        ({"state": "closed", "moved_to_id": 77}, "Closed", "canceled"),
        ({"state": "closed", "_links": {"closed_as_duplicate_of": "https://x"}}, "Closed", "canceled"),
        ({"state": "opened", "_links": {"closed_as_duplicate_of": None}}, "Open", "todo"),
    ],
)
def test_the_status_is_the_state_or_the_list_of_the_board(
    fields: dict[str, Any], status: str, category: str
) -> None:
    made = issue_item(issue(1, at=at(1), of=SHOP, **fields), OF, Events(), BOARD)
    assert (made.status, made.status_category) == (status, category)


def test_a_moved_issue_leads_to_the_new_one() -> None:
    one = issue(1, at=at(1), of=SHOP, state="closed", closed_at=spelled(at(2)), moved_to_id=77)
    made = issue_item(one, OF, Events(), BOARD)
    assert (made.parent_ids, made.resolution, made.completed_at) == (["issue/77"], "moved", None)


def test_steps_between_lists_and_states_are_the_history() -> None:
    swapped = at(3)
    events = Events(
        [state(at(5), "closed"), state(at(6), "reopened"), state(at(8), "closed")],
        [
            label(at(2), "add", "To Do"),
            label(swapped, "add", "Doing"),
            label(swapped, "remove", "To Do"),
            label(at(4), "add", "bug"),
            label(at(4), "add", None),
            label(at(5), "remove", "Doing"),
            label(at(7), "add", "Review"),
        ],
    )
    one = issue(1, at=at(1), of=SHOP, state="closed", closed_at=spelled(at(8)))
    made = issue_item(one, OF, events, BOARD)
    assert [(one.at, one.before, one.after, one.after_category) for one in made.history] == [
        (at(2), "Open", "To Do", "todo"),
        (at(3), "To Do", "Doing", "doing"),
        (at(5), "Doing", "Closed", "done"),
        (at(6), "Closed", "Open", "todo"),
        (at(7), "Open", "Review", "doing"),
        (at(8), "Review", "Closed", "done"),
    ]
    assert (made.started_at, made.completed_at) == (at(3), at(8))


def test_a_label_that_leaves_its_list_opens_the_issue() -> None:
    events = Events((), [label(at(2), "add", "Doing"), label(at(2) + timedelta(hours=1), "remove", "Doing")])
    made = issue_item(issue(1, at=at(1), of=SHOP), OF, events, BOARD)
    assert [one.after for one in made.history] == ["Doing", "Open"]


def test_an_issue_of_a_project_that_is_no_repository_has_its_key() -> None:
    made = issue_item(issue(7, at=at(1), of=project(5, "acme/plans")), None, Events(), BOARD)
    assert (made.key, made.team_key, made.repository_id) == ("acme/plans#7", "acme/plans", None)
