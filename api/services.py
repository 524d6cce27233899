"""What the process holds open, one per application."""

from dataclasses import dataclass

from fastapi import Request

from api.auth.bearer import Authenticator
from api.control.store import ControlStore
from api.responses import Reads


@dataclass(frozen=True, slots=True)
class Services:
    """What the process holds open; one per application."""

    store: ControlStore
    authenticator: Authenticator
    reads: Reads


def services(request: Request) -> Services:
    """The services of this application."""
    found = request.app.state.services
    assert isinstance(found, Services)
    return found
