"""Accounts: sign-up, and checking, changing and resetting a password.

Keep out: verifying an address by mail (verification.py), sessions (sessions.py), memberships (members.py), rate limits
(throttles.py, applied by the routes).
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from api.control.accounts.account_names import MAX_NAME_LENGTH, proposed_name, rename
from api.control.accounts.links import Purpose, find_link, use_link, void_links
from api.control.accounts.mails import MailKind, queue_mail
from api.control.accounts.passwords import MAX_LENGTH, Passwords, check
from api.control.accounts.sessions import NewSession, begin_session, end_sessions
from api.control.accounts.sign_in_rules import password_refusal
from api.control.accounts.takeovers import take_over
from api.control.accounts.verified_addresses import note_verified
from api.control.errors import (
    AlreadyExists,
    InvalidSetting,
    NotAllowed,
    NotFound,
    NotPossible,
    NotRecognized,
    WeakPassword,
)
from api.control.ids import new_id
from api.control.models import Account
from api.control.names import checked_name
from api.control.principals import Principal
from api.control.records import copied
from api.control.store import ControlStore

MAX_EMAIL_LENGTH = 254
WRONG = "the e-mail address or the password is wrong"
WRONG_PRESENT = "the current password is wrong"
# ASCII only: people cannot distinguish addresses with similar characters.
EMAIL = re.compile(
    r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
    r"(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)+"
)


@dataclass(frozen=True, slots=True)
class AccountRecord:
    """An account."""

    id: str
    email: str
    name: str
    is_verified: bool
    is_platform_administrator: bool
    created_at: datetime


def email_key(email: str) -> str:
    """The comparison key of an address: lower case, without surrounding spaces. Raises InvalidSetting for a malformed
    one.
    """
    email = email.strip()
    if len(email) > MAX_EMAIL_LENGTH or not EMAIL.fullmatch(email):
        raise InvalidSetting("email", "use an address such as ada@example.org")
    return email.lower()


def refuse_new(store: ControlStore, email: str, name: str) -> None:
    """Raise what `sign_up` would raise for this address and name, before anybody types a password.

    Raises InvalidSetting, AlreadyExists.
    """
    key = email_key(email)
    checked_name(name, "name", max_length=MAX_NAME_LENGTH)
    with store.session() as session:
        if find_by_email(session, key) is not None:
            raise _registered(email)


def sign_up(
    store: ControlStore,
    passwords: Passwords,
    email: str,
    password: str,
    name: str,
    *,
    is_platform_administrator: bool = False,
    is_verified: bool = False,
    organization: str | None = None,
    first: Callable[[Session, str], None] | None = None,
) -> AccountRecord:
    """Create an account. A mail asks to verify its address, unless the address counts as verified.

    `first` gets the id in the same transaction: afterwards the owner of the address may have taken the account over.

    Raises InvalidSetting, WeakPassword, NotAllowed if the named organization accepts no password for this address, and
    AlreadyExists for a registered address, also when another sign-up with it runs at the same time.
    """
    key = email_key(email)
    _refuse_password(store, organization, key)
    name = checked_name(name, "name", max_length=MAX_NAME_LENGTH)
    _refuse_weak(password, email)
    now = store.now()
    row = Account(
        id=new_id(),
        email=email.strip(),
        email_key=key,
        name=name,
        password_hash=passwords.hash(password),
        is_platform_administrator=is_platform_administrator,
        verified_at=now if is_verified else None,
        created_at=now,
    )
    try:
        with store.session() as session:
            session.add(row)
            session.flush()
            if not is_verified:
                queue_mail(session, now, MailKind.WELCOME, row.email)
            if first is not None:
                first(session, row.id)
    except IntegrityError:
        raise _registered(email) from None
    return account_record(row)


def make_administrator(store: ControlStore, email: str, *, may_be_unverified: bool = False) -> AccountRecord:
    """Give an account the platform role. Only the operator can: no HTTP path calls this.

    Raises NotFound, and NotPossible for an unverified address unless it may be one.
    """
    with store.session() as session:
        row = registered(session, email, may_be_unverified=may_be_unverified)
        row.is_platform_administrator = True
        return account_record(row)


def recognize(store: ControlStore, passwords: Passwords, email: str, password: str) -> AccountRecord:
    """The account of an address and password. Raises NotRecognized, after the same time for a wrong address and a
    wrong password.
    """
    return _recognized(store, passwords, email, password)[0]


def sign_in(
    store: ControlStore,
    passwords: Passwords,
    email: str,
    password: str,
    device: str,
    organization: str | None = None,
) -> tuple[AccountRecord, NewSession]:
    """The account of an address and password, and its new session on a device.

    Raises NotRecognized like `recognize`, and if the password was replaced in the meantime. A replacement ends all
    sessions, so a session must not begin after it with the old password. Raises NotAllowed if the named organization
    accepts no password for it; without a name the session begins, and organizations that accept none stay shut.
    """
    recognized, stored = _recognized(store, passwords, email, password)
    with store.write_transaction() as session:
        present = session.get_one(Account, recognized.id).password_hash
        if present != stored and not passwords.matches(present, password):
            raise NotRecognized(WRONG)
        # Only now: the reason tells that the account is a member.
        if organization is not None and (
            reason := password_refusal(session, organization, recognized.email.lower())
        ):
            raise NotAllowed(reason)
        return recognized, begin_session(store, recognized.id, device, within=session)


def account(store: ControlStore, account_id: str) -> AccountRecord:
    """The account of this id. Raises NotFound."""
    with store.session() as session:
        row = session.get(Account, account_id)
        if row is None:
            raise NotFound(f"no account {account_id!r}")
        return account_record(row)


def rename_account(store: ControlStore, actor: Principal, name: str) -> AccountRecord:
    """Rename the actor's account. Every organization of the account logs the change.

    Raises InvalidSetting.
    """
    with store.write_transaction() as session:
        row = session.get_one(Account, actor.account_id)
        if name != row.name:
            name = checked_name(name, "name", max_length=MAX_NAME_LENGTH)
        rename(session, actor, row, name)
        return account_record(row)


def change_password(
    store: ControlStore,
    passwords: Passwords,
    account_id: str,
    current: str,
    new: str,
    *,
    keep_session: str | None,
) -> None:
    """Replace the password, end every session but one, and void the mailed reset links.

    Raises NotPossible for a wrong current password, and WeakPassword.
    """
    with store.session() as session:
        row = session.get_one(Account, account_id)
        stored, email = row.password_hash, row.email
    if not passwords.matches(stored, current):
        raise NotPossible(WRONG_PRESENT)
    _refuse_weak(new, email)
    renewed = passwords.hash(new)
    with store.write_transaction() as session:
        row = session.get_one(Account, account_id)
        # A mailed link replaced the password meanwhile and ended the sessions of the earlier one.
        if row.password_hash != stored and not passwords.matches(row.password_hash, current):
            raise NotPossible(WRONG_PRESENT)
        row.password_hash = renewed
        void_links(session, account_id, Purpose.PASSWORD_RESET)
        end_sessions(session, account_id, but=keep_session)


def request_password_reset(store: ControlStore, email: str) -> None:
    """Queue a mail with a reset link. Behaves the same for an unknown address, so callers cannot test addresses."""
    key = email_key(email)
    with store.session() as session:
        queue_mail(session, store.now(), MailKind.PASSWORD_RESET, key)


def reset_password(store: ControlStore, passwords: Passwords, secret: str, new: str) -> None:
    """Set a password with a mailed link, verify the address, and end every session. An account that was unverified is
    taken over with all that was prepared in it, and gets the name of its mailbox.

    Raises NotPossible for an invalid link, WeakPassword without using up the link.
    """
    with store.session() as session:
        email = find_link(store, session, Purpose.PASSWORD_RESET, secret).email
    _refuse_weak(new, email)
    renewed = passwords.hash(new)
    with store.write_transaction() as session:
        row = use_link(store, session, Purpose.PASSWORD_RESET, secret)
        if row.verified_at is None:
            take_over(session, store, row, proposed_name(row.email))
        row.password_hash = renewed
        note_verified(session, store.now(), row)
        end_sessions(session, row.id)


def find_by_email(session: Session, email: str) -> Account | None:
    """The row of an address, compared without case."""
    return session.scalar(select(Account).where(Account.email_key == email.strip().lower()))


def registered(session: Session, email: str, *, may_be_unverified: bool) -> Account:
    """The row of an address that gets a role. Raises NotFound, and NotPossible for an unverified address."""
    row = find_by_email(session, email)
    if row is None:
        raise NotFound(f"no account is registered as {email.strip()}")
    if row.verified_at is None and not may_be_unverified:
        raise NotPossible(
            f"nobody has verified {row.email}, and anybody can sign up with an address of somebody else: let its owner "
            "open the link in the mail or reset the password first; if you know that the account is theirs, repeat the "
            "command with --unverified"
        )
    return row


def _recognized(
    store: ControlStore, passwords: Passwords, email: str, password: str
) -> tuple[AccountRecord, str]:
    """The account of an address and password, and the hash by which it was recognized."""
    with store.session() as session:
        row = find_by_email(session, email)
    stored = row.password_hash if row is not None else None
    if not passwords.matches(stored, password[: MAX_LENGTH + 1]) or row is None or stored is None:
        raise NotRecognized(WRONG)
    if passwords.is_outdated(stored):
        renewed = passwords.hash(password)
        with store.write_transaction() as session:
            current = session.get(Account, row.id)
            if current is not None and current.password_hash == stored:
                current.password_hash = stored = renewed
    return account_record(row), stored


def _refuse_password(store: ControlStore, organization: str | None, key: str) -> None:
    if organization is None:
        return
    with store.session() as session:
        if reason := password_refusal(session, organization, key, is_stranger=True):
            raise NotAllowed(reason)


def _registered(email: str) -> AlreadyExists:
    return AlreadyExists(f"{email.strip()} is already registered; sign in, or reset the password")


def _refuse_weak(password: str, email: str) -> None:
    if len(password) > MAX_LENGTH:
        raise InvalidSetting("password", f"use at most {MAX_LENGTH} characters")
    unmet = [rule.description for rule, is_met in check(password, email) if not is_met]
    if unmet:
        raise WeakPassword(unmet)


def account_record(row: Account) -> AccountRecord:
    """The record of a row."""
    return copied(AccountRecord, row, is_verified=row.verified_at is not None)
