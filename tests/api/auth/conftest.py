"""Organization Acme on a service, and a fake provider that it can ask. Files that need other ones override them."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from api.control.accounts.accounts import sign_up
from api.control.accounts.passwords import Passwords
from api.control.store import ControlStore, open_store
from tests.api.auth.browsers import APP, Browser
from tests.api.auth.fake_provider import HOST, FakeProvider, answering
from tests.api.auth.organizations_providers import PASSWORD
from tests.api.conftest import serving
from tests.api.people import join, make_account, sign_in


@pytest.fixture(autouse=True)
def _closed_browsers() -> Iterator[None]:
    yield
    while Browser.opened:
        Browser.opened.pop().http.close()


@pytest.fixture
def people(tmp_path: Path) -> Iterator[ControlStore]:
    """The control database of the service."""
    made = open_store(tmp_path)
    yield made
    made.close()


@pytest.fixture
def acme(people: ControlStore) -> str:
    return people.ensure_organization("Acme", slug="acme").id


@pytest.fixture
def other(people: ControlStore) -> str:
    return people.ensure_organization("Other", slug="other").id


@pytest.fixture
def fake() -> FakeProvider:
    return FakeProvider()


@pytest.fixture
def deployment_provider() -> dict[str, str]:
    """Settings of the deployment's provider, by the ends of their names. Without any it has none."""
    return {}


@pytest.fixture
def browser(
    tmp_path: Path,
    people: ControlStore,
    fake: FakeProvider,
    deployment_provider: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Browser]:
    for name, value in deployment_provider.items():
        monkeypatch.setenv(f"EAS_SIGN_IN_OPENID_CONNECT_{name}", value)
    with answering({HOST: fake}), serving(tmp_path, EAS_APP_URL=APP, EAS_PRIVATE_HOSTS=HOST) as address:
        yield Browser(address)


@pytest.fixture
def owner(people: ControlStore, acme: str) -> str:
    """A session of an owner of Acme, who has a password."""
    made = sign_up(people, Passwords(8), "owner@acme.example", PASSWORD, "Owner", is_verified=True)
    return sign_in(people, join(people, acme, "owner", made.id))


@pytest.fixture
def admin(people: ControlStore, acme: str) -> str:
    return sign_in(people, join(people, acme, "admin", make_account(people, "admin@acme.example")))
