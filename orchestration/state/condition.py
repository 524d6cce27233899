"""Conditions: sentences about things that earlier work, an accident or damage left behind.

Keep out: how it is found (conditions.py, build_conditions.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

AGAIN = "run `eas analyze` again"


class Kind(StrEnum):
    """The part of a deployment that a condition concerns."""

    CONTROL_DATABASE = "control database"
    FOREIGN = "foreign files"
    LAKE = "lake"
    LOCK = "lock"
    POINTER = "pointer"
    SNAPSHOT = "snapshot"
    WAREHOUSE = "warehouse"


@dataclass(frozen=True, slots=True)
class Condition:
    """Something that is not as the last run left it.

    `repository_id`, `connection_id`: reading that repository or connection again repairs it. `blocks_build`: a build
    would publish wrong figures.
    """

    kind: Kind
    subject: str
    detail: str
    remedy: str
    repository_id: str | None = None
    blocks_build: bool = False
    connection_id: str | None = None

    def __str__(self) -> str:
        return f"{self.detail}: {self.remedy}"
