"""Providers that hang hold up their own organization alone."""

import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime

import pytest

from api.control.identity_providers.kinds import ProviderKind
from api.control.identity_providers.records import draft
from api.control.ids import new_id
from api.identity_providers import waiting
from api.identity_providers.failures import ProviderDown, ProviderWrong
from api.identity_providers.metadata import Issuers, Metadata
from api.identity_providers.providers import SignInProvider
from api.identity_providers.sign_in import SignIn
from ingest.probe import Reach

KIND = ProviderKind.OPENID_CONNECT


def provider(host: str, organization: str | None) -> SignInProvider:
    issuer = f"https://{host}"
    own = draft(organization, KIND, issuer) if organization else None
    return SignInProvider(new_id(), KIND, host, issuer, "client", "secret", own)


class Hanging:
    """Issuers of which those of the host `hangs` wait until the end of the test."""

    def __init__(self) -> None:
        self.ended = threading.Event()
        self.waiting = 0
        self.most = 0
        self._mutex = threading.Lock()

    def fetch(self, asked: SignInProvider) -> Metadata:
        if asked.name == "hangs":
            with self._mutex:
                self.waiting += 1
                self.most = max(self.most, self.waiting)
            self.ended.wait(30)
            with self._mutex:
                self.waiting -= 1
        raise ProviderWrong("answered")


@pytest.fixture
def hanging(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hanging]:
    made = Hanging()
    monkeypatch.setattr(Issuers, "fetch", lambda _, asked: made.fetch(asked))
    yield made
    made.ended.set()


def sign_in() -> SignIn:
    return SignIn((), Reach(), app_url="https://eas.example", now=lambda: datetime.now(UTC))


async def until(is_so: Callable[[], bool]) -> None:
    ends = time.monotonic() + 10
    while not is_so():
        assert time.monotonic() < ends
        await asyncio.sleep(0.01)


def test_checks_of_one_organization_hold_up_neither_another_nor_the_deployment(hanging: Hanging) -> None:
    async def scenario() -> None:
        service = sign_in()
        # Each is a new provider, as in a check before it is stored.
        stuck = [asyncio.create_task(service.check(provider("hangs", "acme"))) for _ in range(100)]
        await until(lambda: hanging.waiting == waiting.EACH_ORGANIZATION)
        began = time.monotonic()
        for organization in (None, "other"):
            with pytest.raises(ProviderWrong, match="answered"):
                await service.check(provider("answers", organization))
        assert time.monotonic() - began < 10
        assert hanging.most == waiting.EACH_ORGANIZATION
        hanging.ended.set()
        assert all(
            isinstance(one, ProviderWrong) for one in await asyncio.gather(*stuck, return_exceptions=True)
        )

    asyncio.run(scenario())


def test_hanging_organizations_do_not_hold_up_the_deployment(hanging: Hanging) -> None:
    async def scenario() -> None:
        service = sign_in()
        stuck = [
            asyncio.create_task(service.check(provider("hangs", f"{number % 20}"))) for number in range(100)
        ]
        await until(lambda: hanging.waiting == waiting.ALL_ORGANIZATIONS)
        began = time.monotonic()
        with pytest.raises(ProviderWrong, match="answered"):
            await service.check(provider("answers", None))
        assert time.monotonic() - began < 10
        assert hanging.most == waiting.ALL_ORGANIZATIONS
        hanging.ended.set()
        await asyncio.gather(*stuck, return_exceptions=True)

    asyncio.run(scenario())


def test_a_thread_keeps_its_place_until_it_ends(hanging: Hanging, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "ANSWER_SECONDS", 0.2)

    async def scenario() -> None:
        service = sign_in()
        for _ in range(3):
            tries = [service.check(provider("hangs", "acme")) for _ in range(10)]
            given = await asyncio.gather(*tries, return_exceptions=True)
            assert all(isinstance(one, ProviderDown) for one in given)
        assert hanging.most == waiting.EACH_ORGANIZATION
        hanging.ended.set()
        await until(lambda: hanging.waiting == 0)
        with pytest.raises(ProviderWrong, match="answered"):
            await service.check(provider("answers", "acme"))

    asyncio.run(scenario())
