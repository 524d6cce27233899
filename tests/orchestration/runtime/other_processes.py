"""Processes beside that of the tests, forked from one that has imported Dagster: the import takes four seconds."""

from __future__ import annotations

import multiprocessing
import os
import signal
import warnings
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any
from uuid import uuid4

import dagster as dg

from ingest.settings import Settings
from orchestration.commands.runs import open_instance
from orchestration.deployment import machine_settings
from orchestration.runtime import executor

Work = Callable[..., None]
SECONDS = 60
_gates: list[Connection] = []


@dg.op
def work() -> None:
    """Say that it works, and wait to be let go."""
    [gate] = _gates
    gate.send("working")
    gate.recv()


@dg.job(name="build_organization", executor_def=executor.one_process)
def job() -> None:
    """Work until its process ends or is let go."""
    work()


def run_job(gate: Connection, how: str) -> None:
    """Run the job in one of the two ways in which runs start."""
    _gates.append(gate)
    warnings.simplefilter("ignore")
    with open_instance(machine_settings()) as instance:
        if how == "launched":
            dg.execute_job(dg.reconstructable(job), instance=instance)
        else:
            run_id = str(uuid4())
            with executor.holding_run_lock(instance, run_id):
                job.execute_in_process(instance=instance, run_id=run_id)


def add_key(gate: Connection, data_dir: Path, key: str) -> None:
    """Open an instance when it is let go, add a key, and tell those that it has."""
    gate.send("ready")
    gate.recv()
    with open_instance(Settings(data_dir=data_dir)) as instance:
        instance.add_dynamic_partitions("repositories", [key])
        gate.send(list(instance.get_dynamic_partitions("repositories")))


class Forks:
    """A process that forks others. It has no threads, whose locks would be copied."""

    def __init__(self) -> None:
        spawn = multiprocessing.get_context("spawn")
        self._orders, theirs = spawn.Pipe()
        self._process = spawn.Process(target=_fork, args=(theirs,))
        self._process.start()
        theirs.close()
        self._started: list[Forked] = []

    def start(self, target: Work, *args: object) -> Forked:
        """Start a process with the environment of this one."""
        forked = Forked(self.ask, self.ask("start", target, args, dict(os.environ)))
        self._started.append(forked)
        return forked

    def ask(self, *order: object) -> Any:
        """Have something done by the process that forks."""
        self._orders.send(order)
        return self._orders.recv()

    def close(self) -> None:
        """End all processes."""
        for forked in self._started:
            forked.kill()
        self._orders.close()
        self._process.join()


class Forked:
    """A forked process. Each side of its gate receives what the other one sends."""

    def __init__(self, ask: Callable[..., Any], pid: int) -> None:
        self._ask, self._pid = ask, pid
        self._code: int | None = None

    def send(self, message: str) -> None:
        self._ask("send", self._pid, message)

    def receive(self) -> Any:
        """What it sent. None if it ended or sends nothing for a minute."""
        return self._ask("receive", self._pid)

    def wait(self) -> int | None:
        """The exit code. None if the process has not ended after a minute."""
        if self._code is None:
            self._code = self._ask("wait", self._pid)
        return self._code

    def kill(self) -> None:
        """Kill it, unless it has ended."""
        if self._code is None:
            os.kill(self._pid, signal.SIGKILL)
            self.wait()


def _fork(orders: Connection) -> None:
    fork = multiprocessing.get_context("fork")
    processes: dict[int, tuple[BaseProcess, Connection]] = {}
    with suppress(EOFError):
        while True:
            match orders.recv():
                case ("start", target, args, environment):
                    ours, theirs = fork.Pipe()
                    process = fork.Process(target=_begin, args=(target, args, environment, theirs))
                    process.start()
                    theirs.close()
                    assert process.pid is not None
                    processes[process.pid] = process, ours
                    orders.send(process.pid)
                case ("send", pid, message):
                    processes[pid][1].send(message)
                    orders.send(None)
                case ("receive", pid):
                    orders.send(_received(processes[pid][1]))
                case ("wait", pid):
                    processes[pid][0].join(SECONDS)
                    orders.send(processes[pid][0].exitcode)


def _received(gate: Connection) -> object:
    try:
        return gate.recv() if gate.poll(SECONDS) else None
    except EOFError:
        return None


def _begin(target: Work, args: tuple[object, ...], environment: dict[str, str], gate: Connection) -> None:
    os.environ.clear()
    os.environ.update(environment)
    target(gate, *args)
