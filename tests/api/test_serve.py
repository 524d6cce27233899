"""The server processes: start, stop and restarts. Other tests check their answers."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
import uvicorn

from api import serve as serving
from api.control.accounts.tokens import create_token, revoke_token
from api.control.store import open_store
from api.operator.environment import StartRefused
from api.settings import ApiSettings
from orchestration.commands.serving import is_port_in_use
from tests.api.conftest import certificates
from tests.api.monitoring.reading import parsed, value
from tests.api.server_processes import (
    ESTABLISHED,
    LISTENING,
    Served,
    answers,
    connections,
    opened_by,
    served_by_two,
    sockets_at,
    started,
    until,
    workers,
)
from tests.suite.tiers import some


@pytest.mark.parametrize(("trusted", "expected"), [("", (False, "")), ("10.0.0.1", (True, "10.0.0.1"))])
def test_only_a_listed_proxy_can_set_the_client_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, trusted: str, expected: tuple[bool, str]
) -> None:
    monkeypatch.setenv("EAS_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("EAS_TRUSTED_PROXIES", trusted)
    given: dict[str, Any] = {}
    monkeypatch.setenv("EAS_API_PROCESSES", "1")

    class NoServer:
        started = True

        def __init__(self, config: uvicorn.Config) -> None:
            given.update(vars(config))

        def run(self, sockets: None) -> None:
            pass

    monkeypatch.setattr(serving, "Server", NoServer)
    serving.serve()
    assert (given["proxy_headers"], given["forwarded_allow_ips"]) == expected


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, "http://127.0.0.1:8000"),
        ({"EAS_API_PORT": "8123"}, "http://127.0.0.1:8123"),
        ({"EAS_API_PORT": "8123", "EAS_APP_URL": "https://eas.example"}, "https://eas.example"),
    ],
)
def test_mailed_links_use_the_served_port_by_default(
    monkeypatch: pytest.MonkeyPatch, given: dict[str, str], expected: str
) -> None:
    for name in ("EAS_API_PORT", "EAS_APP_URL"):
        monkeypatch.delenv(name, raising=False)
    for name, given_value in given.items():
        monkeypatch.setenv(name, given_value)
    assert ApiSettings().app_url == expected


def test_a_bad_port_is_all_that_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EAS_API_PORT", "many")
    monkeypatch.delenv("EAS_APP_URL", raising=False)
    with pytest.raises(StartRefused, match=r"^EAS_API_PORT='many' is no whole number"):
        ApiSettings()


@pytest.fixture(scope="module")
def data_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("served")


@pytest.fixture(scope="module")
def metrics_port() -> str:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return str(probe.getsockname()[1])


@pytest.fixture(scope="module")
def served(data_dir: Path, metrics_port: str) -> Iterator[Served]:
    """Two processes that answer, for all tests: they start within seconds. The last one interrupts them."""
    with served_by_two(data_dir, EAS_METRICS_PORT=metrics_port) as running:
        yield running


def test_connections_are_dealt_out_to_the_processes(served: Served) -> None:
    process, address = served
    port = urlsplit(address).port or 0
    until(lambda: len(sockets_at(port, LISTENING)) == 2)
    with ExitStack() as opened:
        for _ in range(40):
            opened.enter_context(socket.create_connection(("127.0.0.1", port)))
        until(lambda: sum(connections(process.pid, port)) == 40)
        # Fewer than six of 40 tosses of a coin: once in a million.
        assert min(connections(process.pid, port)) >= 6


def test_every_thread_that_answers_gives_way_to_a_build(served: Served) -> None:
    _expect_threads_to_give_way(workers(served[0].pid))


@pytest.mark.release
def test_every_thread_of_a_single_process_gives_way_to_a_build(tmp_path: Path) -> None:
    with started(tmp_path, processes=1) as (process, address):
        until(lambda: answers(address))
        _expect_threads_to_give_way({process.pid})


def _expect_threads_to_give_way(processes: set[int]) -> None:
    assert processes
    here = os.getpriority(os.PRIO_PROCESS, 0)
    for process in processes:
        # /readyz has started threads for the control database.
        threads = [int(one.name) for one in Path(f"/proc/{process}/task").iterdir()]
        assert {os.getpriority(os.PRIO_PROCESS, one) for one in threads} == {min(here + serving.NICE, 19)}


def test_every_process_refuses_a_revoked_key(served: Served, data_dir: Path) -> None:
    _expect_every_process_to_refuse_a_revoked_key(data_dir, served[1])


# The statements are those of test_tokens.py, which sends them to both databases.
@pytest.mark.release
@pytest.mark.both_databases
def test_every_process_on_either_database_refuses_a_revoked_key(tmp_path: Path) -> None:
    with closing(open_store(tmp_path)) as store:
        url = store.engine.url.render_as_string(hide_password=False)
    with served_by_two(tmp_path, url) as (_, address):
        _expect_every_process_to_refuse_a_revoked_key(tmp_path, address)


def _expect_every_process_to_refuse_a_revoked_key(data_dir: Path, address: str) -> None:
    with closing(open_store(data_dir)) as store:
        organization = store.ensure_organization("Acme").id
        token = create_token(store, organization, "a key")
        url = f"{address}/api/v1/organizations/{organization}"

        def statuses() -> set[int]:
            # A connection each, so that both processes are asked.
            headers = {"Authorization": f"Bearer {token.key}"}
            return {httpx.get(url, headers=headers, verify=certificates()).status_code for _ in range(30)}

        assert statuses() == {200}
        revoke_token(store, organization, token.token.id)
        assert statuses() == {401}


def test_a_port_that_another_server_shares_out_is_taken(served: Served, tmp_path: Path) -> None:
    with started(tmp_path, 2, served[1]) as (other, _):
        assert other.wait(timeout=60) != 0


def test_a_process_that_dies_is_replaced_and_its_requests_stay_counted(
    served: Served, metrics_port: str
) -> None:
    process, address = served

    def counted(name: str, **labels: str) -> float:
        text = httpx.get(f"http://127.0.0.1:{metrics_port}/metrics", verify=certificates())
        return value(parsed(text.raise_for_status().text), name, **labels)

    for _ in range(30):
        # A connection each, so that both processes take some.
        httpx.get(f"{address}/healthz", verify=certificates())
    assert counted("eas_http_requests_total", route="/healthz") == 30
    before = workers(process.pid)
    os.kill(min(before), signal.SIGKILL)
    until(lambda: len(workers(process.pid)) == 2 and workers(process.pid) != before)
    until(lambda: answers(address))
    assert counted("eas_http_requests_total", route="/healthz") == 30
    assert counted("eas_worker_processes_replaced_total") == 1


def test_interrupted_processes_end_quietly(served: Served) -> None:
    process, _ = served
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=20) == 0


def test_processes_end_with_the_one_that_was_killed_and_free_the_port(tmp_path: Path) -> None:
    with served_by_two(tmp_path) as (process, address):
        process.kill()
        process.wait()
        until(lambda: not is_port_in_use(int(address.rpartition(":")[2])), seconds=20)


@pytest.mark.parametrize("processes", some(["2", "1"], 1))
@pytest.mark.parametrize("host", ["127.0.0.1", "192.0.2.1"])
def test_an_address_that_cannot_be_used_is_named_with_its_settings(
    tmp_path: Path, host: str, processes: str
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        settings = {"EAS_DATA_DIR": str(tmp_path), "EAS_API_HOST": host, "EAS_API_PORT": port}
        done = subprocess.run(
            [sys.executable, "-m", "api"],
            env=os.environ | settings | {"EAS_API_PROCESSES": processes},
            capture_output=True,
            text=True,
            timeout=60,
        )
    assert done.returncode == 1
    assert f"cannot listen at port {port} of {host}" in done.stderr
    assert "set EAS_API_HOST and EAS_API_PORT" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("processes", some([2, 1], 1))
def test_an_application_that_cannot_start_ends_the_server(tmp_path: Path, processes: int) -> None:
    """Every restart would fail in the same way."""
    (tmp_path / "control.db").write_bytes(b"no database" * 500)
    with started(tmp_path, processes) as (process, _):
        assert process.wait(timeout=60) != 0


@pytest.fixture(scope="module")
def single(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """One process that answers. The last test that uses it interrupts it."""
    with started(tmp_path_factory.mktemp("single"), processes=1) as (process, address):
        until(lambda: answers(address))
        yield process, address


def test_an_attack_by_heads_takes_no_memory_and_half_sent_requests_end(single: Served) -> None:
    process, address = single
    with ExitStack() as opened:
        port = urlsplit(address).port or 0
        before = _peak_memory(process.pid)
        for _ in range(4):
            huge = opened.enter_context(socket.create_connection(("127.0.0.1", port), timeout=20))
            with suppress(ConnectionError):
                huge.sendall(b"GET / HTTP/1.1\r\nX: " + b"a" * 60_000_000)
        half = [opened.enter_context(socket.create_connection(("127.0.0.1", port))) for _ in range(300)]
        for one in half:
            with suppress(ConnectionError):
                one.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n")
        deadline = time.monotonic() + 12
        for one in half:
            one.settimeout(max(deadline - time.monotonic(), 0.1))
            with suppress(ConnectionError):
                while one.recv(1 << 16):
                    pass
        assert not sockets_at(port, ESTABLISHED) & opened_by(process.pid)
        assert answers(address)
        assert _peak_memory(process.pid) - before < 50_000_000


def test_a_terminated_server_of_one_process_ends_quietly(single: Served) -> None:
    process, _ = single
    process.send_signal(signal.SIGTERM)
    assert process.wait(timeout=20) == 0


@pytest.mark.release
def test_an_interrupted_server_of_one_process_ends_quietly(tmp_path: Path) -> None:
    with started(tmp_path, processes=1) as (process, address):
        until(lambda: answers(address))
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=20) == 0


def _peak_memory(process: int) -> int:
    """Bytes that a process has had in memory at once."""
    [line] = [
        line for line in Path(f"/proc/{process}/status").read_text().splitlines() if line.startswith("VmHWM:")
    ]
    return int(line.split()[1]) * 1024


def test_a_lost_control_database_is_not_replaced_by_an_empty_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CONTROL_DATABASE_URL", raising=False)
    monkeypatch.setenv("EAS_DATA_DIR", str(tmp_path))
    (tmp_path / "published" / "o").mkdir(parents=True)
    (tmp_path / "published" / "o" / "current.json").write_text("{}")
    with pytest.raises(SystemExit, match="Restore a backup"):
        serving.serve()
    assert not (tmp_path / "control.db").exists()
