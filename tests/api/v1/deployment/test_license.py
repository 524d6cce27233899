"""`GET /api/v1/license`: the state of the license over time, for any caller with a credential."""

from datetime import timedelta

import pytest

from api.control.accounts.tokens import create_token
from api.operator import license as licenses
from tests.api.conftest import Deployment, client_for, serving
from tests.api.operator.signing import END, PUBLIC, license_of
from tests.api.people import Clock
from tests.api.published_facts import ORGANIZATION


def test_a_local_deployment_needs_none(address: str, published: Deployment) -> None:
    with client_for(address, published.key()) as caller:
        answer = caller.get("/api/v1/license").json()
    assert answer == {
        "deployment": "LOCAL",
        "state": "NOT_REQUIRED",
        "message": "a local deployment needs no license",
        "isAnalysisPaused": False,
        "licensee": None,
        "validFrom": None,
        "expiresAt": None,
        "graceEndsAt": None,
        "limits": {},
    }


def test_a_caller_without_a_credential_is_refused(address: str) -> None:
    with client_for(address, None) as caller:
        assert caller.get("/api/v1/license").status_code == 401


def test_an_expired_license_pauses_the_analysis_and_reading_goes_on(
    deployment: Deployment, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(licenses, "PUBLIC_KEYS", (PUBLIC,))
    monkeypatch.setenv("EAS_DEPLOYMENT", "self_hosted")
    monkeypatch.setenv("EAS_LICENSE_KEY", license_of())
    deployment.publish()
    key = create_token(deployment.store, ORGANIZATION, "reader").key
    with serving(deployment.data_dir, clock) as address, client_for(address, key) as caller:
        organization = "/api/v1/organizations/acme"
        states = []
        for days in (-1, 13, 14):
            clock.at = END + timedelta(days=days)
            shown, plan = caller.get("/api/v1/license").json(), caller.get(f"{organization}/plan").json()
            assert shown["isAnalysisPaused"] == plan["isPaused"] == (days == 14)
            assert caller.get(f"{organization}/repositories").status_code == 200
            states.append(shown["state"])
        assert states == ["APPROACHING_EXPIRY", "IN_GRACE", "EXPIRED"]
        assert (shown["licensee"], shown["graceEndsAt"]) == ("Acme", "2027-01-15T00:00:00Z")
        assert "new analysis is paused" in shown["message"]
        assert license_of() not in caller.get("/api/v1/license").text
