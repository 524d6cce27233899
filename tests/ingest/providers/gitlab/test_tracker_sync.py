"""Runs over GitLab: issues of matched projects, events only of what changed."""

from pathlib import Path

import httpx
import pytest

from ingest.connections.model import WantedRepository
from ingest.errors import Transient
from tests.ingest.connections.running import source_in
from tests.ingest.providers.gitlab.tracker_runs import ACME, GITLAB, OTHER, PAY, SHOP, found, many, run
from tests.ingest.providers.gitlab.tracker_server import FakeGitLab, issue, project, work_item
from tests.ingest.providers.runs import at


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
