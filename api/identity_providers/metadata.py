"""Metadata and keys of issuers, kept for a while: a sign-in needs them, and they change seldom.

Keep out: what the keys sign (id_tokens.py).
"""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from authlib.oidc.discovery import OpenIDProviderMetadata, get_well_known_url
from joserfc.errors import JoseError
from joserfc.jwk import KeySet

from api.control.errors import InvalidSetting
from api.control.identity_providers.kinds import ProviderKind, checked_issuer
from api.identity_providers.failures import ProviderWrong, asking
from api.identity_providers.providers import SignInProvider
from ingest.probe import Reach, identity_requests

METADATA_SECONDS = 3600.0
KEYS_SECONDS = 3600.0
# An unknown key may be a new one, so the keys are fetched again at once, but not for every forged token.
REFETCH_SECONDS = 60.0
# An issuer may be hostile. Of one whose answers are as large as they may be, some 100 KB are kept.
MAX_KEYS = 30
MAX_KEPT = 1000
MAX_ADDRESS_LENGTH = 2048
MAX_MEMBER_LENGTH = 512
# Of a key of RSA with 8192 bits, in Base64url.
MAX_MODULUS_LENGTH = 1366
TENANT = "{tenantid}"
# Of a key (RFC 7517 and 7518), with the tenant that Microsoft names. Others, such as certificates, are not kept.
MEMBERS = ("kty", "kid", "use", "alg", "n", "e", "crv", "x", "y", "issuer")


@dataclass(slots=True)
class Metadata:
    """The metadata of an issuer. `issuer` may have the place of a tenant."""

    issuer: str
    authorization_endpoint: str
    token_endpoint: str
    userinfo_endpoint: str | None
    jwks_uri: str
    names_itself: bool
    # Whether the token endpoint takes the client's secret in a header.
    takes_basic: bool
    fetched: float


@dataclass(slots=True)
class _Keys:
    keys: KeySet
    raw: list[dict[str, Any]]
    fetched: float
    # When they were last fetched for a key that was not among them.
    missed: float | None


class Issuers:
    """Metadata and keys by provider and issuer, for all threads. `clock` counts seconds."""

    def __init__(self, reach: Reach, clock: Callable[[], float] = time.monotonic) -> None:
        self._reach, self._clock = reach, clock
        self._metadata: dict[tuple[str, str], Metadata] = {}
        self._keys: dict[tuple[str, str], _Keys] = {}
        self._mutex = threading.Lock()

    def reach(self, provider: SignInProvider) -> Reach | None:
        """Allowed hosts: an organization's provider is on public or listed hosts, like a connection."""
        return self._reach if provider.organization is not None else None

    def host(self, provider_id: str, issuer: str) -> str:
        """The host of a provider's sign-in page as far as it is known without a request: else that of its issuer.

        In lower case, with a port other than 443: as browsers write it.
        """
        found = self._metadata.get((provider_id, issuer))
        parts = urlsplit(found.authorization_endpoint if found else issuer)
        return parts.netloc.lower().removesuffix(":443")

    def metadata(self, provider: SignInProvider) -> Metadata:
        """The metadata of a provider's issuer. Raises SignInFailed."""
        # By provider: what one organization was told is no answer for another one.
        key = provider.id, provider.issuer
        found = self._metadata.get(key)
        if found is None or self._clock() - found.fetched > METADATA_SECONDS:
            found = self.fetch(provider)
            self._keep(self._metadata, key, found)
        return found

    def keys(
        self, provider: SignInProvider, *, has: Callable[[KeySet], bool]
    ) -> tuple[KeySet, list[dict[str, Any]]]:
        """The keys of a provider, fetched again once where the kept ones lack a wanted one. Raises SignInFailed."""
        address = self.metadata(provider).jwks_uri
        key, now = (provider.id, address), self._clock()
        found = self._keys.get(key)
        if found is None or now - found.fetched > KEYS_SECONDS:
            found = self._fetched_keys(provider, address, missed=None)
        elif not has(found.keys) and (found.missed is None or now - found.missed > REFETCH_SECONDS):
            found = self._fetched_keys(provider, address, missed=now)
        return found.keys, found.raw

    def fetch(self, provider: SignInProvider) -> Metadata:
        """The metadata as the issuer has it now. Raises SignInFailed."""
        with asking(provider.name):
            answer = identity_requests(self.reach(provider)).get(
                get_well_known_url(provider.issuer, external=True)
            )
        return _metadata(provider, answer, self._clock())

    def _fetched_keys(self, provider: SignInProvider, address: str, *, missed: float | None) -> _Keys:
        with asking(provider.name):
            answer = identity_requests(self.reach(provider)).get(address)
        found = _Keys(*_key_set(provider, answer), self._clock(), missed)
        self._keep(self._keys, (provider.id, address), found)
        return found

    def _keep(self, kept: dict[Any, Any], key: tuple[str, str], value: Any) -> None:
        with self._mutex:
            if len(kept) >= MAX_KEPT:
                kept.clear()
            kept[key] = value


