"""Prints the bytes that are kept of each issuer whose answers are large.

A process of its own, because threads of other tests allocate too.
"""

import gc
import tracemalloc
from base64 import urlsafe_b64encode
from typing import Any

from api.control.identity_providers.kinds import ProviderKind
from api.control.identity_providers.records import draft
from api.identity_providers.metadata import Issuers
from api.identity_providers.providers import SignInProvider
from api.operator.readers import host_list
from ingest.probe import Reach
from tests.api.auth.fake_provider import HOST, ISSUER, FakeProvider, answering

KIND = ProviderKind.OPENID_CONNECT
ISSUERS = 5


def provider(number: int = 0) -> SignInProvider:
    return SignInProvider(f"{number}", KIND, "it", ISSUER, "client", "secret", draft("acme", KIND, ISSUER))


def huge_key(number: int) -> dict[str, Any]:
    """A key with 8192 bits and members that nobody needs."""
    modulus = urlsafe_b64encode(b"\xff" * 1024).decode().rstrip("=")
    more = {"x5c": ["A" * 16_000], **{f"member{one}": "A" * 100 for one in range(50)}}
    return {"kty": "RSA", "kid": f"{number}".ljust(500, "-"), "use": "sig", "n": modulus, "e": "AQAB"} | more


def kept_bytes() -> int:
    """Bytes that stay allocated for each issuer."""
    fake, issuers = FakeProvider(), Issuers(Reach(*host_list(HOST)))
    fake.metadata = {
        "token_endpoint_auth_methods_supported": ["client_secret_basic", *(f"m{n}" for n in range(10_000))],
        "id_token_signing_alg_values_supported": ["RS256", *(f"a{n}" for n in range(10_000))],
        "anything": ["x" * 1000] * 200,
    }
    fake.keys = [huge_key(number) for number in range(30)]
    with answering({HOST: fake}):
        # What the first request imports and caches belongs to no issuer.
        issuers.keys(provider(), has=lambda _: True)
        fake.requests.clear()
        tracemalloc.start()
        for number in range(1, ISSUERS + 1):
            issuers.keys(provider(number), has=lambda _: True)
        fake.requests.clear()
        gc.collect()
        kept, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    return kept // ISSUERS


if __name__ == "__main__":
    print(kept_bytes())
