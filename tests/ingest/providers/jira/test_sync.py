"""Runs over Jira Cloud and Jira Data Center: every issue once, also after interruptions, by few requests."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from ingest.connections.trackers.tracker import Tracker
from ingest.errors import Transient
from ingest.providers.jira.cloud import JiraCloud
from ingest.providers.jira.data_center import JiraDataCenter
from tests.ingest.connections import running
from tests.ingest.connections.running import Handler, source_in
from tests.ingest.providers.jira.server import FakeJira, issue, status
from tests.ingest.providers.runs import at, connection

CLOUD, DATA_CENTER = JiraCloud(), JiraDataCenter()
ADDRESSES = {
    "JIRA_CLOUD": "https://invented.atlassian.net",
    "JIRA_DATA_CENTER": "https://jira.example/context",
}
both = pytest.mark.parametrize("tracker", [CLOUD, DATA_CENTER], ids=lambda one: one.kind)


def run(
    folder: Path, tracker: Tracker, server: Handler, *, now: datetime | None = None, **options: Any
) -> Any:
    of = connection(tracker, ADDRESSES[tracker.kind], **options.pop("options", {}))
    return running.run(
        source_in(folder, tracker), tracker, of, server, now=lambda: now or datetime.now(UTC), **options
    )


def found(folder: Path) -> dict[str, dict[str, Any]]:
    return running.rows(source_in(folder, CLOUD), "items")


def many(count: int, **options: Any) -> FakeJira:
    """Issues in pairs of the same creation time, of which some changed since."""
    server = FakeJira.of(*(issue(n, at=at(1) + timedelta(minutes=n // 2)) for n in range(count)), **options)
    for n in range(0, count, 7):
        server.log(n, at(3), status=("1", "2"))
        closed = at(4) - timedelta(minutes=10 * n)
        server.log(n, closed, status=("2", "3"))
        server.edit(n, closed, status=status("3"))
    return server


@both
def test_every_page_is_read_and_every_issue_is_one_row(tmp_path: Path, tracker: Tracker) -> None:
    server = many(130)
    report = run(tmp_path, tracker, server)
    assert report.is_complete
    assert report.rows == {"items": 130}
    rows = found(tmp_path)
    assert sorted(row["key"] for row in rows.values()) == sorted(f"ABC-{n}" for n in range(130))
    assert source_in(tmp_path, CLOUD).read("items").num_rows == 130
    assert rows["10000"]["history"][1]["after"] == "Closed"
    assert sum(len(row["history"]) for row in rows.values()) == 2 * len(range(0, 130, 7))


def test_the_cloud_is_asked_by_tokens_with_a_limit_and_named_fields(tmp_path: Path) -> None:
    server = many(90)
    run(tmp_path, CLOUD, server)
    searches = [body for path, body in server.requests if path == "api/3/search/jql"]
    assert len(searches) == 3
    assert all('updated >= "' in body["jql"] and "summary" in body["fields"] for body in searches)
    assert "customfield_10" in searches[0]["fields"]
    assert "customfield_16" not in searches[0]["fields"]
    assert "description" not in searches[0]["fields"]


@both
def test_a_second_run_over_an_unchanged_site_takes_a_handful_of_requests(
    tmp_path: Path, tracker: Tracker
) -> None:
    server = many(130)
    run(tmp_path, tracker, server, now=at(5))
    batch, before = source_in(tmp_path, CLOUD).state().batch, len(server.requests)
    report = run(tmp_path, tracker, server, now=at(5))
    assert report.rows == {}
    assert source_in(tmp_path, CLOUD).state().batch == batch
    assert len(server.requests) - before <= 6


@both
@pytest.mark.parametrize("zone", ["America/Los_Angeles", "Pacific/Kiritimati", "Asia/Kathmandu"])
@pytest.mark.parametrize("shows_zone", [True, False])
def test_a_change_is_found_in_every_time_zone_of_the_account(
    tmp_path: Path, tracker: Tracker, zone: str, shows_zone: bool
) -> None:
    server = many(20, zone=zone, shows_zone=shows_zone)
    run(tmp_path, tracker, server, now=at(5))
    server.edit(3, at(4, 12, 1), summary="Renamed")
    server.edit(5, at(4, 11, 56), summary="Renamed within the overlap")
    assert run(tmp_path, tracker, server, now=at(5)).rows == {"items": 2}
    assert found(tmp_path)["10003"]["title"] == "Renamed"


@both
def test_a_known_zone_limits_a_second_run_to_what_changed(tmp_path: Path, tracker: Tracker) -> None:
    server = many(80, zone="America/Los_Angeles")
    server.edit(3, at(9))
    run(tmp_path, tracker, server, now=at(10))
    run(tmp_path, tracker, server, now=at(10))
    jql = [query["jql"] for path, query in server.requests if "jql" in query]
    assert 'updated >= "2026/10/09 04:55"' in jql[-1]


@both
def test_any_interruption_leaves_the_rows_of_an_undisturbed_run(tmp_path: Path, tracker: Tracker) -> None:
    calm = many(60, page=20)
    run(tmp_path / "calm", tracker, calm)
    expected = found(tmp_path / "calm")
    assert len(expected) == 60
    for broken in range(1, len(calm.requests) + 1):
        folder = tmp_path / str(broken)
        with pytest.raises(Transient):
            run(folder, tracker, many(60, page=20, before=lambda n, b=broken: _broken(n >= b)))
        again = many(60, page=20)
        again.tokens = calm.tokens
        run(folder, tracker, again)
        assert found(folder) == expected


def _broken(is_broken: bool) -> httpx.Response | None:
    return httpx.Response(502, html="<h1>Bad gateway</h1>") if is_broken else None


def test_an_interrupted_pass_continues_at_its_page(tmp_path: Path) -> None:
    server = many(100)
    server.before = lambda _: _broken(server.paths().count("search/jql") >= 2)
    with pytest.raises(Transient):
        run(tmp_path, CLOUD, server)
    read = len(found(tmp_path))
    assert read == 40
    server.before = lambda _: None
    server.requests.clear()
    assert run(tmp_path, CLOUD, server).rows == {"items": 60}
    assert server.paths().count("search/jql") == 2
    assert len(found(tmp_path)) == 100


def test_a_page_token_that_ended_starts_the_pass_again(tmp_path: Path) -> None:
    server = many(100)
    server.before = lambda _: _broken(server.paths().count("search/jql") >= 2)
    with pytest.raises(Transient):
        run(tmp_path, CLOUD, server)
    server.before = lambda _: None
    server.tokens.clear()
    report = run(tmp_path, CLOUD, server)
    assert report.is_complete
    assert len(found(tmp_path)) == 100


@both
def test_repeated_and_reordered_rows_change_nothing(tmp_path: Path, tracker: Tracker) -> None:
    run(tmp_path / "calm", tracker, many(90))
    run(tmp_path / "shuffled", tracker, many(90, shuffles=True))
    assert found(tmp_path / "shuffled") == found(tmp_path / "calm")
    assert source_in(tmp_path / "shuffled", CLOUD).read("items").num_rows == 90


def test_an_issue_deleted_between_two_pages_hides_no_other(tmp_path: Path) -> None:
    server = many(100)

    def delete(_: int) -> None:
        if len([path for path, _ in server.requests if path == "api/2/search"]) == 2:
            server.issues.pop("10003", None)

    server.before = delete
    run(tmp_path, DATA_CENTER, server)
    assert {f"{10_000 + n}" for n in range(100) if n != 3} <= set(found(tmp_path))


@both
@pytest.mark.parametrize("damage", [{"created": None}, {"labels": 5}])
def test_a_malformed_issue_is_counted_and_stops_no_other(
    tmp_path: Path, tracker: Tracker, damage: dict[str, Any]
) -> None:
    server = FakeJira.of(*(issue(n, at=at(1)) for n in range(50)))
    run(tmp_path, tracker, server)
    server.edit(4, at(2), **damage)
    server.edit(5, at(2), summary="Renamed")
    report = run(tmp_path, tracker, server, is_full=True)
    assert report.unread == {"issues": 1}
    assert report.unread_reasons["issues"].startswith("10004: ")
    assert report.deleted == 0
    assert len(found(tmp_path)) == 50
    assert found(tmp_path)["10005"]["title"] == "Renamed"


@both
def test_deleted_issues_are_removed_by_the_next_sweep(tmp_path: Path, tracker: Tracker) -> None:
    server = many(50)
    run(tmp_path, tracker, server, now=at(5))
    del server.issues["10008"]
    assert run(tmp_path, tracker, server, now=at(6)).deleted == 0
    assert run(tmp_path, tracker, server, now=at(20)).deleted == 1
    assert "10008" not in found(tmp_path)


@both
def test_a_site_that_suddenly_shows_nothing_loses_nothing(tmp_path: Path, tracker: Tracker) -> None:
    server = many(50)
    run(tmp_path, tracker, server, now=at(5))
    server.issues.clear()
    report = run(tmp_path, tracker, server, is_full=True)
    assert not report.is_complete
    assert len(found(tmp_path)) == 50


@both
def test_a_moved_issue_keeps_its_id_and_its_old_keys(tmp_path: Path, tracker: Tracker) -> None:
    server = many(10)
    run(tmp_path, tracker, server)
    moved = server.issues["10004"]
    moved["key"] = "NEW-1"
    server.log(4, at(8), Key=("ABC-4", "NEW-1"), project=("ABC", "NEW"))
    server.edit(4, at(8), project={"key": "NEW", "name": "New"})
    assert run(tmp_path, tracker, server).rows == {"items": 1}
    row = found(tmp_path)["10004"]
    assert (row["key"], row["previous_keys"], row["team_key"]) == ("NEW-1", ["ABC-4"], "NEW")


@both
def test_a_project_with_another_key_keeps_the_old_keys_of_its_issues(
    tmp_path: Path, tracker: Tracker
) -> None:
    """Jira calls none of the issues changed, and no changelog has the old key."""
    server = many(10)
    server.projects = [{"key": key, "projectKeys": [key]} for key in ("ABC", "DEF", "GHI")]
    run(tmp_path, tracker, server)
    server.projects[0] = {"key": "NEW", "projectKeys": ["ABC", "NEW"]}
    server.projects[2] = {"key": "GHI", "projectKeys": ["DEF", "GHI"]}
    for one in server.issues.values():
        one["key"] = one["key"].replace("ABC", "NEW")
        one["fields"]["project"] = {"key": "NEW", "name": "New"}
    assert run(tmp_path, tracker, server).deleted == 0
    rows = found(tmp_path).values()
    assert len(rows) == 10
    assert all(row["previous_keys"] == [row["key"].replace("NEW", "ABC")] for row in rows)
    batch = source_in(tmp_path, CLOUD).state().batch
    assert run(tmp_path, tracker, server).rows == {}
    assert source_in(tmp_path, CLOUD).state().batch == batch


@both
def test_only_the_named_projects_are_read(tmp_path: Path, tracker: Tracker) -> None:
    server = FakeJira.of(*(issue(n, at=at(1), project=p) for n, p in enumerate(["ABC", "DEF", "GHI"])))
    run(tmp_path, tracker, server, options={"projects": "ABC, GHI"})
    assert {row["team_key"] for row in found(tmp_path).values()} == {"ABC", "GHI"}


def test_epics_and_initiatives_of_data_center_are_named_by_key_and_joined_by_id(tmp_path: Path) -> None:
    when: datetime = at(1)
    server = FakeJira.of(
        issue(1, at=when, issuetype={"id": "9", "name": "Ziel"}),
        issue(2, at=when, issuetype={"id": "8", "name": "Epic"}, customfield_12="ABC-1", customfield_11="E"),
        issue(3, at=when, customfield_10="ABC-2"),
        issue(4, at=when, issuetype={"id": "5", "name": "Sub-task", "subtask": True}, parent={"id": "10003"}),
        issue(5, at=when, customfield_10="OLD-2"),
        issue(6, at=when, customfield_10="HIDDEN-1"),
        hierarchy=[{"id": height, "issueTypeIds": [kind]} for height, kind in enumerate("789")],
        moved={"OLD-2": "10002"},
        page=1,
    )  # fmt: skip
    report = run(tmp_path, DATA_CENTER, server)
    assert report.is_complete
    rows = found(tmp_path)
    assert [(rows[str(10_000 + n)]["kind"], rows[str(10_000 + n)]["parent_ids"]) for n in range(1, 7)] == [
        ("level_2", []),
        ("level_1", ["10001"]),
        ("level_0", ["10002"]),
        ("level_-1", ["10003"]),
        ("level_0", ["10002"]),
        ("level_0", []),
    ]


@pytest.mark.parametrize("cuts_issues", [None, 1])
def test_a_changelog_that_a_search_cuts_is_read_whole(tmp_path: Path, cuts_issues: int | None) -> None:
    server = many(3, cuts=1, cuts_issues=cuts_issues)
    run(tmp_path, DATA_CENTER, server)
    assert [change["after"] for change in found(tmp_path)["10000"]["history"]] == ["Building", "Closed"]
