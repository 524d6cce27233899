"""What an organization's own provider began ends with what vouched for it, and never acts as an owner by itself."""

import pytest
from sqlalchemy import update

from api.control.accounts.invitations import accept_invitation, invite
from api.control.accounts.members import change_role, put_member, remove_member
from api.control.accounts.sessions import find_by_hash
from api.control.accounts.tokens import create_token, list_tokens
from api.control.errors import NotAllowed
from api.control.identity_providers.providers import ProviderChange, change_provider, remove_provider
from api.control.issued_tokens import key_hash
from api.control.models import Account, IdentityProvider
from api.control.permissions import Role
from api.control.principals import OPERATOR, Principal
from api.control.store import ControlStore
from api.control.teams.teams import create_team
from tests.api.control.identity_providers.sign_ins import ProviderSession, added, signed_in
from tests.api.people import EVERY_WAY, join, make_account, principal, sign_in

pytestmark = pytest.mark.both_databases

VICTIM = "victim@example.org"


@pytest.fixture
def acme(store: ControlStore) -> str:
    return store.ensure_organization("Acme").id


def caller(store: ControlStore, session: ProviderSession) -> Principal:
    found = session.principal(store)
    assert found is not None
    return found


def invited(store: ControlStore, acme: str, role: str = "admin") -> ProviderSession:
    """The session that an admin (or owner) has as an invited person through a provider of their own."""
    token = invite(store, OPERATOR, acme, VICTIM, Role.MEMBER)
    return signed_in(store, VICTIM, added(store, acme, role), token)


def is_live(store: ControlStore, name: str, acme: str) -> bool:
    [found] = [one for one in list_tokens(store, acme) if one.name == name]
    return found.revoked_at is None


def test_an_admins_provider_accepts_no_invitation_to_own(store: ControlStore, acme: str) -> None:
    session = invited(store, acme)
    link = invite(store, OPERATOR, acme, VICTIM, Role.OWNER).token
    with pytest.raises(NotAllowed, match="does not sign in owners"):
        accept_invitation(store, caller(store, session), link)
    assert caller(store, session).memberships == ()
    link = invite(store, OPERATOR, acme, VICTIM, Role.MEMBER).token
    accept_invitation(store, caller(store, session), link)
    assert [one.role for one in caller(store, session).memberships] == [Role.MEMBER]


def test_an_owners_provider_accepts_an_invitation_to_own(store: ControlStore, acme: str) -> None:
    session = invited(store, acme, "owner")
    link = invite(store, OPERATOR, acme, VICTIM, Role.OWNER).token
    accept_invitation(store, caller(store, session), link)
    assert [one.role for one in caller(store, session).memberships] == [Role.OWNER]


def test_a_session_of_an_admins_provider_is_shut_for_an_owner(store: ControlStore, acme: str) -> None:
    session = invited(store, acme)
    # However the role came about.
    join(store, acme, Role.OWNER, session.account)
    seen = caller(store, session)
    assert seen.memberships == ()
    assert [(one.organization_id, "does not sign in owners" in one.reason) for one in seen.shut] == [
        (acme, True)
    ]
    with store.session() as written:
        written.execute(update(IdentityProvider).values(signs_in_owners=True))
    assert [one.role for one in caller(store, session).memberships] == [Role.OWNER]


def test_a_session_of_an_admins_provider_writes_nothing_as_an_owner(store: ControlStore, acme: str) -> None:
    """Also with a request that was let in before the role came."""
    session = invited(store, acme)
    before = caller(store, session)
    join(store, acme, Role.OWNER, session.account)
    with pytest.raises(NotAllowed):
        create_team(store, before, acme, "Web")
    with store.session() as written:
        written.execute(update(IdentityProvider).values(signs_in_owners=True))
    create_team(store, before, acme, "Web")


