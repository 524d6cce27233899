"""The server processes: start, stop and restarts. Other tests check their answers."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
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
from tests.api.monitoring.reading import parsed, value
from tests.suite.tiers import some

ESTABLISHED, LISTENING = "01", "0A"


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

    monkeypatch.setattr(uvicorn, "Server", NoServer)
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


@contextmanager
def _started(
    data_dir: Path, processes: int, at: str | None = None, url: str | None = None, **more: str
) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """`python -m api` with its address. It ends afterwards with all its processes."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = urlsplit(at).port if at else probe.getsockname()[1]
    settings = {
        "EAS_DATA_DIR": str(data_dir),
        "EAS_API_PORT": str(port),
        "EAS_API_PROCESSES": str(processes),
        "CONTROL_DATABASE_URL": url or f"sqlite:///{data_dir}/control.db",
    }
    process = subprocess.Popen(
        [sys.executable, "-m", "api"],
        env=os.environ | settings | more,
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield process, f"http://127.0.0.1:{port}"
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


@contextmanager
def _served(
    data_dir: Path, url: str | None = None, **more: str
) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """Two processes that answer."""
    with _started(data_dir, processes=2, url=url, **more) as (process, address):
        _until(lambda: len(_workers(process.pid)) == 2 and _answers(address))
        yield process, address


def _workers(parent: int) -> set[int]:
    """The worker processes: the children of a process, without Python's resource tracker."""
    with suppress(FileNotFoundError):
        started = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
        return {int(one) for one in started if b"spawn_main" in Path(f"/proc/{one}/cmdline").read_bytes()}
    return set()


def _sockets(port: int, state: str) -> set[str]:
    """Inodes of the sockets at a port in a state of Linux's table."""
    rows = [row.split() for row in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    return {row[9] for row in rows if row[1].endswith(f":{port:04X}") and row[3] == state}


def _connections(parent: int, port: int) -> list[int]:
    """How many connections each process holds."""
    taken = {f"socket:[{inode}]" for inode in _sockets(port, ESTABLISHED)}
    return [len(taken & _opened(worker)) for worker in _workers(parent)]


def _opened(process: int) -> set[str]:
    found = set()
    for descriptor in Path(f"/proc/{process}/fd").iterdir():
        with suppress(FileNotFoundError):
            found.add(str(descriptor.readlink()))
    return found


def _answers(address: str) -> bool:
    with suppress(httpx.HTTPError):
        return httpx.get(f"{address}/readyz", timeout=5).status_code == 200
    return False


def _until(holds: Callable[[], bool], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, "it does not come true"
        time.sleep(0.05)


def test_processes_end_with_the_one_that_was_killed_and_free_the_port(tmp_path: Path) -> None:
    with _served(tmp_path) as (process, address):
        process.kill()
        process.wait()
        _until(lambda: not is_port_in_use(int(address.rpartition(":")[2])), seconds=20)


def test_a_process_that_dies_is_replaced_and_its_requests_stay_counted(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        metrics = str(probe.getsockname()[1])

    def counted(name: str, **labels: str) -> float:
        text = httpx.get(f"http://127.0.0.1:{metrics}/metrics").raise_for_status().text
        return value(parsed(text), name, **labels)

    with _served(tmp_path, EAS_METRICS_PORT=metrics) as (process, address):
        for _ in range(30):
            # A connection each, so that both processes take some.
            httpx.get(f"{address}/healthz")
        assert counted("eas_http_requests_total", route="/healthz") == 30
        before = _workers(process.pid)
        os.kill(min(before), signal.SIGKILL)
        _until(lambda: len(_workers(process.pid)) == 2 and _workers(process.pid) != before)
        _until(lambda: _answers(address))
        assert counted("eas_http_requests_total", route="/healthz") == 30
        assert counted("eas_worker_processes_replaced_total") == 1
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=20) == 0


def test_connections_are_dealt_out_to_the_processes(tmp_path: Path) -> None:
    with _served(tmp_path) as (process, address):
        port = urlsplit(address).port or 0
        _until(lambda: len(_sockets(port, LISTENING)) == 2)
        with ExitStack() as opened:
            for _ in range(40):
                opened.enter_context(socket.create_connection(("127.0.0.1", port)))
            _until(lambda: sum(_connections(process.pid, port)) == 40)
            # Fewer than six of 40 tosses of a coin: once in a million.
            assert min(_connections(process.pid, port)) >= 6


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


def test_a_port_that_another_server_shares_out_is_taken(tmp_path: Path) -> None:
    with _served(tmp_path / "first") as (_, address), _started(tmp_path / "second", 2, address) as (other, _):
        assert other.wait(timeout=60) != 0


@pytest.mark.parametrize("processes", some([2, 1], 1))
def test_an_application_that_cannot_start_ends_the_server(tmp_path: Path, processes: int) -> None:
    """Every restart would fail in the same way."""
    (tmp_path / "control.db").write_bytes(b"no database" * 500)
    with _started(tmp_path, processes) as (process, _):
        assert process.wait(timeout=60) != 0


@pytest.mark.parametrize("number", some([signal.SIGTERM, signal.SIGINT], 1))
def test_an_interrupted_server_of_one_process_ends_quietly(tmp_path: Path, number: signal.Signals) -> None:
    with _started(tmp_path, processes=1) as (process, address):
        _until(lambda: _answers(address))
        process.send_signal(number)
        assert process.wait(timeout=20) == 0


@pytest.mark.parametrize("processes", some([2, 1], 1))
def test_every_thread_that_answers_gives_way_to_a_build(tmp_path: Path, processes: int) -> None:
    here = os.getpriority(os.PRIO_PROCESS, 0)
    with _started(tmp_path, processes) as (process, address):
        _until(
            lambda: _answers(address) and len(_workers(process.pid)) == (processes if processes > 1 else 0)
        )
        for worker in _workers(process.pid) or {process.pid}:
            # /readyz has started threads for the control database.
            threads = [int(one.name) for one in Path(f"/proc/{worker}/task").iterdir()]
            assert {os.getpriority(os.PRIO_PROCESS, one) for one in threads} == {min(here + serving.NICE, 19)}


def test_an_attack_by_heads_takes_no_memory_and_half_sent_requests_end(tmp_path: Path) -> None:
    with _started(tmp_path, processes=1) as (process, address), ExitStack() as opened:
        _until(lambda: _answers(address))
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
        assert not _sockets(port, ESTABLISHED) & _opened(process.pid)
        assert _answers(address)
        assert _peak_memory(process.pid) - before < 50_000_000


def _peak_memory(process: int) -> int:
    """Bytes that a process has had in memory at once."""
    [line] = [
        line for line in Path(f"/proc/{process}/status").read_text().splitlines() if line.startswith("VmHWM:")
    ]
    return int(line.split()[1]) * 1024


@pytest.mark.both_databases
def test_every_process_refuses_a_revoked_key(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    organization = store.ensure_organization("Acme")
    token = create_token(store, organization.id, "a key")
    database = store.engine.url.render_as_string(hide_password=False)
    with _served(tmp_path, database) as (_, address):
        url = f"{address}/api/v1/organizations/{organization.id}"

        def statuses() -> set[int]:
            # A connection each, so that both processes are asked.
            headers = {"Authorization": f"Bearer {token.key}"}
            return {httpx.get(url, headers=headers).status_code for _ in range(30)}

        assert statuses() == {200}
        revoke_token(store, organization.id, token.token.id)
        assert statuses() == {401}
    store.close()


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
