"""Limits of providers: how long to wait for the next request, from the headers of an answer.

Formats read in the providers' documentation: `Retry-After` in seconds or as a date (RFC 9110), resets as seconds or
milliseconds since 1970 or as ISO 8601. A malformed or absurd header counts as missing.
"""

from __future__ import annotations

import email.utils
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

from ingest.errors import ProviderRefused
from ingest.http.answers import Answer

MAX_WAIT = 86_400.0
"""No provider limits for longer than a day; a longer wait is a wrong header or clock."""


@dataclass(frozen=True)
class RateLimits:
    """The form in which a provider states its limits. Names of headers are in lower case.

    `reset_format` is `epoch`, `epoch_ms` or `iso`; the reset counts only while `remaining` is 0 or absent. `refuses`
    recognises a limit that neither the status 429 nor a 403 with `remaining` 0 tells. `wait_without_header` are the
    seconds to wait where no header says more; None: the backoff of the client. `refusal` recognises a refusal that
    only the provider's headers or codes explain, whatever the status. `lasts` recognises a 429 that no pause ends, such
    as a quota that is used up; then it is a refusal.
    """

    remaining: str | None = None
    reset: str | None = None
    reset_format: str = "epoch"
    refuses: Callable[[Answer], bool] = field(default=lambda _: False)
    wait_without_header: float | None = None
    refusal: Callable[[Answer], ProviderRefused | None] = field(default=lambda _: None)
    lasts: Callable[[Answer], bool] = field(default=lambda _: False)

    def is_reached(self, answer: Answer) -> bool:
        """Whether an answer refuses because of a limit. A missing header says nothing."""
        is_used_up = answer.status == 403 and answer.headers.get(self.remaining or "") == "0"
        is_asked_to_wait = answer.status == 429 and not self.lasts(answer)
        return is_asked_to_wait or is_used_up or self.refuses(answer)


def wait_of(headers: Mapping[str, str], limits: RateLimits, now: datetime) -> float | None:
    """Seconds until the provider accepts requests again; None if it does not say."""
    wait = retry_after(headers, now)
    if wait is None and headers.get(limits.remaining or "", "0") == "0":
        at = _reset(headers.get(limits.reset or "", ""), limits.reset_format)
        wait = _until(at, headers, now)
    return limits.wait_without_header if wait is None else wait


def retry_after(headers: Mapping[str, str], now: datetime) -> float | None:
    """Seconds of the header `Retry-After`; None without a usable one."""
    stated = headers.get("retry-after", "").strip()
    if not stated:
        return None
    try:
        seconds = float(stated)
    except ValueError:
        return _until(date_of(stated), headers, now)
    return seconds if 0 <= seconds <= MAX_WAIT else None


def _until(at: datetime | None, headers: Mapping[str, str], now: datetime) -> float | None:
    """Seconds until a time of the provider, by the provider's clock where it states it."""
    if at is None:
        return None
    seconds = (at - (date_of(headers.get("date", "")) or now)).total_seconds()
    return max(0.0, seconds) if seconds <= MAX_WAIT else None


def date_of(text: str) -> datetime | None:
    """The time of a header such as `Date`; None if it is malformed."""
    try:
        found = email.utils.parsedate_to_datetime(text)
    except (TypeError, ValueError, IndexError, OverflowError):
        return None
    return found.replace(tzinfo=UTC) if found.tzinfo is None else found


def _reset(stated: str, form: str) -> datetime | None:
    try:
        if form == "iso":
            found = datetime.fromisoformat(stated)
            return found.replace(tzinfo=UTC) if found.tzinfo is None else found
        # 0 means that the provider does not limit.
        seconds = float(stated) / (1000 if form == "epoch_ms" else 1)
        return datetime.fromtimestamp(seconds, UTC) if seconds > 0 else None
    except (ValueError, OverflowError, OSError):
        return None
