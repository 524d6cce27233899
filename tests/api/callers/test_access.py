"""The authorization matrix: every route of the application × every kind of caller.

The routes and their declarations come from the application. The expected rights are written here from the
specification, so a wrong entry in the table of rights fails.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import httpx
import pytest
from fastapi import APIRouter, FastAPI
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute, iter_route_contexts

from api.app import create_app
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
from api.control.accounts import root_logins
from api.control.accounts.sessions import begin_session
from api.control.accounts.tokens import create_token, revoke_token
from api.control.issued_tokens import key_hash
from api.control.models import Member, RootLogin, SignInSession
from api.control.permissions import Permission
from api.control.principals import OPERATOR
from api.control.scim.scim_tokens import create_scim_token
from api.control.store import ControlStore
from api.control.telemetry.ingest_tokens import create_ingest_token
from api.http.route_index import RouteIndex
from api.settings import ApiSettings
from tests.api.conftest import client_for
from tests.api.empty_organization import address, data_dir, store
from tests.api.people import join, make_account, principal, sign_in
from tests.api.published_facts import ORGANIZATION
from tests.api.roots import administrator_key, root_principal, sign_in_root
from tests.suite.tiers import IS_WHOLE

__all__ = ["address", "data_dir", "store"]

OWNER, ADMIN, MEMBER, VIEWER, LEAD = "owner", "admin", "member", "viewer", "team_lead"
ROLES = (OWNER, ADMIN, MEMBER, VIEWER, LEAD)
ALL, NOT_LEADS, MANAGERS = set(ROLES), {OWNER, ADMIN, MEMBER, VIEWER}, {OWNER, ADMIN}
MAY = {
    Permission.SEE_ORGANIZATION: ALL,
    Permission.READ_FIGURES: ALL,
    Permission.READ_OWN_FIGURES: ALL,
    Permission.MANAGE_OWN_CORRECTIONS: ALL,
    Permission.MANAGE_OWN_MEMBERSHIP: ALL,
    Permission.READ_CORRECTIONS: MANAGERS,
    Permission.MANAGE_CORRECTIONS: MANAGERS,
    Permission.READ_SETTINGS: NOT_LEADS,
    Permission.READ_CONNECTIONS: NOT_LEADS,
    Permission.READ_REPOSITORY_SETTINGS: NOT_LEADS,
    Permission.READ_SOURCE_HEALTH: ALL,
    Permission.MANAGE_CONNECTIONS: MANAGERS,
    Permission.READ_IDENTITY_PROVIDERS: MANAGERS,
    Permission.MANAGE_IDENTITY_PROVIDERS: MANAGERS,
    Permission.READ_MEMBERS: NOT_LEADS,
    Permission.READ_INVITATIONS: MANAGERS,
    Permission.MANAGE_MEMBERS: MANAGERS,
    Permission.MANAGE_ORGANIZATION: MANAGERS,
    Permission.MANAGE_REPOSITORIES: MANAGERS,
    Permission.MANAGE_COMMITS: MANAGERS,
    Permission.READ_EXCLUSIONS: MANAGERS,
    Permission.MANAGE_TEAMS: MANAGERS,
    Permission.MANAGE_CHECKS: ALL - {"viewer"},
    Permission.MANAGE_CHECK_SETTINGS: MANAGERS,
    Permission.READ_IDENTITIES: MANAGERS,
    Permission.MANAGE_IDENTITIES: MANAGERS,
    Permission.READ_OWN_TOKENS: ALL,
    Permission.MANAGE_OWN_TOKENS: ALL,
    Permission.ADMINISTER_TOKENS: MANAGERS,
    Permission.READ_INGEST_TOKENS: MANAGERS,
    Permission.MANAGE_INGEST_TOKENS: MANAGERS,
    Permission.READ_SCIM_TOKENS: MANAGERS,
    Permission.MANAGE_SCIM_TOKENS: MANAGERS,
    Permission.READ_AI_USAGE_SETTINGS: MANAGERS,
    Permission.MANAGE_AI_USAGE: MANAGERS,
    Permission.READ_PLAN: NOT_LEADS,
    Permission.MANAGE_PLAN: set(),
    Permission.MANAGE_UPGRADE: {OWNER},
    Permission.READ_BILLABLE: MANAGERS,
    Permission.READ_CAPEX_CONTROLS: NOT_LEADS,
    Permission.MANAGE_CAPEX: MANAGERS,
    Permission.READ_BENCHMARKS: ALL,
    Permission.READ_SUMMARIES: ALL,
    Permission.MANAGE_OWN_SUBSCRIPTIONS: ALL,
    Permission.MANAGE_SUMMARIES: NOT_LEADS - {VIEWER},
    Permission.MANAGE_BENCHMARKS: MANAGERS,
    Permission.READ_OPERATIONS: NOT_LEADS,
    Permission.READ_AUDIT_LOG: MANAGERS,
}
PLATFORM = {
    Permission.SEE_ORGANIZATION,
    Permission.READ_MEMBERS,
    Permission.READ_INVITATIONS,
    Permission.MANAGE_MEMBERS,
    Permission.READ_PLAN,
    Permission.MANAGE_PLAN,
    Permission.READ_BILLABLE,
}
# Parts of the framework that have no handler of ours, and what is behind them is public.
FRAMEWORK = {"/openapi.json"}
# A request that a caller with the right may send without any effect.
READING = {"GET", "HEAD"}


def declarations(dependant: Dependant) -> list[Declaration]:
    call: object = dependant.call
    found = [call] if isinstance(call, Declaration) else []
    return found + [inner for child in dependant.dependencies for inner in declarations(child)]


@dataclass(frozen=True)
class Tried:
    method: str
    path: str
    declared: Declaration | None

    def __str__(self) -> str:
        return f"{self.method} {self.path}"


def routes_of(app: FastAPI) -> list[Tried]:
    """Every method of every route with its declaration; None when it does not have exactly one."""
    tried = []
    # The index passes each request on to one of the others.
    routes = [route for route in app.routes if not isinstance(route, RouteIndex)]
    for route in iter_route_contexts(routes):
        path = str(route.path)
        if isinstance(route.original_route, APIRoute):
            # A declaration may depend on others; the outermost is the route's own.
            found = {id(one): one for one in declarations(route.dependant)}
            [declared] = found.values() if len(found) == 1 else [None]
            tried += [Tried(method, path, declared) for method in sorted(route.methods or ())]
        elif path not in FRAMEWORK:
            tried.append(Tried("GET", path, None))
    return tried


APP = create_app(ApiSettings())
ROUTES = routes_of(APP)
PROTECTED = [tried for tried in ROUTES if not isinstance(tried.declared, Public)]


@pytest.fixture(scope="module", autouse=True)
def _key() -> Iterator[None]:
    with administrator_key():
        yield


@pytest.fixture(scope="module")
def callers(store: ControlStore) -> dict[str, str]:
    """A credential of every kind of caller."""
    other = store.ensure_organization("Their own", slug="their-own")
    accounts = {role: join(store, ORGANIZATION, role) for role in ROLES}
    made = {role: sign_in(store, account) for role, account in accounts.items()}
    made["administrator"] = sign_in(store, make_account(store, administrator=True))
    made["stranger"] = sign_in(store, join(store, other.id, OWNER))
    # Sessions that a provider of an organization began: of the one in the path, and of another one.
    for name, role, organization in (
        ("provider's session of admin", ADMIN, ORGANIZATION),
        ("provider's session elsewhere", OWNER, other.id),
    ):
        made[name] = begin_session(
            store, accounts[role], "a test", signed_in_by="p", only_organization_id=organization
        ).token
    made["nobody's"] = sign_in(store, make_account(store))
    made["foreign key"] = create_token(store, other.id, "theirs", scope="write").key
    for role in ROLES:
        for scope in ("read", "write"):
            made[f"{scope} key of {role}"] = create_token(
                store, ORGANIZATION, f"{scope} {role}", scope=scope, actor=principal(store, accounts[role])
            ).key
    made["operator's key"] = create_token(store, ORGANIZATION, "operator", scope="write").key
    revoked = create_token(store, ORGANIZATION, "revoked", scope="write")
    revoke_token(store, ORGANIZATION, revoked.token.id)
    made["revoked key"] = revoked.key
    left = join(store, ORGANIZATION, ADMIN)
    made["key of one who left"] = create_token(
        store, ORGANIZATION, "left", scope="write", actor=principal(store, left)
    ).key
    # Without the revocation that comes with a removal.
    with store.session() as session:
        session.delete(session.get_one(Member, (ORGANIZATION, left)))
    made["expired key"] = create_token(
        store,
        ORGANIZATION,
        "expired",
        scope="write",
        expires_at=datetime.now(UTC) + timedelta(milliseconds=1),
    ).key
    made["expired session"] = sign_in(store, accounts[OWNER])
    with store.session() as session:
        row = session.query(SignInSession).filter_by(token_hash=key_hash(made["expired session"])).one()
        row.expires_at = datetime.now(UTC) - timedelta(seconds=1)
    made["ingest token"] = create_ingest_token(store, ORGANIZATION, "laptops").key
    made["SCIM token"] = create_scim_token(store, ORGANIZATION, "directory").key
    made["malformed"] = "Bearer"
    made["root"] = sign_in_root(store)
    made["root in the organization"] = sign_in_root(store, ORGANIZATION)
    made["root in another"] = sign_in_root(store, other.id)
    made["ended root"] = sign_in_root(store, ORGANIZATION)
    ended = root_principal(store, made["ended root"]).root
    assert ended is not None
    root_logins.leave(store, ended.login_id, OPERATOR, ends=True)
    made["expired root"] = sign_in_root(store, ORGANIZATION)
    with store.session() as session:
        login = session.query(RootLogin).filter_by(token_hash=key_hash(made["expired root"])).one()
        login.expires_at = datetime.now(UTC) - timedelta(seconds=1)
    return made


INVALID = {
    "",
    "malformed",
    "ended root",
    "expired root",
    "revoked key",
    "expired key",
    "expired session",
    "key of one who left",
}
# Declarations that take one kind of credential, and a part of the names of its callers.
ONE_KIND: dict[type[Declaration], str] = {
    Sends: "ingest token",
    Provisions: "SCIM token",
    Assists: "key",
}
FOREIGN = {"stranger", "nobody's", "foreign key", "provider's session elsewhere"}


def expected(declared: Declaration, caller: str) -> int:
    """401, 403 or 404 for a refused caller; 200 for an authorized one, also when the request fails later."""
    if caller in INVALID:
        return 401
    taken = next((kind for one, kind in ONE_KIND.items() if isinstance(declared, one)), None)
    if taken is not None or caller in {"ingest token", "SCIM token"}:
        return 200 if taken is not None and taken in caller else 401
    is_key, is_root = "key" in caller, caller.startswith("root")
    if isinstance(declared, Known):
        return 200
    if isinstance(declared, SignedIn):
        is_restricted = caller.startswith("provider's") and not declared.of_organization
        return 403 if is_key or is_root or is_restricted else 200
    if isinstance(declared, InSession):
        return 403 if is_key else 200
    assert isinstance(declared, Requires)
    if caller in FOREIGN:
        return 404
    if is_root and declared.in_person:
        return 403
    if caller in ("administrator", "root", "root in another"):
        return 200 if declared.permission in PLATFORM else 403
    if caller == "root in the organization":
        return 200 if OWNER in MAY[declared.permission] or declared.permission in PLATFORM else 403
    role = OWNER if caller == "operator's key" else caller.rpartition(" ")[2]
    if is_key and declared.in_person:
        return 403
    if caller.startswith("read key") and declared.permission.name.startswith("MANAGE"):
        return 403
    return 200 if role in MAY[declared.permission] else 403


def send(client: httpx.Client, tried: Tried, credential: str, organization: str = "acme") -> httpx.Response:
    # An unknown item below the organization: who is let in changes nothing.
    path = re.sub(r"\{[^}]+\}", "nothing", tried.path.replace("{organization}", organization))
    headers = {"Authorization": f"Bearer {credential}"} if credential else {}
    # A parameter that no route takes: answered after the caller is known, and before anything is done.
    return client.request(
        tried.method,
        path,
        params={"unknownParameter": "x"},
        headers=headers,
        json=None if tried.method in READING else {},
    )


def tried_by(tried: Tried, callers: dict[str, str]) -> dict[str, str]:
    """The callers of a route. Of those with an invalid credential and of the keys of roles `make test` tries a third,
    other ones from route to route: each role has a session too.
    """
    place = PROTECTED.index(tried)
    alike = [name for name in callers if name in INVALID or " key of " in name]
    left_out = {name for number, name in enumerate(alike) if not IS_WHOLE and (number + place) % 3}
    return {name: credential for name, credential in callers.items() if name not in left_out}


@pytest.mark.parametrize("tried", ROUTES, ids=str)
def test_every_route_declares_exactly_one_permission(tried: Tried) -> None:
    assert tried.declared is not None, f"{tried} lets anybody in: declare one of api/callers/access.py"


@pytest.mark.parametrize("tried", ROUTES, ids=str)
def test_paths_without_a_credential_are_outside_of_the_api(tried: Tried) -> None:
    if isinstance(tried.declared, Public):
        # /api/v1 itself names public addresses alone.
        assert not tried.path.startswith("/api/v1/")
    else:
        assert tried.path.startswith("/api/v1/") or isinstance(
            tried.declared, SignedIn | InSession | Sends | Provisions | Assists
        )


@pytest.mark.parametrize("tried", PROTECTED, ids=str)
def test_a_route_that_changes_something_needs_a_permission_to_change(tried: Tried) -> None:
    if isinstance(tried.declared, Requires):
        assert tried.declared.permission.writes == (tried.method not in READING)


@pytest.mark.parametrize("tried", PROTECTED, ids=str)
def test_each_caller_is_let_in_or_refused_as_specified(
    address: str, callers: dict[str, str], tried: Tried
) -> None:
    assert tried.declared is not None
    with client_for(address) as client:
        for caller, credential in tried_by(tried, {"": "", **callers}).items():
            answer = send(client, tried, credential)
            code = expected(tried.declared, caller)
            if code == 200:
                assert answer.status_code == 400, (caller, answer.text)
                assert "unknownParameter" in answer.text, (caller, answer.text)
                continue
            assert answer.status_code == code, (caller, answer.text)
            if isinstance(tried.declared, Provisions):
                assert answer.json()["status"] == str(code)
                continue
            assert answer.json()["code"] == {401: 16, 403: 7, 404: 5}[code]
            if code == 404:
                missing = send(client, tried, credential, "nowhere")
                assert answer.text.replace("acme", "nowhere") == missing.text
            if code == 403:
                assert re.search(r"you may not .*: |key has the scope READ|sign in", answer.json()["message"])
            assert "unknownParameter" not in answer.text


@pytest.mark.parametrize("permission", Permission)
def test_every_permission_is_in_the_matrix(permission: Permission) -> None:
    assert permission in MAY


def test_a_route_without_a_declaration_is_found() -> None:
    app = FastAPI(openapi_url=None)
    router = APIRouter()

    @router.get("/forgotten")
    async def forgotten() -> None: ...

    app.include_router(router, prefix="/api/v1")
    assert [tried.declared for tried in routes_of(app) if "forgotten" in tried.path] == [None]
