"""The parts of an issuer's metadata and keys that are kept."""

import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from api.identity_providers import metadata
from api.identity_providers.failures import ProviderWrong
from api.identity_providers.metadata import Issuers
from api.operator.readers import host_list
from ingest.probe import Reach
from ingest.settings import CHECKOUT
from tests.api.auth.fake_provider import HOST, ISSUER, FakeProvider, answering
from tests.api.identity_providers.kept_memory import provider


@pytest.fixture
def fake() -> Iterator[FakeProvider]:
    made = FakeProvider()
    with answering({HOST: made}):
        yield made


@pytest.fixture
def issuers() -> Issuers:
    return Issuers(Reach(*host_list(HOST)))


def test_little_is_kept_of_a_large_answer() -> None:
    counting = [sys.executable, "-m", "tests.api.identity_providers.kept_memory"]
    done = subprocess.run(counting, cwd=CHECKOUT, capture_output=True, text=True, check=True)
    assert 1_000 < int(done.stdout) < 200_000


def test_a_key_keeps_what_its_signatures_need(fake: FakeProvider, issuers: Issuers) -> None:
    own = fake.key.as_dict(private=False)
    fake.keys = [own | {"x5c": ["A" * 1000], "issuer": ISSUER, "note": {"deep": 1}}]
    keys, raw = issuers.keys(provider(), has=lambda _: True)
    assert [key.kid for key in keys.keys] == ["one"]
    assert raw == [{name: own[name] for name in ("kty", "kid", "use", "alg", "n", "e")} | {"issuer": ISSUER}]


UNUSUAL: dict[str, dict[str, Any]] = {
    "long name": {"kid": "A" * 1000},
    "number as its name": {"kid": 7},
    "list of issuers": {"issuer": ["https://one.example"]},
    "long modulus": {"n": "A" * 4000},
    "to encrypt": {"use": "enc"},
    "operation is to encrypt": {"key_ops": ["encrypt"]},
    "operations are no list": {"key_ops": "verify"},
}


@pytest.mark.parametrize("what", UNUSUAL)
def test_an_unusual_key_is_left_out(fake: FakeProvider, issuers: Issuers, what: str) -> None:
    good, more = fake.key.as_dict(private=False), UNUSUAL[what]
    fake.keys = [good | more]
    with pytest.raises(ProviderWrong, match="no keys"):
        issuers.keys(provider(), has=lambda _: True)
    fake.keys = [good | more, good | {"kid": "good", "key_ops": ["verify"]}]
    keys, _ = issuers.keys(provider(), has=lambda _: True)
    assert [key.kid for key in keys.keys] == ["good"]


def test_more_keys_than_anybody_has_are_refused(fake: FakeProvider, issuers: Issuers) -> None:
    good = fake.key.as_dict(private=False)
    fake.keys = [good | {"kid": f"{number}"} for number in range(metadata.MAX_KEYS + 1)]
    with pytest.raises(ProviderWrong, match="no keys"):
        issuers.keys(provider(), has=lambda _: True)


@pytest.mark.parametrize(
    "name", ["authorization_endpoint", "token_endpoint", "jwks_uri", "userinfo_endpoint"]
)
def test_an_endless_address_is_refused(fake: FakeProvider, issuers: Issuers, name: str) -> None:
    fake.metadata = {name: f"{ISSUER}/{'a' * 100_000}"}
    with pytest.raises(ProviderWrong, match=name):
        issuers.metadata(provider())


@pytest.mark.parametrize(
    ("methods", "takes_basic"),
    [
        ([], True),
        (["client_secret_post"], False),
        (["client_secret_post", "client_secret_basic"], True),
    ],
)
def test_the_header_is_the_way_of_the_secret_unless_others_are_listed(
    fake: FakeProvider, issuers: Issuers, methods: list[str], takes_basic: bool
) -> None:
    fake.metadata = {"token_endpoint_auth_methods_supported": methods}
    assert issuers.metadata(provider()).takes_basic is takes_basic
