"""Threads that wait for hosts of others: they end with the process, and hold their slots until they end."""

import asyncio
import subprocess
import sys
import threading
import time

import pytest

from api.threads import ThreadSlots, waited

ENDS_WITHIN = 60
HANGS = 600

START = f"""
import asyncio, time
from datetime import UTC, datetime

def hang(*_, **__):
    time.sleep({HANGS})
"""
SIGN_IN = f"""{START}
from api.control.identity_providers.kinds import ProviderKind
from api.control.identity_providers.records import draft
from api.identity_providers import waiting
from api.identity_providers.failures import ProviderDown
from api.identity_providers.metadata import Issuers
from api.identity_providers.providers import SignInProvider
from api.identity_providers.sign_in import SignIn
from ingest.probe import Reach

async def main():
    kind, issuer = ProviderKind.OPENID_CONNECT, "https://login.example"
    Issuers.fetch, waiting.ANSWER_SECONDS = hang, 0.2
    service = SignIn((), Reach(), app_url="https://eas.example", now=lambda: datetime.now(UTC))
    for organization in (None, "acme"):
        own = draft(organization, kind, issuer) if organization else None
        try:
            await service.check(SignInProvider("1", kind, "Login", issuer, "client", "secret", own))
        except ProviderDown:
            print("given up")

asyncio.run(main())
"""
CONNECTION = f"""{START}
from api.errors import Unavailable
from api.threads import ThreadSlots
from api.v1.connections import checks
from ingest.probe import Reach

async def main():
    checks.check_connection, checks.ANSWER_SECONDS = hang, 0.2
    for _ in range(2):
        try:
            await checks.checked_account(
                checks.known_kind("GITEA"), "https://git.example", "", "t0ken-long", {{}}, Reach(),
                lambda: datetime.now(UTC), ThreadSlots(4, 32).of("acme"),
            )
        except Unavailable:
            print("given up")

asyncio.run(main())
"""


@pytest.mark.parametrize("program", [SIGN_IN, CONNECTION], ids=["sign-in", "connection"])
def test_a_process_ends_although_a_host_still_hangs(program: str) -> None:
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=ENDS_WITHIN, check=False
    )
    assert (run.returncode, run.stdout, run.stderr) == (0, "given up\n" * 2, "")


def test_a_result_and_an_error_come_back() -> None:
    def fails() -> int:
        raise KeyError("wrong")

    async def scenario() -> None:
        slots = ThreadSlots(1, 1).of("acme")
        assert await waited(lambda: 7, slots) == 7
        with pytest.raises(KeyError, match="wrong"):
            await waited(fails, slots)
        assert await waited(lambda: 8, slots) == 8

    asyncio.run(scenario())


def test_whoever_gives_up_before_there_is_a_place_takes_none() -> None:
    async def scenario() -> None:
        ended, slots = threading.Event(), ThreadSlots(1, 2)
        first = asyncio.create_task(waited(lambda: ended.wait(30), slots.of("acme")))
        await asyncio.sleep(0.1)
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(waited(lambda: True, slots.of("acme")), 0.1)
        began = time.monotonic()
        assert await waited(lambda: True, slots.of("other"))
        assert time.monotonic() - began < 20
        ended.set()
        assert await first
        assert await waited(lambda: True, slots.of("acme"))

    asyncio.run(scenario())
