"""Connections from the API or the command line to published rows: a host and a tracker on loopback, real Git, a real
build. Kills, another look without news, and removal.
"""

from __future__ import annotations

import base64
import re
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import dagster as dg
import httpx
import pytest
from dagster._core.instance.ref import InstanceRef

from api.control.accounts.tokens import create_token
from api.control.connections.usable import usable_connections
from ingest.settings import CHECKOUT, Settings
from orchestration.deployment import LOCAL_ORGANIZATION, LOCAL_SLUG, Deployment
from orchestration.runtime.instance import home
from tests.api.conftest import client_for, serving
from tests.end_to_end.daemon import Daemon
from tests.end_to_end.eas import Eas
from tests.git_repository import GitRepository
from tests.ingest.git.remote.http_remote import HttpRemote
from tests.ingest.http.certificates import authority_and_server
from tests.ingest.providers.github.host_server import at, commit, event, merge, pull
from tests.ingest.providers.github.host_server import repository as row_of_repository
from tests.orchestration.connections.places import (
    KEY,
    TOKEN,
    GitHubPlace,
    LinearPlace,
    github,
    linear,
    rows,
    squashed,
)

ROOT = f"/api/v1/organizations/{LOCAL_SLUG}"


@pytest.fixture
def shop(new_repository: Callable[..., GitRepository]) -> GitRepository:
    repository = new_repository("served/acme/shop.git", bare=True)
    repository.commit({"a.py": "def a():\n    return 1\n"})
    return repository


@pytest.fixture
def places(
    tmp_path: Path, shop: GitRepository, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[GitHubPlace, LinearPlace]]:
    """A host with a squashed pull request that names an issue, and the tracker with that issue and its objectives."""
    authority, context = authority_and_server(tmp_path, "127.0.0.1")
    for name in ("SSL_CERT_FILE", "GIT_SSL_CAINFO"):
        monkeypatch.setenv(name, str(authority))
    monkeypatch.setenv("EAS_PRIVATE_HOSTS", "127.0.0.1")
    login = base64.b64encode(f"x-access-token:{TOKEN}".encode()).decode()
    folder = tmp_path / "served"
    with (
        HttpRemote(folder, f"Basic {login}", context=context) as host,
        HttpRemote(folder, context=context) as tracker,
    ):
        hosted, plans = github(host), linear(tracker)
        source, delivered = squashed(shop, 3, message="Add a value\n\nFixes API-1 (#3)")
        hosted.server.pulls["shop"] = [
            pull(
                3,
                title="Add a value",
                state="MERGED",
                mergedAt=at(4),
                closedAt=at(4),
                headRefOid=source,
                mergeCommit=merge(delivered, 4, 1),
                commits=[commit(source, 3)],
            )
        ]
        goal = plans.workspace.initiative(1)
        plans.workspace.issue(1, project=plans.workspace.project(1, initiatives=[goal]))
        yield hosted, plans


