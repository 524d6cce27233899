"""Logins, versions and refusals of Azure DevOps Services and Server, which its Git host and its tracker share.

Read in Microsoft's reference: an invalid token is answered with a page to sign in (203, 302), not with 401; the limit
has the code TF400733; a server supports the versions of its release and older ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import quote, urlsplit

from ingest.connections.git_hosts.records import ActorKind
from ingest.connections.model import Checked, Connection, other_system
from ingest.connections.values import text
from ingest.errors import ProviderRefused, Refusal
from ingest.http.client import Answer, Client, Login, RateLimits
from ingest.http.pages import HeaderToken, Page, Query, Style, pages
from ingest.json_paths import at

VERSIONS = ("7.1", "7.1-preview", "7.0", "6.0", "6.0-preview")
"""Services and Server 2025, Server 2022, Server 2020. Parts of the interface stay previews of a version for long."""
CONTINUED = HeaderToken(("value",), "x-ms-continuationtoken", "continuationToken")
NOBODY = "aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa"
"""The id of a caller without a login."""
SIGN_IN = frozenset({203, 302})


def _is_limited(answer: Answer) -> bool:
    return answer.status >= 400 and "TF400733" in str(at(answer.body, ("message",)))


RATE_LIMITS = RateLimits("x-ratelimit-remaining", "x-ratelimit-reset", refuses=_is_limited)


def api_address(connection: Connection) -> str:
    """The address of the organization, also if the user gave that of a project; servers keep their whole path."""
    parts = urlsplit(connection.address)
    segments = [part for part in parts.path.split("/") if part]
    if parts.hostname == "dev.azure.com":
        segments = segments[:1]
    elif (parts.hostname or "").endswith(".visualstudio.com"):
        segments = []
    return "/".join([f"{parts.scheme}://{parts.netloc}", *segments])


def login(connection: Connection) -> Login:
    """The login with a personal access token, or with a token of Microsoft Entra, which is a JSON Web Token."""
    secret, address = connection.secret, api_address(connection)
    if secret.count(".") == 2 and secret.startswith("eyJ"):
        return Login.bearer(address, secret)
    return Login.basic(address, connection.user, secret)


def git_login(connection: Connection) -> str:
    """The same for Git. A personal access token goes with any user."""
    secret = connection.secret
    if secret.count(".") == 2 and secret.startswith("eyJ"):
        return f"Bearer {secret}"
    return f"{connection.user or 'token'}:{secret}"


def organization(connection: Connection) -> str:
    """The name of the organization or collection."""
    parts = urlsplit(api_address(connection))
    return parts.path.strip("/") or (parts.hostname or "").partition(".")[0]


def project_path(project: str) -> str:
    """The part of an address for a project, which names may have blanks in."""
    return quote(project, safe="")


def check_login(client: Client, connection: Connection, scope: str) -> Checked:
    """Try the token. Raises ProviderRefused with a sentence for the user, RateLimited, Transient."""
    if api_address(connection) == "https://dev.azure.com":
        raise ProviderRefused(
            Refusal.BAD_ADDRESS,
            "The address names no organization: write https://dev.azure.com/ORGANIZATION.",
        )
    try:
        body = client.get("_apis/connectionData", {"api-version": "6.0-preview"}).body
    except ProviderRefused as error:
        raise explained(error, connection, scope) from error
    user = at(body, ("authenticatedUser",))
    if at(user, ("id",)) is None:
        raise other_system("Azure DevOps", connection.address)
    if at(user, ("id",)) == NOBODY:
        raise _refused(Refusal.UNAUTHORIZED, connection, scope)
    account = text(at(user, ("properties", "Account", "$value"))) or text(at(user, ("providerDisplayName",)))
    return Checked(account or text(at(user, ("customDisplayName",))) or "")


def _refused(
    refusal: Refusal, connection: Connection, scope: str, status: int | None = None
) -> ProviderRefused:
    name = organization(connection)[:80]
    messages = {
        Refusal.UNAUTHORIZED: "Azure DevOps answers with a page to sign in: the personal access token is wrong or"
        " expired. Create a new one and replace it.",
        Refusal.MISSING_SCOPE: f"Azure DevOps refuses the token for {name}: it needs the scope {scope}, and must be"
        " made for this organization or for all.",
        Refusal.NOT_FOUND: f"Azure DevOps has no organization or collection {name!r}: write"
        " https://dev.azure.com/ORGANIZATION, or https://SERVER/COLLECTION.",
        Refusal.FORBIDDEN: "Azure DevOps forbids the access: a policy of conditional access or the permissions of the"
        " account stand against it. Ask an administrator of the organization.",
    }
    return ProviderRefused(refusal, messages[refusal], status)


def explained(error: ProviderRefused, connection: Connection, scope: str) -> ProviderRefused:
    """The refusal with a sentence that says what to change."""
    if signed_in(error) is not error:
        return _refused(Refusal.UNAUTHORIZED, connection, scope, error.status)
    refusal = {401: Refusal.MISSING_SCOPE, 403: Refusal.FORBIDDEN, 404: Refusal.NOT_FOUND}.get(
        error.status or 0
    )
    return error if refusal is None else _refused(refusal, connection, scope, error.status)


def signed_in(error: ProviderRefused) -> ProviderRefused:
    """The refusal of a later request: a page to sign in, here or at another host, means that the token ended."""
    if error.status not in SIGN_IN and error.refusal is not Refusal.BAD_ADDRESS:
        return error
    return ProviderRefused(
        Refusal.UNAUTHORIZED,
        "Azure DevOps answers with a page to sign in: the token is wrong or expired. Create a new one and replace it.",
        error.status,
    )


def supported_version(client: Client, address: str, params: dict[str, Any]) -> str:
    """The newest version that a server supports, tried with a request that the caller needs anyway."""
    refusal: ProviderRefused | None = None
    for version in VERSIONS:
        try:
            client.get(address, {**params, "api-version": version})
        except ProviderRefused as error:
            if error.refusal is not Refusal.INVALID:
                raise signed_in(error) from error
            refusal = error
        else:
            return version
    raise refusal or AssertionError("no version")


def read_pages(
    client: Client, first: Query, style: Style = CONTINUED, cursor: str | None = None
) -> Iterator[Page]:
    """Pages as `ingest.http.pages`. Raises ProviderRefused for a page to sign in."""
    try:
        yield from pages(client, first, style, cursor)
    except ProviderRefused as error:
        raise signed_in(error) from error


def identity(user: Any) -> str | None:
    """The login of an identity: an email address or account name where it has one."""
    return text(at(user, ("uniqueName",))) or text(at(user, ("id",)))


def identity_kind(user: Any) -> ActorKind:
    """Groups and service accounts are bots: nobody sits there."""
    descriptor = text(at(user, ("descriptor",))) or ""
    name = text(at(user, ("uniqueName",))) or ""
    if at(user, ("isContainer",)) is True or descriptor.startswith(("svc.", "s2s.", "aadsp.")):
        return "bot"
    if name.lower().startswith(("build\\", "vstfs:///", "agentpool\\")):
        return "bot"
    return "person" if name else "unknown"
