"""The kinds of checks: what each measures, its default thresholds, and who acts.

`python -m dbt_project.check_kinds` writes check_kinds.json from the list that the warehouse reads.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from api.presentation.metrics import MICRO

# No setting allows so much. The largest doubles have no parts.
BEYOND = 1e9
FILE = Path(__file__).with_name("check_kinds.json")


@dataclass(frozen=True, slots=True)
class CheckKind:
    """A kind of check. Thresholds are in its unit; None: each row is an occurrence."""

    name: str
    source: str
    label: str
    unit: str
    is_on: bool
    actor: str
    reason: str
    threshold: float | None = None
    critical: float | None = None
    is_below: bool = False
    lasting_days: int | None = None

    @property
    def threshold_micro(self) -> int | None:
        """The default threshold in millionths of the unit."""
        return in_micro(self.threshold)

    @property
    def critical_micro(self) -> int | None:
        """The default critical threshold in millionths of the unit."""
        return in_micro(self.critical)


def in_micro(value: float | None) -> int | None:
    """A threshold in millionths of its unit."""
    return in_parts(value, MICRO)


def in_parts(value: float | None, parts: int) -> int | None:
    """A number in parts of one, at most as BEYOND."""
    return None if value is None else round(min(max(value, -BEYOND), BEYOND) * parts)


@cache
def check_kinds() -> Mapping[str, CheckKind]:
    """Every kind by its name, in the order of the list."""
    declared: list[dict[str, Any]] = json.loads(FILE.read_text())
    return {one["name"]: CheckKind(**one) for one in declared}
