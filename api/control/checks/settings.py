"""What an organization sets for kinds of checks: on or off, and thresholds. The next build applies it.

A threshold is a number, or a multiple of the organization's own median. Where a build knows no median, the number
applies.

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
# Below the median, half of everything is an occurrence; beyond a hundred times of it, nothing is.
MIN_MULTIPLE_HUNDREDTHS, MAX_MULTIPLE_HUNDREDTHS = 100, 10_000
LIMITS = (
    "threshold_micro",
    "critical_micro",
    "threshold_multiple_hundredths",
    "critical_multiple_hundredths",
)
# Parts of one, by the end of a column's name.
PARTS = {"micro": 1_000_000, "hundredths": 100}


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
    store: ControlStore, organization_id: str, kind: Kind, changes: dict[str, Any]
) -> dict[str, int | None]:
    """The limits by column if these changes were made. Raises InvalidSetting, and stores nothing."""
    row = settings(store, organization_id).get(kind.name)
    wanted = _state(kind, row) | changes
    _refuse_impossible(kind, wanted)
    return {name: wanted[name] for name in LIMITS}


def change_setting(
    store: ControlStore,
    actor: Principal,
    organization_id: str,
    kind: Kind,
    changes: dict[str, Any],
) -> CheckSetting:
    """Change `is_on` or LIMITS of a kind; what is missing stays.

    Raises InvalidSetting for a threshold that the kind has not, or that is out of order.
    """
    with store.allowed_write(actor, organization_id, Permission.MANAGE_CHECK_SETTINGS) as session:
        row = session.scalar(
            select(CheckSetting).where(
                CheckSetting.organization_id == organization_id, CheckSetting.kind == kind.name
            )
        )
        before = _state(kind, row)
        after = before | changes
        _refuse_impossible(kind, after)
        if row is None:
            row = CheckSetting(organization_id=organization_id, kind=kind.name)
            session.add(row)
        elif before == after:
            return row
        for name, value in after.items():
            setattr(row, name, value)
        row.changed_by, row.changed_at = actor.actor[2], store.now()
        target = Target("checkKind", kind.name, kind.label)
        record(session, "checkKinds.update", target, _logged(before), _logged(after), restates=True)
        return row


def limits(kind: Kind, row: CheckSetting | None) -> dict[str, int | None]:
    """The limits that apply, by column."""
    if row is not None:
        return {name: getattr(row, name) for name in LIMITS}
    return dict.fromkeys(LIMITS) | {
        "threshold_micro": kind.threshold_micro,
        "critical_micro": kind.critical_micro,
    }


def numbers(stored: Mapping[str, int | None]) -> dict[str, float | None]:
    """Limits as people read them, by column without the part of one."""
    shown = {}
    for name, value in stored.items():
        column, _, part = name.rpartition("_")
        shown[column] = None if value is None else value / PARTS[part]
    return shown


def _state(kind: Kind, row: CheckSetting | None) -> dict[str, Any]:
    return {"is_on": row.is_on if row else kind.is_on, **limits(kind, row)}


def _logged(state: Mapping[str, Any]) -> dict[str, Any]:
    return logged({"is_on": state["is_on"], **numbers({name: state[name] for name in LIMITS})}, {})


def _refuse_impossible(kind: Kind, state: Mapping[str, Any]) -> None:
    """Raises InvalidSetting."""
    threshold, critical = state["threshold_micro"], state["critical_micro"]
    multiple, critical_multiple = (state[f"{name}_multiple_hundredths"] for name in ("threshold", "critical"))
    _refuse_multiples(kind, multiple, critical_multiple)
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


def _refuse_multiples(kind: Kind, multiple: int | None, critical: int | None) -> None:
    """Raises InvalidSetting."""
    for name, value in (("thresholdMultiple", multiple), ("criticalMultiple", critical)):
        if value is None:
            continue
        if kind.threshold_micro is None or kind.is_below:
            what = "looks for small values" if kind.is_below else "measures nothing"
            raise InvalidSetting(name, f"{kind.name} {what}, so no multiple of the median fits; leave it out")
        if not MIN_MULTIPLE_HUNDREDTHS <= value <= MAX_MULTIPLE_HUNDREDTHS:
            raise InvalidSetting(name, "use a number from 1 to 100, such as 1.5")
    if critical is not None and multiple is None:
        raise InvalidSetting(
            "criticalMultiple", "it goes with thresholdMultiple: set that too, or this to null"
        )
    if critical is not None and multiple is not None and critical < multiple:
        raise InvalidSetting("criticalMultiple", f"use at least the thresholdMultiple ({multiple / 100:g})")
