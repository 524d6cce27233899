"""Verifying the address of an account with a mailed link.

Keep out: what needs a verified address, and its meaning for figures (verified_addresses.py).
"""

from api.control.accounts.accounts import AccountRecord, account_record
from api.control.accounts.links import Purpose, find_link, use_link
from api.control.accounts.mails import MailKind, queue_mail
from api.control.accounts.passwords import MAX_LENGTH, Passwords
from api.control.accounts.verified_addresses import note_verified
from api.control.errors import NotPossible
from api.control.models import Account
from api.control.store import ControlStore

NOT_PROVEN = (
    "give the password of the account, or send one of its sessions; if somebody else made the account with your "
    "address, reset the password instead (POST /auth/requestPasswordReset)"
)


def request_verification(store: ControlStore, account_id: str) -> None:
    """Mail a link that verifies the account's address. Raises NotPossible for a verified address."""
    with store.session() as session:
        row = session.get_one(Account, account_id)
        if row.verified_at is not None:
            raise NotPossible(f"{row.email} is already verified")
        queue_mail(session, store.now(), MailKind.VERIFICATION, row.email)


def of_link(store: ControlStore, purpose: Purpose, secret: str) -> AccountRecord:
    """The account of a mailed link, which stays valid. Raises NotPossible."""
    with store.session() as session:
        return account_record(find_link(store, session, purpose, secret))


def verify_email(
    store: ControlStore,
    passwords: Passwords,
    secret: str,
    *,
    password: str | None = None,
    signed_in: str | None = None,
) -> AccountRecord:
    """Verify an account's address with a mailed link, and its password or the id of the account that is signed in.

    The link alone verifies nothing: the owner of the address may have got it because somebody else signed up with the
    address, and would confirm an account whose password is not theirs. Raises NotPossible for an invalid link, and
    without using it up if the account is not the person's own.
    """
    with store.session() as session:
        row = find_link(store, session, Purpose.VERIFICATION, secret)
        account_id, stored = row.id, row.password_hash
    if signed_in != account_id and (
        password is None or not passwords.matches(stored, password[: MAX_LENGTH + 1]) or stored is None
    ):
        raise NotPossible(NOT_PROVEN)
    with store.write_transaction() as session:
        row = use_link(store, session, Purpose.VERIFICATION, secret)
        if signed_in != account_id and row.password_hash != stored:
            raise NotPossible(NOT_PROVEN)
        note_verified(session, store.now(), row)
        return account_record(row)
