"""A provider that lies in one way at a time. It answers requests of the service inside of this process."""

import base64
import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import Any
from urllib.parse import parse_qs

import httpx
import pytest
from joserfc import jws
from joserfc.jwk import ECKey, OctKey, RSAKey

from tests.api.auth.browsers import parameter

# Nobody's (RFC 5737): a request that passes the fake by fails.
HOST = "203.0.113.9"
ISSUER = f"https://{HOST}"
CLIENT, SECRET = "eas", "s3cret-of-the-client"
ADDRESS = "ada@example.org"


def key_named(kid: str) -> RSAKey:
    return RSAKey.generate_key(2048, {"kid": kid, "use": "sig", "alg": "RS256"})


@cache
def own_key() -> RSAKey:
    """The key of every fake. To make one takes longer than most tests."""
    return key_named("one")


@dataclass
class FakeProvider:
    """An issuer whose answers tests replace."""

    key: RSAKey = field(default_factory=own_key)
    # Changes to the claims of the next token.
    claims: dict[str, Any] = field(default_factory=dict)
    # Instead of signing as it should.
    sign: Callable[[dict[str, Any]], str] | None = None
    metadata: dict[str, Any] = field(default_factory=dict)
    keys: list[dict[str, Any]] | None = None
    answers: dict[str, httpx.Response] = field(default_factory=dict)
    requests: list[httpx.Request] = field(default_factory=list)
    nonce: str = ""

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        path = request.url.path
        if path in self.answers:
            return self.answers[path]
        if path.endswith("/.well-known/openid-configuration"):
            return httpx.Response(200, json=self.described())
        if path == "/keys":
            listed = self.keys if self.keys is not None else [self.key.as_dict(private=False)]
            return httpx.Response(200, json={"keys": listed})
        if path == "/token":
            return httpx.Response(
                200, json={"access_token": "acc3ss", "id_token": self.token(), "token_type": "Bearer"}
            )
        return httpx.Response(404)

    def described(self) -> dict[str, Any]:
        """The metadata."""
        return {
            "issuer": ISSUER,
            "authorization_endpoint": f"{ISSUER}/authorize",
            "token_endpoint": f"{ISSUER}/token",
            "jwks_uri": f"{ISSUER}/keys",
            "response_types_supported": ["code"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["RS256"],
            "token_endpoint_auth_methods_supported": ["client_secret_basic"],
        } | self.metadata

    def token(self) -> str:
        """An ID token, as good as `claims` and `sign` leave it."""
        now = int(time.time())
        claims = {
            "iss": ISSUER,
            "sub": "ada",
            "aud": CLIENT,
            "exp": now + 300,
            "iat": now,
            "nonce": self.nonce,
            "email": ADDRESS,
            "email_verified": True,
        } | self.claims
        claims = {name: value for name, value in claims.items() if value is not None}
        return self.sign(claims) if self.sign else self.signed(claims)

    def signed(
        self, claims: dict[str, Any], key: RSAKey | ECKey | OctKey | None = None, **header: Any
    ) -> str:
        """A token as it should be, unless the header says otherwise."""
        fields = {"alg": "RS256", "kid": "one"} | header
        text = json.dumps(claims).encode()
        return jws.serialize_compact(fields, text, key or self.key, algorithms=[fields["alg"]])

    def sends_back(self, asked: str, **more: str) -> str:
        """The callback address for an authorization request."""
        self.nonce = parameter(asked, "nonce")
        given = {"state": parameter(asked, "state"), "code": "one-t1me"} | more
        return str(httpx.URL(parameter(asked, "redirect_uri")).copy_merge_params(given))

    def forms(self) -> list[dict[str, str]]:
        """The forms that were posted to the token endpoint."""
        return [
            {name: values[0] for name, values in parse_qs(one.content.decode()).items()}
            for one in self.requests
            if one.method == "POST"
        ]


def unsigned(claims: dict[str, Any], **header: Any) -> str:
    """A token with the algorithm `none`."""
    parts = [{"alg": "none", **header}, claims]
    texts = [base64.urlsafe_b64encode(json.dumps(one).encode()).decode().rstrip("=") for one in parts]
    return ".".join([*texts, ""])


@contextmanager
def answering(fakes: dict[str, Callable[[httpx.Request], httpx.Response]]) -> Iterator[None]:
    """These hosts answer within the block; other requests go over the network."""
    real = httpx.HTTPTransport.handle_request

    def handle(self: httpx.HTTPTransport, request: httpx.Request) -> httpx.Response:
        # The service connects to the address that it checked, and names the host in the header.
        fake = fakes.get(request.url.host) or fakes.get(request.headers.get("host", ""))
        return httpx.MockTransport(fake).handle_request(request) if fake else real(self, request)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(httpx.HTTPTransport, "handle_request", handle)
        yield
