"""Signing in with an identity provider at the page: the way there, and the cookie at its end."""

from typing import Any

import pytest

from api.control.accounts.accounts import sign_up
from api.control.accounts.invitations import invite
from api.control.accounts.passwords import Passwords
from api.control.permissions import Role
from api.control.principals import OPERATOR
from api.control.store import ControlStore
from tests.api.auth.browsers import APP, Browser, other_browser
from tests.api.auth.fake_provider import ADDRESS, HOST, ISSUER, FakeProvider
from tests.api.auth.organizations_providers import DEPLOYMENT_PROVIDER, NEW, PASSWORD, added, request
from tests.api.auth.pages.visitor import Visitor
from tests.api.conftest import serving
from tests.api.people import join, make_account, sign_in

GO = f"Go to {HOST}"


@pytest.fixture
def deployment_provider() -> dict[str, str]:
    return DEPLOYMENT_PROVIDER


def away(visitor: Visitor) -> str:
    """The address to which the page leads on."""
    [address] = visitor.page.outside
    return address


def comes_back(visitor: Visitor, fake: FakeProvider) -> Visitor:
    """The provider sends the browser back, which keeps what follows the # to itself."""
    answer = visitor.browser.open(fake.sends_back(away(visitor)))
    assert answer.status_code == 303, answer.text
    address, _, code = answer.headers["location"].partition("#")
    assert code
    return visitor.open(address)


def test_the_page_offers_what_an_organization_has(visitor: Visitor, people: ControlStore, acme: str) -> None:
    owner = sign_in(people, join(people, acme, "owner", make_account(people)))
    name = "Google (accounts.google.com)"
    answer = visitor.browser.post("/api/v1/organizations/acme/identityProviders", NEW | {"name": name}, owner)
    assert answer.status_code == 200, answer.text
    assert visitor.open("/signIn").buttons == ["Sign in", GO]
    # The name, which an admin chose, is no part of a button.
    assert visitor.open("/signIn?organization=acme").buttons == ["Sign in", GO, GO]
    assert f"<bdi>{name}</bdi>" in visitor.answer.text


def test_the_way_ends_with_the_cookie_and_at_the_page_that_was_wanted(
    visitor: Visitor, fake: FakeProvider, people: ControlStore, acme: str
) -> None:
    join(people, acme, "viewer", make_account(people, ADDRESS))
    visitor.open("/organizations/acme/developers?page=2")
    assert visitor.path.startswith("/signIn?next=")
    visitor.press(GO)
    assert away(visitor).startswith(f"{ISSUER}/authorize?")
    # A browser goes on by itself, also without scripts.
    assert f'http-equiv="refresh" content="0; url={ISSUER}/authorize?' in visitor.answer.text
    comes_back(visitor, fake)
    assert visitor.path == "/organizations/acme/developers?page=2#content"
    assert visitor.account == ADDRESS
    # Once, and nothing of the way is left.
    assert "eas_code" not in str(visitor.browser.http.cookies)
    assert visitor.open("/signedIn").answer.status_code == 400
    assert "begin again" in visitor.text


def test_the_code_is_worth_nothing_in_another_browser(visitor: Visitor, fake: FakeProvider) -> None:
    visitor.open("/signIn").press(GO)
    visitor.browser.open(fake.sends_back(away(visitor)))
    stolen = {name: value for name, value in visitor.browser.http.cookies.items() if "code" in name}
    assert len(stolen) == 1
    stranger = Visitor(other_browser(visitor.browser))
    stranger.browser.http.cookies.update(stolen)
    assert stranger.open("/signedIn").answer.status_code == 400
    assert stranger.session == ""


@pytest.mark.parametrize("elsewhere", ["https://evil.example/", "//evil.example", "/\\evil.example"])
def test_the_way_leads_to_no_other_site(visitor: Visitor, fake: FakeProvider, elsewhere: str) -> None:
    visitor.open(f"/signIn?next={elsewhere}").press(GO)
    visitor.browser.open(fake.sends_back(away(visitor)))
    answer = visitor.browser.open(f"{APP}/signedIn")
    assert (answer.status_code, answer.headers["location"]) == (303, "/#content")


