"""Runs over GitLab: issues of matched projects, epics of groups, events only of what changed."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from ingest.connections.model import WantedRepository
from ingest.errors import Transient
from ingest.trackers.gitlab_issues import GitLabIssues
from tests.ingest.connections import running
from tests.ingest.connections.running import source_in
from tests.ingest.trackers.fake_gitlab import ADDRESS, FakeGitLab, epic, issue, project, spelled, work_item
from tests.ingest.trackers.runs import at, connection

GITLAB = GitLabIssues()
SHOP, PAY, OTHER = project(1, "acme/shop"), project(2, "acme/core/pay"), project(3, "else/where")
WANTED = [
    WantedRepository("r-shop", "gitlab.example/tools/acme/shop"),
    WantedRepository("r-pay", "gitlab.example/tools/acme/core/pay"),
    WantedRepository("r-hub", "github.com/acme/shop", provider_id="3"),
]
ACME, CORE = (70, "acme"), (71, "acme/core")


def run(folder: Path, server: FakeGitLab, *, now: datetime | None = None, **options: Any) -> Any:
    of = connection(GITLAB, ADDRESS, **options.pop("options", {}))
    wanted = options.pop("wanted", WANTED)
    return running.run(
        source_in(folder, GITLAB), GITLAB, of, server, wanted, now=lambda: now or datetime.now(UTC), **options
    )


def found(folder: Path) -> dict[str, dict[str, Any]]:
    return running.rows(source_in(folder, GITLAB), "items")


def many(count: int, **options: Any) -> FakeGitLab:
    """Issues of one project in groups of the same creation time, some closed since."""
    rows = [issue(n, at=at(1) + timedelta(seconds=n // 3), of=SHOP) for n in range(1, count + 1)]
    server = FakeGitLab([SHOP, PAY, OTHER], rows, **options)
    for n in range(0, count, 50):
        server.close(rows[n], at(3) - timedelta(hours=n))
    return server


def test_every_issue_of_a_matched_project_is_one_row(tmp_path: Path) -> None:
    server = many(250)
    server.issues += [issue(1, at=at(2), of=PAY), issue(1, at=at(2), of=OTHER)]
    report = run(tmp_path, server)
    assert report.is_complete
    rows = found(tmp_path)
    assert len(rows) == 251
    assert source_in(tmp_path, GITLAB).read("items").num_rows == 251
    assert (rows["issue/100007"]["key"], rows["issue/100007"]["repository_id"]) == ("acme/shop#7", "r-shop")
    assert (rows["issue/200001"]["key"], rows["issue/200001"]["repository_id"]) == (
        "acme/core/pay#1",
        "r-pay",
    )


def test_a_public_project_without_membership_is_read_too(tmp_path: Path) -> None:
    server = FakeGitLab([SHOP], [issue(1, at=at(1), of=PAY)], public=[PAY])
    run(tmp_path, server)
    assert list(found(tmp_path)) == ["issue/200001"]


def test_all_issues_of_a_project_that_moved_get_its_path(tmp_path: Path) -> None:
    """A new path is no change of an issue. The id of a project is known after the first match."""
    server = many(3)
    server.projects = [SHOP]
    wanted = [WantedRepository("r-shop", "gitlab.example/tools/acme/shop", provider_id="1")]
    run(tmp_path, server, wanted=wanted)
    server.projects = [SHOP | {"path_with_namespace": "acme/sales/store"}]
    assert run(tmp_path, server, wanted=wanted).deleted == 0
    rows = found(tmp_path)
    assert [
        (rows[f"issue/10000{n}"]["key"], rows[f"issue/10000{n}"]["previous_keys"]) for n in (1, 2, 3)
    ] == [(f"acme/sales/store#{n}", [f"acme/shop#{n}"]) for n in (1, 2, 3)]


def test_a_second_run_over_an_unchanged_server_takes_a_handful_of_requests(tmp_path: Path) -> None:
    server = many(250, work_items=[])
    server.projects = [SHOP]
    run(tmp_path, server, now=at(5))
    batch = source_in(tmp_path, GITLAB).state().batch
    server.requests.clear()
    assert run(tmp_path, server, now=at(5)).rows == {}
    assert source_in(tmp_path, GITLAB).state().batch == batch
    assert len(server.requests) <= 7


def test_events_are_asked_only_for_issues_that_changed(tmp_path: Path) -> None:
    server = many(100, project_labels=["bug", "Workflow::Review"])
    run(tmp_path, server, now=at(5))
    assert len([path for path in server.requests if path.endswith("_events")]) == 2 * 2
    server.requests.clear()
    server.close(server.issues[9], at(4))
    assert run(tmp_path, server, now=at(5)).rows == {"items": 1}
    assert [path for path in server.requests if path.endswith("_events")] == [
        "v4/projects/1/issues/10/resource_state_events",
        "v4/projects/1/issues/10/resource_label_events",
    ]


def test_labels_are_no_requests_in_a_project_where_none_is_a_status(tmp_path: Path) -> None:
    server = many(100)
    run(tmp_path, server)
    assert [path for path in server.requests if path.endswith("_events")] == [
        "v4/projects/1/issues/1/resource_state_events",
        "v4/projects/1/issues/51/resource_state_events",
    ]


def test_the_list_of_a_board_is_the_status_also_of_an_untouched_issue(tmp_path: Path) -> None:
    rows = [issue(1, at=at(1), of=SHOP, labels=["Doing"]), issue(2, at=at(1), of=SHOP, labels=["Doing"])]
    server = FakeGitLab([SHOP], rows, boards=["Doing"])
    server.mark(rows[1], at(2), "add", "Doing")
    run(tmp_path, server)
    assert {row["status"] for row in found(tmp_path).values()} == {"Doing"}
    assert found(tmp_path)["issue/100002"]["started_at"] == at(2)
    assert server.requests.count("v4/projects/1/boards") == 1


def test_a_page_full_of_one_time_is_followed_by_its_number(tmp_path: Path) -> None:
    rows = [issue(n, at=at(1), of=SHOP) for n in range(1, 251)] + [issue(300, at=at(2), of=SHOP)]
    run(tmp_path, FakeGitLab([SHOP], rows))
    assert len(found(tmp_path)) == 251


@pytest.mark.parametrize("gone", [1, 100, 101])
def test_an_issue_deleted_between_two_pages_hides_no_other(tmp_path: Path, gone: int) -> None:
    server = many(250)

    def delete(fake: FakeGitLab) -> None:
        if fake.requests.count("v4/projects/1/issues") == 2:
            fake.issues = [one for one in fake.issues if one["iid"] != gone]

    server.before = delete
    run(tmp_path, server)
    assert {f"issue/{100_000 + n}" for n in range(1, 251) if n != gone} <= set(found(tmp_path))


def test_any_interruption_leaves_the_rows_of_an_undisturbed_run(tmp_path: Path) -> None:
    calm = many(220, work_items=[work_item(n, at=at(1), group=ACME) for n in range(1, 4)])
    run(tmp_path / "calm", calm)
    expected = found(tmp_path / "calm")
    assert len(expected) == 223
    for broken in range(1, len(calm.requests) + 1):
        server = many(220, work_items=calm.work_items)
        server.before = lambda fake, b=broken: (  # type: ignore[misc]
            httpx.Response(502, html="<h1>Bad gateway</h1>") if len(fake.requests) >= b else None
        )
        with pytest.raises(Transient):
            run(tmp_path / str(broken), server)
        run(tmp_path / str(broken), many(220, work_items=calm.work_items))
        assert found(tmp_path / str(broken)) == expected


def test_reordered_rows_change_nothing(tmp_path: Path) -> None:
    run(tmp_path / "calm", many(250))
    run(tmp_path / "shuffled", many(250, shuffles=True))
    assert found(tmp_path / "shuffled") == found(tmp_path / "calm")


def test_a_malformed_issue_is_counted_and_stops_no_other(tmp_path: Path) -> None:
    server = many(20)
    server.issues[4]["labels"] = 7
    report = run(tmp_path, server)
    assert report.unread == {"issues/1/acme/shop": 1}
    assert len(found(tmp_path)) == 19


def test_deleted_issues_are_removed_by_the_next_sweep(tmp_path: Path) -> None:
    server = many(50)
    run(tmp_path, server, now=at(5))
    del server.issues[3]
    assert run(tmp_path, server, now=at(6)).deleted == 0
    assert run(tmp_path, server, now=at(20)).deleted == 1
    assert "issue/100004" not in found(tmp_path)


@pytest.mark.parametrize("is_graphql", [True, False])
def test_epics_are_the_same_over_both_interfaces(tmp_path: Path, is_graphql: bool) -> None:
    tree = [(1, ACME, None), (2, CORE, (70, 1)), (3, CORE, (71, 2))]
    if is_graphql:
        options: dict[str, Any] = {
            "work_items": [work_item(n, at=at(1), group=g, parent=p) for n, g, p in tree]
        }
    else:
        options = {"epics": [epic(n, at=at(1), group=g, parent=p) for n, g, p in tree]}
    one = issue(1, at=at(1), of=SHOP, epic={"id": 903, "iid": 3, "group_id": 71}, milestone={"id": 44})
    report = run(tmp_path, FakeGitLab([SHOP], [one], **options))
    assert report.is_complete
    assert report.notes == {}
    rows = found(tmp_path)
    assert [(rows[key]["kind"], rows[key]["key"], rows[key]["parent_ids"]) for key in sorted(rows)] == [
        ("root_epic", "acme&1", []),
        ("epic", "acme/core&2", ["epic/70/1"]),
        ("epic", "acme/core&3", ["epic/71/2"]),
        ("issue", "acme/shop#1", ["epic/71/3", "milestone/44"]),
    ]
    assert rows["epic/70/1"]["target_on"].isoformat() == "2026-12-31"
    assert rows["epic/70/1"]["labels"] == ["roadmap"]
    kinds = ["root_epic", "epic", "issue", "task", "milestone"]
    levels = ["objective", "sub_objective", "issue", "issue", "ignored"]
    assert [GITLAB.levels[kind] for kind in kinds] == levels


def test_a_task_belongs_to_its_issue(tmp_path: Path) -> None:
    rows = [issue(1, at=at(1), of=SHOP), *(issue(n, at=at(1), of=SHOP, issue_type="task") for n in (2, 3, 4))]
    parents = {
        "2": {"id": "gid://gitlab/WorkItem/100001", "workItemType": {"name": "Issue"}},
        "3": {"id": "gid://gitlab/WorkItem/555", "workItemType": {"name": "Epic"}},
    }
    run(tmp_path / "new", FakeGitLab([SHOP], rows, work_items=[], parents=parents))
    new = found(tmp_path / "new")
    assert [new[f"issue/10000{n}"]["parent_ids"] for n in (1, 2, 3, 4)] == [[], ["issue/100001"], [], []]
    assert new["issue/100002"]["kind"] == "task"
    report = run(tmp_path / "old", FakeGitLab([SHOP], rows))
    assert report.is_complete
    assert len(found(tmp_path / "old")) == 4


def test_a_plan_without_epics_is_noted_and_the_rest_is_complete(tmp_path: Path) -> None:
    report = run(tmp_path, many(5))
    assert report.is_complete
    assert "GitLab Premium" in report.notes["epics/acme: acme"]
    assert len(found(tmp_path)) == 5


@pytest.mark.parametrize("answer", [{"group": None}, {"group": {"workItems": None}}])
def test_a_group_without_a_list_of_work_items_is_asked_the_older_way(
    tmp_path: Path, answer: dict[str, Any]
) -> None:
    server = FakeGitLab([SHOP], [], work_items=[], epics=[epic(1, at=at(1), group=ACME)])
    known = {"data": {"__type": {"name": "WorkItem"}}}
    server.before = lambda fake: (
        httpx.Response(200, json=known if fake.requests.count("graphql") == 1 else {"data": answer})
        if fake.requests[-1] == "graphql"
        else None
    )
    assert run(tmp_path, server).is_complete
    assert list(found(tmp_path)) == ["epic/70/1"]


def test_an_answer_with_errors_is_no_complete_list_of_epics(tmp_path: Path) -> None:
    rows = [work_item(n, at=at(1), group=ACME) for n in (1, 2)]
    server = FakeGitLab([SHOP], [], work_items=rows)
    run(tmp_path, server)
    server.work_items, server.errors = rows[:1], [{"message": "Timeout on field widgets"}]
    with pytest.raises(Transient, match="only in part"):
        run(tmp_path, server)
    assert set(found(tmp_path)) == {"epic/70/1", "epic/70/2"}


def test_milestones_of_projects_and_groups_are_items(tmp_path: Path) -> None:
    shared = {"title": "Q4", "state": "active", "created_at": spelled(at(1)), "updated_at": spelled(at(1))}
    own = {"id": 5, "iid": 2, "project_id": 1, "due_date": "2026-12-31", **shared}
    of_group = {"id": 6, "iid": 1, "group_id": 70, **shared}
    run(tmp_path, FakeGitLab([SHOP, PAY], milestones={1: [own, of_group], 2: [of_group]}))
    rows = found(tmp_path)
    assert (rows["milestone/5"]["key"], rows["milestone/5"]["kind"]) == ("acme/shop%2", "milestone")
    assert rows["milestone/5"]["target_on"].isoformat() == "2026-12-31"
    assert rows["milestone/6"]["key"] is None


def with_milestones(count: int = 1) -> FakeGitLab:
    """Three projects, each with milestones of its own."""
    times = {"created_at": spelled(at(1)), "updated_at": spelled(at(1))}
    projects = [project(number, f"acme/shop-{number}") for number in (1, 2, 3)]
    return FakeGitLab(
        projects,
        milestones={
            number: [
                {
                    "id": 1000 * number + n,
                    "iid": n,
                    "project_id": number,
                    "title": "Q4",
                    "state": "active",
                    **times,
                }
                for n in range(1, count + 1)
            ]
            for number in (1, 2, 3)
        },
    )


THREE = [WantedRepository(f"r-{n}", f"gitlab.example/tools/acme/shop-{n}", str(n)) for n in (1, 2, 3)]


def lists_of_milestones(folder: Path, server: FakeGitLab) -> list[str]:
    """The projects whose milestones a run lists, two to a page."""
    server.requests.clear()
    run(folder, server, wanted=THREE)
    return sorted({path.split("/")[2] for path in server.requests if path.endswith("/milestones")})


def test_milestones_are_listed_where_one_changed_came_or_went(tmp_path: Path) -> None:
    server = with_milestones(2)
    assert lists_of_milestones(tmp_path, server) == ["1", "2", "3"]
    assert lists_of_milestones(tmp_path, server) == []
    server.milestones[2][0] |= {"title": "Renamed", "updated_at": spelled(at(9))}
    assert lists_of_milestones(tmp_path, server) == ["2"]
    assert found(tmp_path)["milestone/2001"]["title"] == "Renamed"
    server.milestones[1].append(server.milestones[1][0] | {"id": 1003, "iid": 3})
    del server.milestones[3][0]
    assert lists_of_milestones(tmp_path, server) == ["1", "3"]
    assert sorted(found(tmp_path)) == [f"milestone/{n}" for n in (1001, 1002, 1003, 2001, 2002, 3002)]


def test_milestones_are_listed_where_a_project_moved_and_once_a_week(tmp_path: Path) -> None:
    server = with_milestones()
    lists_of_milestones(tmp_path, server)
    server.projects[1] |= {"path_with_namespace": "acme/store", "name": "store"}
    assert lists_of_milestones(tmp_path, server) == ["2"]
    assert found(tmp_path)["milestone/2001"]["key"] == "acme/store%1"
    server.now = "2026-11-22T12:00:00Z"
    assert lists_of_milestones(tmp_path, server) == ["1", "2", "3"]


def test_milestones_that_are_too_many_to_be_told_are_listed_in_each_run(tmp_path: Path) -> None:
    server = with_milestones(101)
    lists_of_milestones(tmp_path, server)
    assert lists_of_milestones(tmp_path, server) == ["1", "2", "3"]
    assert len(found(tmp_path)) == 303


def test_a_named_group_is_read_as_a_whole_and_its_projects_not_again(tmp_path: Path) -> None:
    hidden = project(9, "acme/unwanted")
    server = FakeGitLab([SHOP, hidden], [issue(1, at=at(1), of=SHOP), issue(2, at=at(1), of=hidden)])
    run(tmp_path, server, options={"group": "acme"})
    rows = found(tmp_path)
    assert {row["key"]: row["repository_id"] for row in rows.values()} == {
        "acme/shop#1": "r-shop",
        "acme/unwanted#2": None,
    }
    assert "v4/projects/1/issues" not in server.requests


def test_a_project_without_issues_is_left_out(tmp_path: Path) -> None:
    closed = project(1, "acme/shop", issues_access_level="disabled")
    server = FakeGitLab([closed])
    assert run(tmp_path, server).is_complete
    assert "v4/projects/1/issues" not in server.requests
