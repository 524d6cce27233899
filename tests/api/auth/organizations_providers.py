"""Requests about the providers of organization Acme, and sign-ins with them."""

from typing import Any

import httpx

from tests.api.auth.browsers import APP, Browser
from tests.api.auth.fake_provider import CLIENT, ISSUER, SECRET, FakeProvider

PASSWORD = "Correct-horse 9 staple"
NEW = {
    "kind": "OPENID_CONNECT",
    "name": "Acme login",
    "issuer": ISSUER,
    "clientId": CLIENT,
    "clientSecret": SECRET,
}
DEPLOYMENT_PROVIDER = {"CLIENT_ID": CLIENT, "CLIENT_SECRET": SECRET, "ISSUER": ISSUER}


def request(browser: Browser, method: str, path: str, session: str, body: Any = None) -> httpx.Response:
    address = f"{APP}/api/v1/organizations/acme/{path}"
    return browser.http.request(method, address, json=body, headers={"Authorization": f"Bearer {session}"})


def added(browser: Browser, session: str, **more: Any) -> dict[str, Any]:
    answer = request(browser, "POST", "identityProviders", session, NEW | more)
    assert answer.status_code == 200, answer.text
    made: dict[str, Any] = answer.json()
    return made


def back(
    browser: Browser, fake: FakeProvider, provider: str, address: str, subject: str, **more: Any
) -> httpx.Response:
    """The callback of somebody with this address."""
    fake.claims = {"sub": subject, "email": address}
    return browser.open(fake.sends_back(browser.begin(provider, **more)))


def signed_in(
    browser: Browser, fake: FakeProvider, provider: str, address: str, subject: str, **more: Any
) -> dict[str, Any]:
    answer = back(browser, fake, provider, address, subject, **more)
    assert answer.status_code == 303, answer.text
    code = answer.headers["location"].partition("#")[2]
    done = browser.post("/auth/completeSignIn", {"code": code})
    assert done.status_code == 200, done.text
    body: dict[str, Any] = done.json()
    return body
