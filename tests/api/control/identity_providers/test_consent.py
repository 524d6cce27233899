"""An organization reaches no account whose person did not agree, although it can invite and claim any address."""

import pytest
from sqlalchemy import select

from api.control.accounts import accounts
from api.control.accounts.invitations import accept_invitation, invite
from api.control.accounts.links import Purpose, make_link
from api.control.accounts.members import change_role, put_member, remove_member
from api.control.accounts.passwords import Passwords
from api.control.accounts.sign_in_rules import OfferedWays
from api.control.accounts.tokens import create_token, list_tokens
from api.control.errors import AlreadyExists, NotAllowed, NotPossible
from api.control.identity_providers.policies import change_policy, policy
from api.control.models import Account, AccountIdentity, Member, Organization
from api.control.permissions import Role
from api.control.principals import OPERATOR
from api.control.store import ControlStore
from tests.api.control.identity_providers.sign_ins import added, recognized, signed_in
from tests.api.people import EVERY_WAY, account_of, join, make_account, principal

pytestmark = pytest.mark.both_databases

ANN = "ann@corp.example"
PASSWORD, BETTER = "Correct-horse 9 staple", "Battery-8 lorry mast"
passwords = Passwords(memory_kib=8)


@pytest.fixture
def evil(store: ControlStore) -> str:
    return store.ensure_organization("Evil").id


def identities(store: ControlStore) -> list[str]:
    with store.session() as session:
        return list(session.scalars(select(AccountIdentity.account_id)))


def test_an_existing_account_is_not_signed_in_before_it_joined(store: ControlStore, evil: str) -> None:
    ann, provider = make_account(store, ANN), added(store, evil)
    invitation = invite(store, OPERATOR, evil, ANN, Role.MEMBER)
    with pytest.raises(NotAllowed, match="joins only if you agree"):
        recognized(store, "ann", ANN, provider, invitation)
    assert identities(store) == []
    accept_invitation(store, principal(store, ann), invitation.token)
    assert signed_in(store, ANN, provider).account == ann


def test_an_account_that_left_is_not_signed_in_by_another_invitation(store: ControlStore, evil: str) -> None:
    """The provider still knows its subject."""
    provider = added(store, evil)
    ann = join(store, evil, Role.MEMBER, make_account(store, ANN))
    signed_in(store, ANN, provider)
    remove_member(store, OPERATOR, evil, ann)
    assert identities(store) == [ann]
    with pytest.raises(NotAllowed, match="joins only if you agree"):
        recognized(store, ANN, ANN, provider, invite(store, OPERATOR, evil, ANN, Role.MEMBER))


def test_a_sign_up_that_nobody_verified_is_not_signed_in_either(store: ControlStore, evil: str) -> None:
    accounts.sign_up(store, passwords, ANN, PASSWORD, "Somebody")
    with pytest.raises(NotAllowed, match="reset the password of that account by mail"):
        recognized(store, "ann", ANN, added(store, evil), invite(store, OPERATOR, evil, ANN, Role.MEMBER))


PASSWORDS, PROVIDERS, NOTHING = OfferedWays(True, False), OfferedWays(False, True), OfferedWays(False, False)


@pytest.mark.parametrize(
    ("is_verified", "ways", "named"),
    [
        (True, PASSWORDS, "/signIn"),
        (True, PROVIDERS, "/signIn"),
        (True, NOTHING, "its operator"),
        (False, PASSWORDS, "reset the password"),
        (False, PROVIDERS, "/signIn"),
        (False, NOTHING, "its operator"),
    ],
)
def test_a_refusal_names_a_way_that_the_deployment_offers(
    store: ControlStore, evil: str, is_verified: bool, ways: OfferedWays, named: str
) -> None:
    accounts.sign_up(store, passwords, ANN, PASSWORD, "Somebody", is_verified=is_verified)
    provider, invitation = added(store, evil), invite(store, OPERATOR, evil, ANN, Role.MEMBER)
    with pytest.raises(NotAllowed) as refused:
        recognized(store, "ann", ANN, provider, invitation, ways)
    known = ("/signIn", "reset the password", "its operator")
    assert [way for way in known if way in str(refused.value)] == [named]


def test_the_operator_opens_the_way_that_a_refusal_names(store: ControlStore, evil: str) -> None:
    """`eas account grant`, where the deployment offers no way to agree."""
    ann, provider = make_account(store, ANN), added(store, evil)
    put_member(store, OPERATOR, evil, ANN, Role.MEMBER)
    assert signed_in(store, ANN, provider).account == ann


