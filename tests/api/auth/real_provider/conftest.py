"""A service that signs people in with a real identity provider."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import delete

from api.control.models import SignInSession, Throttle
from api.control.store import ControlStore, open_store
from tests.api.auth.browsers import APP, Browser
from tests.api.conftest import serving
from tests.api.people import Clock
from tests.identity_provider.running import CLIENT, SECRET, RealProvider, running

ID = "openid_connect"


@pytest.fixture(scope="session")
def provider(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealProvider]:
    with running(tmp_path_factory.mktemp("provider"), [f"{APP}/auth/callback/{ID}"]) as made:
        yield made


@pytest.fixture(scope="module")
def real_clock() -> Clock:
    return Clock()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("signing-in")


@pytest.fixture(scope="module")
def people(folder: Path, real_clock: Clock) -> Iterator[ControlStore]:
    """The control database of the service."""
    made = open_store(folder, now=real_clock)
    yield made
    made.close()


@pytest.fixture(scope="module")
def signing_in(
    provider: RealProvider, folder: Path, people: ControlStore, real_clock: Clock
) -> Iterator[str]:
    """The address of the service, which knows the provider as one of the deployment."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SSL_CERT_FILE", str(provider.authority))
        patch.setenv("EAS_SIGN_IN_OPENID_CONNECT_CLIENT_ID", CLIENT)
        patch.setenv("EAS_SIGN_IN_OPENID_CONNECT_CLIENT_SECRET", SECRET)
        patch.setenv("EAS_SIGN_IN_OPENID_CONNECT_ISSUER", provider.issuer)
        patch.setenv("EAS_SIGN_IN_OPENID_CONNECT_NAME", "Acme login")
        with serving(folder, real_clock, EAS_APP_URL=APP, EAS_PRIVATE_HOSTS="localhost") as address:
            yield address


@pytest.fixture
def browser(signing_in: str, provider: RealProvider, people: ControlStore, real_clock: Clock) -> Browser:
    """A new browser. The clock is right at first, as the provider's is, and nothing was tried too often."""
    real_clock.at = Clock().at
    with people.session() as session:
        session.execute(delete(Throttle))
    return Browser(signing_in, str(provider.authority))


@pytest.fixture
def session_count(people: ControlStore) -> "SessionCount":
    return SessionCount(people)


class SessionCount:
    """The sessions that begin."""

    def __init__(self, store: ControlStore) -> None:
        self._store = store
        self._before = self._now()

    def new(self) -> int:
        """Sessions that began since the test did."""
        return self._now() - self._before

    def _now(self) -> int:
        with self._store.session() as session:
            return session.query(SignInSession).count()
