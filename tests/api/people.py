"""People of the tests: accounts that are signed in, without passwords and mails."""

import itertools
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from sqlalchemy import select

from api.control.accounts.sessions import begin_session, find_by_hash
from api.control.accounts.sign_in_rules import OfferedWays
from api.control.ids import new_id
from api.control.issued_tokens import key_hash
from api.control.models import Account, Base, Member
from api.control.principals import Principal
from api.control.store import ControlStore

EVERY_WAY = OfferedWays(has_passwords=True, has_providers=True)
"""A deployment that offers each way to sign in."""
_numbers = itertools.count()


def stored(store: ControlStore) -> str:
    """The whole content of a control database, as text."""
    with store.engine.connect() as connection:
        return "\n".join(
            str([value.hex() if isinstance(value, bytes) else value for value in row])
            for table in Base.metadata.sorted_tables
            for row in connection.execute(select(table))
        )


@dataclass
class Clock:
    """A clock that advances only on request."""

    at: datetime = field(default_factory=lambda: datetime.now(UTC))

    def __call__(self) -> datetime:
        return self.at

    def advance(self, **duration: float) -> None:
        self.at += timedelta(**duration)


def make_account(store: ControlStore, email: str | None = None, *, administrator: bool = False) -> str:
    """The id of a new account with a verified address."""
    email = email or f"person{next(_numbers)}@example.org"
    account_id = new_id()
    with store.session() as session:
        session.add(
            Account(
                id=account_id,
                email=email,
                email_key=email.lower(),
                name=email.partition("@")[0],
                password_hash=None,
                is_platform_administrator=administrator,
                verified_at=store.now(),
                created_at=store.now(),
            )
        )
    return account_id


def join(store: ControlStore, organization_id: str, role: str, account_id: str | None = None) -> str:
    """The id of an account (a new one unless given) that is a member of the organization."""
    account_id = account_id or make_account(store)
    with store.session() as session:
        session.add(
            Member(organization_id=organization_id, account_id=account_id, role=role, joined_at=store.now())
        )
    return account_id


def sign_in(store: ControlStore, account_id: str) -> str:
    """The token of a new session."""
    return begin_session(store, account_id, "a test").token


def principal(store: ControlStore, account_id: str) -> Principal:
    """The account as the caller of a request."""
    found = find_by_hash(store, key_hash(sign_in(store, account_id)))
    assert found is not None
    return found[2]


def account_of(store: ControlStore, email: str) -> Account | None:
    """The account with this address."""
    with store.session() as session:
        return session.scalar(select(Account).where(Account.email_key == email.lower()))
