"""Changed providers: whose word their settings are, and what a change ends."""

from dataclasses import replace

import pytest
from sqlalchemy import select

from api.control.errors import InvalidSetting, NotAllowed
from api.control.identity_providers.flows import begin_flow, end_flow, new_browser
from api.control.identity_providers.joining import Identity, complete_sign_in, recognize_identity
from api.control.identity_providers.kinds import ProviderKind
from api.control.identity_providers.providers import (
    NewProvider,
    ProviderChange,
    add_provider,
    change_provider,
    provider,
)
from api.control.identity_providers.records import ProviderRecord
from api.control.identity_providers.usable import usable_provider
from api.control.models import Account, AccountIdentity, Operation, SignInCode, SignInSession
from api.control.principals import Principal
from api.control.store import ControlStore
from tests.api.people import EVERY_WAY, join, make_account, principal

pytestmark = pytest.mark.both_databases

ISSUER, SECRET = "https://login.example", "s3cret"


@pytest.fixture
def acme(store: ControlStore) -> str:
    return store.ensure_organization("Acme").id


@pytest.fixture
def owner(store: ControlStore, acme: str) -> Principal:
    return principal(store, join(store, acme, "owner"))


@pytest.fixture
def admin(store: ControlStore, acme: str) -> Principal:
    return principal(store, join(store, acme, "admin"))


def added(store: ControlStore, actor: Principal, acme: str, *domains: str) -> ProviderRecord:
    wanted = NewProvider(ProviderKind.OPENID_CONNECT, "Acme", ISSUER, "eas", SECRET, domains)
    return add_provider(store, actor, acme, wanted)


def code_of(store: ControlStore, asked: ProviderRecord, address: str) -> tuple[str, str]:
    """The one-time code of a member with this address, and the browser."""
    browser = new_browser()
    state = begin_flow(store, asked.id, browser, "a test", None).state
    flow = end_flow(store, asked.id, state, browser)
    identity = Identity(ISSUER, address, "Ada", (address,))
    return recognize_identity(store, asked, identity, flow, browser, EVERY_WAY), browser


def signed_in(store: ControlStore, asked: ProviderRecord, address: str) -> str:
    """The account of a new session."""
    return complete_sign_in(store, *code_of(store, asked, address), EVERY_WAY).account.id


def secret(store: ControlStore, provider_id: str) -> str:
    found = usable_provider(store, provider_id)
    assert found is not None
    return found.secret


def test_the_stored_secret_goes_to_no_other_issuer(store: ControlStore, acme: str, admin: Principal) -> None:
    made = added(store, admin, acme)
    for change in (
        ProviderChange(issuer="https://evil.example"),
        ProviderChange(issuer=f"{ISSUER}/"),
        ProviderChange(issuer="https://evil.example", client_id="eas", domains=(), name="Other"),
    ):
        with pytest.raises(InvalidSetting, match=r"clientSecret.*new issuer"):
            change_provider(store, admin, acme, made.id, change)
    assert provider(store, acme, made.id) == made
    # The same issuer is no change, and one with a secret of its own gets that one.
    change_provider(store, admin, acme, made.id, ProviderChange(issuer=ISSUER))
    assert secret(store, made.id) == SECRET
    other = ProviderChange(issuer="https://other.example", secret="0ther")
    assert change_provider(store, admin, acme, made.id, other).issuer == "https://other.example"
    assert secret(store, made.id) == "0ther"


def test_fewer_domains_end_the_sessions_of_others(store: ControlStore, acme: str, owner: Principal) -> None:
    made = added(store, owner, acme)
    addresses = [f"ada@{domain}" for domain in ("acme.example", "sub.acme.example", "left.example")]
    for address in [*addresses, "bob@left.example"]:
        join(store, acme, "member", make_account(store, address))
    ids = [signed_in(store, made, address) for address in addresses]
    code_of(store, made, "bob@left.example")
    narrow = change_provider(store, owner, acme, made.id, ProviderChange(domains=("acme.example",)))
    with store.session() as session:
        begun = select(SignInSession.account_id).where(SignInSession.signed_in_by == made.id)
        assert session.scalars(begun).all() == [ids[0]]
        assert session.scalars(select(AccountIdentity.account_id)).all() == [ids[0]]
        assert session.scalars(select(SignInCode.account_id)).all() == []
    assert signed_in(store, narrow, addresses[0]) == ids[0]
    for address in addresses[1:]:
        with pytest.raises(NotAllowed, match="domain"):
            code_of(store, narrow, address)
    # More domains end nothing, and let the others in again.
    wide = change_provider(store, owner, acme, made.id, ProviderChange(domains=()))
    with store.session() as session:
        assert session.scalars(begun).all() == [ids[0]] * 2
    assert [signed_in(store, wide, address) for address in addresses] == ids


