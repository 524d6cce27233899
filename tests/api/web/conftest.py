"""Browsers at the dashboard of the published organization."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import httpx
import pytest

from api.web.sessions.cookies import NAME
from tests.api.conftest import Deployment, client_for
from tests.api.people import join, sign_in
from tests.api.published_facts import ORGANIZATION

HOME = "/organizations/acme"


@pytest.fixture(scope="module")
def browser_of(published: Deployment, address: str) -> Iterator[Callable[[str], httpx.Client]]:
    """A browser whose cookie has a session of a new member with this role."""
    with ExitStack() as opened:

        def made(role: str) -> httpx.Client:
            session = sign_in(published.store, join(published.store, ORGANIZATION, role))
            client = opened.enter_context(client_for(address))
            client.headers["Accept"] = "text/html"
            client.cookies.set(NAME, session)
            return client

        yield made


@pytest.fixture(scope="module")
def browser(browser_of: Callable[[str], httpx.Client]) -> httpx.Client:
    return browser_of("admin")
