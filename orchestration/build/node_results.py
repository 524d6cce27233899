"""The result of each node of a build: the status, the time and the failures of a model, seed or test.

Keep out: how dbt is called (dbt_build.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

PASSING_STATUSES = frozenset({"success", "pass", "no-op", "warn"})


@dataclass(frozen=True)
class NodeResult:
    """Result of a model, seed or test. `seconds` is wall time; `failures` counts the rows that a test returned."""

    unique_id: str
    status: str
    seconds: float
    message: str
    failures: int

    @property
    def passed(self) -> bool:
        """Whether the model was built or the test passed, perhaps with a warning."""
        return self.status in PASSING_STATUSES

    @property
    def was_run(self) -> bool:
        """False if dbt skipped the node because an upstream node failed."""
        return self.status != "skipped"


def of_run(run: Any) -> list[NodeResult]:
    """The results of dbt's own result of a command. Writes the SQL of failed nodes where dbt's log says it is."""
    from orchestration.build.dbt_savings import write_compiled

    found = []
    for result in getattr(run, "results", []):
        one = NodeResult(
            unique_id=result.node.unique_id,
            status=str(result.status),
            seconds=float(result.execution_time or 0),
            message=str(result.message or ""),
            failures=int(result.failures or 0),
        )
        if one.was_run and not one.passed:
            write_compiled(result.node)
        found.append(one)
    return found
