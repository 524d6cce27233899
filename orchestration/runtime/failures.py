"""Failure policy of runs: connector errors become Dagster failures, here and nowhere else.

Add: a class of error that must be retried differently. Keep out: retries of single requests (`ingest`).
A permanent error was once retried with growing delays for a whole night; the error's class decides, not hope.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import dagster as dg

from ingest.errors import IngestError, RateLimited, Transient

MAX_RETRIES = 3
# A minute, two, four: what a host that restarts needs. Jitter keeps many repositories from returning at once.
RETRY_TRANSIENT = dg.RetryPolicy(
    max_retries=MAX_RETRIES, delay=60, backoff=dg.Backoff.EXPONENTIAL, jitter=dg.Jitter.PLUS_MINUS
)
# No host that was seen asks for more; a longer wait is the next nightly run's.
MAX_WAIT = 3600.0


@contextmanager
def failing_as(doing: str, *, retry_number: int = 0) -> Iterator[None]:
    """Translate errors of the block: transient ones may be retried, all others never.

    A host that names its own delay is waited for. An unexpected exception is a defect, which a retry repeats.
    Raises dagster.Failure whose description says what was done and what went wrong, or RetryRequested.
    """
    try:
        yield
    except (dg.Failure, dg.RetryRequested):
        raise
    except RateLimited as error:
        if error.retry_after is not None and error.retry_after <= MAX_WAIT and retry_number < MAX_RETRIES:
            raise dg.RetryRequested(max_retries=MAX_RETRIES, seconds_to_wait=error.retry_after) from error
        raise dg.Failure(f"{doing}: {error}", allow_retries=error.retry_after is None) from error
    except IngestError as error:
        raise dg.Failure(f"{doing}: {error}", allow_retries=isinstance(error, Transient)) from error
    except Exception as error:
        raise dg.Failure(
            f"{doing}: unexpected {type(error).__name__}: {error}", allow_retries=False
        ) from error
