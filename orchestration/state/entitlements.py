"""Reasons why new analysis waits, or soon will: the license of the deployment, plans that are used up, and payments.

Keep out: how it is shown (doctor/machine.py, report/run.py), what waits meanwhile (`api.control.plans`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

from api.control.plans.billing import open_payments
from api.control.plans.plans import paused_plans
from api.control.store import ControlStore
from api.operator.license import LicenseState, license_status
from api.operator.settings import DeploymentKind, operator_settings
from orchestration.deployment import Deployment
from orchestration.state import conditions
from orchestration.state.condition import Kind

# A cloud deployment collects trials that nobody went on with.
PLANS_SHOWN = 5


@dataclass(frozen=True)
class Entitlement:
    """A license, a plan or an open payment. `is_failure`: the operator has to act, or all new commits wait."""

    subject: str
    message: str
    is_failure: bool
    is_warning: bool


def of(deployment: Deployment) -> Iterator[Entitlement]:
    """The license unless none is needed, then the plans that are used up, then the open payments."""
    yield from of_operator()
    yield from of_customers(deployment)


def of_operator() -> Iterator[Entitlement]:
    """The license unless none is needed."""
    status = license_status(datetime.now(UTC))
    if status.state is not LicenseState.NOT_REQUIRED:
        is_warning = status.state in (LicenseState.APPROACHING_EXPIRY, LicenseState.IN_GRACE)
        yield Entitlement("License", status.message, status.pauses_analysis, is_warning)


def of_customers(deployment: Deployment) -> Iterator[Entitlement]:
    """The plans that are used up, then the open payments."""
    if any(one.kind == Kind.CONTROL_DATABASE for one in conditions.of_deployment(deployment)):
        return
    with deployment.control() as control:
        yield from _plans(control)
        if operator_settings().deployment is DeploymentKind.CLOUD:
            for slug, payment in open_payments(control):
                yield _of_customer(f"Payment of {slug}", payment.message)


def _plans(control: ControlStore) -> Iterator[Entitlement]:
    found = paused_plans(control)
    for slug, pause in found[:PLANS_SHOWN]:
        yield _of_customer(f"Plan of {slug}", pause.message)
    more = len(found) - PLANS_SHOWN
    if more > 0:
        text = f"{more} more have an ended trial or a used-up limit; GET …/plan names the reason of each"
        yield _of_customer("Plans of other organizations", text)


def _of_customer(subject: str, message: str) -> Entitlement:
    # The customer has to act: nothing is wrong with this deployment.
    return Entitlement(subject, message, is_failure=False, is_warning=True)
