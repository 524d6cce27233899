"""The document against the service, by generated requests."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, assume, given, settings
from schemathesis import GenerationMode
from schemathesis.specs.openapi.checks import negative_data_rejection, positive_data_acceptance

from api.app import create_app
from api.control.organizations.organizations import change_settings, rename_organization
from api.control.principals import OPERATOR
from api.settings import ApiSettings
from tests.api.conftest import Deployment
from tests.api.people import join, make_account, sign_in
from tests.api.published_facts import ORGANIZATION
from tests.suite.tiers import IS_WHOLE

# The same requests in every run. Forty meet every parameter several times; a change is tried on either database.
EXAMPLES = 40 if IS_WHOLE else 4
APP = create_app(ApiSettings())
PATHS: dict[str, Any] = APP.openapi()["paths"]
OPERATIONS = [(method, path) for path, methods in PATHS.items() for method in methods]
WITH_INPUT = [
    (method, path)
    for method, path in OPERATIONS
    if PATHS[path][method].get("parameters") or PATHS[path][method].get("requestBody")
]
# What these may hold is a language, a signature, a rule in words or a relation between two of them: no schema can
# say it.
BEYOND_A_SCHEMA = {
    *("filter", "orderBy", "pageToken", "metrics", "startDate", "endDate", "team"),
    *("email", "name", "password", "expiresAt", "format", "timeZone", "companyContext", "updateMask"),
    *("holidays", "hoursPerDay", "workingWeekdays", "plan", "commitLimit", "renewalDate"),
    *("validFrom", "rules", "reason", "month", "note"),
    *("untilDate", "threshold", "critical"),
    *("kind", "text", "isMine", "commit", "category", "answer"),
    *("defaultAnalysisStartDate", "joiningDate", "probationEndDate", "leavingDate", "on", "minimumGroupSize"),
    *("address", "secret", "options", "user", "levels", "teams"),
    *("issuer", "clientId", "clientSecret", "domains", "providerDomains", "provider"),
    *("startTime", "endTime", "trialEndTime", "analysisStartTime"),
    *("model", "pricedAs", "discountPercent", "prices", "validUntil", "actor"),
    *("benchmark", "memberIds", "percentile", "scopeId"),
}
# An item that misses its shape fails alone there.
JUDGED_BY_ITEM = "/repositories:batchCreate"


@pytest.fixture(scope="module")
def schema(client: httpx.Client, address: str) -> Any:
    return described(address)


def described(address: str) -> Any:
    """The document that a server gives, for requests to this server: it names the address of the deployment."""
    schema = schemathesis.openapi.from_url(f"{address}/openapi.json")
    schema.config.update(base_url=address)
    return schema


@pytest.fixture
def key(published: Deployment, method: str, path: str) -> str:
    return credential(published, method, path)


def credential(deployment: Deployment, method: str, path: str) -> str:
    """The one that the path needs: an owner's session for accounts and changes, else a key."""
    if path.startswith("/auth/") or method != "get":
        account = make_account(deployment.store, administrator=True)
        return sign_in(deployment.store, join(deployment.store, ORGANIZATION, "owner", account))
    return deployment.key("schemathesis", scope="write")


@pytest.fixture(autouse=True)
def _shown(published: Deployment, path: str) -> Iterator[None]:
    yield
    if path.endswith(("/settings", "/{organization}")):
        show(published)


def show(deployment: Deployment) -> None:
    """Reset the name and the privacy settings, which would also apply to later tests."""
    rename_organization(deployment.store, OPERATOR, ORGANIZATION, "Acme")
    shown = {"has_individual_figures": True, "minimum_group_size": 0}
    change_settings(deployment.store, OPERATOR, ORGANIZATION, shown)


def is_sent(value: Any) -> bool:
    """Whether a query has the parameter with this value: a client leaves out empty lists and objects."""
    if isinstance(value, dict | list):
        return any(map(is_sent, value.values() if isinstance(value, dict) else value))
    return value is not None


def run(operation: Any, mode: GenerationMode, key: str, **options: Any) -> list[schemathesis.Response]:
    """Send generated requests and let every check look at the answers."""
    answers = []

    @given(case=operation.as_strategy(generation_mode=mode))
    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    # Hypothesis derives the examples from the signature.
    def behaves(case: schemathesis.Case) -> None:  # type: ignore[type-arg]  # keeps the examples
        # An organization that could exist becomes the one that does, or nothing but 404 would be seen.
        if 1 <= len(case.path_parameters.get("organization", "")) <= 63:
            case.path_parameters["organization"] = "acme"
        # Without the parameter that breaks the document the request may be within it.
        assume(all(map(is_sent, (case.query or {}).values())))
        answers.append(case.call_and_validate(headers={"Authorization": f"Bearer {key}"}, **options))

    behaves()
    return answers


def expect_documented_answers(
    operation: Any, key: str, method: str, path: str, refused: frozenset[str] = frozenset()
) -> None:
    """Send requests within the document. A request may be refused for a part `refused`, or for one beyond a schema."""
    writes = method != "get"
    # Somebody who changes things meets their state: it exists already, is not possible now, was tried too often.
    allowed = (200, 400, 401, 404, 409, 429) if writes else (200, 400, 404)
    # Only platform administrators may ask for all organizations.
    allowed = (*allowed, 403) if path == "/api/v1/organizations" else allowed
    for answer in run(operation, GenerationMode.POSITIVE, key, excluded_checks=[positive_data_acceptance]):
        assert answer.status_code in allowed
        if answer.status_code == 400 and answer.json()["code"] != 9:
            (detail,) = answer.json()["details"]
            fields = {violation["field"].partition(".")[0] for violation in detail["fieldViolations"]}
            assert fields <= BEYOND_A_SCHEMA | refused


@pytest.mark.parametrize(("method", "path"), OPERATIONS)
def test_requests_within_the_document_get_documented_answers(
    schema: Any, key: str, method: str, path: str
) -> None:
    expect_documented_answers(schema[path][method], key, method, path)


@pytest.mark.parametrize(("method", "path"), WITH_INPUT)
def test_requests_against_the_document_are_refused_as_documented(
    schema: Any, key: str, method: str, path: str
) -> None:
    # A request that turns out to be within the document may meet a state that refuses it; the test above judges those.
    excluded = [
        positive_data_acceptance,
        *([negative_data_rejection] if path.endswith(JUDGED_BY_ITEM) else []),
    ]
    assert run(schema[path][method], GenerationMode.NEGATIVE, key, excluded_checks=excluded)
