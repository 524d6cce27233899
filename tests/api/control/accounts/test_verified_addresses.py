"""The warehouse gets the verified address of a member, as an id. A change of it needs a build."""

import pytest

from api.control.accounts.links import Purpose, make_link
from api.control.accounts.members import put_member, remove_member
from api.control.accounts.passwords import Passwords
from api.control.accounts.verification import verify_email
from api.control.models import Account
from api.control.operations import operations
from api.control.permissions import Role
from api.control.principals import OPERATOR
from api.control.snapshot.identities import mailbox_id
from api.control.store import ControlStore
from tests.api.people import make_account

pytestmark = pytest.mark.both_databases


def mailboxes(store: ControlStore, organization: str) -> list[str]:
    return [row["mailbox_id"] for row in store.snapshot(organization)["member_mailboxes"]]


def due(store: ControlStore, organization: str) -> list[str]:
    return [one.action for one in operations.pending(store, organization)]


def unverified(store: ControlStore) -> tuple[str, str]:
    account = make_account(store)
    with store.session() as session:
        row = session.get_one(Account, account)
        row.verified_at = None
        return account, row.email


def test_an_address_counts_from_being_proven_to_leaving_in_every_organization(store: ControlStore) -> None:
    ours, theirs, other = (store.ensure_organization(name).id for name in ("Ours", "Theirs", "Other"))
    account, email = unverified(store)
    for organization in (ours, theirs):
        put_member(store, OPERATOR, organization, email, Role.MEMBER, may_be_unverified=True)
        assert (mailboxes(store, organization), due(store, organization)) == ([], [])
    secret = make_link(store, Purpose.VERIFICATION, account, email.lower())
    assert verify_email(store, Passwords(8), secret, signed_in=account).is_verified
    for organization in (ours, theirs):
        assert mailboxes(store, organization) == [mailbox_id(organization, email.upper())]
        assert due(store, organization) == ["members.verifyEmail"]
    assert mailboxes(store, ours) != mailboxes(store, theirs)
    assert (mailboxes(store, other), due(store, other)) == ([], [])
    remove_member(store, OPERATOR, ours, account)
    assert (mailboxes(store, ours), due(store, ours)) == ([], ["members.verifyEmail", "members.remove"])
    assert len(mailboxes(store, theirs)) == 1


def test_the_snapshot_holds_no_address(store: ControlStore) -> None:
    organization = store.ensure_organization("Acme").id
    account = make_account(store)
    with store.session() as session:
        email = session.get_one(Account, account).email
    put_member(store, OPERATOR, organization, email, Role.OWNER)
    assert due(store, organization) == ["members.create"]
    assert "@" not in str(store.snapshot(organization))
