"""Signing in with a real OpenID Connect provider, over TLS."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from api.control.models import AccountIdentity, SignInSession
from api.control.store import ControlStore, open_store
from tests.api.auth.browsers import APP, Browser
from tests.api.conftest import serving
from tests.api.people import Clock
from tests.identity_provider.running import CLIENT, SECRET, RealProvider, running

ID = "openid_connect"


@pytest.fixture(scope="module")
def provider(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealProvider]:
    with running(tmp_path_factory.mktemp("provider"), [f"{APP}/auth/callback/{ID}"]) as made:
        yield made


@pytest.fixture(scope="module")
def data_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("signing-in")


@pytest.fixture(scope="module")
def clock() -> Clock:
    return Clock()


@pytest.fixture(scope="module")
def store(data_dir: Path, clock: Clock) -> ControlStore:
    return open_store(data_dir, now=clock)


@pytest.fixture(scope="module")
def served(provider: RealProvider, data_dir: Path, store: ControlStore, clock: Clock) -> Iterator[str]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SSL_CERT_FILE", str(provider.authority))
        patch.setenv("EAS_SIGN_IN_OPENID_CONNECT_CLIENT_ID", CLIENT)
        patch.setenv("EAS_SIGN_IN_OPENID_CONNECT_CLIENT_SECRET", SECRET)
        patch.setenv("EAS_SIGN_IN_OPENID_CONNECT_ISSUER", provider.issuer)
        patch.setenv("EAS_SIGN_IN_OPENID_CONNECT_NAME", "Acme login")
        with serving(data_dir, clock, EAS_APP_URL=APP, EAS_PRIVATE_HOSTS="localhost") as address:
            yield address


@pytest.fixture
def browser(served: str, provider: RealProvider, clock: Clock) -> Browser:
    # Near the real time, by which the provider dates its tokens; allowances of the test before are forgotten.
    return Browser(served, str(provider.authority))


def sessions(store: ControlStore) -> int:
    with store.session() as session:
        return session.query(SignInSession).count()


def test_a_person_signs_in_and_is_recognized_by_the_subject_from_then_on(
    browser: Browser, provider: RealProvider, store: ControlStore
) -> None:
    provider.signs_in("ada-1", email="Ada@one.example", email_verified=True, name="Ada Lovelace")
    made = browser.sign_in(ID)
    assert (made["account"]["email"], made["account"]["name"]) == ("Ada@one.example", "Ada Lovelace")
    assert made["account"]["isVerified"]
    assert browser.get("/auth/account", made["token"]).json() == made["account"]
    # Another address at the provider moves nothing, nor does another one take the account.
    provider.signs_in("ada-1", email="countess@one.example", email_verified=False)
    again = Browser(browser.address, browser.authority).sign_in(ID)
    assert again["account"] == made["account"]
    with store.session() as session:
        assert [row.subject for row in session.query(AccountIdentity)] == ["ada-1"]
