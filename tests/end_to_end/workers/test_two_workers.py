"""Two workers build two organizations at once, and a killed worker loses nothing: with a real Redis and PostgreSQL."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

import dagster as dg
import psycopg
import pytest

from ingest.git.repository_source import resolve
from orchestration.commands.runs import open_instance, open_runs
from orchestration.deployment import Deployment
from orchestration.reading.readings import Readings
from orchestration.runtime.executor import LOST_RUN_MESSAGE
from orchestration.runtime.in_process_runs import BUILD_ORGANIZATION
from orchestration.runtime.partitions import ORGANIZATION_TAG
from orchestration.runtime.progress import Progress
from orchestration.runtime.run_state import RepositoryEntry
from orchestration.workers.run_queue import OWNER_TAG
from tests.api import postgres
from tests.end_to_end.eas import PROGRAM, Eas
from tests.end_to_end.histories import varied
from tests.git_repository import GitRepository

LACKING = [name for name in ("dagster_celery", "dagster_postgres", "redis") if find_spec(name) is None]
if shutil.which("redis-server") is None:
    LACKING.append("redis-server")
pytestmark = [
    pytest.mark.release,
    pytest.mark.skipif(bool(LACKING), reason=f"workers need {', '.join(LACKING)}"),
    postgres.required,
    pytest.mark.timeout(3600),
]
NAMES = ("Acme", "Globex")
# The daemon looks every 30 s, and a lost run is found after a minute and tried again after two.
PATIENCE = 1500.0


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture
def queue(tmp_path: Path) -> Iterator[str]:
    """The address of a Redis of its own."""
    port = free_port()
    program = [
        "redis-server",
        "--port",
        str(port),
        "--bind",
        "127.0.0.1",
        "--save",
        "",
        "--dir",
        str(tmp_path),
    ]
    with subprocess.Popen(program, stdout=subprocess.DEVNULL) as server:
        try:
            yield f"redis://127.0.0.1:{port}/0"
        finally:
            server.kill()


@pytest.fixture
def records() -> Iterator[str]:
    """The address of an empty database of PostgreSQL."""
    server = postgres.Server()
    try:
        with psycopg.connect(f"{server.address}/postgres", autocommit=True) as connection:
            connection.execute("create database dagster")
        yield f"{server.address}/dagster".replace("postgresql:", "postgresql+psycopg2:")
    finally:
        server.remove()


@pytest.fixture
def deployment(tmp_path: Path, queue: str, records: str, monkeypatch: pytest.MonkeyPatch) -> Deployment:
    """Two organizations, each with a repository that was read and not built."""
    settings = {
        "EAS_DATA_DIR": str(tmp_path / "data"),
        "EAS_WORKERS": "1",
        "EAS_RUN_QUEUE": queue,
        "EAS_DAGSTER_DATABASE_URL": records,
    }
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    found = Deployment()
    for name in NAMES:
        repository = varied(GitRepository(tmp_path / name.lower()))
        with found.control() as control:
            organization = control.ensure_organization(name)
            source = resolve(str(repository.path), found.settings, organization.id)
            control.upsert_repository(
                organization.id, source.repository_id, name=source.name, origin=source.origin
            )
        entry = RepositoryEntry(source.repository_id, source.name, str(repository.path))
        found.run_state.record(organization.id, entry)
        with open_runs(found, Readings(), Progress()) as runs:
            read = runs.extract(source.name, source.repository_id)
        assert read.succeeded, read.failures
    return found


class Processes:
    """Commands of `eas` in process groups of their own, with what they say in files."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._started: list[subprocess.Popen[bytes]] = []

    def start(self, *arguments: str) -> subprocess.Popen[bytes]:
        with (self._folder / f"said-{len(self._started)}-{arguments[0]}").open("wb") as said:
            process = subprocess.Popen(
                [PROGRAM, *arguments], stdout=said, stderr=subprocess.STDOUT, start_new_session=True
            )
        self._started.append(process)
        return process

    def ended(self) -> list[object]:
        """The commands that ended although nobody ended them."""
        return [one.args for one in self._started if one.poll() is not None]

    def kill(self, process: subprocess.Popen[bytes]) -> None:
        """Kill a command with all its processes, as a machine that stops does."""
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        self._started.remove(process)

    def end(self) -> None:
        for process in self._started:
            if process.poll() is None:
                process.terminate()
        for process in list(self._started):
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                self.kill(process)

    def said(self) -> str:
        return "\n".join(
            file.read_text(errors="replace")[-3000:] for file in sorted(self._folder.glob("said-*"))
        )


