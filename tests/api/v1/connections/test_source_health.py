"""Everybody who reads figures learns that connections fail and since when, and of no connection which one."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest

from api.control.connections.source_health import is_failing
from api.control.connections.sync_status import note_failure, note_parked, note_success
from tests.api.conftest import ROOT, Deployment, client_for
from tests.api.people import join, sign_in
from tests.api.published_facts import ORGANIZATION
from tests.api.v1.connections.test_connections import added

NONE = {"failingConnectionCount": 0, "missingSince": None}


@pytest.fixture
def lead(deployment: Deployment, served: str) -> Iterator[httpx.Client]:
    """A lead of no team."""
    session = sign_in(deployment.store, join(deployment.store, ORGANIZATION, "team_lead"))
    with client_for(served, session) as made:
        yield made


def health(client: httpx.Client) -> dict[str, Any]:
    answer = client.get(f"{ROOT}/sourceHealth")
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def fail(deployment: Deployment, connection: dict[str, Any]) -> None:
    note_failure(deployment.store, ORGANIZATION, connection["id"], reason="TLS", message="A secret reason.")


def test_a_connection_that_fails_counts_from_its_last_sync_on(
    admin: httpx.Client, deployment: Deployment
) -> None:
    assert health(admin) == NONE
    one, other = added(admin), added(admin, name="Other")
    fail(deployment, one)
    assert health(admin) == {"failingConnectionCount": 1, "missingSince": one["createdAt"]}
    note_success(deployment.store, ORGANIZATION, other["id"], rows={})
    fail(deployment, other)
    # One that was never read whole lacks everything since it was added.
    assert health(admin) == {"failingConnectionCount": 2, "missingSince": one["createdAt"]}
    note_success(deployment.store, ORGANIZATION, one["id"], rows={})
    synced = admin.get(f"{ROOT}/connections/{other['id']}").json()["lastSyncedAt"]
    assert health(admin) == {"failingConnectionCount": 1, "missingSince": synced}
    admin.delete(f"{ROOT}/connections/{other['id']}")
    assert health(admin) == NONE


def test_one_that_waits_for_a_limit_of_its_provider_does_not_count(
    admin: httpx.Client, deployment: Deployment
) -> None:
    one, until = added(admin), datetime.now(UTC) + timedelta(hours=1)
    note_parked(deployment.store, ORGANIZATION, one["id"], until=until, message="later")
    assert health(admin) == NONE
    note_parked(deployment.store, ORGANIZATION, one["id"], until=until, message="later", reason="UNAVAILABLE")
    assert health(admin)["failingConnectionCount"] == 1


def test_a_lead_learns_it_and_no_connection(
    admin: httpx.Client, lead: httpx.Client, deployment: Deployment
) -> None:
    one = added(admin)
    fail(deployment, one)
    found = health(lead)
    assert found == {"failingConnectionCount": 1, "missingSince": one["createdAt"]}
    assert lead.get(f"{ROOT}/connections").status_code == 403


@pytest.mark.parametrize(
    ("state", "reason", "fails"),
    [
        ("FAILING", "EXPIRED", True),
        ("LIMITED", "UNAVAILABLE", True),
        ("LIMITED", "RATE_LIMITED", False),
        ("DEGRADED", "HELD", False),
        ("PENDING", None, False),
        ("HEALTHY", None, False),
    ],
)
def test_only_what_cannot_be_read_fails(state: str, reason: str | None, fails: bool) -> None:
    assert is_failing(state, reason) is fails
