"""Plans: how many commits of an organization are analysed, and until when.

    unlimited   any number
    trial       1,000 commits within 14 days
    paid        a limit (or none), and a day of renewal

Commits over the limit wait; nothing else does. All new commits wait during a pause (pauses.py).
Keep out: which commits come first (grants.py), reading them (orchestration/publishing/quota.py), payments (billing.py),
mails to owners (notices.py).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from sqlalchemy import func, select
from sqlalchemy.orm import Session, undefer

from api.control.audit import Target, logged, record
from api.control.changes import UNCHANGED, Unchanged
from api.control.errors import InvalidSetting, NotFound
from api.control.models import CommitGrant, Organization, Subscription
from api.control.pauses import Pause, PauseReason, pause_at_limit, pause_by
from api.control.payments import Payment, PaymentState, payment_by
from api.control.permissions import Permission
from api.control.plans.grants import Commits, Grant, allotted, charges, packed, unpacked
from api.control.principals import Principal
from api.control.records import copied, owned
from api.control.store import ControlStore
from api.operator.settings import DeploymentKind, operator_settings

PLANS = ("trial", "paid", "unlimited")
# The user's own figures for the free trial.
TRIAL_COMMITS = 1000
TRIAL_DAYS = 14
MAX_COMMITS = 1_000_000_000

# Names over HTTP that are others than in the database.
CALLED = {"trial_ends_at": "trialEndTime", "renews_on": "renewalDate"}


NO_PAYMENT = Payment(PaymentState.NONE, "no subscription pays for this plan")


@dataclass(frozen=True, slots=True)
class Upgrade:
    """An upgrade that an owner asked for, and that no payment has answered yet."""

    requested_at: datetime
    commit_limit: int | None


@dataclass(frozen=True, slots=True)
class PlanRecord:
    """A plan and its usage."""

    plan: str
    commit_limit: int | None
    trial_ends_at: datetime | None
    renews_on: date | None
    # Commits of the organization, each once.
    analysed: int
    # Why new commits wait; None while more can be analysed.
    pause: Pause | None = None
    payment: Payment = NO_PAYMENT
    upgrade: Upgrade | None = None

    @property
    def is_limited(self) -> bool:
        """Whether commits may have to wait."""
        return self.pause is not None or self.commit_limit is not None or self.plan == "trial"

    @property
    def remaining(self) -> int | None:
        """Commits that may still be analysed; None: any number."""
        if not self.is_limited:
            return None
        if self.pause is not None:
            return 0
        return max(0, (self.commit_limit or 0) - self.analysed)


def begin_trial(row: Organization, now: datetime) -> None:
    """Start the trial of a new organization. In a self-hosted deployment its license is the limit."""
    if operator_settings().deployment is DeploymentKind.SELF_HOSTED:
        row.plan, row.commit_limit, row.trial_ends_at = "unlimited", None, None
        return
    row.plan, row.commit_limit, row.trial_ends_at = "trial", TRIAL_COMMITS, now + timedelta(days=TRIAL_DAYS)


def plan(store: ControlStore, organization_id: str) -> PlanRecord:
    """The plan of an organization. Raises NotFound."""

    def read() -> tuple[Organization, int, Subscription | None]:
        with store.session() as session:
            row = session.get(Organization, organization_id)
            if row is None:
                raise NotFound(f"no organization has the id {organization_id!r}")
            return _stored(session, row)

    return _at(store.now(), *store.unchanged(("plan", organization_id), read))


def paused_plans(store: ControlStore) -> list[tuple[str, Pause]]:
    """Organizations, by slug, whose trial is over or whose limit is used up."""
    may_pause = (Organization.plan == "trial") | Organization.commit_limit.is_not(None)
    statement = select(Organization).where(may_pause).order_by(Organization.slug)
    with store.session() as session:
        found = [(row.slug, _record(store, session, row).pause) for row in session.scalars(statement)]
    return [
        (slug, pause)
        for slug, pause in found
        if pause is not None and pause.reason in (PauseReason.TRIAL, PauseReason.LIMIT)
    ]


def change_plan(
    store: ControlStore,
    actor: Principal,
    organization_id: str,
    *,
    plan: str | Unchanged = UNCHANGED,
    commit_limit: int | Unchanged | None = UNCHANGED,
    trial_ends_at: datetime | Unchanged | None = UNCHANGED,
    renews_on: date | Unchanged | None = UNCHANGED,
) -> PlanRecord:
    """Change the given fields. A higher limit releases waiting commits; a lower one takes none back.

    Raises InvalidSetting for a trial without a limit or an end, and for a renewal in the past.
    """
    given = (
        ("plan", plan),
        ("commit_limit", commit_limit),
        ("trial_ends_at", trial_ends_at),
        ("renews_on", renews_on),
    )
    changes = {name: value for name, value in given if not isinstance(value, Unchanged)}
    if changes.get("plan", "paid") not in PLANS:
        raise InvalidSetting("plan", f"use one of {', '.join(PLANS)}")
    limit = changes.get("commit_limit")
    if isinstance(limit, int) and not 0 <= limit <= MAX_COMMITS:
        raise InvalidSetting("commitLimit", f"use 0 to {MAX_COMMITS}, or null for no limit")
    with store.allowed_write(actor, organization_id, Permission.MANAGE_PLAN) as session:
        row = session.get_one(Organization, organization_id)
        before = {name: getattr(row, name) for name in changes}
        renewal = changes.get("renews_on")
        today = row.day_of(store.now())
        if isinstance(renewal, date) and renewal < today and renewal != before["renews_on"]:
            raise InvalidSetting(
                "renewalDate",
                f"{renewal} is in the past; use {today} (today in the organization's time zone) or a later day",
            )
        for name, value in changes.items():
            setattr(row, name, value)
        if changes.get("trial_ends_at", before.get("trial_ends_at")) != before.get("trial_ends_at"):
            # The earlier warning named another day.
            row.trial_warned_at = None
        if row.plan == "unlimited" and row.commit_limit is not None:
            raise InvalidSetting("commitLimit", "the plan UNLIMITED has no limit; send commitLimit null")
        if row.plan == "trial" and (row.commit_limit is None or row.trial_ends_at is None):
            raise InvalidSetting("plan", "the plan TRIAL needs commitLimit and trialEndTime; send both")
        after = {name: getattr(row, name) for name in changes}
        if before != after:
            subscription = session.get(Subscription, organization_id)
            if subscription is not None:
                subscription.decided_at = store.now()
            target = Target("organization", organization_id, row.name)
            told = logged(before, CALLED), logged(after, CALLED)
            record(session, "organizations.changePlan", target, *told, restates=True)
        session.flush()
        return _record(store, session, row)


def grant(
    store: ControlStore, organization_id: str, read: Callable[[], Sequence[Commits]]
) -> dict[str, Grant]:
    """Grant commits within the limit of the plan, or all without a limit. Returns the grants by repository.

    `read` gives the commits of the repositories in the order of their addition. The transaction calls it, so that no
    grant follows from older commits than the grant before it. A granted commit stays granted when the limit falls.
    """
    with store.write_transaction(organization_id) as session:
        remaining = _record(store, session, session.get_one(Organization, organization_id)).remaining
        repositories = read()
        if remaining is None:
            remaining = sum(one.total for one in repositories)
        with_ids = owned(CommitGrant, organization_id).options(undefer(CommitGrant.commit_ids))
        rows = {row.repository_id: row for row in session.scalars(with_ids)}
        present = {key: _grant_of(row) for key, row in rows.items()}
        granted = allotted(present, repositories, remaining)
        charged = charges(granted)
        for key, one in granted.items():
            if key not in rows:
                rows[key] = CommitGrant(organization_id=organization_id, repository_id=key)
                session.add(rows[key])
            row = rows[key]
            row.first_number, row.last_number, row.charged_commits = one.first, one.last, charged[key]
            row.commit_ids = None if one.ids is None else packed(one.ids)
        return granted


def _grant_of(row: CommitGrant) -> Grant:
    ids = None if row.commit_ids is None else unpacked(row.commit_ids)
    return Grant(row.first_number, row.last_number, ids)


def _record(store: ControlStore, session: Session, row: Organization) -> PlanRecord:
    return _at(store.now(), *_stored(session, row))


def _stored(session: Session, row: Organization) -> tuple[Organization, int, Subscription | None]:
    """An organization, its analysed commits and its subscription."""
    # Summed by the database: an organization has a grant for each repository, and every page reads the plan.
    charged = select(func.coalesce(func.sum(CommitGrant.charged_commits), 0))
    analysed = int(session.scalar(charged.where(CommitGrant.organization_id == row.id)) or 0)
    return row, analysed, session.get(Subscription, row.id)


def _at(now: datetime, row: Organization, analysed: int, subscription: Subscription | None) -> PlanRecord:
    """The plan at an instant."""
    requested_at = subscription.requested_at if subscription else None
    pause = pause_by(subscription, row, now)
    if pause is None and row.commit_limit is not None and analysed >= row.commit_limit:
        pause = pause_at_limit(row.commit_limit)
    upgrade = Upgrade(requested_at, subscription.requested_limit) if subscription and requested_at else None
    return copied(
        PlanRecord,
        row,
        analysed=analysed,
        pause=pause,
        payment=payment_by(subscription, row, now),
        upgrade=upgrade,
    )
