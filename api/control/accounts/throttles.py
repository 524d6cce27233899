"""Rate limits: a burst of tries, then one try per interval (the generic cell rate algorithm, GCRA).

The control database keeps the state, so all processes share it. Keep out: the limits themselves (constants of the
modules that use them).
"""

import hashlib
import math
from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import delete, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from api.control.errors import TooMany
from api.control.models import Throttle
from api.control.store import ControlStore


@dataclass(frozen=True, slots=True)
class Allowance:
    """A rate limit: a burst of tries, then one try per `every`. `instead` describes an alternative for the caller."""

    what: str
    burst: int
    every: timedelta
    instead: str = ""


@dataclass(frozen=True, slots=True)
class Try:
    """One attempt against a rate limit."""

    allowance: Allowance
    who: str

    @property
    def key(self) -> str:
        """The stored key, a hash: no address is stored."""
        return hashlib.sha256(f"{self.allowance.what}\0{self.who}".encode()).hexdigest()


def take(store: ControlStore, *tries: Try) -> None:
    """Count a try against each allowance, or none of them. Raises TooMany with the wait for all that are used up."""
    with store.write_transaction() as session:
        count(session, store, *tries)
        # Deleting comes last and skips locked rows, because a longer transaction can hold rows of others.
        past = (
            select(Throttle.key)
            .where(Throttle.theoretical_arrival_at <= store.now())
            .with_for_update(skip_locked=True)
        )
        session.execute(delete(Throttle).where(Throttle.key.in_(past)))


def count(session: Session, store: ControlStore, *tries: Try) -> None:
    """Like `take`, but in the transaction of the attempt: a rollback also takes back the count."""
    # In one order for everybody: two processes then never wait for each other.
    rows = [(one, _row(session, one, store)) for one in sorted(tries, key=lambda one: one.key)]
    # Read the clock after locking: an earlier reading could be older than counted tries.
    now = store.now()
    waits = [
        (row.theoretical_arrival_at - now - (one.allowance.burst - 1) * one.allowance.every, one)
        for one, row in rows
    ]
    wait, one = max(waits, key=lambda each: each[0])
    if wait > timedelta(0):
        instead = f", or {one.allowance.instead}" if one.allowance.instead else ""
        raise TooMany(f"too many attempts to {one.allowance.what}; try again in {_told(wait)}{instead}", wait)
    for one, row in rows:
        row.theoretical_arrival_at = max(row.theoretical_arrival_at, now) + one.allowance.every


def give_back(store: ControlStore, *tries: Try) -> None:
    """Undo what `take` counted, because the try succeeded."""
    with store.write_transaction() as session:
        for one in sorted(tries, key=lambda one: one.key):
            row = session.get(Throttle, one.key, with_for_update=True)
            if row is not None:
                row.theoretical_arrival_at -= one.allowance.every


def _row(session: Session, one: Try, store: ControlStore) -> Throttle:
    row = session.get(Throttle, one.key, with_for_update=True)
    if row is None:
        row = Throttle(key=one.key, theoretical_arrival_at=store.now())
        try:
            with session.begin_nested():
                session.add(row)
        except IntegrityError:  # another process was first; its row counts
            row = session.get_one(Throttle, one.key, with_for_update=True)
    return row


def _told(wait: timedelta) -> str:
    # Rounded up, so a try after this time succeeds.
    seconds = max(1, math.ceil(wait.total_seconds()))
    if seconds < 120:
        return f"{seconds} seconds"
    return f"{math.ceil(seconds / 60)} minutes" if seconds < 7200 else f"{math.ceil(seconds / 3600)} hours"
