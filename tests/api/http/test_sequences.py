"""Sequences of generated requests along the links of the document: later requests use objects from earlier ones."""

from collections import Counter
from contextlib import suppress
from itertools import count
from typing import Any

import schemathesis
from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis.errors import Flaky
from hypothesis.stateful import run_state_machine_as_test
from schemathesis import GenerationMode
from schemathesis.core.failures import FailureGroup
from schemathesis.generation.stateful.state_machine import APIStateMachine
from schemathesis.specs.openapi.checks import positive_data_acceptance

from api.app import create_app
from api.http.openapi.links import MADE
from api.settings import ApiSettings
from tests.api.conftest import ROOT, Deployment, serving
from tests.api.people import join, make_account, sign_in
from tests.api.published_facts import ORGANIZATION
from tests.suite.tiers import IS_WHOLE

SEEDS = 4 if IS_WHOLE else 2
SEQUENCES = 8
STEPS = 10
# Somebody who changes things meets their state, and may have changed what they themselves may do.
ANSWERED = {200, 400, 403, 404, 409, 429}


SETTINGS = settings(
    max_examples=SEQUENCES,
    stateful_step_count=STEPS,
    deadline=None,
    database=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)


def operations() -> dict[str, dict[str, Any]]:
    paths = create_app(ApiSettings()).openapi()["paths"]
    return {one["operationId"]: one for methods in paths.values() for one in methods.values()}


def of_one_organization() -> dict[str, Any]:
    """The document with the existing organization in its paths, so that lists need no earlier request."""
    document = create_app(ApiSettings()).openapi()
    root, paths = "/api/v1/organizations/{organization}", {}
    for path, methods in document["paths"].items():
        if not path.startswith(root):
            continue
        paths[ROOT + path.removeprefix(root)] = methods
        for operation in methods.values():
            operation["parameters"] = [
                one for one in operation["parameters"] if one["name"] != "organization"
            ]
            for link in operation["responses"]["200"].get("links", {}).values():
                link["parameters"].pop("organization", None)
    return document | {"paths": paths}


def test_operations_on_an_id_are_linked_from_operations_that_return_it() -> None:
    document = operations()
    linked = {target for one in document.values() for target in one["responses"]["200"].get("links", {})}
    paths = create_app(ApiSettings()).openapi()["paths"]
    on_something = {
        operation["operationId"]
        for path, methods in paths.items()
        for operation in methods.values()
        if path.startswith("/api/v1/organizations/{organization}/") and path.count("{") > 1
    }
    assert on_something <= linked
    assert document.keys() >= MADE.keys()


def test_no_sequence_of_allowed_requests_ends_in_an_error_of_the_server(deployment: Deployment) -> None:
    deployment.publish()
    store = deployment.store
    key = sign_in(store, join(store, ORGANIZATION, "owner", make_account(store, administrator=True)))
    member = join(store, ORGANIZATION, "viewer")
    developers, numbers = list(deployment.facts.developers), count()
    # What only the analysis or an account can make, and texts and days that follow rules no schema says.
    given: dict[str, Any] = {
        "developerId": developers[0],
        "developerIds": developers[:2],
        "memberIds": developers[:2],
        "memberId": member,
        "commit": deployment.facts.commits[0].id,
        "email": "guest@example.org",
        "parentId": None,
        "expiresAt": None,
    } | dict.fromkeys(("month", "validFrom", "startDate"), "2026-09-01")
    met: Counter[tuple[str, int]] = Counter()
    failures: list[str] = []
    with serving(deployment.data_dir) as address:
        schema = schemathesis.openapi.from_dict(of_one_organization())
        schema.config.update(base_url=address)
        schema.config.phases.stateful.generation.update(modes=[GenerationMode.POSITIVE])
        machine: type[APIStateMachine] = schema.as_state_machine()

        class Sequence(machine):  # type: ignore[misc, valid-type]  # made of the document
            def before_call(self, case: schemathesis.Case[Any]) -> None:
                for language in ("filter", "orderBy", "pageToken"):
                    case.query.pop(language, None)
                if isinstance(case.body, dict):
                    known = given | {"name": f"Name {next(numbers)}"}
                    case.body |= {name: value for name, value in known.items() if name in case.body}

            def get_call_kwargs(self, case: schemathesis.Case[Any]) -> dict[str, Any]:
                return {"headers": {"Authorization": f"Bearer {key}"}}

            def validate_response(self, response: Any, case: schemathesis.Case[Any], **options: Any) -> None:
                name = case.operation.definition.raw["operationId"]
                met[name, response.status_code] += 1
                if name == "createTeam" and response.status_code == 200:
                    given["teamId"] = response.json()["id"]
                try:
                    assert response.status_code in ANSWERED, (name, response.status_code, response.text)
                    case.validate_response(response, excluded_checks=[positive_data_acceptance])
                except (AssertionError, FailureGroup) as failure:
                    failures.append(f"{name}: {failure}")

        for number in range(SEEDS):
            # What earlier sequences left behind is there for later ones, as in a service that is used; that a
            # sequence then goes on otherwise than the same one did before is no failure.
            with suppress(Flaky):
                run_state_machine_as_test(seed(number)(Sequence), settings=SETTINGS)
    assert failures == []
    # Enough of it gets somewhere, or nothing would be shown.
    assert len({name for name, status in met if status == 200}) > 25, met
