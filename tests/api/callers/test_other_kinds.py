"""A credential works on the paths of its own kind alone: every route of the application × every kind of credential.

The routes come from the application and the kinds of credentials from the authenticator, so a new one without an entry
in the tables here fails.
"""

import base64
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy import select

from api.callers.access import (
    Assists,
    Declaration,
    InSession,
    Known,
    Provisions,
    Public,
    Requires,
    Sends,
    SignedIn,
)
from api.control.accounts.tokens import create_token, signing_key
from api.control.models import Base
from api.control.scim.scim_tokens import create_scim_token
from api.control.store import ControlStore
from api.control.telemetry.ingest_tokens import create_ingest_token
from api.http import credentials
from api.web.sessions.cookies import NAME
from tests.api.callers.test_access import ROUTES, Tried
from tests.api.conftest import client_for, serving
from tests.api.empty_organization import data_dir, store
from tests.api.operator.signing import root_credential
from tests.api.people import join, sign_in
from tests.api.published_facts import ORGANIZATION
from tests.api.roots import administrator_key, sign_in_root

__all__ = ["data_dir", "store"]

SESSION, KEY, ROOT, INGEST, SCIM, LOGIN = (
    "session",
    "API key",
    "root",
    "ingest token",
    "SCIM token",
    "root login",
)
MADE: dict[str, Callable[[ControlStore], str]] = {
    SESSION: lambda store: sign_in(store, join(store, ORGANIZATION, "owner")),
    KEY: lambda store: create_token(store, ORGANIZATION, "ci", scope="write").key,
    ROOT: lambda store: sign_in_root(store, ORGANIZATION),
    INGEST: lambda store: create_ingest_token(store, ORGANIZATION, "laptops").key,
    SCIM: lambda store: create_scim_token(store, ORGANIZATION, "Entra ID").key,
    # What `eas root-login` prints: a form takes it, no header.
    LOGIN: lambda store: root_credential(store.now()),
}
"""One credential of every kind, each with all rights that its kind can have."""


@dataclass(frozen=True)
class Surface:
    """Routes that take the same kinds. `known` lists kinds that are recognized and still refused (403)."""

    begins: str
    declared: type[Declaration]
    takes: frozenset[str]
    known: frozenset[str] = frozenset()
    in_person: bool = False


CALLERS = frozenset({SESSION, KEY, ROOT})
SURFACES = (
    Surface("/api/v1/organizations/", Requires, CALLERS),
    Surface("/api/v1/organizations/", Requires, frozenset({SESSION}), frozenset({KEY, ROOT}), in_person=True),
    Surface("/api/v1/", Known, CALLERS),
    Surface("/api/v1/organizations", SignedIn, frozenset({SESSION}), frozenset({KEY, ROOT})),
    Surface("/auth/", SignedIn, frozenset({SESSION}), frozenset({KEY, ROOT})),
    Surface("/auth/", InSession, frozenset({SESSION, ROOT}), frozenset({KEY})),
    Surface("/mcp", Assists, frozenset({KEY})),
    Surface("/otlp/v1/", Sends, frozenset({INGEST})),
    Surface("/scim/v2", Provisions, frozenset({SCIM})),
)
# Without a credential: documentation, probes, the pages and forms of signing in, and the payment system's events, which
# are signed.
PUBLIC = {
    *("GET /", "GET /api/v1", "GET /healthz", "GET /readyz", "POST /billing/events", "POST /impersonate"),
    *("GET /docs", "GET /docs/start.js", "GET /docs/swagger-ui-bundle.js", "GET /docs/swagger-ui.css"),
    *("GET /auth/signIn", "POST /auth/signIn", "GET /auth/signUp", "POST /auth/signUp"),
    *("POST /auth/startSignIn", "GET /auth/start/{provider}", "GET /auth/callback/{provider}"),
    *("POST /auth/completeSignIn", "GET /auth/options", "POST /auth/checkPassword"),
    *("GET /auth/requestPasswordReset", "POST /auth/requestPasswordReset"),
    *("GET /auth/resetPassword", "POST /auth/resetPassword"),
    *("GET /auth/verifyEmail", "POST /auth/verifyEmail"),
    *("GET /auth/invitation", "POST /auth/lookUpInvitation"),
    *("GET /auth/unsubscribe", "POST /auth/unsubscribe"),
    *("GET /assets/{name}", "GET /signIn", "POST /signIn", "POST /signOut"),
    *("GET /local", "POST /local", "GET /signedIn", "POST /signIn/provider"),
    *("GET /signUp", "POST /signUp", "GET /requestPasswordReset", "POST /requestPasswordReset"),
    *("GET /resetPassword", "POST /resetPassword", "GET /verifyEmail", "POST /verifyEmail"),
    *("GET /invitation", "POST /invitation", "GET /welcome", "POST /welcome", "GET /root", "POST /root"),
}
# Pages: they take a session in the cookie of the browser, and nothing in a header.
PAGES = (
    {
        f"GET /organizations/{{organization}}/{path}"
        for path in (
            "overview",
            "developers",
            "repositories",
            "commits",
            "repositories/{repository}",
            "files/{path:path}",
        )
    }
    | {
        f"{method} /organizations/{{organization}}/{path}"
        for method in ("GET", "POST")
        for path in (
            *("connections", "connections/{connection}", "manage", "manage/{repository}"),
            *("general", "members", "tokens", "calendar", "privacy", "plan"),
            *("capex", "reports", "commits/{commit}", "benchmarks"),
            *("checks", "checkKinds", "teams", "teams/{team}", "me", "developers/{developer}"),
        )
    }
    | {f"GET /organizations/{{organization}}/{path}" for path in ("audit", "ai", "sandbox")}
    | {
        f"GET /organizations/{{organization}}/{path}"
        for path in (
            *("files/{path:path}", "reports/{summary}", "reports/{summary}/{kind}"),
            *("pullRequests", "pullRequests/{pull_request}", "objectives", "objectives/{objective}"),
        )
    }
)
PROTECTED = [tried for tried in ROUTES if not isinstance(tried.declared, Public)]
# A prober with the session of a platform administrator or of root sees details of the deployment.
TELLS_ROOT = "GET /readyz"


