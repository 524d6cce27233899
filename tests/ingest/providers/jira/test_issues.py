"""Fields of a Jira issue as an item."""

from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from ingest.providers.jira.cloud import JiraCloud
from ingest.providers.jira.data_center import JiraDataCenter
from ingest.providers.jira.issues import Site, custom_fields, item, level, status_categories
from tests.ingest.providers.jira.server import FIELDS, STATUSES, issue, status
from tests.ingest.providers.runs import at

SITE = Site(
    "https://j.example", custom_fields(FIELDS), status_categories([status(number) for number in STATUSES])
)


def step(number: int, old: str, new: str, day: int) -> dict[str, Any]:
    change = {"field": "status", "fieldtype": "jira", "from": old, "to": new}
    names = {"fromString": STATUSES[old][0], "toString": STATUSES[new][0]}
    return {"id": str(number), "created": int(at(day).timestamp() * 1000), "items": [change | names],
            "author": {"accountId": "u9"}}  # fmt: skip


def test_the_fields_of_an_issue() -> None:
    made = item(
        issue(
            5,
            at=at(1),
            summary="Pay by card",
            assignee={"accountId": "u2", "displayName": "Bo Example", "emailAddress": "bo@example.com"},
            creator={"accountId": "u3"},
            parent={"id": "77", "key": "ABC-77"},
            labels=["pay", "web"],
            duedate="2026-11-30",
            customfield_13=3.0,
            customfield_14="2026-11-02",
            customfield_15="2027-01-01",
            customfield_16=99.0,
        ),
        [],
        SITE,
    )
    assert (made.provider_id, made.key, made.number, made.kind) == ("10005", "ABC-5", 5, "level_0")
    assert (made.title, made.type_name, made.team_key, made.team_name) == (
        "Pay by card",
        "Story",
        "ABC",
        "Project ABC",
    )
    assert (made.assignee, made.assignee_name, made.assignee_email) == ("u2", "Bo Example", "bo@example.com")
    assert (made.creator, made.parent_ids, made.labels) == ("u3", ["77"], ["pay", "web"])
    assert (made.start_on, made.target_on, made.estimate) == (date(2026, 11, 2), date(2026, 11, 30), 3.0)
    assert (made.created_at, made.url) == (at(1), "https://j.example/browse/ABC-5")


def test_a_hidden_email_address_leaves_the_account() -> None:
    made = item(
        issue(1, at=at(1), assignee={"accountId": "u2", "displayName": "Bo", "emailAddress": ""}), [], SITE
    )
    assert (made.assignee, made.assignee_name, made.assignee_email) == ("u2", "Bo", None)
    assert item(issue(1, at=at(1), assignee=None), [], SITE).assignee is None


def test_the_target_end_of_a_plan_counts_without_a_due_day() -> None:
    assert item(issue(1, at=at(1), customfield_15="2027-01-01"), [], SITE).target_on == date(2027, 1, 1)


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"status": status("1")}, "todo"),
        ({"status": status("2")}, "doing"),
        ({"status": status("3")}, "done"),
        ({"status": status("3"), "resolution": {"name": "Done"}}, "done"),
        ({"status": status("3"), "resolution": {"name": "Won't Do"}}, "canceled"),
        ({"status": status("3"), "resolution": {"name": "Won’t Fix"}}, "canceled"),
        ({"status": status("3"), "resolution": {"name": "Duplicate"}}, "canceled"),
        ({"status": status("3"), "resolution": {"name": "Cannot Reproduce"}}, "canceled"),
        ({"status": status("3"), "resolution": {"name": "Done: duplicate detection"}}, "done"),
        ({"status": status("4")}, "canceled"),
        ({"status": status("2"), "resolution": {"name": "Won't Do"}}, "doing"),
        ({"status": {"id": "2", "name": "Building"}}, "doing"),
        ({"status": {"id": "99", "name": "?", "statusCategory": {"key": "undefined"}}}, "todo"),
        ({"status": None}, "todo"),
        ({"status": None, "resolution": {"name": "Fixed"}}, "done"),
    ],
)
def test_the_category_of_the_status_decides_and_a_resolution_cancels_only_closed_issues(
    fields: dict[str, Any], expected: str
) -> None:
    assert item(issue(1, at=at(1), **fields), [], SITE).status_category == expected


def test_the_history_has_each_step_once_by_time() -> None:
    steps = [step(3, "2", "3", 6), step(1, "1", "2", 2), step(2, "2", "1", 4), step(1, "1", "2", 2)]
    made = item(issue(1, at=at(1), status=status("3")), steps, SITE)
    assert [(one.at, one.before, one.after, one.after_category, one.actor) for one in made.history] == [
        (at(2), "Open", "Building", "doing", "u9"),
        (at(4), "Building", "Open", "todo", "u9"),
        (at(6), "Building", "Closed", "done", "u9"),
    ]
    assert (made.started_at, made.completed_at) == (at(2), at(6))