def test_an_admin_without_a_way_of_her_own_is_told_what_proves_her_address(
    store: ControlStore, evil: str
) -> None:
    """No session of hers may ask for the mail with the link."""
    provider, invitation = added(store, evil), invite(store, OPERATOR, evil, ANN, Role.MEMBER)
    session = signed_in(store, ANN, provider, invitation)
    caller = session.principal(store)
    assert caller is not None
    accept_invitation(store, caller, invitation.token)
    change_role(store, OPERATOR, evil, session.account, Role.ADMIN)

    def invites() -> None:
        present = session.principal(store)
        assert present is not None
        invite(store, present, evil, "bob@corp.example", Role.MEMBER)

    with pytest.raises(NotPossible) as refused:
        invites()
    assert "requestEmailVerification" not in str(refused.value)
    assert "reset its password by mail" in str(refused.value)
    # Which helps: she signs in with the provider again, and invites.
    secret = make_link(store, Purpose.PASSWORD_RESET, session.account, ANN)
    accounts.reset_password(store, passwords, secret, BETTER)
    session = signed_in(store, ANN, provider)
    invites()


def test_several_organizations_vouch_for_a_person_without_a_way_of_their_own(
    store: ControlStore, evil: str
) -> None:
    """No organization keeps an address from the others."""
    corp = store.ensure_organization("Corp").id
    for organization in (evil, corp):
        invitation = invite(store, OPERATOR, organization, ANN, Role.MEMBER)
        session = signed_in(store, ANN, added(store, organization), invitation)
        caller = session.principal(store)
        assert caller is not None
        accept_invitation(store, caller, invitation.token)
        caller = session.principal(store)
        assert caller is not None
        assert [one.organization_id for one in caller.memberships] == [organization]


@pytest.mark.parametrize("way", ["a reset", "a provider of the deployment"])
def test_the_owner_of_an_address_takes_over_what_an_organization_made_of_it(
    store: ControlStore, evil: str, way: str
) -> None:
    invitation = invite(store, OPERATOR, evil, ANN, Role.MEMBER)
    provider = added(store, evil)
    session = signed_in(store, ANN, provider, invitation)
    caller = session.principal(store)
    assert caller is not None
    accept_invitation(store, caller, invitation.token)
    caller = session.principal(store)
    assert caller is not None
    create_token(store, evil, "kept", actor=caller)
    with pytest.raises(AlreadyExists, match="reset the password"):
        accounts.sign_up(store, passwords, ANN, PASSWORD, "Ann")
    if way == "a reset":
        secret = make_link(store, Purpose.PASSWORD_RESET, session.account, ANN)
        accounts.reset_password(store, passwords, secret, BETTER)
        assert accounts.recognize(store, passwords, ANN, BETTER).is_verified
        assert identities(store) == []
    else:
        assert signed_in(store, ANN).account == session.account
    assert session.principal(store) is None
    assert [one.revoked_at is None for one in list_tokens(store, evil)] == [False]
    found = account_of(store, ANN)
    assert found is not None
    assert found.verified_at is not None


def closed(store: ControlStore, organization: str) -> None:
    """Accept no passwords."""
    change_policy(store, OPERATOR, organization, {"has_password_sign_in": False}, EVERY_WAY)
    assert not policy(store, organization).has_password_sign_in


def test_no_organization_takes_a_password_from_its_account(store: ControlStore, evil: str) -> None:
    made = accounts.sign_up(store, passwords, ANN, PASSWORD, "Ann", is_verified=True)
    join(store, evil, Role.MEMBER, made.id)
    closed(store, evil)
    _, begun = accounts.sign_in(store, passwords, ANN, PASSWORD, "hers")
    assert begun.session.active_organization_id is None
    caller = principal(store, made.id)
    assert (caller.memberships, [one.organization_id for one in caller.shut]) == ((), [evil])
    secret = make_link(store, Purpose.PASSWORD_RESET, made.id, ANN)
    accounts.reset_password(store, passwords, secret, BETTER)
    accounts.sign_in(store, passwords, ANN, BETTER, "hers")
    with pytest.raises(NotAllowed, match="sign in with one of its identity providers"):
        accounts.sign_in(store, passwords, ANN, BETTER, "hers", organization=evil)


def test_an_invitation_is_accepted_whatever_the_policy_and_the_policy_holds_from_then_on(
    store: ControlStore, evil: str
) -> None:
    ann = make_account(store, ANN)
    closed(store, evil)
    accept_invitation(store, principal(store, ann), invite(store, OPERATOR, evil, ANN, Role.MEMBER).token)
    assert principal(store, ann).memberships == ()
    with store.session() as session:
        assert session.get(Member, (evil, ann)) is not None
    caller = signed_in(store, ANN, added(store, evil)).principal(store)
    assert caller is not None
    assert [one.organization_id for one in caller.memberships] == [evil]


def test_an_owners_address_is_refused_at_sign_up_like_any_other(store: ControlStore, evil: str) -> None:
    """Also with a password that would be too weak: nothing tells who owns an organization."""
    join(store, evil, Role.OWNER, make_account(store, "owner@corp.example"))
    closed(store, evil)
    said = set()
    for address in ("owner@corp.example", "nobody@corp.example"):
        with pytest.raises(NotAllowed) as refused:
            accounts.sign_up(store, passwords, address, "weak", "Eve", organization=evil)
        said.add(str(refused.value))
    assert len(said) == 1
    with store.session() as session:
        assert session.scalars(select(Account).where(Account.name == "Eve")).all() == []
        assert session.get_one(Organization, evil).name == "Evil"
