"""Nothing of a root login reaches the log or the files of a running server."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import httpx

from tests.api.conftest import certificates, client_for
from tests.api.operator.signing import ADDRESS, PUBLIC, root_claims, root_credential, signed
from tests.api.people import Clock


@contextmanager
def process(folder: Path) -> Iterator[tuple[str, Callable[[], str]]]:
    """`python -m api` with its address, and what it has written to its log and its control database."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    log = folder / "log"
    settings = {"EAS_DATA_DIR": str(folder / "data"), "EAS_API_PORT": str(port), "EAS_API_PROCESSES": "1"}
    settings |= {"EAS_APP_URL": ADDRESS, "EAS_ADMINISTRATOR_KEY": PUBLIC}
    with log.open("wb") as out:
        server = subprocess.Popen(
            [sys.executable, "-m", "api"], env=os.environ | settings,
            stdout=out, stderr=out, start_new_session=True,
        )  # fmt: skip
    address = f"http://127.0.0.1:{port}"
    try:
        for _ in range(300):
            with suppress(httpx.HTTPError):
                if httpx.get(f"{address}/readyz", verify=certificates()).status_code == 200:
                    break
            time.sleep(0.1)
        yield address, log.read_text
    finally:
        with suppress(ProcessLookupError):
            os.killpg(server.pid, signal.SIGKILL)
        server.wait()


def test_a_running_server_logs_no_query_no_credential_and_no_token(tmp_path: Path) -> None:
    now = Clock()()
    good, used_up = root_credential(now, iss="ada@laptop"), root_credential(now, exp=now.timestamp() - 1)
    claims = root_claims(now, id=None)
    secret = "s3cr3t-t0k3n"
    with process(tmp_path) as (address, log), client_for(address, None) as client:
        for method in ("GET", "HEAD", "PUT", "PROPFIND"):
            for query in (f"credential={good}", secret, f"{secret}&{secret}", f"a_b={secret}%ff"):
                assert client.request(method, f"/impersonate?{query}").status_code == 405
        assert client.post(f"/impersonate?credential={secret}", data={"credential": good}).status_code == 401
        for bad in (used_up, signed(claims), secret, ""):
            assert client.post("/impersonate", data={"credential": bad}).status_code == 401
        answer = client.post("/impersonate", data={"credential": good})
        assert answer.status_code == 200
        token = answer.json()["token"]
        header = {"Authorization": f"Bearer {token}"}
        assert client.get(f"/api/v1/organizations/acme?{secret}={secret}", headers=header).status_code == 404
        assert client.post("/auth/signOut", headers=header).status_code == 200
        told = log()
    assert "root login" in told
    assert "ada@laptop" in told
    for one in (secret, good, good.split(".")[1], good.split(".")[2], used_up.split(".")[2], token):
        assert one not in told
    files = b"".join(path.read_bytes() for path in (tmp_path / "data").rglob("*") if path.is_file())
    for one in (secret, good.split(".")[2], token.removeprefix("root_")):
        assert one.encode() not in files
