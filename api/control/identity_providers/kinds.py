"""The kinds of identity providers, and the form of their issuers, client secrets and domains.

Keep out: the protocol of a kind, and which of its addresses count as verified (api/identity_providers).
"""

import re
from enum import StrEnum
from urllib.parse import urlsplit

from api.control.errors import InvalidSetting

MAX_ISSUER_LENGTH = 512
MAX_SECRET_LENGTH = 2048


class ProviderKind(StrEnum):
    """The kind of an identity provider, as over HTTP."""

    MICROSOFT = "MICROSOFT"
    GOOGLE = "GOOGLE"
    GITLAB = "GITLAB"
    GITHUB = "GITHUB"
    OPENID_CONNECT = "OPENID_CONNECT"


TITLES = {
    ProviderKind.MICROSOFT: "Microsoft",
    ProviderKind.GOOGLE: "Google",
    ProviderKind.GITLAB: "GitLab",
    ProviderKind.GITHUB: "GitHub",
    ProviderKind.OPENID_CONNECT: "Single sign-on",
}
# Where everybody has the same one. An issuer of OpenID Connect has no default; Microsoft's is that of any tenant.
DEFAULT_ISSUERS = {
    ProviderKind.MICROSOFT: "https://login.microsoftonline.com/organizations/v2.0",
    ProviderKind.GOOGLE: "https://accounts.google.com",
    ProviderKind.GITLAB: "https://gitlab.com",
    ProviderKind.GITHUB: "https://github.com",
}
_HOST = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?(?::\d{1,5})?")
_DOMAIN = re.compile(r"(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?")


def checked_issuer(kind: ProviderKind, issuer: str | None) -> str:
    """The issuer of a provider; None or empty: the one of its kind. Raises InvalidSetting.

    It is compared by its characters, so a slash at its end stays (OpenID Connect Discovery 1.0, section 4.3).
    """
    text = (issuer or "").strip() or DEFAULT_ISSUERS.get(kind, "")
    if not text:
        raise InvalidSetting("issuer", f"{TITLES[kind]} needs the issuer, such as https://login.example.org")
    if kind is ProviderKind.GOOGLE and text != DEFAULT_ISSUERS[kind]:
        raise InvalidSetting("issuer", f"Google's is {DEFAULT_ISSUERS[kind]}; use OPENID_CONNECT for another")
    if len(text) > MAX_ISSUER_LENGTH or not text.isascii() or not text.isprintable() or " " in text:
        raise InvalidSetting("issuer", f"use at most {MAX_ISSUER_LENGTH} visible ASCII characters")
    try:
        parts = urlsplit(text)
    except ValueError:
        parts = urlsplit("")
    if parts.scheme != "https" or not _HOST.fullmatch(parts.netloc):
        raise InvalidSetting("issuer", "write https://host, without a user and with at most a path")
    if parts.query or parts.fragment or "?" in text or "#" in text:
        raise InvalidSetting("issuer", "remove everything from ? or # on")
    return text.rstrip("/") if kind is ProviderKind.GITHUB else text


def checked_secret(secret: str) -> str:
    """A client secret without surrounding white space. Raises InvalidSetting, never with the secret in its message."""
    secret = secret.strip()
    if not 1 <= len(secret) <= MAX_SECRET_LENGTH:
        raise InvalidSetting("clientSecret", f"use 1 to {MAX_SECRET_LENGTH} characters")
    if not secret.isascii() or not secret.isprintable():
        raise InvalidSetting("clientSecret", "use only visible ASCII characters; copy the secret again")
    return secret


def checked_domains(domains: list[str], field: str) -> list[str]:
    """Domains of addresses in lower case, each once. Raises InvalidSetting."""
    found = list(dict.fromkeys(domain.strip().lower().removeprefix("@") for domain in domains))
    for domain in found:
        if len(domain) > 253 or not _DOMAIN.fullmatch(domain):
            raise InvalidSetting(field, "write domains such as example.org")
    return found
