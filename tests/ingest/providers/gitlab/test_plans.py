"""Epics of groups and milestones of GitLab."""

from pathlib import Path
from typing import Any

import httpx
import pytest

from ingest.connections.model import WantedRepository
from ingest.errors import Transient
from tests.ingest.providers.gitlab.tracker_runs import ACME, CORE, GITLAB, PAY, SHOP, found, many, run
from tests.ingest.providers.gitlab.tracker_server import FakeGitLab, epic, issue, project, spelled, work_item
from tests.ingest.providers.runs import at


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
