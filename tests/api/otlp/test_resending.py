"""Exporters that send again: after a 503, and after the receiver was killed. Every event counts once."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

from api.control.store import open_store
from api.control.telemetry.ingest_tokens import create_ingest_token
from ingest.lake import Lake
from ingest.telemetry import loading
from tests.api.conftest import certificates
from tests.api.otlp.conftest import Rows
from tests.api.otlp.exporters import Event, logged
from tests.api.otlp.staged import staged
from tests.api.published_facts import ORGANIZATION

CLAUDE = {"service.name": "claude-code"}
BATCHES, EVENTS = 12, 5


def events(batch: int) -> list[Event]:
    return [
        Event(
            time.time_ns(),
            "claude_code.api_request",
            {"event.name": "api_request", "request_id": f"{batch}-{number}", "output_tokens": 1},
        )
        for number in range(EVENTS)
    ]


def test_an_exporter_repeats_what_a_full_disk_refused(
    address: str, key: str, lake: Rows, data_dir: Path
) -> None:
    folder = data_dir / "telemetry" / "spool" / ORGANIZATION
    folder.mkdir(parents=True, exist_ok=True)
    aside = folder.with_name("aside")
    for open_segment in folder.glob("*.open"):
        open_segment.rename(open_segment.with_suffix(".taken"))
    folder.rename(aside)
    folder.write_text("a file in the place of the folder")

    def make_room() -> None:
        time.sleep(0.3)
        folder.unlink()
        aside.rename(folder)

    mended = threading.Thread(target=make_room)
    mended.start()
    assert logged(address, key, CLAUDE, events(0), timeout=60).send() == "SUCCESS"
    mended.join()
    rows = lake("requests")
    assert len(staged("requests", rows)) == len(rows) == EVENTS


@contextmanager
def receiver(data_dir: Path, port: int) -> Iterator[subprocess.Popen[bytes]]:
    """A server in a process of its own, which is killed at the end with all of its processes."""
    settings = {"EAS_DATA_DIR": str(data_dir), "EAS_API_PORT": str(port), "EAS_API_PROCESSES": "1"}
    process = subprocess.Popen(
        [sys.executable, "-m", "api"],
        env=os.environ | settings,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        ends = time.monotonic() + 120
        while time.monotonic() < ends:
            try:
                httpx.get(f"http://127.0.0.1:{port}/healthz", verify=certificates()).raise_for_status()
                break
            except httpx.HTTPError:
                time.sleep(0.1)
        yield process
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def test_an_exporter_outlives_a_killed_receiver_without_loss_and_without_duplicates(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    store.ensure_organization("Acme", organization_id=ORGANIZATION, slug="acme")
    key = create_ingest_token(store, "acme", "laptops").key
    store.close()
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    answers: list[str] = []

    def send_all() -> None:
        for number in range(BATCHES):
            batch = logged(f"http://127.0.0.1:{port}", key, CLAUDE, events(number), timeout=120)
            answer = batch.send()
            while answer != "SUCCESS":
                time.sleep(0.2)
                answer = batch.send()
            answers.append(answer)

    sending = threading.Thread(target=send_all)
    with receiver(tmp_path, port):
        sending.start()
        ends = time.monotonic() + 60
        while len(answers) < BATCHES // 3 and time.monotonic() < ends:
            time.sleep(0.002)
    with receiver(tmp_path, port):
        sending.join(timeout=120)
    assert answers == ["SUCCESS"] * BATCHES
    source = Lake(str(tmp_path / "raw")).source("telemetry", ORGANIZATION, "_")
    assert loading.load(source, tmp_path).damaged_segments == 0
    rows = staged("requests", source.read("requests").to_pylist())
    assert {row["output_tokens"] for row in rows} == {1}
    assert len(rows) == BATCHES * EVENTS
