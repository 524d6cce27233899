"""Decisions of people in an organization of the promised size, for its published build.

Keep out: the build itself (published_synthetic.py), the requests (list_requests.py).
"""

import json
import random
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import duckdb
from sqlalchemy import insert

from api.control.accounts.sessions import begin_session
from api.control.database import database_url
from api.control.ids import new_id
from api.control.models import (
    Account,
    AuditEntry,
    Base,
    Member,
    Operation,
    Repository,
    Team,
    TeamLead,
    TeamMembership,
)
from api.control.store import ControlStore, open_store
from tests.benchmarks.latency.published_synthetic import AS_OF, ORGANIZATION

NOW = datetime(AS_OF.year, AS_OF.month, AS_OF.day, tzinfo=UTC)
LASTING = date(9999, 12, 31)
# Action and resource of the entries of the log.
ACTIONS = (
    ("teamMemberships.create", "teamMembership"),
    ("teamMemberships.end", "teamMembership"),
    ("teams.update", "team"),
    ("repositories.update", "repository"),
    ("commits.exclude", "commit"),
    ("members.changeRole", "member"),
)


MEMBER = "member@acme.example"


def published_file(folder: Path) -> Path:
    """The current build of the organization."""
    published = folder / "published" / ORGANIZATION
    return published / str(json.loads((published / "current.json").read_text())["file"])


def populate(
    folder: Path, *, members: int = 2000, entries: int = 200_000, operations: int = 50_000
) -> ControlStore:
    """Write teams, memberships, repositories, members, an audit log and an outbox for the published build."""
    # By address, because the data directory has published figures and no control database yet.
    store = open_store(url=database_url(folder))
    store.ensure_organization("Acme", organization_id=ORGANIZATION, slug="local")
    with duckdb.connect(str(published_file(folder)), read_only=True) as build:
        teams = build.execute("select team_id, parent_id, name from teams order by depth, team_id").fetchall()
        stretches = build.execute(
            "select developer_id, team_id, start_on, end_on from team_members"
        ).fetchall()
        repositories = build.execute(
            "select repository_id, name, origin, is_sandbox, commit_count from repositories"
        ).fetchall()
    _insert(
        store,
        Team,
        [
            {"id": key, "parent_id": parent, "name": name, "name_key": name.casefold(), "created_at": NOW}
            for key, parent, name in teams
        ],
    )
    _insert(
        store,
        TeamMembership,
        [
            {
                "id": new_id(),
                "team_id": team,
                "developer_id": developer,
                "start_on": start,
                "end_on": None if end == LASTING else end,
            }
            for developer, team, start, end in stretches
        ],
    )
    _insert(store, Repository, [_repository(number, *row) for number, row in enumerate(repositories)])
    people = [_account(number) for number in range(members)]
    with store.session() as session:
        session.execute(insert(Account), people)
    _insert(
        store,
        Member,
        [{"account_id": one["id"], "role": _role(n), "joined_at": NOW} for n, one in enumerate(people)],
    )
    _insert(store, AuditEntry, [_entry(number, people) for number in range(entries)])
    _insert(store, Operation, [_operation(number, operations) for number in range(operations)])
    return store


def owner(store: ControlStore) -> str:
    """The session of an owner."""
    return _signed_in(store, "owner", None)


def member(store: ControlStore) -> str:
    """The session of a member, whose own figures are those of the address MEMBER."""
    return _signed_in(store, "member", None)


def lead(store: ControlStore, team_name: str) -> str:
    """The session of a lead of this team and all teams below it."""
    return _signed_in(store, "team_lead", team_name)


def _signed_in(store: ControlStore, role: str, team_name: str | None) -> str:
    account = _account(None) | {"email": f"{role}@acme.example", "email_key": f"{role}@acme.example"}
    with store.session() as session:
        session.execute(insert(Account), [account])
        session.flush()
        member = {
            "organization_id": ORGANIZATION,
            "account_id": account["id"],
            "role": role,
            "joined_at": NOW,
        }
        session.execute(insert(Member), [member])
        if team_name is not None:
            team = session.query(Team).filter_by(organization_id=ORGANIZATION, name=team_name).one()
            led = {"team_id": team.id, "account_id": account["id"], "organization_id": ORGANIZATION}
            session.execute(insert(TeamLead), [led | {"created_at": NOW}])
    return begin_session(store, str(account["id"]), "a bench").token


def _insert(store: ControlStore, table: type[Base], rows: list[dict[str, Any]]) -> None:
    with store.session() as session:
        session.execute(insert(table), [{"organization_id": ORGANIZATION} | row for row in rows])


def _repository(
    number: int, key: str, name: str, origin: str, is_sandbox: bool, commits: int
) -> dict[str, Any]:
    failed = number % 40 == 7
    return {
        "id": key, "name": name, "origin": origin, "address": f"{origin}.git", "is_sandbox": is_sandbox,
        "is_excluded": False, "is_disabled": number % 20 == 3, "created_at": NOW - timedelta(hours=number),
        "tags": [f"tag-{number % 30}"], "is_stopped": number % 50 == 9, "read_at": NOW - timedelta(minutes=number),
        "failed_at": NOW if failed else None, "failure": "the host does not answer" if failed else None,
        "commit_total": commits,
    }  # fmt: skip


def _account(number: int | None) -> dict[str, Any]:
    email = f"person{number}@acme.example"
    return {
        "id": new_id(), "email": email, "email_key": email, "name": f"Person {number}", "password_hash": None,
        "is_platform_administrator": False, "verified_at": NOW, "created_at": NOW,
    }  # fmt: skip


def _role(number: int) -> str:
    return ("owner", "admin", "member", "member", "viewer")[number % 5] if number < 50 else "viewer"


def _entry(number: int, people: list[dict[str, Any]]) -> dict[str, Any]:
    dice = random.Random(number)
    action, kind = dice.choice(ACTIONS)
    actor = people[dice.randrange(50)]
    return {
        "id": new_id(), "at": NOW - timedelta(minutes=7 * number), "actor_kind": "account",
        "actor_id": actor["id"], "actor_name": actor["email"], "action": action, "target_kind": kind,
        "target_id": f"target-{dice.randrange(5000)}", "target_name": f"Target {number}",
        "before": {"name": "one"}, "after": {"name": "other"},
    }  # fmt: skip


def _operation(number: int, count: int) -> dict[str, Any]:
    action, kind = ACTIONS[number % len(ACTIONS)]
    pending = number >= count - 20
    at = NOW - timedelta(minutes=30 * (count - number))
    return {
        "id": new_id(), "position": number + 1, "at": at, "action": action, "target_kind": kind,
        "target_id": f"target-{number}", "target_name": f"Target {number}", "repository_id": None,
        "ended_at": None if pending else at, "build_id": None if pending else "b", "error": None, "result": None,
    }  # fmt: skip
