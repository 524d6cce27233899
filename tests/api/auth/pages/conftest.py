"""A visitor of a service with organization Acme."""

import pytest

from api.control.accounts.accounts import sign_up
from api.control.accounts.passwords import Passwords
from api.control.store import ControlStore
from tests.api.auth.browsers import Browser
from tests.api.auth.organizations_providers import PASSWORD
from tests.api.auth.pages.visitor import Visitor
from tests.api.people import join

EMAIL = "ada@acme.example"


@pytest.fixture
def visitor(browser: Browser) -> Visitor:
    return Visitor(browser)


@pytest.fixture
def ada(people: ControlStore, acme: str) -> str:
    """The id of an account with a password, a member of Acme."""
    made = sign_up(people, Passwords(8), EMAIL, PASSWORD, "Ada", is_verified=True)
    return join(people, acme, "member", made.id)
