"""An API that fetches its builds from an object store.

tests/orchestration/publishing/test_copies.py has what can go wrong.
"""

from __future__ import annotations

import signal
import socket
import time
from pathlib import Path
from typing import Any

import pytest

from api.mail.delivery import MailDelivery
from api.snapshot import fetching
from orchestration.publishing import copies
from tests.api.conftest import ROOT, Deployment, client_for, deploy, serving
from tests.api.published_facts import ORGANIZATION
from tests.api.server_processes import started
from tests.object_store import ObjectStore, store, store_address
from tests.suite.tiers import some

__all__ = ["store", "store_address"]


def test_an_api_elsewhere_answers_from_each_new_build(
    deployment: Deployment, store: ObjectStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = f"s3://{store.bucket}/published"
    monkeypatch.setenv(copies.TARGET, source)
    monkeypatch.setattr(fetching, "LOOKS_EVERY", 0.2)
    elsewhere = deploy(tmp_path / "elsewhere", deployment.facts, deployment.warehouse)

    def publish() -> str:
        build_id = deployment.publish()
        copies.mirror(deployment.data_dir / "published", ORGANIZATION)
        return build_id

    first = publish()
    with (
        serving(elsewhere.data_dir, EAS_PUBLISHED_FROM=source) as address,
        client_for(address, elsewhere.key()) as client,
    ):
        answer = client.get(f"{ROOT}/commits?pageSize=100")
        assert (answer.status_code, answer.headers["x-warehouse-build"]) == (200, first)
        with serving(deployment.data_dir) as here, client_for(here, deployment.key()) as reader:
            assert reader.get(f"{ROOT}/commits?pageSize=100").json()["commits"] == answer.json()["commits"]
        second = publish()
        until = time.monotonic() + 60
        while (found := client.get(f"{ROOT}/commits").headers["x-warehouse-build"]) == first:
            assert time.monotonic() < until
            time.sleep(0.1)
        assert found == second


@pytest.mark.parametrize(("server", "starts"), [(None, []), ("smtp://mail.example", ["mails"])])
def test_an_api_elsewhere_leaves_mails_to_the_machine_with_a_server(
    deployment: Deployment,
    store: ObjectStore,
    monkeypatch: pytest.MonkeyPatch,
    server: str | None,
    starts: list[str],
) -> None:
    begun: list[str] = []
    monkeypatch.setattr(MailDelivery, "start", lambda _: begun.append("mails"))
    own: dict[str, Any] = {"EAS_SMTP_URL": server} if server else {}
    with serving(deployment.data_dir, EAS_PUBLISHED_FROM=f"s3://{store.bucket}/published", **own):
        assert begun == starts


@pytest.mark.parametrize("processes", some([1, 2], 1))
def test_an_api_can_end_while_it_waits_for_the_first_builds(
    tmp_path: Path, store: ObjectStore, processes: int
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        silent.settimeout(60)
        address = f"http://127.0.0.1:{silent.getsockname()[1]}"
        settings = {"EAS_PUBLISHED_FROM": f"s3://{store.bucket}/published", "AWS_ENDPOINT_URL": address}
        with started(tmp_path, processes, **settings) as (process, _):
            silent.accept()
            process.send_signal(signal.SIGTERM)
            assert process.wait(timeout=30) == 0
