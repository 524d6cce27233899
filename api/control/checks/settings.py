"""What an organization sets for kinds of checks: on or off, and thresholds. The next build applies it.

Keep out: the kinds and their defaults (presentation/checks.py).
"""

from collections.abc import Mapping
from typing import Any, Protocol

from sqlalchemy import select

from api.control.audit import Target, logged, record
from api.control.errors import InvalidSetting
from api.control.models import CheckSetting
from api.control.permissions import Permission
from api.control.principals import Principal
from api.control.records import owned
from api.control.store import ControlStore

# Ten thousand units; in working days, forty years.
MAX_THRESHOLD_MICRO = 10_000 * 1_000_000


class Kind(Protocol):
    """A kind with its defaults, in millionths of its unit."""

    @property
    def name(self) -> str:
        """Its name in lower case."""

    @property
    def label(self) -> str:
        """Its name for people."""

    @property
    def unit(self) -> str:
        """The unit of its thresholds."""

    @property
    def is_on(self) -> bool:
        """Whether it is on by default."""

    @property
    def is_below(self) -> bool:
        """Whether small values are occurrences."""

    @property
    def threshold_micro(self) -> int | None:
        """The default threshold; None: it measures nothing."""

    @property
    def critical_micro(self) -> int | None:
        """The default critical threshold."""


def settings(store: ControlStore, organization_id: str) -> dict[str, CheckSetting]:
    """What the organization set, by kind. A kind without a row has its defaults."""
    with store.session() as session:
        return {row.kind: row for row in session.scalars(owned(CheckSetting, organization_id))}


def proposed(
    store: ControlStore, organization_id: str, kind: Kind, changes: Mapping[str, Any]
) -> tuple[int | None, int | None]:
    """Threshold and critical threshold if these changes were made. Raises InvalidSetting, and stores nothing."""
    row = settings(store, organization_id).get(kind.name)
    wanted = (_state(row) or _defaults(kind)) | dict(changes)
    _refuse_impossible(kind, wanted["threshold_micro"], wanted["critical_micro"])
    return wanted["threshold_micro"], wanted["critical_micro"]


def change_setting(
    store: ControlStore,
    actor: Principal,
    organization_id: str,
    kind: Kind,
    changes: Mapping[str, Any],
) -> CheckSetting:
    """Change `is_on`, `threshold_micro` or `critical_micro` of a kind; what is missing stays.

    Raises InvalidSetting for a threshold that the kind has not, or that is out of order.
    """
    with store.allowed_write(actor, organization_id, Permission.MANAGE_CHECK_SETTINGS) as session:
        row = session.scalar(
            select(CheckSetting).where(
                CheckSetting.organization_id == organization_id, CheckSetting.kind == kind.name
            )
        )
        before = _state(row) or _defaults(kind)
        after = before | dict(changes)
        _refuse_impossible(kind, after["threshold_micro"], after["critical_micro"])
        if row is None:
            row = CheckSetting(organization_id=organization_id, kind=kind.name)
            session.add(row)
        elif before == after:
            return row
        for name, value in after.items():
            setattr(row, name, value)
        row.changed_by, row.changed_at = actor.actor[2], store.now()
        target = Target("checkKind", kind.name, kind.label)
        names = {"threshold_micro": "threshold", "critical_micro": "critical"}
        states = [logged(one, names) for one in (before, after)]
        record(session, "checkKinds.update", target, *states, restates=True)
        return row


def _defaults(kind: Kind) -> dict[str, Any]:
    return {
        "is_on": kind.is_on,
        "threshold_micro": kind.threshold_micro,
        "critical_micro": kind.critical_micro,
    }


def _state(row: CheckSetting | None) -> dict[str, Any] | None:
    if row is None:
        return None
    return {
        "is_on": row.is_on,
        "threshold_micro": row.threshold_micro,
        "critical_micro": row.critical_micro,
    }


def _refuse_impossible(kind: Kind, threshold: int | None, critical: int | None) -> None:
    """Raises InvalidSetting."""
    if kind.threshold_micro is None:
        if threshold is not None or critical is not None:
            raise InvalidSetting(
                "threshold", f"{kind.name} measures nothing, so it has no threshold; leave it out"
            )
        return
    if threshold is None:
        raise InvalidSetting(
            "threshold", f"{kind.name} needs a threshold in {kind.unit}; turn it off with isOn"
        )
    for name, value in (("threshold", threshold), ("critical", critical)):
        if value is not None and not 0 < value <= MAX_THRESHOLD_MICRO:
            raise InvalidSetting(name, "use a number above 0 and at most 10000")
    if critical is not None and (critical > threshold if kind.is_below else critical < threshold):
        side = "at most" if kind.is_below else "at least"
        raise InvalidSetting("critical", f"use {side} the threshold ({threshold / 1e6:g} {kind.unit})")
