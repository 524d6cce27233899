import time
from collections.abc import Callable

import dagster as dg
import pytest

from ingest.errors import NotARepository, Permanent, RateLimited, Transient
from orchestration.runtime.failures import MAX_RETRIES, translating_errors

POLICY = dg.RetryPolicy(max_retries=MAX_RETRIES, delay=0)


def attempts(error: Callable[[], Exception]) -> tuple[int, str]:
    """Number of attempts of an asset that raises this error, and the description of its failure."""
    tries = []

    @dg.asset(retry_policy=POLICY)
    def doomed(context: dg.AssetExecutionContext) -> None:
        tries.append(context.retry_number)
        with translating_errors("reading", retry_number=context.retry_number):
            raise error()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("time.sleep", lambda _: None)
        result = dg.materialize([doomed], raise_on_error=False)
    failure = next(event for event in result.all_events if event.is_step_failure).step_failure_data
    found = failure.error
    assert found
    while found.cause and found.message.startswith("Exceeded"):
        found = found.cause
    return len(tries), found.message


def test_permanent_errors_are_not_retried_and_keep_their_message() -> None:
    assert attempts(lambda: NotARepository("/x is none")) == (
        1,
        "dagster._core.definitions.events.Failure: reading: /x is none\n",
    )


def test_defects_are_not_retried_and_are_named() -> None:
    tries, message = attempts(lambda: KeyError("head"))
    assert tries == 1
    assert "unexpected KeyError: 'head'" in message


@pytest.mark.parametrize("error", [Transient("reset"), RateLimited("slow down")])
def test_transient_errors_are_retried(error: Exception) -> None:
    tries, message = attempts(lambda: error)
    assert tries == 1 + MAX_RETRIES
    assert str(error) in message


def test_a_run_waits_for_the_delay_of_the_host_and_the_last_failure_names_the_reason() -> None:
    delay, started = 0.5, time.monotonic()
    tries, message = attempts(lambda: RateLimited("slow down", retry_after=delay))
    assert time.monotonic() - started >= MAX_RETRIES * delay
    assert tries == 1 + MAX_RETRIES
    assert "reading: slow down" in message


def test_a_run_does_not_wait_for_a_delay_above_the_limit() -> None:
    assert attempts(lambda: RateLimited("come back tomorrow", retry_after=86_400.0))[0] == 1


def test_the_delay_is_the_one_that_the_host_named() -> None:
    with pytest.raises(dg.RetryRequested) as raised, translating_errors("reading"):
        raise RateLimited("slow down", retry_after=7.0)
    assert raised.value.seconds_to_wait == 7.0


def test_failures_of_the_block_itself_pass_unchanged() -> None:
    original = dg.Failure("already translated")
    with pytest.raises(dg.Failure) as raised, translating_errors("reading"):
        raise original
    assert raised.value is original


def test_every_permanent_error_refuses_retries() -> None:
    for kind in Permanent.__subclasses__():
        error = kind.__new__(kind)
        with pytest.raises(dg.Failure) as raised, translating_errors("reading"):
            raise error
        assert raised.value.allow_retries is False, kind