@pytest.mark.parametrize(
    ("endpoint", "host"),
    [
        ("https://evil.example/authorize", "evil.example"),
        (f"https://{HOST}.evil.example/authorize", f"{HOST}.evil.example"),
        (f"https://{HOST}:8443/authorize", f"{HOST}:8443"),
        ("https://sign-in.example:443/authorize", "sign-in.example"),
    ],
)
def test_another_host_than_the_one_shown_is_named_before_the_browser_goes_there(
    visitor: Visitor, fake: FakeProvider, endpoint: str, host: str
) -> None:
    fake.metadata = {"authorization_endpoint": endpoint}
    visitor.open("/signIn").press(GO)
    assert 'http-equiv="refresh"' not in visitor.answer.text
    assert f"{HOST} sends you to {host} to sign in. Go on only if you know that host." in visitor.text
    assert away(visitor).startswith(f"{endpoint}?")
    # Known now, and so shown at once.
    visitor.open("/signIn").press(f"Go to {host}")
    assert 'http-equiv="refresh"' in visitor.answer.text


def test_an_invitation_goes_to_a_provider_and_back(
    visitor: Visitor, fake: FakeProvider, people: ControlStore, acme: str
) -> None:
    token = invite(people, OPERATOR, acme, ADDRESS, Role.MEMBER).token
    visitor.open(f"{APP}/invitation#{token}").press(GO)
    assert token not in visitor.answer.text
    comes_back(visitor, fake)
    assert visitor.path.partition("#")[0] == "/organizations/acme/overview"
    assert visitor.account == ADDRESS


def test_an_invitation_to_another_address_is_told_at_the_end(
    visitor: Visitor, fake: FakeProvider, people: ControlStore, acme: str
) -> None:
    token = invite(people, OPERATOR, acme, "grace@navy.example", Role.MEMBER).token
    comes_back(visitor.open(f"{APP}/invitation#{token}").press(GO), fake)
    assert "This invitation is for another address" in visitor.text
    assert visitor.account == ADDRESS


def test_somebody_without_an_organization_finds_the_next_steps_and_begins_one(
    visitor: Visitor, fake: FakeProvider
) -> None:
    comes_back(visitor.open("/signIn").press(GO), fake)
    assert visitor.path.startswith("/welcome")
    visitor.press("Make the organization", name="x" * 300)
    assert visitor.answer.status_code == 400
    assert visitor.form("Make the organization").fields["name"] == "x" * 300
    visitor.press("Make the organization", name="Harbour")
    assert visitor.path == "/organizations/harbour/overview"


def test_where_an_organization_takes_no_passwords_its_owners_find_the_way(
    visitor: Visitor, people: ControlStore, acme: str
) -> None:
    owner = sign_in(people, join(people, acme, "owner", make_account(people)))
    added(visitor.browser, owner)
    changed = request(visitor.browser, "PATCH", "signInPolicy", owner, {"hasPasswordSignIn": False})
    assert changed.status_code == 200, changed.text
    assert visitor.open("/signIn?organization=acme").buttons == [GO, GO]
    assert "Owners of the organization may always use a password." in visitor.text
    assert visitor.open("/signIn").buttons == ["Sign in", GO]
    assert "Owners" not in visitor.text


def test_an_invitation_begins_the_session_whatever_the_organization_takes(
    visitor: Visitor, people: ControlStore, acme: str
) -> None:
    """Somebody with an account agrees first, as the policy says, and then uses the provider."""
    owner = sign_in(people, join(people, acme, "owner", make_account(people)))
    added(visitor.browser, owner)
    request(visitor.browser, "PATCH", "signInPolicy", owner, {"providerDomains": ["example.org"]})
    sign_up(people, Passwords(8), ADDRESS, PASSWORD, "Ada", is_verified=True)
    token = invite(people, OPERATOR, acme, ADDRESS, Role.MEMBER).token
    visitor.open(f"{APP}/invitation#{token}").press("Sign in", email=ADDRESS, password=PASSWORD)
    assert (visitor.account, visitor.answer.status_code) == (ADDRESS, 403)
    assert "sign in with one of its identity providers" in visitor.text


def without_passwords(tmp_path: Any, **more: Any) -> Any:
    return serving(tmp_path, EAS_APP_URL=APP, EAS_PASSWORD_SIGN_IN=False, **more)


def test_where_no_passwords_are_taken_no_page_asks_for_one(tmp_path: Any, people: ControlStore) -> None:
    acme = people.ensure_organization("Acme").id
    link = f"{APP}/invitation#{invite(people, OPERATOR, acme, ADDRESS, Role.MEMBER).token}"
    with without_passwords(tmp_path) as address:
        visitor = Visitor(Browser(address))
        for path in ("/signIn", link):
            assert "password" not in visitor.open(path).page.fields
            assert not {"/signUp", "/requestPasswordReset"} & set(visitor.page.links)
        for path in ("/signUp", "/requestPasswordReset", "/resetPassword"):
            assert "takes no passwords" in visitor.open(path).text
            assert visitor.page.links == ["/signIn"]
