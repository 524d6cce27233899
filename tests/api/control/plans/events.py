"""Events of a payment system for the tests, and a signature that the service's own code did not make."""

import hashlib
import hmac
from datetime import UTC, date, datetime
from typing import Any

from api.control.payments import EventKind
from api.control.plans.billing import GivenEvent

SECRET = "a-secret-of-the-payment-system-01"
START = datetime(2027, 3, 1, 12, tzinfo=UTC)


def event(name: str, kind: EventKind, at: datetime, reference: str, **fields: Any) -> GivenEvent:
    """An event; a subscription has 5,000 commits unless told."""
    if kind in (EventKind.SUBSCRIPTION_ACTIVATED, EventKind.SUBSCRIPTION_CHANGED):
        fields = {"commit_limit": 5000, "renews_on": date(2027, 12, 1)} | fields
    return GivenEvent(name, kind, at, reference, **fields)


def signed(body: bytes, at: datetime, *secrets: str) -> str:
    """The header as docs/administration/plans.md describes it."""
    seconds = int(at.timestamp())
    texts = [
        hmac.new(secret.encode(), str(seconds).encode() + b"." + body, hashlib.sha256).hexdigest()
        for secret in secrets or (SECRET,)
    ]
    return ",".join([f"t={seconds}", *(f"v1={text}" for text in texts)])
