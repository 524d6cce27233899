"""Metrics over the rows of a snapshot that a report shows. api/presentation defines them; nothing here computes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from api.presentation.metrics import Metric, aggregates
from orchestration.report.snapshot import Snapshot


@dataclass(frozen=True)
class Rows:
    """Rows of some repositories in some periods (their first days; `unit` is `week` or `month`)."""

    ids: Sequence[str]
    unit: str
    periods: Sequence[date]
    is_bot: bool = False

    def of(self, table: str, day: str = "delivered_on") -> tuple[str, list[object]]:
        """A table with the condition on its rows, and the parameters. `day` is the column of the day."""
        condition = (
            f"{table} where list_contains(?, repository_id) and is_bot = ?"
            f" and list_contains(?, date_trunc('{self.unit}', {day})::date)"
        )
        return condition, [list(self.ids), self.is_bot, list(self.periods)]


def measured(
    snapshot: Snapshot, metrics: Iterable[Metric], rows: tuple[str, list[object]], *, by: str = "null"
) -> dict[Any, dict[str, Any]]:
    """The metrics by name for each value of an expression over the rows; none without rows."""
    chosen = list(metrics)
    source, parameters = rows
    found = snapshot.rows(
        f"select {by}, {aggregates(chosen)} from {source} group by 1 order by 1", *parameters
    )
    return {
        key: {metric.name: metric.value(stored) for metric, stored in zip(chosen, values, strict=True)}
        for key, *values in found
    }
