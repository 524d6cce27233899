"""What new commits of an organization wait for, with the next step: the license, the trial, a payment or the limit.

Keep out: the commits that wait (plans/plans.py), and their words in the build (dbt_project/seeds/pause_texts.csv).
"""

from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum

from sqlalchemy.orm import Session

from api.control.models import Organization, Subscription
from api.control.payments import PaymentState, payment_by
from api.operator.license import PAUSED, license_status
from api.operator.settings import DeploymentKind, operator_settings


class PauseReason(StrEnum):
    """What new commits wait for; upper case over HTTP."""

    LICENSE = "license"
    TRIAL = "trial"
    PAYMENT = "payment"
    SUBSCRIPTION = "subscription"
    LIMIT = "limit"


@dataclass(frozen=True, slots=True)
class Pause:
    """A reason with a sentence that says the next step. `since` is the first day, where there is one."""

    reason: PauseReason
    message: str
    since: date | None = None


def pause_of(session: Session, organization: Organization, now: datetime) -> Pause | None:
    """Why all new commits wait, whatever the limit; None when only the limit counts."""
    return pause_by(session.get(Subscription, organization.id), organization, now)


def pause_by(subscription: Subscription | None, organization: Organization, now: datetime) -> Pause | None:
    """The same, by the subscription of the organization."""
    status = license_status(now)
    if status.pauses_analysis:
        return Pause(PauseReason.LICENSE, status.message)
    ended = organization.trial_ends_at
    if organization.plan == "trial" and ended is not None and now >= ended:
        day = organization.day_of(ended)
        return Pause(
            PauseReason.TRIAL, f"the free trial ended on {day}: {PAUSED}. To go on, {_next_step()}", day
        )
    payment = payment_by(subscription, organization, now)
    if payment.paused_at is None:
        return None
    is_over = payment.state is PaymentState.ENDED
    reason = PauseReason.SUBSCRIPTION if is_over else PauseReason.PAYMENT
    return Pause(reason, payment.message, payment.paused_at.date())


def pause_at_limit(limit: int) -> Pause:
    """The pause of a plan whose limit is used up."""
    text = f"the plan's limit of {limit:,} commits is reached: {PAUSED}. To go on, {_next_step()}"
    return Pause(PauseReason.LIMIT, text)


def _next_step() -> str:
    change = "a platform administrator changes the plan (PATCH …/plan)"
    if operator_settings().deployment is not DeploymentKind.CLOUD:
        return change
    return f"an owner asks for an upgrade (POST …/plan:requestUpgrade), or {change}"
