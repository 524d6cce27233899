"""Allowances: so many tries at once, then one per interval, for whatever must not be guessed or flooded.

Kept in the control database, so that every process counts alike. Keep out: what is limited (its module's constants).
"""

import hashlib
from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import delete
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from api.control.errors import TooMany
from api.control.models import Throttle
from api.control.store import ControlStore


@dataclass(frozen=True, slots=True)
class Allowance:
    """`burst` tries at once; each comes back after `every`."""

    what: str
    burst: int
    every: timedelta


@dataclass(frozen=True, slots=True)
class Try:
    """One try of somebody against an allowance."""

    allowance: Allowance
    who: str

    @property
    def key(self) -> str:
        """As it is stored: no address of anybody."""
        return hashlib.sha256(f"{self.allowance.what}\0{self.who}".encode()).hexdigest()


def take(store: ControlStore, *tries: Try) -> None:
    """Count a try against each allowance, or none of them. Raises TooMany where one is used up."""
    now = store.now()
    with store.deciding() as session:
        session.execute(delete(Throttle).where(Throttle.drained_at <= now))
        # In one order for everybody: two processes then never wait for each other.
        rows = [(one, _row(session, one, store)) for one in sorted(tries, key=lambda one: one.key)]
        for one, row in rows:
            wait = row.drained_at - now - (one.allowance.burst - 1) * one.allowance.every
            if wait > timedelta(0):
                raise TooMany(f"too many attempts to {one.allowance.what}; try again in {_told(wait)}", wait)
        for one, row in rows:
            row.drained_at = max(row.drained_at, now) + one.allowance.every


def give_back(store: ControlStore, *tries: Try) -> None:
    """Undo what `take` counted: the try was a good one."""
    with store.deciding() as session:
        for one in sorted(tries, key=lambda one: one.key):
            row = session.get(Throttle, one.key, with_for_update=True)
            if row is not None:
                row.drained_at -= one.allowance.every


def _row(session: Session, one: Try, store: ControlStore) -> Throttle:
    row = session.get(Throttle, one.key, with_for_update=True)
    if row is None:
        row = Throttle(key=one.key, drained_at=store.now())
        try:
            with session.begin_nested():
                session.add(row)
        except IntegrityError:  # another process was first; its row counts
            row = session.get_one(Throttle, one.key, with_for_update=True)
    return row


def _told(wait: timedelta) -> str:
    seconds = max(1, round(wait.total_seconds()))
    return f"{seconds} seconds" if seconds < 120 else f"{round(seconds / 60)} minutes"
