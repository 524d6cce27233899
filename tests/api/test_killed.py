"""A server that is killed during writes leaves no partial change and loses no answered one."""

import os
import random
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy import func, select, text
from sqlalchemy.orm import Session

from api.app import create_app
from api.control.connections.connections import NewConnection, add_connection
from api.control.models import (
    ApiToken,
    AuditEntry,
    CapexLock,
    CapexLockedRow,
    CapexPolicy,
    CommitCategory,
    CompanyContext,
    Member,
    Operation,
    Organization,
    Repository,
    Team,
    TeamMembership,
)
from api.control.principals import OPERATOR
from api.settings import ApiSettings
from tests.api.conftest import ROOT, Deployment, certificates, client_for
from tests.api.people import join, make_account, sign_in
from tests.api.published_facts import ORGANIZATION
from tests.api.writes import LEFT_OUT, WRITES, World

WRITERS = 5
# Answers before each kill, at a moment between two of them: counted, not timed, as machines differ.
ANSWERS = (20, 150, 70)
MAX_WAIT = 60.0
# Figures follow these whatever they say, so each is in the outbox too.
RESTATING = {
    *("teams.create", "teams.update", "teams.delete", "organizations.rename", "organizations.changePlan"),
    *("teamMemberships.create", "teamMemberships.end", "teamMemberships.update", "teamMemberships.delete"),
    *("commits.exclude", "commits.include", "commits.categorize", "commits.reanalyze"),
    *("importBursts.include", "importBursts.undo"),
    *("developers.merge", "developers.split", "developers.update", "identityDecisions.undo"),
    "mergeSuggestions.dismiss",
    *("capexPolicies.create", "capexPolicies.withdraw", "repositories.remove", "repositories.analyze"),
    *("connections.create", "connections.sync", "connections.resync", "connections.remove"),
    *("connections.update", "connections.updateTeams"),
    *("aiPrices.create", "aiPrices.withdraw", "aiActors.create", "aiActors.delete"),
    "summaries.regenerate",
}
# And these never.
NOT_RESTATING = {
    *("tokens.create", "tokens.revoke", "scimTokens.create", "scimTokens.revoke"),
    *("invitations.create", "invitations.refresh", "invitations.cancel"),
    *("teamLeads.create", "teamLeads.delete", "capexLocks.create", "capexLocks.delete"),
    *("members.changeRole", "corrections.create"),
    *("summarySubscriptions.create", "summarySubscriptions.delete"),
}


def test_every_administrative_write_of_the_document_is_tried_or_left_out_for_a_reason() -> None:
    paths: dict[str, Any] = create_app(ApiSettings()).openapi()["paths"]
    writes = {
        operation["operationId"]
        for path, methods in paths.items()
        for method, operation in methods.items()
        if method != "get" and path.startswith("/api/v1/")
    }
    assert writes == WRITES.keys() | LEFT_OUT.keys()


