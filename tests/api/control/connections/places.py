"""Connections for the tests of their control functions."""

from typing import Any

from api.control.connections.available import AvailableRepository
from api.control.connections.connections import NewConnection, add_connection, list_connections
from api.control.list_pages import ListQuery
from api.control.principals import OPERATOR
from api.control.store import ControlStore

TOKEN = "t0ken-that-nobody-may-see"


def connect(store: ControlStore, organization_id: str, **values: Any) -> str:
    """The id of a new connection, by default the only one of its name."""
    number = list_connections(store, organization_id, ListQuery(1)).total
    given: dict[str, Any] = {
        "kind": "GITEA", "category": "hosts", "address": "https://git.example",
        "name": f"Git {number + 1}" if number else "Git", "secret": TOKEN,
    }  # fmt: skip
    return add_connection(store, OPERATOR, organization_id, NewConnection(**(given | values))).id


def listed(number: int, **values: Any) -> AvailableRepository:
    """A repository as a host lists it."""
    given: dict[str, Any] = {
        "provider_id": str(number),
        "repository_id": f"r{number}",
        "owner": "acme",
        "name": f"repo-{number:03}",
        "address": f"https://git.example/acme/repo-{number:03}",
    }
    return AvailableRepository(**(given | values))
