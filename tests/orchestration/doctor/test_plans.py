"""What `eas doctor` says about the license, plans and payments."""

from datetime import UTC, datetime, timedelta

import pytest

from api.control.payments import EventKind
from api.control.plans.billing import apply_event, request_upgrade
from api.control.plans.plans import change_plan
from api.control.principals import OPERATOR
from orchestration.deployment import Deployment
from tests.api.control.plans.events import SECRET, event
from tests.orchestration.doctor.test_examination import verdict


@pytest.mark.parametrize(
    ("settings", "missing"),
    [
        ({"EAS_DEPLOYMENT": "local"}, set()),
        ({"EAS_DEPLOYMENT": "cloud"}, {"EAS_BILLING_SECRET", "EAS_CHECKOUT_URL"}),
        ({"EAS_DEPLOYMENT": "cloud", "EAS_BILLING_SECRET": SECRET}, {"EAS_CHECKOUT_URL"}),
        ({"EAS_DEPLOYMENT": "cloud", "EAS_CHECKOUT_URL": "https://pay.example.org"}, {"EAS_BILLING_SECRET"}),
    ],
)
def test_a_cloud_deployment_hears_what_it_lacks_for_payments(
    deployment: Deployment, monkeypatch: pytest.MonkeyPatch, settings: dict[str, str], missing: set[str]
) -> None:
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    fine, report = verdict(deployment)
    assert fine, report
    told = {line.split()[2] for line in report.splitlines() if line.startswith("warn Billing:")}
    assert told == missing
    assert SECRET not in report


@pytest.mark.parametrize(("kind", "is_told"), [("local", True), ("cloud", True), ("self_hosted", False)])
def test_a_license_that_the_deployment_does_not_use_is_named(
    deployment: Deployment, monkeypatch: pytest.MonkeyPatch, kind: str, is_told: bool
) -> None:
    monkeypatch.setenv("EAS_DEPLOYMENT", kind)
    monkeypatch.setenv("EAS_LICENSE_KEY", "a-license-of-somebody")
    report = verdict(deployment)[1]
    told = f"warn License: EAS_LICENSE_KEY is set, and a deployment of the kind {kind} does not use it; set EAS_DEPL"
    assert (told in report) is is_told
    assert "a-license-of-somebody" not in report


def test_an_open_payment_is_a_warning_with_its_remedy(
    deployment: Deployment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EAS_DEPLOYMENT", "cloud")
    now = datetime.now(UTC)
    with deployment.control() as control:
        organization = control.ensure_organization("Acme", slug="acme").id
        reference = request_upgrade(control, OPERATOR, organization).reference
        paid, failed = EventKind.SUBSCRIPTION_ACTIVATED, EventKind.PAYMENT_FAILED
        apply_event(control, event("e1", paid, now - timedelta(days=3), reference, renews_on=None))
        assert "Payment" not in verdict(deployment)[1]
        apply_event(control, event("e2", failed, now - timedelta(days=2), reference, grace_ends_at=now))
    fine, report = verdict(deployment)
    assert fine, report
    assert "Payment of acme: the payment of" in report
    assert "new analysis is paused" in report


def test_a_trial_that_is_over_is_a_warning_with_its_remedy(deployment: Deployment) -> None:
    now = datetime.now(UTC)
    with deployment.control() as control:
        for number in range(7):
            organization = control.ensure_organization(f"Acme {number}", slug=f"acme-{number}").id
            end = now - timedelta(days=2) if number else now + timedelta(days=2)
            change_plan(control, OPERATOR, organization, plan="trial", commit_limit=9, trial_ends_at=end)
    fine, report = verdict(deployment)
    assert fine, report
    assert "Plan of acme-0" not in report
    assert report.count("the free trial ended on") == 5
    assert "a platform administrator changes the plan" in report
    assert "Plans of other organizations: 1 more have an ended trial" in report
