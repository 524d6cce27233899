"""`eas connect`, `eas sync`, `eas disconnect`, `eas doctor`: what a person without the API types and reads.

tests/end_to_end builds with connections; here no build is due, so the commands end after reading.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import httpx
import pytest
from rich.console import Console
from typer.testing import CliRunner, Result

from api.control.connections import connections, sync_status
from api.control.connections.connections import Account, ConnectionChange
from api.control.connections.records import ConnectionRecord
from api.control.connections.usable import usable_connections
from api.control.principals import OPERATOR
from orchestration.build import due
from orchestration.cli import app
from orchestration.commands import syncs
from orchestration.deployment import LOCAL_ORGANIZATION, Deployment
from orchestration.doctor import examination
from orchestration.runtime.terminal import Watcher
from tests.orchestration.connections.places import (
    KEY,
    TOKEN,
    GitHubPlace,
    LinearPlace,
    connect,
    limited,
    record,
    request_sync,
    rows,
)

Eas = Callable[..., Result]


@pytest.fixture
def eas(deployment: Deployment, monkeypatch: pytest.MonkeyPatch) -> Eas:
    """Run a command in this process. No build follows."""
    monkeypatch.setattr(due, "inputs_of_due_build", lambda *_: None)
    return lambda *arguments, **options: CliRunner().invoke(app, [*arguments], **options)


def all_of(deployment: Deployment) -> list[ConnectionRecord]:
    from api.control.list_pages import ListQuery

    with deployment.control() as control:
        return list(connections.list_connections(control, LOCAL_ORGANIZATION, ListQuery(10)).items)


def told(deployment: Deployment) -> tuple[bool, str]:
    out = io.StringIO()
    is_fine = examination.examine(deployment, Console(file=out, width=400))
    return is_fine, out.getvalue()


def test_a_token_comes_from_standard_input_or_a_variable_and_is_tried_at_once(
    eas: Eas, deployment: Deployment, tracker: LinearPlace, host: GitHubPlace
) -> None:
    done = eas("connect", "linear", tracker.address, "--name", "Plans", input=f"{KEY}\n")
    assert (done.exit_code, KEY in done.output) == (0, False), done.output
    assert "Connected Plans as ann@acme.example in Acme" in done.output
    done = eas("connect", "GITHUB", host.address, env={"EAS_CONNECTION_TOKEN": TOKEN})
    assert done.exit_code == 0, done.output
    found = {one.name: one for one in all_of(deployment)}
    named = f"GitHub ({host.address.removeprefix('https://')})"
    assert {one.kind: one.account for one in found.values()} == {
        "LINEAR": "ann@acme.example in Acme",
        "GITHUB": "ann",
    }
    assert named in found
    with deployment.control() as control:
        secrets = {one.kind: one.secret for one in usable_connections(control)}
    assert secrets == {"LINEAR": KEY, "GITHUB": TOKEN}


def test_a_refused_token_stores_nothing_and_says_what_to_do(
    eas: Eas, deployment: Deployment, tracker: LinearPlace
) -> None:
    done = eas("connect", "linear", tracker.address, input="lin_api_wrong\n")
    assert done.exit_code == 2
    assert "create a personal API key" in done.output
    assert "lin_api_wrong" not in done.output
    assert all_of(deployment) == []


def test_a_host_that_cannot_be_reached_is_a_failure_and_no_wrong_use(
    eas: Eas, deployment: Deployment
) -> None:
    done = eas("connect", "gitea", "https://no-such-host.invalid", input="t0ken-of-ada\n")
    assert done.exit_code == 1, done.output
    assert "no-such-host.invalid" in done.output
    assert all_of(deployment) == []


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("nonsense", "https://127.0.0.1"), "no kind of connection; use one of"),
        (("nonsense", "https://127.0.0.1"), "azure-boards"),
        (("linear", "http://127.0.0.1"), "https://"),
        (("linear", "https://10.1.2.3"), "EAS_PRIVATE_HOSTS"),
        (("linear", "https://127.0.0.1", "--option", "colour=red"), "--option colour"),
        (("bitbucket-cloud", "--option", "workspace"), "--option workspace"),
        (("jira-cloud", "https://127.0.0.1"), "--user"),
        (("gitea",), "no common address"),
        (("linear", "https://linear.example"), "leave the address out"),
        (("linear", "https://127.0.0.1"), "EAS_CONNECTION_TOKEN"),
    ],
)
def test_wrong_arguments_and_a_missing_token_are_named(
    eas: Eas, deployment: Deployment, arguments: tuple[str, ...], words: str
) -> None:
    done = eas("connect", *arguments)
    assert (done.exit_code, words in done.output) == (2, True), done.output


def test_the_same_connection_again_replaces_its_token_and_keeps_its_data(
    eas: Eas, deployment: Deployment, tracker: LinearPlace
) -> None:
    tracker.workspace.issue(1)
    for key in (KEY, "lin_api_new"):
        tracker.authorization = key
        assert eas("connect", "linear", tracker.address, input=f"{key}\n").exit_code == 0
        assert eas("sync").exit_code == 0
    [one] = all_of(deployment)
    assert rows(deployment, one.id, "items").keys() == {"i1"}
    assert one.health == "HEALTHY"


def test_sync_reads_chosen_connections_and_tells_rows_pauses_and_failures(
    eas: Eas, deployment: Deployment, tracker: LinearPlace, host: GitHubPlace
) -> None:
    plans, hosted = connect(deployment, tracker, "Plans"), connect(deployment, host, "Host")
    tracker.workspace.issue(1)
    done = eas("sync", "Plans")
    assert (done.exit_code, host.asked) == (0, []), done.output
    assert "Plans: reading issues" in done.output
    assert "Plans: 1 new row in" in done.output

    host.authorization = "another"
    tracker.refuse = lambda _: limited(900)
    done = eas("sync")
    assert done.exit_code == 1
    assert "Failed: Host:" in done.output
    assert "Create a new one at" in done.output
    until = record(deployment, plans).next_attempt_at
    told = f"waits. Linear limits requests; the next try comes with the first run after {until:%H:%M} UTC"
    assert told in done.output
    asked = len(tracker.asked)
    assert "Plans: waits." in eas("sync", plans).output
    assert len(tracker.asked) == asked, "a pause of the provider holds for people as well"
    assert record(deployment, hosted).health == "FAILING"


def test_connecting_while_the_provider_limits_requests_names_the_time_of_the_next_try(
    eas: Eas, deployment: Deployment, tracker: LinearPlace
) -> None:
    tracker.refuse = lambda _: limited(900)
    done = eas("connect", "linear", tracker.address, input=f"{KEY}\n")
    assert done.exit_code == 1
    assert re.search(
        r"connecting to Linear is temporarily rate limited; try again at \d\d:\d\d UTC", done.output
    )
    assert all_of(deployment) == []


def test_an_unknown_connection_names_the_known_ones(
    eas: Eas, deployment: Deployment, tracker: LinearPlace, host: GitHubPlace
) -> None:
    assert "`eas connect` adds one" in eas("sync").output
    connect(deployment, tracker, "Plans")
    done = eas("sync", "Plan")
    assert (done.exit_code, "known connections: Plans" in done.output) == (2, True)
    connect(deployment, host, "Plans")
    assert "2 connections have the name 'Plans'; use an id" in eas("sync", "Plans").output


def test_disconnect_asks_and_deletes_the_token(
    eas: Eas, deployment: Deployment, tracker: LinearPlace
) -> None:
    connect(deployment, tracker, "Plans")
    assert eas("disconnect", "Plans", input="n\n").exit_code == 1
    assert len(all_of(deployment)) == 1
    assert eas("disconnect", "Plans", "--yes").exit_code == 0
    assert all_of(deployment) == []


def test_analyze_reads_a_connection_when_it_is_due(
    deployment: Deployment, tracker: LinearPlace, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = io.StringIO()
    watcher = Watcher(Console(file=out, width=200))

    def requests(**options: bool) -> int:
        before = len(tracker.asked)
        assert syncs.read_due(deployment, LOCAL_ORGANIZATION, watcher, **options) == {}
        return len(tracker.asked) - before

    assert requests() == 0, "there is no connection"
    plans = connect(deployment, tracker, "Plans")
    assert requests(only_damaged=True) == 0, "a repair reads what is damaged"
    assert requests() > 0, "it is new"
    assert requests() == 0, "it was read a moment ago"
    request_sync(deployment, plans)
    assert requests() > 0, "somebody asked for it"
    later = datetime.now(UTC) + syncs.DUE_AFTER + timedelta(minutes=1)
    with monkeypatch.context() as patch:
        patch.setattr(syncs, "now", lambda: later)
        assert requests() > 0, "it was read a while ago"
    deployment.lake.source("trackers", LOCAL_ORGANIZATION, plans).clear()
    assert requests(only_damaged=True) > 0, "its facts are lost"
    assert "Facts of connection Plans" in out.getvalue()
    until = datetime.now(UTC) + timedelta(minutes=5)
    request_sync(deployment, plans)
    with deployment.control() as control:
        sync_status.note_parked(control, LOCAL_ORGANIZATION, plans, until=until, message="limited")
    assert requests() == 0, "its provider paused it"


def test_a_failure_of_a_connection_is_a_problem_of_the_analysis_and_stops_no_other(
    deployment: Deployment, tracker: LinearPlace, host: GitHubPlace
) -> None:
    connect(deployment, host, "Host", secret="ghp_wrong")
    connect(deployment, tracker, "Plans")
    found = syncs.read_due(deployment, LOCAL_ORGANIZATION, Watcher(Console(file=io.StringIO())))
    assert found.keys() == {"Host"}
    assert {one.name: one.health for one in all_of(deployment)} == {"Host": "FAILING", "Plans": "HEALTHY"}


def test_doctor_names_connections_in_trouble(
    eas: Eas, deployment: Deployment, tracker: LinearPlace, host: GitHubPlace
) -> None:
    plans = connect(deployment, tracker, "Plans")
    assert "Connection Plans (local): last complete sync never" in told(deployment)[1]
    eas("sync")
    is_fine, report = told(deployment)
    assert is_fine, report
    assert re.search(r"ok   Connection Plans \(local\): last complete sync \d+ (second|minute)s ago", report)
    with deployment.control() as control:
        account = Account("ann", warnings=("The token ends in 3 days: replace it.",))
        change = ConnectionChange(secret=KEY, account=account)
        connections.change_connection(control, OPERATOR, LOCAL_ORGANIZATION, plans, change)
    is_fine, report = told(deployment)
    assert (is_fine, "warn Connection Plans" in report, "ends in 3 days" in report) == (True, True, True)
    tracker.refuse = lambda _: limited(900)
    eas("sync")
    is_fine, report = told(deployment)
    assert (is_fine, "warn Connection Plans" in report, "limits requests" in report) == (True, True, True)
    connect(deployment, host, "Host", secret="ghp_wrong")
    host.refuse = lambda _: httpx.Response(401, json={"message": "Bad credentials"})
    eas("sync", "Host")
    is_fine, report = told(deployment)
    assert not is_fine
    assert "FAIL Connection Host (local): last complete sync never; GitHub does not accept" in report
    (deployment.settings.data_dir / "secret.key").unlink()
    assert "FAIL Connection Plans" in told(deployment)[1]
