"""Asana: changes, deletions, kills, refusals."""

from pathlib import Path

import httpx
import pytest

from ingest.connections.model import Checked
from ingest.errors import ProviderRefused, RateLimited, Refusal, Transient
from ingest.providers.asana.tracker import Asana
from tests.ingest.connections.running import Handler
from tests.ingest.providers.asana.workspace import ANN, AsanaServer, at
from tests.ingest.providers.syncing import Synced, rows_after_kills


@pytest.fixture
def server() -> AsanaServer:
    return AsanaServer()


def synced(folder: Path, handler: Handler, workspace: str | None = "w1") -> Synced:
    options = {"workspace": workspace} if workspace else {}
    return Synced(folder, Asana(), handler, "https://app.asana.com", options=options)


def test_every_page_is_read_and_a_second_run_asks_for_changes_only(
    tmp_path: Path, server: AsanaServer
) -> None:
    server.project(1)
    for number in range(1, 251):
        server.task(number, "p1", assignee=ANN)
    run = synced(tmp_path, server)
    assert run.run().rows == {"items": 251}
    second = run.run()
    # Workspaces, goals, portfolios, projects, tasks; none for the task that the overlap repeats.
    assert (second.rows, second.requests) == ({}, 5)
    server.tasks["k7"] |= {"name": "Renamed", "modified_at": at(500)}
    assert run.run().rows == {"items": 1}
    assert run.items()["k7"]["title"] == "Renamed"
    assert run.rows() == 252


def test_a_task_of_several_projects_is_one_item_and_stays_while_one_holds_it(
    tmp_path: Path, server: AsanaServer
) -> None:
    server.project(1)
    server.project(2, team={"gid": "t2", "name": "Web"})
    server.task(1, "p1", "p2")
    server.task(2, "p2")
    run = synced(tmp_path, server)
    run.run()
    assert run.run().rows == {}
    assert run.rows() == 4
    server.tasks["k1"] |= {"projects": [{"gid": "p1"}], "modified_at": at(50)}
    run.run()
    run.run(is_full=True)
    assert run.items()["k1"]["parent_ids"] == ["p1"]
    assert sorted(run.items()) == ["k1", "k2", "p1", "p2"]


def test_a_deleted_task_goes_with_a_sweep_and_an_empty_answer_removes_none(
    tmp_path: Path, server: AsanaServer
) -> None:
    server.project(1)
    for number in range(1, 31):
        server.task(number, "p1")
    server.task(40, parent="k1")
    run = synced(tmp_path, server)
    run.run()
    del server.tasks["k4"]
    assert run.run(is_full=True).deleted == 1
    assert "k4" not in run.items()
    assert "k40" in run.items()
    server.tasks.clear()
    assert "Nothing was removed" in run.run(is_full=True).failures["tasks/p1"]
    assert len(run.items()) == 31


def test_a_sweep_keeps_tasks_that_moved_to_another_project_and_subtasks(
    tmp_path: Path, server: AsanaServer
) -> None:
    """Asana does not count a move as a change of the task."""
    server.project(1)
    server.project(2)
    for number in (1, 2, 3):
        server.task(number, "p1")
    server.task(4, "p2")
    server.task(5, parent="k4")
    run = synced(tmp_path, server)
    run.run()
    server.tasks["k2"]["projects"] = [{"gid": "p2"}]
    del server.tasks["k3"]
    assert run.run().deleted == 0
    assert run.run(days_later=8).deleted == 1
    assert sorted(run.items()) == ["k1", "k2", "k4", "k5", "p1", "p2"]


def test_archived_projects_without_changes_are_not_asked_again(tmp_path: Path, server: AsanaServer) -> None:
    server.project(1, archived=True)
    server.task(100, "p1")
    run = synced(tmp_path, server)
    run.run()
    run.run()
    server.requests.clear()
    run.run()
    assert not [one for one in server.requests if one.url.path.endswith("/tasks")]


