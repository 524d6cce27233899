"""Jira and GitLab with junk in any place: rows that cannot be read are counted, and the others are kept."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ingest.connections.model import WantedRepository
from ingest.providers.gitlab.tracker import GitLabIssues
from ingest.providers.jira.cloud import JiraCloud
from ingest.providers.jira.data_center import JiraDataCenter
from tests.ingest.connections import running
from tests.ingest.connections.running import run, source_in
from tests.ingest.providers.gitlab import tracker_server as fake_gitlab
from tests.ingest.providers.gitlab.tracker_server import FakeGitLab, project, work_item
from tests.ingest.providers.jira import server as fake_jira
from tests.ingest.providers.jira.server import FakeJira, status
from tests.ingest.providers.runs import at, connection

JUNK: tuple[Any, ...] = (None, 7, -(10**30), 1.5, "\x00text", [], [None, 3], {}, {"id": []}, True)
Row = dict[str, Any]


def spoilt(row: Row, *keep: str) -> Iterator[Row]:
    """Copies of a row, each with junk in the place of one value at any depth."""
    for key, value in row.items():
        for junk in () if key in keep else JUNK:
            yield {**copy.deepcopy(row), key: junk}
        if isinstance(value, dict):
            for inner in spoilt(value):
                yield {**copy.deepcopy(row), key: inner}
        if isinstance(value, list) and value and isinstance(value[0], dict):
            for inner in spoilt(value[0]):
                yield {**copy.deepcopy(row), key: [inner]}


def jira_fields() -> Row:
    person = {"accountId": "u2", "displayName": "Bo Example", "emailAddress": "bo@example.com"}
    return {
        "status": status("3"),
        "resolution": {"name": "Done"},
        "assignee": person,
        "creator": person,
        "parent": {"id": "5", "key": "ABC-5"},
        "labels": ["pay"],
        "duedate": "2026-11-30",
        "resolutiondate": "2026-10-05T12:00:00.000+0000",
        "customfield_10": "ABC-1",
        "customfield_13": 3.0,
        "customfield_14": "2026-10-01",
    }


@pytest.mark.parametrize(
    ("tracker", "address"),
    [(JiraCloud(), "https://invented.atlassian.net"), (JiraDataCenter(), "https://jira.example")],
    ids=["cloud", "data_center"],
)
def test_junk_stops_no_other_issue_of_jira(
    tmp_path: Path, tracker: JiraCloud | JiraDataCenter, address: str
) -> None:
    good = fake_jira.issue(1, at=at(1), **jira_fields())
    # The server itself filters and sorts by these.
    bad = [*spoilt(good["fields"], "created", "updated")]
    rows = [{**good, "id": f"9{n}", "key": f"ABC-9{n}", "fields": fields} for n, fields in enumerate(bad)]
    last = fake_jira.issue(2, at=at(2))
    server = FakeJira.of(good, *rows, {**good, "id": "77", "key": "ABC-3000000000"}, last)
    server.log(1, at(3), status=("1", "2"))
    change = server.changes[good["id"]][0]
    for number, junk in enumerate(spoilt({"items": change["items"], "author": change["author"]})):
        server.changes[f"9{number}"] = [{**junk, "id": "1", "at": at(3)}]
    report = run(source_in(tmp_path, tracker), tracker, connection(tracker, address), server)
    assert report.failures == {}
    found = running.rows(source_in(tmp_path, tracker), "items")
    assert {good["id"], last["id"]} <= found.keys()
    assert found[good["id"]]["history"][0]["after"] == "Building"
    assert found["77"]["number"] is None
    assert 0 < sum(report.unread.values()) < len(rows) / 4


def test_junk_stops_no_other_issue_of_gitlab(tmp_path: Path) -> None:
    shop = project(1, "acme/shop")
    good = fake_gitlab.issue(
        1,
        at=at(1),
        of=shop,
        labels=[{"title": "pay"}],
        assignees=[{"username": "bo", "name": "Bo Example"}],
        epic={"iid": 3, "group_id": 70},
        milestone={"id": 4},
        weight=3,
        due_date="2026-11-30",
        _links={"closed_as_duplicate_of": None},
    )
    keep = ("id", "iid", "project_id", "created_at", "updated_at")
    rows = [{**row, "id": 900 + n, "iid": 900 + n} for n, row in enumerate(spoilt(good, *keep))]
    last = fake_gitlab.issue(2, at=at(2), of=shop)
    tree = work_item(1, group=(70, "acme"), at=at(1), parent=(70, 2))
    server = FakeGitLab(
        [shop],
        [good, *rows, {**good, "id": 777, "iid": 3_000_000_000}, last],
        work_items=[
            work_item(2, group=(70, "acme"), at=at(1)),
            *spoilt(tree, "iid", "namespace"),
            None,
            tree,
        ],
        boards=["Doing"],
    )
    server.mark(good, at(3), "add", "Doing")
    tracker = GitLabIssues()
    of = connection(tracker, fake_gitlab.ADDRESS)
    wanted = [WantedRepository("r", "gitlab.example/tools/acme/shop")]
    report = run(source_in(tmp_path, tracker), tracker, of, server, wanted)
    assert report.failures == {}
    found = running.rows(source_in(tmp_path, tracker), "items")
    assert {f"issue/{good['id']}", f"issue/{last['id']}", "epic/70/1", "epic/70/2"} <= found.keys()
    assert found[f"issue/{good['id']}"]["history"][0]["after"] == "Doing"
    assert 0 < sum(report.unread.values()) < len(rows) / 3