def test_the_time_of_the_resolution_ends_an_issue_and_a_reopened_one_has_no_end() -> None:
    closed: dict[str, Any] = {"status": status("3"), "resolutiondate": "2026-10-05T14:00:00.000+0200"}
    assert item(issue(1, at=at(1), **closed), [step(1, "1", "3", 6)], SITE).completed_at == at(5)
    assert item(issue(1, at=at(1), **closed | {"status": status("2")}), [], SITE).completed_at is None
    assert item(issue(1, at=at(1), **closed | {"status": status("4")}), [], SITE).completed_at is None


def test_without_resolutions_the_last_step_into_a_closed_status_ends_an_issue() -> None:
    steps = [step(1, "1", "3", 2), step(2, "3", "2", 3), step(3, "2", "3", 4), step(4, "3", "3", 9)]
    assert item(issue(1, at=at(1), status=status("3")), steps, SITE).completed_at == at(4)
    changed = {"statuscategorychangedate": "2026-10-08T12:00:00.000+0000"}
    assert item(issue(1, at=at(1), status=status("3"), **changed), [], SITE).completed_at == at(8)


def test_a_status_that_the_site_does_not_list_has_the_category_of_the_issue() -> None:
    bare = Site("https://j.example")
    made = item(issue(1, at=at(1), status=status("3")), [step(1, "1", "2", 2), step(2, "2", "3", 4)], bare)
    assert [one.after_category for one in made.history] == [None, "done"]
    assert made.completed_at == at(4)


def test_a_custom_field_named_status_or_key_is_no_step() -> None:
    change = {"id": "1", "created": 0, "items": [{"field": "Key", "fieldtype": "custom", "fromString": "X-1"},
                                                 {"field": "status", "fieldtype": "custom", "to": "3"}]}  # fmt: skip
    made = item(issue(1, at=at(1)), [change], SITE)
    assert (made.history, made.previous_keys) == ([], [])


def test_an_issue_that_moved_twice_and_back_has_each_other_key_once() -> None:
    moves = [("ABC-1", "DEF-4"), ("DEF-4", "GHI-2"), ("GHI-2", "ABC-1")]
    changes = [
        {"id": str(n), "created": int((at(2) + timedelta(days=n)).timestamp() * 1000),
         "items": [{"field": "Key", "fieldtype": "jira", "fromString": old, "toString": new}]}
        for n, (old, new) in enumerate(moves)
    ]  # fmt: skip
    assert item(issue(1, at=at(1)), changes, SITE).previous_keys == ["DEF-4", "GHI-2"]


@pytest.mark.parametrize(
    ("issuetype", "others", "expected"),
    [
        ({"hierarchyLevel": 3, "name": "Theme"}, {}, 3),
        ({"hierarchyLevel": 0, "name": "Epic"}, {}, 0),
        ({"hierarchyLevel": -1, "subtask": True}, {}, -1),
        ({"name": "Sub-task", "subtask": True}, {}, -1),
        ({"name": "Epic", "subtask": False}, {}, 1),
        ({"name": "Эпик", "subtask": False}, {"customfield_11": "Payments"}, 1),
        ({"name": "Initiative"}, {}, 2),
        ({"name": "Story", "id": "7"}, {}, 0),
        (None, {}, 0),
    ],
)
def test_the_level_is_the_stated_one_or_follows_from_the_type(
    issuetype: Any, others: dict[str, Any], expected: int
) -> None:
    assert level({"issuetype": issuetype, **others}, SITE) == expected


@pytest.mark.parametrize("tracker", [JiraCloud(), JiraDataCenter()])
def test_four_levels_of_jira_are_three_levels_here(tracker: JiraCloud | JiraDataCenter) -> None:
    kinds = ["level_4", "level_3", "level_2", "level_1", "level_0", "level_-1"]
    levels = [tracker.levels.get(kind, "issue") for kind in kinds]
    assert levels == ["objective", "objective", "objective", "sub_objective", "issue", "issue"]


def test_times_of_bulk_answers_may_be_milliseconds_or_seconds() -> None:
    change = step(1, "1", "2", 2)
    seconds = item(issue(1, at=at(1)), [change | {"created": change["created"] // 1000}], SITE)
    assert seconds.history[0].at == at(2) == datetime(2026, 10, 2, 12, tzinfo=UTC)


def test_the_payload_leaves_out_changes_of_descriptions() -> None:
    change = step(1, "1", "2", 2)
    change["items"].append({"field": "description", "toString": "x" * 10_000})
    made = item(issue(1, at=at(1)) | {"changelog": {"histories": [change]}}, [change], SITE)
    assert "x" * 100 not in str(made.payload)
    assert "Building" in str(made.payload)
