"""Tokens that end: the sentence for the person who can replace them.

Keep out: how a provider states the end (`ingest.providers`).
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

WARN_BEFORE = timedelta(days=14)


def expiry_warnings(
    title: str, expires_at: datetime | None, scopes: str = "", now: datetime | None = None
) -> tuple[str, ...]:
    """A sentence if a token ends within two weeks. `scopes` says which ones the next token needs."""
    if expires_at is None or expires_at - (now or datetime.now(UTC)) >= WARN_BEFORE:
        return ()
    needs = f" with {scopes}" if scopes else ""
    return (f"The token ends on {expires_at:%d %B %Y}: create the next one at {title}{needs} in time.",)