def _metadata(provider: SignInProvider, answer: Any, now: float) -> Metadata:
    if not isinstance(answer, dict):
        raise ProviderWrong(f"{provider.name} describes itself with something else than an object")
    try:
        OpenIDProviderMetadata(answer).validate()
    except (ValueError, TypeError, AttributeError):
        raise ProviderWrong(
            f"{provider.name} describes itself against OpenID Connect Discovery 1.0"
        ) from None
    if answer["issuer"] != provider.issuer and not _is_template(provider, answer["issuer"]):
        raise ProviderWrong(
            f"{provider.name} names another issuer than the configured one: tell your administrator",
            detail=f"{provider.name} names {_shown(answer['issuer'])}, and {provider.issuer} is configured; both must "
            "be the same by every character, also a slash at the end",
        )
    addresses = {}
    for name in ("authorization_endpoint", "token_endpoint", "jwks_uri", "userinfo_endpoint"):
        address = answer.get(name)
        if name == "userinfo_endpoint" and address is None:
            continue
        if not isinstance(address, str) or len(address) > MAX_ADDRESS_LENGTH or not _is_https(address):
            raise ProviderWrong(f"{provider.name} names no https address as its {name}")
        addresses[name] = address
    return Metadata(
        answer["issuer"],
        addresses["authorization_endpoint"],
        addresses["token_endpoint"],
        addresses.get("userinfo_endpoint"),
        addresses["jwks_uri"],
        answer.get("authorization_response_iss_parameter_supported") is True,
        "client_secret_basic"
        in (answer.get("token_endpoint_auth_methods_supported") or ["client_secret_basic"]),
        now,
    )


def _shown(issuer: object) -> str:
    """An issuer as the provider names it, unless it could be something else than an address."""
    try:
        return f"the issuer {checked_issuer(ProviderKind.OPENID_CONNECT, str(issuer))}"
    except InvalidSetting:
        return "no https address as its issuer"


def _is_template(provider: SignInProvider, issuer: object) -> bool:
    """Whether this is the issuer of any tenant, as Microsoft describes it at its addresses for several tenants."""
    wanted = urlsplit(provider.issuer)
    parts = wanted.path.split("/")
    if provider.kind != "MICROSOFT" or len(parts) < 2 or parts[1] not in ("common", "organizations"):
        return False
    return issuer == f"https://{wanted.netloc}/{'/'.join([TENANT, *parts[2:]])}"


def _is_https(address: str) -> bool:
    try:
        parts = urlsplit(address)
    except ValueError:
        return False
    return (
        parts.scheme == "https"
        and bool(parts.hostname)
        and "@" not in parts.netloc
        and not parts.fragment
        # Browsers take it for a slash, and see another host.
        and "\\" not in address
        and address.isascii()
        and address.isprintable()
    )


def _key_set(provider: SignInProvider, answer: Any) -> tuple[KeySet, list[dict[str, Any]]]:
    listed = answer.get("keys") if isinstance(answer, dict) else None
    if not isinstance(listed, list) or len(listed) > MAX_KEYS:
        raise ProviderWrong(f"{provider.name} lists no keys that can be used")
    usable = []
    for one in filter(None, map(_needed, listed)):
        try:
            KeySet.import_key_set({"keys": [one]})
        except (JoseError, ValueError, TypeError, KeyError):
            continue
        usable.append(one)
    if not usable:
        raise ProviderWrong(f"{provider.name} lists no keys that can be used")
    return KeySet.import_key_set({"keys": usable}), usable


def _needed(key: Any) -> dict[str, Any] | None:
    """The members of a signing key that are kept; None for one of another kind or with members of unusual size."""
    # No symmetric keys, because each reader of this list could sign with them.
    if (
        not isinstance(key, dict)
        or key.get("kty") not in ("RSA", "EC", "OKP")
        or key.get("use", "sig") != "sig"
    ):
        return None
    operations = key.get("key_ops", ["verify"])
    if not isinstance(operations, list) or "verify" not in operations:
        return None
    found = {name: key[name] for name in MEMBERS if name in key}
    for name, value in found.items():
        limit = MAX_MODULUS_LENGTH if name == "n" else MAX_MEMBER_LENGTH
        if not isinstance(value, str) or len(value) > limit:
            return None
    return found