@pytest.fixture(scope="module", autouse=True)
def _key() -> Iterator[None]:
    with administrator_key():
        yield


@pytest.fixture(scope="module")
def client(store: ControlStore, data_dir: Path) -> Iterator[httpx.Client]:
    with serving(data_dir) as address, client_for(address) as client:
        yield client


@pytest.fixture(scope="module")
def held(store: ControlStore) -> dict[str, str]:
    """A credential of every kind."""
    return {kind: make(store) for kind, make in MADE.items()}


def surface_of(tried: Tried) -> list[Surface]:
    in_person = isinstance(tried.declared, Requires) and tried.declared.in_person
    return [
        one
        for one in SURFACES
        if tried.path.startswith(one.begins)
        and type(tried.declared) is one.declared
        and one.in_person is in_person
    ]


def contents(store: ControlStore) -> list[tuple[str, Any]]:
    """The whole control database, apart from the times of last uses and the allowances for tries."""
    with store.engine.connect() as connection:
        return [
            (table.name, tuple(row))
            for table in Base.metadata.sorted_tables
            if table.name != "throttles"
            for row in connection.execute(
                select(*(column for column in table.c if column.name != "last_used_at"))
            )
        ]


def send(client: httpx.Client, tried: Tried, headers: dict[str, str], **more: Any) -> httpx.Response:
    path = re.sub(r"\{[^}]+\}", "nothing", tried.path.replace("{organization}", "acme"))
    body: dict[str, Any] | None = None if tried.method in {"GET", "HEAD"} else {}
    return client.request(tried.method, path, headers=headers, json=body, **more)


def told(answer: httpx.Response) -> str:
    """What an answer says, apart from the reference of a failed sign-in, which is another one each time."""
    return re.sub(r"[Rr]eference:? (<code>)?[0-9A-Za-z-]+", "reference", answer.text)


