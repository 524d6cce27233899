"""What the operator or an organization owes for new analysis: the license of the deployment, and payments.

Keep out: how it is shown (doctor/machine.py, report/run.py), what waits meanwhile (`api.control.plans`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

from api.control.operator.license import LicenseState, license_status
from api.control.operator.settings import DeploymentKind, operator_settings
from api.control.plans.billing import open_payments
from orchestration.deployment import Deployment
from orchestration.state import conditions
from orchestration.state.condition import Kind


@dataclass(frozen=True)
class Due:
    """A license or an open payment. `is_failure`: the operator has to act, or all new commits wait."""

    subject: str
    message: str
    is_failure: bool
    is_warning: bool


def of(deployment: Deployment) -> Iterator[Due]:
    """The license unless none is needed, then the open payments."""
    status = license_status(datetime.now(UTC))
    if status.state is not LicenseState.NOT_REQUIRED:
        is_warning = status.state in (LicenseState.APPROACHING_EXPIRY, LicenseState.IN_GRACE)
        yield Due("License", status.message, status.pauses_analysis, is_warning)
    if operator_settings().deployment is not DeploymentKind.CLOUD:
        return
    if any(one.kind == Kind.CONTROL_DATABASE for one in conditions.of_deployment(deployment)):
        return
    with deployment.control() as control:
        for slug, payment in open_payments(control):
            # The customer has to act: nothing is wrong with this deployment.
            yield Due(f"Payment of {slug}", payment.message, is_failure=False, is_warning=True)