def test_an_identity_outside_of_the_domains_does_not_sign_in(
    store: ControlStore, acme: str, owner: Principal
) -> None:
    """Also one that is known, as of an account whose address changed."""
    made = added(store, owner, acme, "acme.example")
    ada = join(store, acme, "member", make_account(store, "ada@left.example"))
    with store.session() as session:
        session.add(
            AccountIdentity(
                id="1",
                account_id=ada,
                scope=made.id,
                organization_id=acme,
                issuer=ISSUER,
                subject="ada@acme.example",
                created_at=store.now(),
            )
        )
    with pytest.raises(NotAllowed, match="domain"):
        code_of(store, made, "ada@acme.example")


@pytest.mark.parametrize("is_verified", [True, False])
def test_figures_change_where_nothing_else_verifies_the_address_of_a_member(
    store: ControlStore, acme: str, owner: Principal, is_verified: bool
) -> None:
    made = added(store, owner, acme)
    ada = join(store, acme, "member", make_account(store, "ada@left.example"))
    signed_in(store, made, "ada@left.example")
    with store.session() as session:
        session.get_one(Account, ada).verified_at = store.now() if is_verified else None
    change_provider(store, owner, acme, made.id, ProviderChange(domains=("acme.example",)))
    with store.session() as session:
        actions = session.scalars(select(Operation.action)).all()
    assert ("identityProviders.update" in actions) is not is_verified


@pytest.mark.parametrize(
    ("change", "is_vouched"),
    [
        (ProviderChange(name="Other"), False),
        (ProviderChange(secret="0ther"), False),
        (ProviderChange(issuer=ISSUER), False),
        (ProviderChange(issuer="https://other.example", secret="0ther"), False),
        (ProviderChange(client_id="eas"), False),
        (ProviderChange(client_id="other"), False),
        (ProviderChange(domains=()), False),
        (ProviderChange(domains=("acme.example",)), False),
        (ProviderChange(issuer=ISSUER, domains=()), False),
        (ProviderChange(issuer=ISSUER, client_id="eas"), True),
        (ProviderChange(issuer="https://other.example", secret="0ther", client_id="other"), True),
    ],
    ids=[
        "name", "secret", "issuer", "another issuer", "client", "another client", "domains", "other domains",
        "no client", "both", "others",
    ],
)  # fmt: skip
def test_an_owner_vouches_for_issuer_and_client_by_naming_both(
    store: ControlStore,
    acme: str,
    owner: Principal,
    admin: Principal,
    change: ProviderChange,
    is_vouched: bool,
) -> None:
    made = added(store, admin, acme)
    assert not made.signs_in_owners
    changed = change_provider(store, owner, acme, made.id, change)
    assert changed.signs_in_owners is is_vouched
    assert provider(store, acme, made.id) == changed
    # And an admin who names the same again takes nothing back.
    same = replace(change, name=changed.name)
    assert change_provider(store, admin, acme, made.id, same).signs_in_owners is is_vouched


@pytest.mark.parametrize(
    "change",
    [
        ProviderChange(client_id="other"),
        ProviderChange(domains=("acme.example",)),
        ProviderChange(name="Other"),
    ],
    ids=["client", "domains", "name"],
)
def test_what_an_owner_vouches_for_an_owner_changes_piece_by_piece(
    store: ControlStore, acme: str, owner: Principal, change: ProviderChange
) -> None:
    assert change_provider(store, owner, acme, added(store, owner, acme).id, change).signs_in_owners