def bearer(credential: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {credential}"}


def assert_refused_as_unknown(answer: httpx.Response) -> None:
    assert answer.status_code == 401, answer.text
    # No metadata of OAuth: a client that follows it would end nowhere.
    assert re.fullmatch(r'Bearer realm="[a-z]+"', answer.headers["www-authenticate"])
    assert answer.headers["cache-control"] == "no-store"


def test_every_kind_of_credential_that_the_service_knows_is_tried(held: dict[str, str]) -> None:
    assert held.keys() == MADE.keys()
    begun = {prefix for prefix in credentials.KINDS for one in held.values() if one.startswith(prefix)}
    assert begun == credentials.KINDS.keys()
    assert len(held) == len(begun) + 1


def test_every_public_route_is_listed() -> None:
    assert {str(tried) for tried in ROUTES if isinstance(tried.declared, Public)} == PUBLIC | PAGES


@pytest.mark.parametrize("tried", PROTECTED, ids=str)
def test_a_route_takes_the_kinds_of_its_surface_and_refuses_the_others_without_a_change(
    client: httpx.Client, store: ControlStore, held: dict[str, str], tried: Tried
) -> None:
    [surface] = surface_of(tried)
    before = contents(store)
    for kind, credential in held.items():
        if kind in surface.takes:
            continue
        answer = send(client, tried, bearer(credential))
        if kind in surface.known:
            assert answer.status_code == 403, (kind, answer.text)
        else:
            assert_refused_as_unknown(answer)
        said = answer.json()
        assert said.keys() <= {"code", "message", "details", "schemas", "status", "detail"}, said
        assert credential not in answer.text
    assert_refused_as_unknown(send(client, tried, {}))
    assert contents(store) == before
    for kind in surface.takes:
        # A parameter that nobody takes, so that nothing is done either. test_access.py has the rights of roles.
        answer = send(client, tried, bearer(held[kind]), params={"unknownParameter": "x"})
        assert answer.status_code != 401, (kind, answer.text)


@pytest.mark.parametrize("kind", MADE)
@pytest.mark.parametrize(
    "tried", {surface: tried for tried in PROTECTED for surface in surface_of(tried)}.values(), ids=str
)
def test_no_credential_counts_outside_of_the_bearer_header(
    client: httpx.Client, held: dict[str, str], tried: Tried, kind: str
) -> None:
    credential = held[kind]
    basic = base64.b64encode(f"{kind}:{credential}".encode()).decode()
    for headers, more in (
        ({"Authorization": f"Basic {basic}"}, {}),
        ({"Authorization": credential}, {}),
        ({"X-Api-Key": credential}, {}),
        ({"Cookie": f"session={credential}; token={credential}; {NAME}={credential}"}, {}),
        ({}, {"params": {"access_token": credential}}),
    ):
        answer = send(client, tried, headers, **more)
        assert_refused_as_unknown(answer)
        assert credential not in answer.text


@pytest.mark.parametrize("tried", [one for one in ROUTES if isinstance(one.declared, Public)], ids=str)
def test_a_public_route_tells_the_holder_of_a_credential_no_more(
    client: httpx.Client, store: ControlStore, held: dict[str, str], tried: Tried
) -> None:
    alone = send(client, tried, {})
    before = contents(store)
    for kind, credential in held.items():
        if str(tried) == TELLS_ROOT and kind == ROOT:
            continue
        answer = send(client, tried, bearer(credential))
        assert (answer.status_code, told(answer)) == (alone.status_code, told(alone)), kind
    assert contents(store) == before


@pytest.mark.parametrize("tried", [one for one in ROUTES if str(one) in PAGES], ids=str)
def test_a_page_takes_a_session_or_a_root_login_in_its_cookie_and_leads_everybody_else_to_the_form(
    client: httpx.Client, store: ControlStore, held: dict[str, str], tried: Tried
) -> None:
    # The first form makes the key of all forms, and the first list of invitations that of their links.
    client.get("/signIn")
    signing_key(store, "invitations")
    before = contents(store)
    for kind, credential in held.items():
        answer = send(client, tried, {"Cookie": f"{NAME}={credential}"})
        assert (answer.status_code == 303) == (kind not in (SESSION, ROOT)), kind
        assert credential not in answer.text
        if kind not in (SESSION, ROOT):
            assert answer.headers["location"].startswith("/signIn?")
    assert contents(store) == before


@pytest.mark.parametrize("kind", sorted(MADE.keys() - {LOGIN}))
def test_the_form_of_root_takes_no_credential_of_another_kind(
    client: httpx.Client, store: ControlStore, held: dict[str, str], kind: str
) -> None:
    before = contents(store)
    answer = client.post("/impersonate", data={"credential": held[kind]})
    assert answer.status_code in {400, 401}, answer.text
    assert "root_" not in answer.text
    assert held[kind] not in answer.text
    assert contents(store) == before