LONG = [pytest.param(every, marks=pytest.mark.release) for every in (13, 14, 17)]
"""Most kills: the fewer requests a run lives for, the more runs it takes."""


@pytest.mark.parametrize("every", [*LONG, 22])
def test_runs_that_are_killed_end_with_the_rows_of_an_undisturbed_run(
    tmp_path: Path, server: AsanaServer, every: int
) -> None:
    for number in (1, 2):
        server.project(number)
        server.goal(number)
    server.supports = {"g1": ["p1", "p2"]}
    for number in range(1, 251):
        server.task(number, f"p{number % 2 + 1}", assignee=ANN)
    for number in range(251, 256):
        server.task(number, parent=f"k{number - 200}")
    assert rows_after_kills(lambda folder: synced(folder, server), tmp_path, every) == 259


def test_an_expired_offset_starts_the_pass_again(tmp_path: Path, server: AsanaServer) -> None:
    server.project(1)
    for number in range(1, 251):
        server.task(number, "p1")
    run = synced(tmp_path, server)
    with pytest.raises(Transient):
        run.run(fails_after=6)
    assert 0 < len(run.items()) < 251
    server.generation += 1
    assert run.run().failures == {}
    assert len(run.items()) == run.rows() == 251


@pytest.mark.parametrize("noun", ["goals", "portfolios"])
def test_a_plan_without_a_part_gives_a_note_and_the_rest(
    tmp_path: Path, server: AsanaServer, noun: str
) -> None:
    server.unpaid = {noun}
    server.project(1)
    server.task(1, "p1")
    run = synced(tmp_path, server)
    report = run.run()
    assert report.is_complete
    assert "plan" in report.notes[f"{noun}/w1: plan"]
    assert sorted(run.items()) == ["k1", "p1"]
    with run.client() as client:
        checked = run.tracker.check(client, run.connection)
    assert [warning.partition(" ")[0] for warning in checked.warnings] == [noun.capitalize()]


@pytest.mark.parametrize(("workspace", "seen"), [("w1", True), ("Acme", True), ("w2", False), (None, True)])
def test_the_option_names_a_workspace_by_id_or_name(
    tmp_path: Path, server: AsanaServer, workspace: str | None, seen: bool
) -> None:
    server.project(1)
    run = synced(tmp_path, server, workspace)
    run.run()
    assert bool(run.items()) is seen


def test_an_unknown_workspace_names_those_that_exist(tmp_path: Path, server: AsanaServer) -> None:
    run = synced(tmp_path, server, "Acne")
    with run.client() as client, pytest.raises(ProviderRefused, match=r"Acme, Private") as caught:
        run.tracker.check(client, run.connection)
    assert caught.value.refusal is Refusal.NOT_FOUND


def test_a_good_token_names_its_person(tmp_path: Path, server: AsanaServer) -> None:
    run = synced(tmp_path, server)

    def handle(request: httpx.Request) -> httpx.Response:
        is_me = request.url.path == "/api/1.0/users/me"
        return httpx.Response(200, json={"data": ANN}) if is_me else server(request)

    run.handler = handle
    with run.client() as client:
        assert run.tracker.check(client, run.connection) == Checked("ann@acme.example")


def test_a_refused_token_and_a_limit_are_told_apart(tmp_path: Path) -> None:
    answers = [httpx.Response(401, json={"errors": [{"message": "Not Authorized"}]})]
    run = synced(tmp_path, lambda _: answers[0])
    with run.client() as client, pytest.raises(ProviderRefused, match="wrong or revoked") as caught:
        run.tracker.check(client, run.connection)
    assert caught.value.refusal is Refusal.UNAUTHORIZED
    answers[0] = httpx.Response(429, headers={"retry-after": "700"}, json={})
    with run.client() as client, pytest.raises(RateLimited) as limited:
        run.tracker.check(client, run.connection)
    assert limited.value.retry_after == 700