class _Killed:
    """The API in a separate process group, so that a test can kill it."""

    def __init__(self, data_dir: Path, url: str) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self.address = f"http://127.0.0.1:{port}"
        settings = {
            "EAS_DATA_DIR": str(data_dir),
            "EAS_API_PORT": str(port),
            "CONTROL_DATABASE_URL": url,
            "EAS_PASSWORD_MEMORY_KIB": "8",
        }
        self._process = subprocess.Popen(
            [sys.executable, "-m", "api"],
            env=os.environ | settings,
            start_new_session=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def wait_until_ready(self) -> None:
        for _ in range(600):
            try:
                if httpx.get(f"{self.address}/readyz", timeout=1, verify=certificates()).status_code == 200:
                    return
            except httpx.HTTPError:
                time.sleep(0.05)
        raise AssertionError("the server does not start")

    def kill(self) -> None:
        if self._process.returncode is None:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()


@contextmanager
def _running(data_dir: Path, url: str) -> Iterator[_Killed]:
    process = _Killed(data_dir, url)
    try:
        process.wait_until_ready()
        yield process
    finally:
        process.kill()


class _Answers:
    """The answers of the server: ids of operations and of created objects."""

    def __init__(self) -> None:
        self.operations: list[str] = []
        self.done: Counter[str] = Counter()
        self.failures: list[str] = []
        self.interrupted = 0
        self.count = 0

    def note(self, name: str, answer: httpx.Response) -> None:
        self.count += 1
        if answer.status_code >= 500:
            self.failures.append(f"{name}: {answer.status_code} {answer.text}")
        if answer.status_code == 200:
            self.done[name] += 1
            if "X-Operation" in answer.headers:
                self.operations += [one.strip() for one in answer.headers["X-Operation"].split(",")]


def _write(address: str, key: str, world: World, answers: _Answers, seed: int) -> None:
    dice = random.Random(seed)
    with client_for(address, key) as client:
        while True:
            name = dice.choice(list(WRITES))
            method, path, body = WRITES[name](world, dice)
            try:
                answer = client.request(method, path, json=body)
            except httpx.TransportError:
                answers.interrupted += 1
                return
            answers.note(name, answer)
            if answer.status_code == 200:
                world.learn(name, answer)


@pytest.fixture
def killed(deployment: Deployment) -> tuple[Deployment, World, _Answers]:
    """A deployment after repeated kills of its server during changes, and the server's answers."""
    deployment.publish()
    store, facts = deployment.store, deployment.facts
    me = make_account(store, facts.email(facts.shown_twice), administrator=True)
    key = sign_in(store, join(store, ORGANIZATION, "owner", me))
    url = store.engine.url.render_as_string(hide_password=False)
    members = [join(store, ORGANIZATION, "viewer") for _ in range(8)]
    answers, dice = _Answers(), random.Random(11)
    world: World | None = None
    for kill, expected in enumerate(ANSWERS):
        with _running(deployment.data_dir, url) as server:
            if world is None:
                world = _world(server.address, key, deployment, members)
            threads = [
                threading.Thread(
                    target=_write, args=(server.address, key, world, answers, kill * WRITERS + number)
                )
                for number in range(WRITERS)
            ]
            for thread in threads:
                thread.start()
            _wait_for(answers, answers.count + expected)
            time.sleep(dice.uniform(0, 0.02))
            server.kill()
            for thread in threads:
                thread.join()
    assert world is not None
    return deployment, world, answers


def _wait_for(answers: _Answers, count: int) -> None:
    until = time.monotonic() + MAX_WAIT
    while answers.count < count and time.monotonic() < until:
        time.sleep(0.002)


def _world(address: str, key: str, deployment: Deployment, members: list[str]) -> World:
    with client_for(address, key) as client:
        suggestions = client.get(f"{ROOT}/mergeSuggestions").json()["mergeSuggestions"]
        twice = client.get(f"{ROOT}/developers/{deployment.facts.shown_twice}").json()
    with deployment.store.session() as session:
        for repository, name in deployment.facts.repositories.items():
            session.add(
                Repository(
                    organization_id=ORGANIZATION, id=repository, name=name, origin=f"https://git.example/{name}",
                    is_sandbox=False, is_excluded=False, is_disabled=False, created_at=deployment.store.now(),
                )
            )  # fmt: skip
    host = NewConnection("GITEA", "hosts", "https://git.example", "Host", "t0ken-long")
    tracker = NewConnection("LINEAR", "trackers", "https://linear.example", "Tracker", "t0ken-long")
    added = (host, replace(host, name="Another host"), tracker)
    made = [add_connection(deployment.store, OPERATOR, ORGANIZATION, one).id for one in added]
    world = World(deployment.facts, members, [one["id"] for one in suggestions])
    world.made["connection"], world.made["tracker"] = made, made[2:]
    world.made["address"] = [one["id"] for one in twice["addresses"]]
    return world


@pytest.mark.both_databases(postgresql="release")
def test_no_change_is_partial_and_no_answered_change_is_lost(
    killed: tuple[Deployment, World, _Answers],
) -> None:
    deployment, world, answers = killed
    assert answers.failures == []
    assert answers.interrupted == len(ANSWERS) * WRITERS
    # The mix reaches something, or nothing below would say anything.
    assert len(answers.done) > len(WRITES) / 3
    # Opened as the next release would open it.
    with deployment.store.session() as session:
        _database_is_sound(session)
        _log_and_outbox_agree(session)
        kept = set(session.scalars(select(Operation.id)))
        assert set(answers.operations) <= kept
        _what_was_made_is_logged(session, world)
        _teams_are_a_tree_as_logged(session)
        _memberships_are_as_logged_and_do_not_overlap(session)
        _rows_of_one_decision_are_together(session)


def _database_is_sound(session: Session) -> None:
    if session.get_bind().dialect.name == "sqlite":
        assert session.execute(text("PRAGMA integrity_check")).all() == [("ok",)]
        assert session.execute(text("PRAGMA foreign_key_check")).all() == []


def _log_and_outbox_agree(session: Session) -> None:
    logged = Counter(
        (row.action, row.target_id, row.at) for row in session.scalars(_entries()) if row.action in RESTATING
    )
    due = list(
        session.scalars(
            select(Operation).where(Operation.organization_id == ORGANIZATION).order_by(Operation.position)
        )
    )
    assert [row.position for row in due] == list(range(1, len(due) + 1))
    assert Counter((row.action, row.target_id, row.at) for row in due if row.action in RESTATING) == logged
    everything = Counter((row.action, row.target_id, row.at) for row in session.scalars(_entries()))
    assert Counter((row.action, row.target_id, row.at) for row in due) <= everything
    assert not {row.action for row in due} & NOT_RESTATING


def _what_was_made_is_logged(session: Session, world: World) -> None:
    targets = {(row.target_kind, row.target_id) for row in session.scalars(_entries())}
    for kind, named in (
        ("team", "team"),
        ("membership", "teamMembership"),
        ("repository", "repository"),
        ("token", "token"),
        ("correction", "correction"),
    ):
        assert {(named, one) for one in world.made[kind]} <= targets
    tokens = {row.id: row.revoked_at is not None for row in session.scalars(select(ApiToken))}
    by_action = _targets(session)
    assert tokens.keys() == by_action["tokens.create"]
    assert {key for key, revoked in tokens.items() if revoked} == by_action["tokens.revoke"]
    assert set(world.made["token"]) <= tokens.keys()
    added = set(
        session.scalars(select(Repository.id).where(Repository.origin.startswith("https://198.51.100.7/")))
    )
    assert added == by_action["repositories.create"]
    removed = set(session.scalars(select(Repository.id).where(Repository.removed_at.is_not(None))))
    assert removed == by_action["repositories.remove"]


def _teams_are_a_tree_as_logged(session: Session) -> None:
    rows = {row.id: row for row in session.scalars(select(Team))}
    assert {key: {"name": row.name, "parentId": row.parent_id} for key, row in rows.items()} == _last(
        session, "team", "teams."
    )
    for row in rows.values():
        assert row.name_key == row.name.casefold()
        above: list[str] = []
        parent = row.parent_id
        while parent is not None:
            assert parent not in above
            above.append(parent)
            parent = rows[parent].parent_id


def _memberships_are_as_logged_and_do_not_overlap(session: Session) -> None:
    teams = set(session.scalars(select(Team.id)))
    rows = list(session.scalars(select(TeamMembership).order_by(TeamMembership.start_on)))
    assert {
        row.id: {
            "teamId": row.team_id,
            "developerId": row.developer_id,
            "startDate": row.start_on.isoformat(),
            "endDate": row.end_on.isoformat() if row.end_on else None,
        }
        for row in rows
    } == {
        # With a team its memberships go.
        key: state
        for key, state in _last(session, "teamMembership", "teamMemberships.").items()
        if state["teamId"] in teams
    }
    by_developer = defaultdict(list)
    for row in rows:
        by_developer[row.developer_id].append(row)
    for stretches in by_developer.values():
        for one, following in pairwise(stretches):
            assert one.end_on is not None
            assert one.end_on < following.start_on


def _rows_of_one_decision_are_together(session: Session) -> None:
    for month, rows in session.execute(
        select(CapexLock.month, func.count(CapexLockedRow.developer_id))
        .outerjoin(CapexLockedRow, CapexLockedRow.month == CapexLock.month)
        .group_by(CapexLock.month)
    ):
        made = [
            entry
            for entry in session.scalars(_entries())
            if entry.action == "capexLocks.create" and entry.target_id == month.isoformat()
        ][-1]
        assert made.after is not None
        assert rows == made.after["developers"]
    contexts = list(session.scalars(select(CompanyContext.version).order_by(CompanyContext.version)))
    organization = session.get_one(Organization, ORGANIZATION)
    assert contexts == list(range(1, organization.context_version + 1))
    versions = list(session.scalars(select(CapexPolicy.version).order_by(CapexPolicy.version)))
    assert versions == list(range(1, len(versions) + 1))
    categories = {row.commit_id: row.category for row in session.scalars(select(CommitCategory))}
    assert categories == {
        key: state["category"] for key, state in _last(session, "commit", "commits.categorize").items()
    }
    owned = set(session.scalars(select(Member.organization_id).where(Member.role == "owner")))
    assert set(session.scalars(select(Organization.id))) == owned


def _entries() -> Any:
    """The audit log of the organization in the order of writing."""
    return (
        select(AuditEntry)
        .where(AuditEntry.organization_id == ORGANIZATION)
        .order_by(AuditEntry.at, AuditEntry.id)
    )


def _targets(session: Session) -> dict[str, set[str]]:
    """The ids of changed objects, by action."""
    found = defaultdict(set)
    for entry in session.scalars(_entries()):
        found[entry.action].add(entry.target_id)
    return found


def _last(session: Session, kind: str, prefix: str) -> dict[str, dict[str, Any]]:
    """The current values of objects of a kind according to the log, without deleted ones."""
    found: dict[str, dict[str, Any] | None] = {}
    for entry in session.scalars(_entries()):
        if entry.target_kind == kind and entry.action.startswith(prefix):
            found[entry.target_id] = entry.after
    return {key: state for key, state in found.items() if state is not None}
