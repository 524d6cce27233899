"""Findings of the checks of `eas doctor`.

Keep out: the checks.
"""

from dataclasses import dataclass
from datetime import UTC, datetime


@dataclass(frozen=True)
class Finding:
    """A result of a check. `passed` is None for information and for warnings; `is_warning` marks the warnings."""

    subject: str
    passed: bool | None
    detail: str
    is_warning: bool = False


def ago(instant: str | None) -> str:
    """The time since an instant in ISO 8601, in its largest unit; "never" for None."""
    if instant is None:
        return "never"
    seconds = (datetime.now(UTC) - datetime.fromisoformat(instant)).total_seconds()
    if seconds < -1:
        return f"at {instant}, which is in the future: the clock was set back"
    for unit, length in (("days", 86400), ("hours", 3600), ("minutes", 60)):
        if seconds >= 2 * length:
            return f"{seconds / length:.0f} {unit} ago"
    return f"{seconds:.0f} seconds ago"
