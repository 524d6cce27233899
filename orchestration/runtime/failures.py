"""The failure policy of runs: the only place that converts errors of `ingest` to Dagster failures.

Add: a class of error that must be retried differently. Keep out: retries of single requests (`ingest`).
The class of an error decides about retries, because a permanent error was once retried for a whole night.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import dagster as dg

from ingest.errors import IngestError, RateLimited, Transient
from orchestration.runtime.explanations import explain

MAX_RETRIES = 3
# Delays of 1, 2 and 4 minutes cover the restart of a host. Jitter spreads the retries of many repositories.
RETRY_TRANSIENT = dg.RetryPolicy(
    max_retries=MAX_RETRIES, delay=60, backoff=dg.Backoff.EXPONENTIAL, jitter=dg.Jitter.PLUS_MINUS
)
# Seconds. No known host asks for a longer delay; after a longer one the next nightly run tries again.
MAX_WAIT = 3600.0


@contextmanager
def translating_errors(task: str, *, retry_number: int = 0) -> Iterator[None]:
    """Convert errors of the block to dagster.Failure: only transient errors allow retries.

    Raises dagster.RetryRequested if a host names its own delay, at most MAX_WAIT. An unexpected exception is a defect,
    so it is not retried, and neither is what a signal ended. The description of a failure names `task` and the error.
    """
    try:
        yield
    except (dg.Failure, dg.RetryRequested):
        raise
    except (KeyboardInterrupt, dg.DagsterExecutionInterruptedError) as error:
        # Dagster would wait for the delay of a retry, a minute and more, before the command or run could end.
        raise dg.Failure(f"{task}: interrupted", allow_retries=False) from error
    except RateLimited as error:
        if error.retry_after is not None and error.retry_after <= MAX_WAIT and retry_number < MAX_RETRIES:
            raise dg.RetryRequested(max_retries=MAX_RETRIES, seconds_to_wait=error.retry_after) from error
        raise dg.Failure(f"{task}: {error}", allow_retries=error.retry_after is None) from error
    except IngestError as error:
        raise dg.Failure(f"{task}: {error}", allow_retries=isinstance(error, Transient)) from error
    except Exception as error:
        raise dg.Failure(f"{task}: {explain(error)}", allow_retries=False) from error
