"""The page of an invitation: joining while signed in, by signing in, and by signing up."""

import pytest

from api.control.accounts.invitations import cancel_invitation, invite
from api.control.accounts.links import Purpose, make_link
from api.control.permissions import Role
from api.control.principals import OPERATOR
from api.control.store import ControlStore
from tests.api.auth.browsers import APP
from tests.api.auth.organizations_providers import PASSWORD
from tests.api.auth.pages.conftest import EMAIL
from tests.api.auth.pages.visitor import Visitor
from tests.api.people import account_of

OTHER = "/organizations/other/overview"


def invitation(people: ControlStore, organization: str, address: str = EMAIL) -> str:
    return f"{APP}/invitation#{invite(people, OPERATOR, organization, address, Role.VIEWER).token}"


def active(visitor: Visitor) -> str:
    [current] = [
        one
        for one in visitor.browser.get("/auth/sessions", visitor.session).json()["sessions"]
        if one["isCurrent"]
    ]
    return str(current["activeOrganizationId"])


def test_somebody_signed_in_joins_by_opening_the_link_which_opens_the_organization(
    visitor: Visitor, people: ControlStore, ada: str, other: str
) -> None:
    visitor.open("/signIn").press("Sign in", email=EMAIL, password=PASSWORD)
    visitor.open(invitation(people, other))
    assert (visitor.path, active(visitor)) == (OTHER, other)


def test_a_visitor_sees_who_invites_and_joins_by_signing_in(
    visitor: Visitor, people: ControlStore, ada: str, other: str
) -> None:
    visitor.open(invitation(people, other))
    assert "operator invites a…@acme.example to Other as viewer. The invitation is open until" in visitor.text
    # The page after a refused password still shows the invitation.
    visitor.press("Sign in", email=EMAIL, password="wrong")
    assert visitor.answer.status_code == 401
    assert "to Other as viewer" in visitor.text
    visitor.press("Sign in", email=EMAIL, password=PASSWORD)
    assert (visitor.path, active(visitor)) == (OTHER, other)


GRACE = "grace@navy.example"


def signed_up(visitor: Visitor, people: ControlStore, link: str) -> str:
    """Sign up from the link of an invitation. Returns the link that confirms the address."""
    visitor.open(link).press("No account yet? Sign up")
    assert "to Other as viewer" in visitor.text
    visitor.press("Make an account", name="Grace", email=GRACE, password="weak")
    assert "to Other as viewer" in visitor.text
    visitor.press("Make an account", name="Grace", email=GRACE, password=PASSWORD)
    assert visitor.account == GRACE
    assert "your address is not verified" in visitor.text.lower()
    account = account_of(people, GRACE)
    assert account is not None
    return f"{APP}/verifyEmail#{make_link(people, Purpose.VERIFICATION, account.id, GRACE)}"


def test_a_visitor_signs_up_and_joins_by_confirming_the_address(
    visitor: Visitor, people: ControlStore, other: str
) -> None:
    visitor.open(signed_up(visitor, people, invitation(people, other, GRACE)))
    assert (visitor.path, active(visitor)) == (OTHER, other)


def test_a_visitor_who_signed_out_confirms_the_address_and_goes_on_to_the_invitation(
    visitor: Visitor, people: ControlStore, other: str
) -> None:
    link = signed_up(visitor, people, invitation(people, other, GRACE))
    waiting = visitor.form("Try again").fields["link"]
    visitor.press("Sign out")
    visitor.open(link).press("Confirm", password=PASSWORD)
    visitor.press("Go on to the invitation")
    assert "to Other as viewer" in visitor.text
    assert waiting not in str(visitor.answer.url)
    visitor.press("Sign in", email=GRACE, password=PASSWORD)
    assert (visitor.path, active(visitor)) == (OTHER, other)


def test_an_invitation_that_was_cancelled_meanwhile_leads_nowhere(
    visitor: Visitor, people: ControlStore, other: str
) -> None:
    made = invite(people, OPERATOR, other, GRACE, Role.VIEWER)
    link = signed_up(visitor, people, f"{APP}/invitation#{made.token}")
    cancel_invitation(people, OPERATOR, other, made.id)
    visitor.open(link)
    assert f"{GRACE} is confirmed" in visitor.text
    visitor.press("Go on to the invitation")
    assert "This link does not work" in visitor.text


def test_an_invitation_to_another_address_says_whose_session_it_is(
    visitor: Visitor, people: ControlStore, ada: str, other: str
) -> None:
    visitor.open(invitation(people, other, "grace@navy.example"))
    visitor.press("Sign in", email=EMAIL, password=PASSWORD)
    assert "This invitation is for another address" in visitor.text
    assert f"You are signed in as {EMAIL}" in visitor.text
    visitor.open(invitation(people, other, "grace@navy.example"))
    assert visitor.answer.status_code == 400
    assert "This invitation is for another address" in visitor.text
    visitor.press("Sign out")
    assert (visitor.path, visitor.account) == ("/signIn", "")


@pytest.mark.parametrize("fate", ["unknown", "cancelled"])
def test_an_invitation_that_is_no_more_shows_no_form_and_what_to_do(
    visitor: Visitor, people: ControlStore, other: str, fate: str
) -> None:
    made = invite(people, OPERATOR, other, EMAIL, Role.MEMBER)
    cancel_invitation(people, OPERATOR, other, made.id)
    visitor.open(f"{APP}/invitation#{made.token if fate == 'cancelled' else 'nothing'}")
    assert visitor.answer.status_code == 400
    assert "This link does not work: this invitation is unknown" in visitor.text
    assert "ask for another" in visitor.text
    assert visitor.buttons == []
    assert visitor.page.links == ["/signIn"]


def test_hostile_names_are_text(visitor: Visitor, people: ControlStore) -> None:
    name = "<img src=x onerror=alert(1)>{{ root }}"
    organization = people.ensure_organization(name, slug="hostile").id
    visitor.open(invitation(people, organization))
    assert "<img" not in visitor.answer.text
    assert "<bdi>&lt;img src=x onerror=alert(1)&gt;{{ root }}</bdi>" in visitor.answer.text
    visitor.press("Sign in", email='"><script>alert(1)</script>@x.example', password="x")
    assert "<script>alert" not in visitor.answer.text
    assert visitor.form("Sign in").fields["email"] == '"><script>alert(1)</script>@x.example'


def test_the_secret_of_an_invitation_is_in_no_address(
    visitor: Visitor, people: ControlStore, other: str
) -> None:
    made = invite(people, OPERATOR, other, EMAIL, Role.MEMBER)
    for button in ("No account yet? Sign up", "Have an account? Sign in"):
        visitor.open(f"{APP}/invitation#{made.token}").press("No account yet? Sign up")
        if button != "No account yet? Sign up":
            visitor.press(button)
        assert made.token not in str(visitor.answer.url)
        assert [link for link in visitor.page.links if made.token in link] == []