def test_a_restricted_session_writes_nothing_elsewhere(store: ControlStore, acme: str) -> None:
    session = invited(store, acme, "owner")
    other = store.ensure_organization("Other").id
    join(store, other, Role.ADMIN, session.account)
    with pytest.raises(NotAllowed):
        create_team(store, caller(store, session), other, "Web")


def test_who_accepts_to_own_in_a_session_of_their_own_ends_those_of_providers(
    store: ControlStore, acme: str
) -> None:
    session = invited(store, acme)
    with store.session() as written:
        written.get_one(Account, session.account).verified_at = store.now()
    own = sign_in(store, session.account)
    found = find_by_hash(store, key_hash(own))
    assert found is not None
    accept_invitation(store, found[2], invite(store, OPERATOR, acme, VICTIM, Role.OWNER).token)
    assert session.principal(store) is None
    assert find_by_hash(store, key_hash(own)) is not None


def test_the_operators_grant_to_own_ends_sessions_of_providers(store: ControlStore, acme: str) -> None:
    session = invited(store, acme)
    put_member(store, OPERATOR, acme, VICTIM, Role.OWNER, may_be_unverified=True)
    assert session.principal(store) is None


def test_the_end_of_a_membership_ends_sessions_of_providers(store: ControlStore, acme: str) -> None:
    provider = added(store, acme)
    ada = join(store, acme, Role.MEMBER, make_account(store, "ada@example.org"))
    session = signed_in(store, "ada@example.org", provider)
    remove_member(store, OPERATOR, acme, ada)
    join(store, acme, Role.VIEWER, ada)
    assert session.principal(store) is None


@pytest.mark.parametrize("change", ["client", "removal"])
def test_keys_of_a_providers_sessions_end_with_it(store: ControlStore, acme: str, change: str) -> None:
    provider = added(store, acme)
    ada = join(store, acme, Role.MEMBER, make_account(store, "ada@example.org"))
    session = signed_in(store, "ada@example.org", provider)
    create_token(store, acme, "by provider", actor=caller(store, session))
    create_token(store, acme, "by herself", actor=principal(store, ada))
    create_token(store, acme, "of the operator")
    change_provider(store, OPERATOR, acme, provider.id, ProviderChange(name="Other"))
    assert is_live(store, "by provider", acme)
    if change == "client":
        change_provider(store, OPERATOR, acme, provider.id, ProviderChange(client_id="other"))
    else:
        remove_provider(store, OPERATOR, acme, provider.id, EVERY_WAY)
    assert not is_live(store, "by provider", acme)
    assert is_live(store, "by herself", acme)
    assert is_live(store, "of the operator", acme)


def test_keys_of_a_providers_sessions_end_with_their_domain(store: ControlStore, acme: str) -> None:
    provider = added(store, acme)
    for name in ("ada@left.example", "bob@acme.example"):
        join(store, acme, Role.MEMBER, make_account(store, name))
        create_token(store, acme, name, actor=caller(store, signed_in(store, name, provider)))
    change_provider(store, OPERATOR, acme, provider.id, ProviderChange(domains=("acme.example",)))
    assert not is_live(store, "ada@left.example", acme)
    assert is_live(store, "bob@acme.example", acme)


@pytest.mark.parametrize("role", ["admin", "owner"])
def test_keys_of_a_providers_sessions_come_into_an_owners_hands_only_if_it_signs_in_owners(
    store: ControlStore, acme: str, role: str
) -> None:
    provider = added(store, acme, role)
    ada = join(store, acme, Role.MEMBER, make_account(store, "ada@example.org"))
    session = signed_in(store, "ada@example.org", provider)
    create_token(store, acme, "by provider", actor=caller(store, session))
    create_token(store, acme, "by herself", actor=principal(store, ada))
    change_role(store, OPERATOR, acme, ada, Role.OWNER)
    assert is_live(store, "by provider", acme) is (role == "owner")
    assert is_live(store, "by herself", acme)
