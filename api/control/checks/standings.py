"""The decisions that apply to the occurrences of an organization, kept in memory for its lists.

Keep out: making decisions (decisions.py).
"""

import threading
from collections import OrderedDict
from dataclasses import dataclass
from datetime import date
from zoneinfo import ZoneInfo

import orjson
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from api.control.models import CheckDecision, Organization
from api.control.store import ControlStore

# Organizations whose decisions are kept: 150 bytes for each decision.
MAX_KEPT = 100


@dataclass(frozen=True, slots=True)
class Standing:
    """The decisions that apply, as JSON for the build, and the present day of the organization.

    `version` is the number of decisions and the newest one. Decisions are added, and removed with their repository, so
    equal versions mean equal decisions.
    """

    decisions: str
    version: str
    today: date

    @property
    def key(self) -> str:
        """Equal for equal decisions of an organization on the same day."""
        return f"{self.version} {self.today}"


class Standings:
    """The decisions of organizations, read again only after new ones: 2,000 take 20 ms, and every list needs them."""

    def __init__(self, store: ControlStore) -> None:
        self._store = store
        self._kept: OrderedDict[str, tuple[str, str]] = OrderedDict()
        self._mutex = threading.Lock()

    def of(self, organization_id: str) -> Standing:
        """The decisions of an organization and its present day."""
        today = present_day(self._store, organization_id)
        decisions, version = self._store.unchanged(
            ("standing", organization_id), lambda: self._decisions(organization_id)
        )
        return Standing(decisions, version, today)

    def _decisions(self, organization_id: str) -> tuple[str, str]:
        """The last decisions, and their version."""
        with self._store.session() as session:
            # Counted before they are read, so a decision in between is found by the next request.
            counted = select(func.count(), func.max(CheckDecision.id)).where(
                CheckDecision.organization_id == organization_id
            )
            number, newest = session.execute(counted).one()
            version = f"{number} {newest}"
            decisions = self._known(organization_id, version)
            if decisions is None:
                decisions = _last_decisions(session, organization_id)
                self._keep(organization_id, version, decisions)
        return decisions, version

    @property
    def size(self) -> int:
        """Number of organizations whose decisions are in memory."""
        return len(self._kept)

    def _known(self, organization_id: str, version: str) -> str | None:
        with self._mutex:
            kept = self._kept.get(organization_id)
            if kept is None or kept[0] != version:
                return None
            self._kept.move_to_end(organization_id)
            return kept[1]

    def _keep(self, organization_id: str, version: str, decisions: str) -> None:
        with self._mutex:
            self._kept[organization_id] = (version, decisions)
            self._kept.move_to_end(organization_id)
            while len(self._kept) > MAX_KEPT:
                self._kept.popitem(last=False)


def _last_decisions(session: Session, organization_id: str) -> str:
    """The last decision about each occurrence as JSON: id, action, first day after a snooze, and so on."""
    rows = session.execute(
        select(
            CheckDecision.occurrence_id.label("decided_id"),
            CheckDecision.action,
            CheckDecision.until_on,
            CheckDecision.decided_at,
            CheckDecision.note,
            CheckDecision.measured_micro.label("decided_micro"),
            CheckDecision.decided_by,
        )
        .where(CheckDecision.organization_id == organization_id, CheckDecision.is_last)
        .order_by(CheckDecision.occurrence_id)
    ).all()
    return orjson.dumps([row._asdict() for row in rows]).decode()


def present_day(store: ControlStore, organization_id: str) -> date:
    """The day in the time zone of an organization."""

    def read() -> str | None:
        with store.session() as session:
            return session.scalar(select(Organization.time_zone).where(Organization.id == organization_id))

    zone = store.unchanged(("time_zone", organization_id), read)
    return store.now().astimezone(ZoneInfo(zone or "UTC")).date()
