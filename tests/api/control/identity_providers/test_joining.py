"""The account of an identity, also where several sign in at once or a provider changes meanwhile."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import select

from api.control.accounts.invitations import cancel_invitation, invite
from api.control.accounts.members import change_role, remove_member
from api.control.errors import ControlError, NotAllowed, NotPossible
from api.control.identity_providers.joining import complete_sign_in
from api.control.identity_providers.providers import ProviderChange, change_provider, remove_provider
from api.control.models import Account, AccountIdentity, SignInSession
from api.control.permissions import Role
from api.control.principals import OPERATOR
from api.control.store import ControlStore
from tests.api.control.identity_providers.sign_ins import added, recognized
from tests.api.people import EVERY_WAY, join, make_account

pytestmark = pytest.mark.both_databases


@pytest.fixture
def acme(store: ControlStore) -> str:
    return store.ensure_organization("Acme").id


def test_one_account_comes_of_several_sign_ins_at_once(store: ControlStore) -> None:
    def tried(number: int) -> str:
        try:
            return recognized(store, f"subject-{number % 2}", "Ada@example.org")[0]
        except ControlError as error:
            return type(error).__name__

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(tried, range(8)))
    with store.session() as session:
        [account] = session.scalars(select(Account)).all()
        [identity] = session.scalars(select(AccountIdentity)).all()
    assert (account.email_key, identity.account_id) == ("ada@example.org", account.id)
    # The other subject has the same address, and is another person.
    assert sorted(one for one in answers if one.startswith("Not")) == ["NotAllowed"] * 4


def test_a_code_gives_one_session_of_several_tries_at_once(store: ControlStore) -> None:
    code, browser = recognized(store, "ada", "ada@example.org")

    def tried(_: int) -> bool:
        try:
            complete_sign_in(store, code, browser, EVERY_WAY)
        except NotPossible:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert sorted(pool.map(tried, range(8))) == [False] * 7 + [True]
    with store.session() as session:
        assert len(session.scalars(select(SignInSession)).all()) == 1


def test_a_provider_that_changed_on_the_way_signs_nobody_in(store: ControlStore, acme: str) -> None:
    provider = added(store, acme)
    join(store, acme, "member", make_account(store, "ada@example.org"))
    code, browser = recognized(store, "ada", "ada@example.org", provider)
    change_provider(store, OPERATOR, acme, provider.id, ProviderChange(client_id="other"))
    with pytest.raises(NotPossible, match="completed already"):
        complete_sign_in(store, code, browser, EVERY_WAY)
    # The answer of the earlier client comes after the change.
    with pytest.raises(NotPossible, match="just changed"):
        recognized(store, "ada", "ada@example.org", provider)
    remove_provider(store, OPERATOR, acme, provider.id, EVERY_WAY)
    with pytest.raises(NotPossible, match="just changed"):
        recognized(store, "ada", "ada@example.org", provider)


def test_who_left_on_the_way_is_not_signed_in(store: ControlStore, acme: str) -> None:
    provider = added(store, acme)
    ada = join(store, acme, "member", make_account(store, "ada@example.org"))
    code, browser = recognized(store, "ada", "ada@example.org", provider)
    remove_member(store, OPERATOR, acme, ada)
    with pytest.raises(NotAllowed, match="no member of Acme has your address"):
        complete_sign_in(store, code, browser, EVERY_WAY)
    with store.session() as session:
        assert session.scalars(select(SignInSession).where(SignInSession.account_id == ada)).all() == []


def test_an_invitation_that_ended_on_the_way_signs_nobody_in(store: ControlStore, acme: str) -> None:
    provider = added(store, acme)
    invitation = invite(store, OPERATOR, acme, "eve@example.org", Role.MEMBER)
    code, browser = recognized(store, "eve", "eve@example.org", provider, invitation)
    cancel_invitation(store, OPERATOR, acme, invitation.id)
    with pytest.raises(NotAllowed, match="no member of Acme has your address"):
        complete_sign_in(store, code, browser, EVERY_WAY)


def test_who_became_an_owner_on_the_way_is_not_signed_in_by_an_admins_provider(
    store: ControlStore, acme: str
) -> None:
    provider = added(store, acme)
    ada = join(store, acme, "member", make_account(store, "ada@example.org"))
    code, browser = recognized(store, "ada", "ada@example.org", provider)
    change_role(store, OPERATOR, acme, ada, Role.OWNER)
    with pytest.raises(NotAllowed, match="does not sign in owners"):
        complete_sign_in(store, code, browser, EVERY_WAY)
