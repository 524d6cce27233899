import io
import logging
import os
import socket
import subprocess
import sys

import dagster as dg
import pytest
from dagster._core.instance.ref import InstanceRef
from rich.console import Console

from orchestration.deployment import Deployment
from orchestration.runtime.instance import home
from orchestration.serving import is_port_in_use, serve_until_interrupted

PROGRAM = "from orchestration.cli import main; main()"


def test_a_port_in_use_is_reported_before_any_server_starts(deployment: Deployment) -> None:
    out = io.StringIO()
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        assert is_port_in_use(port)
        assert serve_until_interrupted(deployment, Console(file=out), api_port=port, ui_port=1) == 1
    assert f"Port {port} of the API is in use" in out.getvalue()
    assert not is_port_in_use(port)


def test_an_api_that_cannot_start_ends_the_command_with_its_reason_and_no_stack(
    deployment: Deployment,
) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, "serve", "--api-port", str(port), "--ui-port", "1"],
        env=os.environ | {"CONTROL_DATABASE_URL": "sqlite:////proc/no/such/folder/control.db"},
        capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    said = done.stdout + done.stderr
    assert done.returncode == 1
    assert "the control database cannot be opened" in said
    assert done.stdout.strip().endswith("The API did not start; it says the reason above.")
    assert "Traceback" not in said


@dg.op
def speak(context: dg.OpExecutionContext) -> None:
    context.log.info("read the shop")


@dg.job
def speaking() -> None:
    speak()


def test_a_run_prints_what_it_says_and_keeps_the_steps_of_dagster_for_the_ui(
    deployment: Deployment, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # A process of its own has no handler yet; one of an earlier test writes to what was its terminal.
    for logger in (logging.getLogger(), logging.getLogger("dagster")):
        monkeypatch.setattr(logger, "handlers", [])
    with dg.DagsterInstance.from_ref(InstanceRef.from_dir(str(home(deployment.settings)))) as instance:
        result = speaking.execute_in_process(instance=instance)
        events = [record.event_log_entry for record in instance.get_records_for_run(result.run_id).records]
    printed = capfd.readouterr().err
    assert "read the shop" in printed
    assert "DEBUG" not in printed
    assert "STEP_SUCCESS" not in printed
    assert "read the shop" in " ".join(event.user_message for event in events)
    assert "STEP_SUCCESS" in {event.dagster_event.event_type_value for event in events if event.dagster_event}
