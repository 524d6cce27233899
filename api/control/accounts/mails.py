"""The mail queue. A transaction queues its mails; one sender takes each mail and retries until it is sent.

Keep out: texts and transports (api/mail).
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from sqlalchemy import delete, func, select, update
from sqlalchemy.orm import Session

from api.control.ids import new_id
from api.control.models import Mail
from api.control.store import ControlStore

# After this time another sender takes the mail of a killed one.
LEASE = timedelta(minutes=2)
MAX_ATTEMPTS = 12


class MailKind(StrEnum):
    """The letter that a mail contains."""

    WELCOME = "welcome"
    VERIFICATION = "verification"
    PASSWORD_RESET = "password_reset"
    INVITATION = "invitation"
    TRIAL_ENDING = "trial_ending"
    PAYMENT_FAILED = "payment_failed"
    PAYMENT_DUE = "payment_due"
    PAYMENT_OVERDUE = "payment_overdue"
    PAYMENT_ENDED = "payment_ended"
    SUMMARY = "summary"


@dataclass(frozen=True, slots=True)
class DueMail:
    """A mail to send."""

    id: str
    kind: MailKind
    recipient: str
    facts: dict[str, Any]
    attempts: int


@dataclass(frozen=True, slots=True)
class WaitingMails:
    """Mails after failed attempts: how many, since when, and when the next one is tried again."""

    count: int
    queued_at: datetime | None
    due_at: datetime | None


def queue_mail(session: Session, now: datetime, kind: MailKind, recipient: str, **facts: Any) -> None:
    """Queue a mail, which is sent after this transaction is committed. `facts` are JSON without anything secret."""
    session.add(
        Mail(
            id=new_id(),
            kind=kind,
            recipient=recipient,
            facts=facts,
            created_at=now,
            due_at=now,
            attempts=0,
        )
    )


def take_due(store: ControlStore) -> DueMail | None:
    """The oldest due mail that no other sender has taken; None if there is none. Summaries come last: somebody waits
    for the others.
    """
    now = store.now()
    with store.session() as session:
        rows = session.scalars(
            select(Mail)
            .where(Mail.due_at <= now)
            .order_by(Mail.kind == MailKind.SUMMARY.value, Mail.due_at, Mail.id)
            .limit(10)
        ).all()
        for row in rows:
            taken = session.execute(
                update(Mail)
                .where(Mail.id == row.id, Mail.due_at == row.due_at)
                .values(due_at=now + LEASE, attempts=Mail.attempts + 1)
                .returning(Mail.attempts)
            ).scalar_one_or_none()
            if taken is not None:
                return DueMail(row.id, MailKind(row.kind), row.recipient, row.facts, taken)
    return None


def finish_mail(store: ControlStore, mail_id: str) -> None:
    """Delete a mail that was sent or has no recipient."""
    with store.session() as session:
        session.execute(delete(Mail).where(Mail.id == mail_id))


def postpone_mail(store: ControlStore, mail: DueMail) -> datetime | None:
    """Try a failed mail again later, with twice the delay each time. Returns when; None when the mail is given up."""
    if mail.attempts >= MAX_ATTEMPTS:
        finish_mail(store, mail.id)
        return None
    due_at: datetime = store.now() + timedelta(seconds=15) * 2**mail.attempts
    with store.session() as session:
        session.execute(update(Mail).where(Mail.id == mail.id).values(due_at=due_at))
    return due_at


def waiting_mails(store: ControlStore) -> WaitingMails:
    """The mails that need more than one attempt: one at its first may be under way."""
    statement = select(func.count(), func.min(Mail.created_at), func.min(Mail.due_at))
    with store.session() as session:
        return WaitingMails(*session.execute(statement.where(Mail.attempts > 1)).one())
