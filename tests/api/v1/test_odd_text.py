"""Text that a database cannot store is refused as malformed."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from api.control.store import open_store
from tests.api.conftest import client_for, serving
from tests.api.people import join, sign_in

pytestmark = pytest.mark.both_databases

ACME = "/api/v1/organizations/acme"
BODIES = [
    (
        "POST",
        "/auth/signUp",
        {"email": "ada@example.org", "password": "Correct-horse 9 staple", "name": "{}"},
    ),
    ("POST", "/auth/signIn", {"email": "{}", "password": "x"}),
    ("POST", "/auth/signIn", {"email": "ada@example.org", "password": "{}"}),
    ("POST", "/auth/signIn", {"email": "ada@example.org", "password": "x", "device": "{}"}),
    ("POST", "/auth/checkPassword", {"password": "{}"}),
    ("POST", "/auth/resetPassword", {"token": "{}", "password": "{}"}),
    ("POST", "/auth/verifyEmail", {"token": "{}"}),
    ("POST", "/auth/lookUpInvitation", {"token": "{}"}),
    ("POST", "/auth/acceptInvitation", {"token": "{}"}),
    ("POST", "/auth/switchOrganization", {"organization": "{}"}),
    ("POST", "/api/v1/organizations", {"name": "{}"}),
    ("POST", f"{ACME}/tokens", {"name": "{}"}),
    ("POST", f"{ACME}/invitations", {"email": "{}"}),
    ("PATCH", f"{ACME}/settings", {"companyContext": "{}"}),
    ("PATCH", f"{ACME}/settings", {"timeZone": "{}"}),
    ("POST", f"{ACME}/teams", {"name": "{}"}),
    ("PATCH", f"{ACME}/repositories/nothing", {"name": "{}"}),
    ("PATCH", f"{ACME}/repositories/nothing", {"defaultBranch": "{}"}),
    ("POST", f"{ACME}/commits/nothing:exclude", {"reason": "OTHER", "note": "{}"}),
    ("POST", f"{ACME}/summarySubscriptions", {"period": "WEEK", "scopeKind": "TEAM", "scopeId": "{}"}),
    ("PATCH", f"{ACME}/developers/nobody", {"role": "{}"}),
    ("PATCH", f"{ACME}/developers/nobody", {"avatarUrl": "{}"}),
]
URLS = [
    ("GET", f"{ACME}/members?search=a%00b"),
    ("GET", f"{ACME}/members/a%00b"),
    ("DELETE", f"{ACME}/members/a%00b"),
    ("DELETE", f"{ACME}/tokens/a%00b"),
    ("DELETE", f"{ACME}/summarySubscriptions/a%00b"),
    ("DELETE", f"{ACME}/invitations/a%00b?confirm=true"),
    ("DELETE", "/auth/sessions/a%00b"),
    ("GET", f"{ACME}/auditEntries?actor=a%00b"),
    ("GET", f"{ACME}/auditEntries?actor=a%00b&format=CSV"),
    ("GET", f"{ACME}/repositories:managed?search=a%00b"),
    ("GET", f"{ACME}/repositories/a%00b/settings"),
    ("DELETE", f"{ACME}/repositories/a%00b"),
    ("GET", f"{ACME}/commitExclusions?repository=a%00b"),
    ("POST", f"{ACME}/commits/a%00b:include"),
    ("POST", f"{ACME}/commits/a%ff:reanalyze"),
    ("GET", f"{ACME}/auditEntries?target=%ff%fe"),
    ("GET", "/api/v1/organizations/a%00b"),
    ("POST", f"{ACME}/identityDecisions/a%00b:undo"),
    ("POST", f"{ACME}/mergeSuggestions/a%00b:accept"),
    ("GET", f"{ACME}/identityDecisions?developer=a%00b"),
    ("GET", f"{ACME}/developers/a%00b/attributes"),
]


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory, database: str) -> Iterator[httpx.Client]:
    data_dir: Path = tmp_path_factory.mktemp("odd")
    store = open_store(data_dir)
    acme = store.ensure_organization("Acme", slug="acme").id
    token = sign_in(store, join(store, acme, "owner"))
    with serving(data_dir) as address, client_for(address, token) as made:
        yield made


@pytest.mark.parametrize("text", ["a\\u0000b", "a\\ud800b"], ids=["nul", "half a character"])
@pytest.mark.parametrize(("method", "path", "body"), BODIES)
def test_odd_text_in_a_body_is_answered(
    client: httpx.Client, method: str, path: str, body: dict[str, Any], text: str
) -> None:
    pairs = ", ".join(f'"{name}": "{value.replace("{}", text)}"' for name, value in body.items())
    answer = client.request(
        method, path, content=f"{{{pairs}}}", headers={"Content-Type": "application/json"}
    )
    assert answer.status_code < 500, answer.text
    assert answer.json() is not None


@pytest.mark.parametrize(("method", "url"), URLS)
def test_odd_text_in_an_address_is_answered(client: httpx.Client, method: str, url: str) -> None:
    answer = client.request(method, url)
    assert answer.status_code < 500, answer.text
