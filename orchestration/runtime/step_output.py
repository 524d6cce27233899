"""Dagster's files with the output of each step, left out where the caller shows it.

Dagster copies the output of a step to a file and back to the terminal. That starts four processes a step, which takes
longer than reading a small repository. dagster.yaml names this class.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from dagster._core.storage.compute_log_manager import CapturedLogContext
from dagster._core.storage.local_compute_log_manager import LocalComputeLogManager
from dagster._serdes import ConfigurableClassData

_is_shown = ContextVar("is_shown", default=False)


@contextmanager
def shown_by_caller() -> Iterator[None]:
    """Keep no output of the steps that run in the block. It stays on the terminal or in the log of an outer step."""
    token = _is_shown.set(True)
    try:
        yield
    finally:
        _is_shown.reset(token)


class StepOutput(LocalComputeLogManager):
    """Dagster's own capture into the folder `base_dir`, except for runs of a caller that shows the output itself."""

    @classmethod
    def from_config_value(
        cls, inst_data: ConfigurableClassData | None, config_value: Mapping[str, Any]
    ) -> StepOutput:
        """Create the log manager from the configuration in dagster.yaml. Dagster calls this."""
        return cls(inst_data=inst_data, **config_value)

    @contextmanager
    def capture_logs(self, log_key: Sequence[str]) -> Generator[CapturedLogContext, None, None]:
        """Capture the output of a step, or leave it to the caller."""
        if _is_shown.get():
            yield CapturedLogContext(log_key)
            return
        with super().capture_logs(log_key) as context:
            yield context
