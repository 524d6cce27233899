"""`eas connect` of a model endpoint, and the runs that leave it alone."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import dagster as dg
import pytest
from typer.testing import CliRunner

from api.control.connections.endpoints import note_answers, used_endpoint
from ingest.schemas import CATEGORY_OF, SYNCED
from orchestration.cli import app
from orchestration.commands import syncs
from orchestration.deployment import LOCAL_ORGANIZATION, Deployment
from orchestration.graph import nightly_reading
from orchestration.graph.schedules import nightly
from orchestration.state import conditions, connections
from orchestration.summaries import late_data
from tests.ingest.providers.openai_compatible.model_server import MODEL, ModelServer, running
from tests.orchestration.connections.places import tick
from tests.orchestration.connections.test_commands import eas, told

__all__ = ["eas"]


@pytest.fixture
def address() -> Iterator[str]:
    with running(ModelServer(key=None)) as server:
        yield f"{server.address}/v1"


def connect(address: str, *more: str) -> str:
    done = CliRunner().invoke(
        app, ["connect", "openai-compatible", address, "--name", "Writer", "--option", f"model={MODEL}", *more],
        input="\n",
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    return done.output


def test_a_server_without_keys_is_connected_told_and_disconnected(
    deployment: Deployment, address: str
) -> None:
    assert f"Connected Writer as {MODEL}-2026. It writes summaries from now on." in connect(address)
    assert "Replaced the token of Writer" in connect(address)
    with deployment.control() as control:
        used = used_endpoint(control, LOCAL_ORGANIZATION)
        assert used is not None
    is_fine, lines = told(deployment)
    assert f"model {MODEL}, writes summaries; not asked yet" in lines
    with deployment.control() as control:
        note_answers(
            control, LOCAL_ORGANIZATION, used.id, failure="No quota is left.", reason="PLAN_REQUIRED"
        )
    is_fine, lines = told(deployment)
    assert (is_fine, "No quota is left." in lines) == (False, True)
    done = CliRunner().invoke(app, ["sync", "Writer"])
    assert (done.exit_code, "a model endpoint: nothing of it is read" in done.output) == (2, True), (
        done.output
    )
    done = CliRunner().invoke(app, ["sync"])
    assert "there is no connection yet" in done.output


def test_no_run_night_or_check_knows_an_endpoint(
    deployment: Deployment, address: str, instance: dg.DagsterInstance
) -> None:
    with deployment.control() as control:
        before = control.snapshot(LOCAL_ORGANIZATION)
    connect(address)
    with deployment.control() as control:
        # No build is due for it, and no summary waits for it.
        assert control.snapshot(LOCAL_ORGANIZATION) == before
        assert late_data.unread_since(deployment, control, LOCAL_ORGANIZATION, datetime.now(UTC)) == []
    assert len(connections.of_organization(deployment, LOCAL_ORGANIZATION)) == 1
    assert connections.all_known(deployment) == syncs.of_organization(deployment, LOCAL_ORGANIZATION) == []
    assert tick(instance, deployment) == []
    assert list(conditions.damaged_connections(deployment, LOCAL_ORGANIZATION)) == []
    assert nightly_reading._wanted_connections(deployment, LOCAL_ORGANIZATION, None) == []
    context = dg.build_schedule_context(
        instance=instance, resources={"deployment": deployment}, scheduled_execution_time=datetime.now(UTC)
    )
    assert not nightly.evaluate_tick(context).run_requests
    assert "model_endpoints" in CATEGORY_OF.keys() - SYNCED.keys()
