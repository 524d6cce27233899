"""Settings of checks in which every kind is on, with its defaults or with multiples of the median."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import yaml

from tests.dbt import warehouse
from tests.dbt.invented.invented_history import ORGANIZATION_ID

MICRO = 1_000_000
# Thresholds that random pull requests reach.
SUITED = {"back_and_forth": 2, "rubber_stamp": 10_000}


def kinds() -> dict[str, dict[str, Any]]:
    """The kinds of checks of the project by name, with thresholds that suit random pull requests."""
    declared = yaml.safe_load((warehouse.PROJECT / "dbt_project.yml").read_text())
    declared_kinds = {kind["name"]: kind for kind in declared["vars"]["check_kinds"]}
    for name, threshold in SUITED.items():
        declared_kinds[name]["threshold"] = threshold
    return declared_kinds


def all_on(multiples: Mapping[str, tuple[int, int | None]] | None = None) -> list[dict[str, Any]]:
    """Rows of the control table. `multiples` of the median, in hundredths by kind: to warn, and to be critical."""
    rows = []
    for name, kind in kinds().items():
        multiple, critical = (multiples or {}).get(name, (None, None))
        rows.append({
            "organization_id": ORGANIZATION_ID, "kind": name, "is_on": True,
            "threshold_micro": _micro(kind.get("threshold")), "critical_micro": _micro(kind.get("critical")),
            "threshold_multiple_hundredths": multiple, "critical_multiple_hundredths": critical,
        })  # fmt: skip
    return rows


def _micro(number: float | None) -> int | None:
    return None if number is None else round(number * MICRO)