@pytest.fixture
def deployment(
    tmp_path: Path, places: tuple[GitHubPlace, LinearPlace], monkeypatch: pytest.MonkeyPatch
) -> Deployment:
    """A deployment that may reach the places."""
    monkeypatch.setenv("EAS_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("EAS_WORKERS", "1")
    made = Deployment()
    with made.control() as control:
        control.ensure_organization("Local", organization_id=LOCAL_ORGANIZATION, slug=LOCAL_SLUG)
    return made


@pytest.fixture
def daemon(deployment: Deployment) -> Iterator[Daemon]:
    with dg.DagsterInstance.from_ref(InstanceRef.from_dir(str(home(deployment.settings)))) as instance:
        yield Daemon(deployment, instance)


@pytest.fixture
def admin(deployment: Deployment, places: tuple[GitHubPlace, LinearPlace]) -> Iterator[httpx.Client]:
    with deployment.control() as control:
        key = create_token(control, LOCAL_SLUG, "admin", scope="write").key
    with (
        serving(deployment.settings.data_dir, EAS_PRIVATE_HOSTS="127.0.0.1") as address,
        client_for(address, key) as made,
    ):
        yield made


def test_connections_of_the_api_end_in_published_rows_and_their_removal_takes_them_away(
    admin: httpx.Client,
    daemon: Daemon,
    deployment: Deployment,
    places: tuple[GitHubPlace, LinearPlace],
    shop: GitRepository,
) -> None:
    host, tracker = places
    host.server.pulls["shop"].append(_landed_by_hand(shop))
    eas = Eas(deployment.settings.data_dir)
    plans = _post(admin, "connections", kind="LINEAR", address=tracker.address, name="Plans", secret=KEY)
    hosted = _post(admin, "connections", kind="GITHUB", address=host.address, name="Host", secret=TOKEN)
    assert sorted(daemon.read()) == ["sync_host", "sync_tracker"]

    listed = admin.get(f"{ROOT}/repositories:available", params={"connection": hosted["id"]}).json()
    assert [one["name"] for one in listed["repositories"]] == ["shop"]
    added = [{"connection": hosted["id"], "providerId": "7"}]
    _post(admin, "repositories:batchCreate", repositories=added)
    asked = admin.post(f"{ROOT}/connections/{hosted['id']}:sync").json()
    assert daemon.work() == ["sync_host", "extract_repository", "build_organization"]
    ended = admin.get(f"{ROOT}/operations/{asked['id']}").json()
    assert (ended["state"], ended["error"]) == ("DONE", None), ended
    pulls = eas.rows("select number, title, state, merged_by from pull_requests order by number")
    assert pulls == [(3, "Add a value", "merged", None), (4, "Add another value", "merged", "eve")]
    assert eas.rows("select key from issues") == [("API-1",)]
    assert eas.rows("select count(*) from objectives where connection_name = 'Plans'") == [(2,)]
    aligned = "select count(*) from commit_issues where item_key = 'API-1'"
    assert eas.rows(aligned) == [(1,)]
    shown = admin.get(f"{ROOT}/connections/{hosted['id']}").json()
    assert (shown["health"], shown["failure"], shown["nextAttemptAt"]) == ("HEALTHY", None, None)
    assert shown["lastSyncedAt"] is not None
    assert daemon.work() == []

    assert admin.delete(f"{ROOT}/connections/{plans['id']}").status_code == 200
    assert daemon.work() == ["build_organization"]
    assert eas.rows("select count(*) from objectives") == [(0,)]
    assert eas.rows(aligned) == [(0,)]
    assert eas.rows("select number from pull_requests order by number") == [(3,), (4,)]
    assert not list((deployment.settings.data_dir / "raw").rglob(f"*{plans['id']}*.parquet"))


# One more build, of a few rows.
@pytest.mark.release
def test_an_organization_without_repositories_has_objectives_to_show(
    admin: httpx.Client, daemon: Daemon, deployment: Deployment, places: tuple[GitHubPlace, LinearPlace]
) -> None:
    _, tracker = places
    _post(admin, "connections", kind="LINEAR", address=tracker.address, name="Plans", secret=KEY)
    assert sorted(daemon.work()) == ["build_organization", "sync_tracker"]
    shown = Eas(deployment.settings.data_dir).rows(
        "select count(*) from objectives where connection_name = 'Plans'"
    )
    assert shown == [(2,)]


def _landed_by_hand(shop: GitRepository) -> dict[str, Any]:
    """A closed pull request that a member of the project wrote anew, pushed, and named in a comment."""
    sha = shop.commit(
        {"other.py": "other = 2\n"}, message="Keep another value", at=datetime(2026, 1, 6, tzinfo=UTC)
    )
    said = event("IssueComment", 7, "eve", authorAssociation="MEMBER", body=f"Thanks! Landed in {sha[:10]}.")
    return pull(
        4,
        title="Add another value",
        state="CLOSED",
        closedAt=at(7),
        timelineItems=[said, event("ClosedEvent", 7, "eve")],
    )


def test_analyze_reads_connections_clones_with_their_token_and_does_nothing_without_news(
    small_eas: Eas, places: tuple[GitHubPlace, LinearPlace]
) -> None:
    host, tracker = places
    _connect(small_eas, places)
    target = host.remote.url("acme/shop.git")
    first = small_eas.run_here("analyze", target)
    assert first.returncode == 0, first.stdout
    assert "reading repositories" in first.stdout
    # The repository was unknown when its host was read at first.
    assert len(re.findall("new rows? in", first.stdout)) == 4, first.stdout
    assert "1 new commit in" in first.stdout, "the source of the squash"
    pulls = (
        "select distinct content ->> '$.number' from connected_rows where raw_table = 'hosts/pull_requests'"
    )
    assert small_eas.rows(pulls) == [("3",)]
    asked, packs = len(host.asked) + len(tracker.asked), host.remote.packs
    second = small_eas.run_here("analyze", target)
    assert "Nothing new since the last run." in second.stdout
    assert (len(host.asked) + len(tracker.asked), host.remote.packs) == (asked, packs)
    for said in (first, second):
        assert TOKEN not in said.stdout
        assert KEY not in said.stdout


@pytest.fixture
def fork(new_repository: Callable[..., GitRepository], places: tuple[GitHubPlace, LinearPlace]) -> str:
    """Address of a fork whose one own commit stands on what its parent has now. Only its own page names the parent."""
    host, _ = places
    repository = new_repository("served/acme/fork.git", bare=True)
    for number, subject in enumerate(["Read tables", "Cut words", "Join rows"]):
        code = f"def part_{number}(words):\n    return [one * {number} for one in words]\n"
        repository.commit({f"part_{number}.py": code}, subject, author="Una Parent <una@parent.example>")
    parent = new_repository("served/up/lib.git", bare=True)
    repository.git("push", "-q", str(parent.path), "main")
    own = "def total(rows):\n    return sum(row.value for row in rows)\n"
    repository.commit({"total.py": own}, "Add totals", author="Ole Own <ole@acme.example>")
    address = host.remote.url("acme/fork.git")
    listed = row_of_repository(8, "fork", clone_url=address, fork=True)
    host.server.repositories.append(listed)
    host.server.public.append(listed | {"parent": {"clone_url": host.remote.url("up/lib.git")}})
    return address


# Two whole analyses: the law itself is tried on lakes and histories in tests/dbt and tests/ingest/git/incremental.
@pytest.mark.release
def test_the_first_analysis_publishes_what_two_would(
    fresh_eas: Eas, places: tuple[GitHubPlace, LinearPlace], fork: str, tmp_path: Path
) -> None:
    """The oracle reads the history, then the pull requests, then the commits that a squash replaced, one by one.

    What the parent of a fork has earns nothing. The fork replays its own work on it, all of it older than the fork.
    """
    host, _ = places
    target = host.remote.url("acme/shop.git")
    _connect(fresh_eas, places)
    # With the same ids of connections, from which those of issues are made.
    slow = Eas(shutil.copytree(fresh_eas.data, tmp_path / "slow"))
    assert fresh_eas.run_here("analyze", target, fork).returncode == 0

    merged, known = host.server.pulls.pop("shop"), host.server.public.pop()
    assert slow.run_here("analyze", target, fork).returncode == 0
    reasons = (
        "select subject, zero_reason from commits_by_time where repository_name like '%fork' order by subject"
    )
    parts = ["Cut words", "Join rows", "Read tables"]
    assert slow.rows(reasons) == [(subject, "UPSTREAM") for subject in ["Add totals", *parts]]
    commits = "commit_credits join commits_by_time using (commit_id)"
    authors = f"select distinct developer_name from {commits} where is_ai_assisted"
    assert slow.rows(authors) == []
    host.server.pulls["shop"] = merged
    host.server.public.append(known)
    assert slow.run_here("sync").returncode == 0
    assert slow.run_here("analyze", target, fork).returncode == 0

    assert fresh_eas.everything() == slow.everything()
    assert fresh_eas.rows(authors) == [("Grace Hopper",)]
    assert fresh_eas.rows(reasons) == [("Add totals", None), *((subject, "UPSTREAM") for subject in parts)]
    assert fresh_eas.rows("select name from developers where name like 'Una%' or name like 'Ole%'") == [
        ("Ole Own",)
    ]


def _connect(eas: Eas, places: tuple[GitHubPlace, LinearPlace]) -> None:
    host, tracker = places
    for kind, place, token in (("github", host, TOKEN), ("linear", tracker, KEY)):
        done = eas.run_here("connect", kind, place.address, stdin=f"{token}\n")
        assert done.returncode == 0, done.stdout


# A run that is gone at any request is tried in the process for every provider (ingest/connections/test_broken_runs).
@pytest.mark.release
def test_a_sync_that_is_killed_goes_on_where_it_was(
    small_eas: Eas,
    places: tuple[GitHubPlace, LinearPlace],
    tmp_path: Path,
) -> None:
    _, tracker = places
    for number in range(1, 8):
        tracker.workspace.issue(number)
    # Every slice is a batch, and a page has two rows: also in the processes that read.
    patches = tmp_path / "patches"
    patches.mkdir()
    (patches / "sitecustomize.py").write_text(
        "import ingest.connections.sync as s, ingest.providers.linear.documents as d\n"
        "s.BATCH_SLICES = 1\nd.PAGES = dict.fromkeys(d.PAGES, 2)\n"
    )
    path = f"{patches}:{CHECKOUT}"
    calm = Eas(tmp_path / "calm", is_small=True)
    for eas in (small_eas, calm):
        done = eas.run_here("connect", "linear", tracker.address, stdin=f"{KEY}\n")
        assert done.returncode == 0, done.stdout
    assert calm.run("sync", PYTHONPATH=path).returncode == 0
    full = tracker.workspace.lists

    reached, release = threading.Event(), threading.Event()
    tracker.workspace.lists = 0

    def stall(number: int) -> None:
        if number == 4:
            reached.set()
            release.wait(60)

    tracker.workspace.before_list = stall
    process = small_eas.start("sync", PYTHONPATH=path)
    try:
        assert reached.wait(120)
        process.send_signal(signal.SIGKILL)
        assert process.wait(60) == -signal.SIGKILL
    finally:
        release.set()
    tracker.workspace.before_list = lambda _: None
    assert _facts(small_eas), "what was read before the kill is kept"
    tracker.workspace.lists = 0
    assert small_eas.run("sync", PYTHONPATH=path).returncode == 0
    assert tracker.workspace.lists < full, "it does not start again"
    assert _facts(small_eas) == _facts(calm)


# Signals of a command are tried without a sync too (orchestration/runtime/test_interrupts.py).
@pytest.mark.release
def test_sigterm_ends_a_sync_once_and_without_a_stack(
    small_eas: Eas, places: tuple[GitHubPlace, LinearPlace]
) -> None:
    _, tracker = places
    _connect(small_eas, places)
    reached, release = threading.Event(), threading.Event()

    def stall(_: int) -> None:
        reached.set()
        release.wait(60)

    tracker.workspace.before_list = stall
    process = small_eas.start("sync", PYTHONFAULTHANDLER="1")
    try:
        assert reached.wait(120)
        sent = time.monotonic()
        process.send_signal(signal.SIGTERM)
        try:
            said, _ = process.communicate(timeout=50)
        except subprocess.TimeoutExpired:
            # The stacks of its threads say what it waits for.
            process.send_signal(signal.SIGABRT)
            pytest.fail(process.communicate()[0])
    finally:
        release.set()
        process.kill()
    assert (process.returncode, said.count("Interrupted")) == (143, 1), said
    # Ten times what an idle machine takes.
    assert time.monotonic() - sent < 30
    assert "Traceback" not in said
    assert "failed" not in said, "it is no failure, and nothing else begins"


def _facts(eas: Eas) -> dict[str, dict[str, Any]]:
    """Items of the only connection, without what differs between two runs and two connections."""
    deployment = Deployment(Settings(data_dir=eas.data))
    with deployment.control() as control:
        [one] = usable_connections(control)
    left_out = {"batch", "connection_id"}
    return {
        key: {name: value for name, value in row.items() if name not in left_out}
        for key, row in rows(deployment, one.id, "items").items()
    }


def _post(admin: httpx.Client, path: str, **body: Any) -> dict[str, Any]:
    answer = admin.post(f"{ROOT}/{path}", json=body)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found
