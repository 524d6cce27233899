"""What operators see of the output of real servers: the lines are as Uvicorn and Dagster print them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from orchestration.runtime.server_output import Lines

RUN = "88a8a4f3-442e-486e-b283-e6c62cc7ce7a"
AT = "2026-11-24 03:35:18"
WARNING = f"\x1b[32m{AT} +0000\x1b[0m - dagster.daemon.EventLogConsumerDaemon - \x1b[34mWARNING\x1b[0m - "
RUN_LINE = f"{AT} +0000 - dagster - INFO - build_organization - {RUN} - "


def shown(*lines: str) -> list[str]:
    reader = Lines()
    return [one for line in lines for one in reader.shown(f"{line}\n")] + list(reader.end())


@pytest.mark.parametrize(
    "line",
    [
        "INFO:     Uvicorn running on http://127.0.0.1:8000 (Press CTRL+C to quit)",
        "INFO:     Started server process [27825]",
        "2026-11-24T03:35:18Z INFO:     Started server process [27825]",
        "INFO:     Application shutdown complete.",
        f"{WARNING}Found a dagster instance configuration value (dagster.yaml) in the current folder, but your",
        f"{WARNING}No cursor for event type DagsterEventType.RUN_FAILURE, ignoring older events",
        f"{RUN_LINE}build_warehouse - op 'build_warehouse' did not yield or return expected outputs {{'a', 'b'}}.",
        f"{RUN_LINE}published__snapshot - Skipping step published__snapshot due to skipped dependencies: ['a'].",
    ],
)
def test_notices_for_developers_are_left_out(line: str) -> None:
    assert shown(line) == []


@pytest.mark.parametrize(
    "line",
    [
        "WARNING:  Invalid HTTP request received.",
        "2026-11-24T03:35:18Z WARNING:  a root login was refused",
        "INFO:     a new line of a later release",
        "the control database cannot be opened",
        "",
        f"{AT} +0000 - dagster.daemon.SensorDaemon - ERROR - Sensor daemon caught an error for sensor builds_due",
    ],
)
def test_unknown_lines_pass(line: str) -> None:
    assert shown(line) == [line]


@pytest.mark.parametrize("step", ["", "build_warehouse - "])
def test_a_line_of_a_run_has_its_time_and_job(step: str) -> None:
    line = f"{RUN_LINE}{step}acme 12: another process builds - this run waits"
    assert shown(line) == [f"{AT} build_organization: acme 12: another process builds - this run waits"]


RUNNING = """
import dagster as dg
from orchestration.runtime.failures import translating_errors

@dg.op
def told(context: dg.OpExecutionContext):
    context.log.info("read the shop")
    with translating_errors("publishing local x"):
        raise FileNotFoundError(2, "No such file or directory", "/d/x")

@dg.op
def defect():
    raise KeyError("gone")

@dg.job
def build_organization():
    told()

@dg.job
def extract_repository():
    defect()

with dg.instance_for_test(overrides={"python_logs": {"python_log_level": "INFO"}}) as instance:
    for job in (build_organization, extract_repository):
        job.execute_in_process(instance=instance, raise_on_error=False)
"""


def test_a_failed_run_is_one_line_with_its_reason_and_without_a_stack(tmp_path: Path) -> None:
    program = tmp_path / "running.py"
    program.write_text(RUNNING)
    done = subprocess.run([sys.executable, program], capture_output=True, text=True, check=True)
    output = done.stdout + done.stderr
    assert output.count("Stack Trace") > 2
    assert output.count("_FAILURE") > 2
    lines = shown(*output.splitlines())
    [said, told, defect] = [line[20:] for line in lines]
    assert said == "build_organization: read the shop"
    assert told.startswith(
        "build_organization failed: publishing local x: /d/x: No such file or directory (run "
    )
    assert defect.startswith("extract_repository failed: KeyError: 'gone' (run ")


def test_a_failure_without_a_reason_is_told_at_the_next_line() -> None:
    failure = f"{AT} +0000 - dagster - ERROR - build_organization - {RUN} - 301 - RUN_FAILURE - The process was killed."
    told = (
        f"{AT} build_organization failed: The process was killed (run 88a8a4f3 in the Dagster UI has its log)"
    )
    assert shown(failure) == [told]
    for line in ("INFO:     new", "2026-11-24T03:35:18Z WARNING:  new"):
        assert shown(failure, "", line) == [told, line]