@pytest.fixture
def processes(tmp_path: Path) -> Iterator[Processes]:
    found = Processes(tmp_path)
    yield found
    found.end()


def builds(instance: dg.DagsterInstance) -> list[dg.DagsterRun]:
    return list(instance.get_runs(dg.RunsFilter(job_name=BUILD_ORGANIZATION)))


def test_two_workers_build_two_organizations_and_a_killed_one_loses_nothing(
    deployment: Deployment, processes: Processes
) -> None:
    with deployment.control() as control:
        organizations = {one.id: one.slug for one in control.organizations()}
    workers = [processes.start("worker"), processes.start("worker")]
    processes.start("serve", "--api-port", str(free_port()), "--ui-port", str(free_port()))

    with open_instance(deployment.settings) as instance:

        def wait_for(condition: Callable[[], bool]) -> None:
            until = time.monotonic() + PATIENCE
            while not condition():
                ended = processes.ended()
                assert not ended, f"{ended}\n{processes.said()}"
                assert time.monotonic() < until, f"{builds(instance)}\n{processes.said()}"
                time.sleep(1)

        def started() -> list[dg.DagsterRun]:
            return [run for run in builds(instance) if run.status == dg.DagsterRunStatus.STARTED]

        # Each worker executes one run at a time.
        wait_for(lambda: len(started()) == len(NAMES))
        first = started()
        assert {run.tags[ORGANIZATION_TAG] for run in first} == set(organizations)
        assert all(run.tags[OWNER_TAG] == run.tags[ORGANIZATION_TAG] for run in first)

        processes.kill(workers[0])
        published = deployment.settings.published_dir
        wait_for(lambda: all((published / one / "current.json").exists() for one in organizations))
        wait_for(lambda: all(run.is_finished for run in builds(instance)))
        runs = builds(instance)
        lost = [run for run in runs if run.status == dg.DagsterRunStatus.FAILURE]
        assert [run.run_id in {one.run_id for one in first} for run in lost] == [True], runs
        said = [str(one.message) for one in instance.all_logs(lost[0].run_id)]
        assert any(LOST_RUN_MESSAGE in line for line in said)
        built = {run.tags[ORGANIZATION_TAG] for run in runs if run.status == dg.DagsterRunStatus.SUCCESS}
        assert built == set(organizations)


def test_the_doctor_counts_workers_and_names_a_redis_that_is_gone(
    fresh_eas: Eas, queue: str, processes: Processes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EAS_RUN_QUEUE", queue)
    monkeypatch.setenv("EAS_DATA_DIR", str(fresh_eas.data))

    def finding() -> str:
        said = fresh_eas.run_here("doctor").stdout.splitlines()
        [line] = [line for line in said if "Run queue" in line]
        return line

    assert "warn Run queue: no worker takes runs; start `eas worker`" in finding()
    worker = processes.start("worker", "--runs", "2")
    until = time.monotonic() + 300
    while (found := finding()) != "ok   Run queue: 1 worker takes runs":
        assert time.monotonic() < until, f"{found}\n{processes.said()}"
        assert not processes.ended(), processes.said()
    worker.terminate()
    assert worker.wait(120) == 0, processes.said()
    monkeypatch.setenv("EAS_RUN_QUEUE", "redis://127.0.0.1:9")
    assert "FAIL Run queue: the Redis of EAS_RUN_QUEUE does not answer" in finding()
