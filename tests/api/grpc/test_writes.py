"""What a method changes is what REST shows then."""

from collections.abc import Iterator
from pathlib import Path

import grpc
import pytest

from api.control.accounts.tokens import create_token
from api.control.store import ControlStore
from tests.api.conftest import client_for, serving
from tests.api.empty_organization import data_dir, store
from tests.api.grpc.conftest import Client, speaking
from tests.api.published_facts import ORGANIZATION

__all__ = ["data_dir", "store"]


@pytest.fixture(scope="module")
def key(store: ControlStore) -> str:
    return create_token(store, ORGANIZATION, "grpc", scope="write").key


@pytest.fixture(scope="module")
def writer(data_dir: Path, key: str) -> Iterator[Client]:
    with speaking(data_dir) as address, grpc.insecure_channel(address) as channel:
        yield Client(channel, key)


def test_a_change_over_grpc_is_what_rest_shows(writer: Client, data_dir: Path, key: str) -> None:
    made = writer.ask("CreateTeam", organization="acme", body={"name": "Platform"})
    below = writer.ask("CreateTeam", organization="acme", body={"name": "Storage", "parent_id": made.id})
    with serving(data_dir) as address, client_for(address, key) as rest:
        shown = rest.get(f"/api/v1/organizations/acme/teams/{below.id}").json()
        assert (shown["name"], shown["parentId"]) == ("Storage", made.id)
        # Without a mask the unset parent stays.
        writer.ask("UpdateTeam", organization="acme", team=below.id, body={"name": "Disks"})
        shown = rest.get(f"/api/v1/organizations/acme/teams/{below.id}").json()
        assert (shown["name"], shown["parentId"]) == ("Disks", made.id)
        # The mask names it: it becomes null.
        writer.ask("UpdateTeam", organization="acme", team=below.id, update_mask="parentId", body={})
        assert rest.get(f"/api/v1/organizations/acme/teams/{below.id}").json()["parentId"] is None
        writer.ask("DeleteTeam", organization="acme", team=below.id)
        assert rest.get(f"/api/v1/organizations/acme/teams/{below.id}").status_code == 404
