import io
import logging
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import dagster as dg
import pytest
from dagster._core.instance.ref import InstanceRef
from rich.console import Console

from orchestration.commands.serving import SECONDS_TO_STOP, is_port_in_use, serve_until_interrupted
from orchestration.deployment import Deployment
from orchestration.runtime.instance import home


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


PROGRAM = "from orchestration.cli import main; main()"


def test_an_api_that_cannot_start_ends_the_command_with_its_reason_and_no_stack(
    deployment: Deployment,
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, "serve", "--api-port", str(free_port()), "--ui-port", "1"],
        env=os.environ | {"CONTROL_DATABASE_URL": "sqlite:////proc/no/such/folder/control.db"},
        capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    said = done.stdout + done.stderr
    assert done.returncode == 1
    assert "the control database cannot be opened" in said
    *_, reason, stopped = done.stdout.strip().splitlines()
    assert reason.startswith("The API did not start")
    assert stopped == "Stopped."
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


SERVERS = """
import os, sys
from rich.console import Console
from orchestration.commands.serving import Server, run

SERVER = '''
import http.server, os, signal, sys, time
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200 if self.path == "/ready" else 404); self.end_headers()
    def log_message(self, *_): pass
server = http.server.HTTPServer(("127.0.0.1", int(sys.argv[1])), Handler)
print("WARNING:  listening as", os.getpid())
print("INFO:     Started server process [1]", flush=True)
try:
    server.serve_forever()
except KeyboardInterrupt:
    if sys.argv[2] == "stubborn":
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        time.sleep(60)
'''
ports = sys.argv[2:]
servers = [
    Server(f"server {port}", int(port), f"address {port}", "/ready",
           [sys.executable, "-c", SERVER, port, sys.argv[1]], dict(os.environ))
    for port in ports
]
sys.exit(run(servers, Console(width=200)))
"""


class Running:
    """A process that runs two small servers as `eas serve` runs its own, with the lines that it prints."""

    def __init__(self, tmp_path: Path, kind: str) -> None:
        program = tmp_path / "servers.py"
        program.write_text(SERVERS)
        self.ports = [free_port(), free_port()]
        self.process = subprocess.Popen(
            # A shell without job control starts a command in the background so.
            [
                "sh",
                "-c",
                'trap "" INT; exec "$@"',
                "sh",
                sys.executable,
                program,
                kind,
                *map(str, self.ports),
            ],
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | {"PYTHONUNBUFFERED": "1"},
        )
        self.lines: list[str] = []
        while sum("is ready" in line for line in self.lines) < 2:
            self.lines.append(self.next_line())

    def next_line(self) -> str:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, self.lines
        return line.rstrip()

    def rest(self) -> list[str]:
        return self.process.communicate(timeout=40)[0].splitlines()

    def pids(self) -> list[int]:
        return [int(line.split()[-1]) for line in self.lines if "listening as" in line]

    def are_gone(self) -> bool:
        deadline = time.monotonic() + 10
        while any(map(is_port_in_use, self.ports)):
            if time.monotonic() > deadline:
                return False
            time.sleep(0.1)
        return True


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[[str], Running]]:
    started: list[Running] = []

    def begin(kind: str) -> Running:
        started.append(Running(tmp_path, kind))
        return started[-1]

    yield begin
    for one in started:
        one.process.kill()
        for pid in one.pids():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_both_servers_and_every_line_says_something(
    start: Callable[[str], Running], number: signal.Signals
) -> None:
    servers = start("willing")
    assert sorted(line for line in servers.lines if "listening" not in line) == sorted(
        f"server {port} is ready: address {port}" for port in servers.ports
    )
    began = time.monotonic()
    servers.process.send_signal(number)
    stopping, stopped = servers.rest()
    assert stopping.startswith("Stopping; ")
    assert stopped == "Stopped."
    assert servers.process.returncode == 0
    assert time.monotonic() - began < SECONDS_TO_STOP
    assert servers.are_gone()


def test_a_second_signal_ends_servers_that_do_not_stop(start: Callable[[str], Running]) -> None:
    servers = start("stubborn")
    began = time.monotonic()
    servers.process.send_signal(signal.SIGINT)
    assert servers.next_line().startswith("Stopping; ")
    servers.process.send_signal(signal.SIGINT)
    assert servers.rest() == ["Stopped."]
    assert time.monotonic() - began < SECONDS_TO_STOP
    assert servers.are_gone()


def test_the_end_of_one_server_ends_the_other_with_an_error(start: Callable[[str], Running]) -> None:
    servers = start("willing")
    os.kill(servers.pids()[0], signal.SIGKILL)
    ended, stopped = servers.rest()
    assert ended.endswith("ended unexpectedly; stopping both servers.")
    assert (stopped, servers.process.returncode) == ("Stopped.", 1)
    assert servers.are_gone()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a process of the end of its parent")
def test_servers_end_when_their_parent_is_killed(start: Callable[[str], Running]) -> None:
    servers = start("willing")
    servers.process.kill()
    assert servers.are_gone()
