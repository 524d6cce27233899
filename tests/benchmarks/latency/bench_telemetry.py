"""Telemetry: how long an acknowledgement takes beside readers, and a million events on their way into the lake.

    python -m tests.benchmarks.latency.bench_telemetry [--seconds 15] [--events 1000000] [--commits 50000]

Prints figure, bar and verdict. Exits with 1 if a bar is missed. The senders and readers share the cores with the
server.
"""

import argparse
import asyncio
import gzip
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import KeyValue

from api.control.accounts.tokens import create_token
from api.control.database import database_url
from api.control.store import open_store
from api.control.telemetry.ingest_tokens import create_ingest_token
from ingest.lake import Lake
from ingest.telemetry import loading
from ingest.telemetry.accept import Encoding, Sender, Signal, Spool, accept
from tests.benchmarks.latency.http_load import Outcome, load
from tests.benchmarks.latency.published_synthetic import ORGANIZATION, write_warehouse
from tests.benchmarks.latency.served import PAUSE, Figure, server, show
from tests.published_tables import publish_marts

BATCHES_PER_SECOND, EVENTS_PER_BATCH, SENDERS, READERS = 200, 10, 40, 20
MAX_P99_MS, MAX_SECONDS, MAX_MB = 100, 300, 1024
BATCHES_AT_ONCE = 200


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=15)
    parser.add_argument("--events", type=int, default=1_000_000)
    parser.add_argument("--commits", type=int, default=50_000)
    parser.add_argument("--load", type=Path, help="load the spool below this folder, and nothing else")
    options = parser.parse_args()
    if options.load:
        return _load(options.load, options.events)
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        figures = [
            *_acknowledged(Path(folder) / "served", options.commits, options.seconds),
            *_loaded(Path(folder) / "loaded", options.events),
        ]
    for figure in figures:
        print(figure)
    return int(not all(figure.holds for figure in figures))


def batch(number: int, events: int) -> bytes:
    """A request of Claude Code as protobuf, with other ids in each one."""
    request = ExportLogsServiceRequest()
    resource_logs = request.resource_logs.add()
    _set(resource_logs.resource.attributes.add(), "service.name", "claude-code")
    records = resource_logs.scope_logs.add().log_records
    for event in range(events):
        record = records.add(time_unix_nano=time.time_ns())
        record.body.string_value = "claude_code.api_request"
        texts = {
            "event.name": "api_request", "session.id": f"session-{number % 997}", "model": "claude-opus-5-5",
            "request_id": f"req_{number}_{event}", "user.email": f"person{number % 211}@example.org",
            "effort": "high", "speed": "standard", "prompt": "not kept" * 40,
        }  # fmt: skip
        counts = {
            "input_tokens": event, "output_tokens": number % 4_000, "cache_read_tokens": 90_000, "duration_ms": 1_500,
            "cache_creation_tokens": 300, "cost_usd_micros": 12_000,
        }  # fmt: skip
        both: dict[str, str | int] = {**texts, **counts}
        for name, value in both.items():
            _set(record.attributes.add(), name, value)
    return bytes(request.SerializeToString())


def _set(attribute: KeyValue, name: str, value: str | int) -> None:
    attribute.key = name
    if isinstance(value, str):
        attribute.value.string_value = value
    else:
        attribute.value.int_value = value


async def _send(port: int, key: str, until: float, outcome: Outcome, seed: int) -> None:
    dice = random.Random(seed)
    incoming, outgoing = await asyncio.open_connection("127.0.0.1", port)
    interval = SENDERS / BATCHES_PER_SECOND
    await asyncio.sleep(dice.uniform(0, interval))
    number, due = seed * 1_000_000, time.perf_counter()
    while due < until:
        body = gzip.compress(batch(number, EVENTS_PER_BATCH), 1)
        number, due = number + 1, due + interval
        await asyncio.sleep(due - time.perf_counter())
        started = time.perf_counter()
        head = (
            f"POST /otlp/v1/logs HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {key}\r\n"
            "Content-Encoding: gzip\r\nContent-Type: application/x-protobuf\r\n"
            f"Content-Length: {len(body)}\r\n\r\n"
        )
        outgoing.write(head.encode() + body)
        answer = await incoming.readuntil(b"\r\n\r\n")
        lengths = [line for line in answer.lower().split(b"\r\n") if line.startswith(b"content-length:")]
        await incoming.readexactly(int(lengths[0].partition(b":")[2]))
        outcome.seconds.append(time.perf_counter() - started)
        if b" 200 " not in answer[:16]:
            outcome.errors.append(repr(answer[:80]))
    outgoing.close()


async def _beside_readers(
    port: int, key: str, reader: str, paths: list[str], seconds: float
) -> tuple[Outcome, Outcome]:
    outcome, until = Outcome(), time.perf_counter() + seconds
    reads = load(
        port, reader, lambda dice: ("read", dice.choice(paths)), readers=READERS, seconds=seconds, pause=PAUSE
    )
    senders = asyncio.gather(*(_send(port, key, until, outcome, seed) for seed in range(SENDERS)))
    read = await reads
    await senders
    outcome.elapsed = seconds
    return outcome, read


def _acknowledged(folder: Path, commits: int, seconds: float) -> Iterator[Figure]:
    folder.mkdir()
    warehouse = folder / "warehouse.duckdb"
    write_warehouse(warehouse, commits=commits)
    publish_marts(warehouse, folder / "published", ORGANIZATION, keep_replaced=timedelta(0))
    store = open_store(url=database_url(folder))
    store.ensure_organization("Acme", organization_id=ORGANIZATION, slug="local")
    reader = create_token(store, ORGANIZATION, "bench").key
    key = create_ingest_token(store, ORGANIZATION, "bench").key
    store.close()
    root = f"/api/v1/organizations/{ORGANIZATION}"
    paths = [f"{root}/developers", f"{root}/commits", f"{root}/repositories", f"{root}/metrics"]
    with server(folder) as served:
        asyncio.run(_beside_readers(served.port, key, reader, paths, 2))
        sent, read = asyncio.run(_beside_readers(served.port, key, reader, paths, seconds))
    show(sent)
    show(read)
    for error in [*sent.errors, *read.errors][:3]:
        print(" ", error)
    yield Figure(
        "batches acknowledged in a second", sent.rate, 0.95 * BATCHES_PER_SECOND, "/s", at_least=True
    )
    yield Figure("acknowledgement beside 20 readers, p99", sent.percentile(0.99), MAX_P99_MS, "ms")
    yield Figure("batches that were not acknowledged", len(sent.errors), 0, "")


def _loaded(folder: Path, events: int) -> Iterator[Figure]:
    """A process of its own loads, so that its memory is that of the loading alone."""
    spool, sender, now = Spool(loading.spool_folder(folder)), Sender("t", None), datetime.now(UTC)
    started, waiting = time.perf_counter(), []
    for number in range(events // EVENTS_PER_BATCH):
        accepted = accept(Signal.LOGS, Encoding.PROTOBUF, "", batch(number, EVENTS_PER_BATCH), sender, now)
        assert accepted.line is not None
        waiting.append(spool.append(ORGANIZATION, accepted.line))
        if len(waiting) == BATCHES_AT_ONCE:
            for one in waiting:
                one.result()
            waiting.clear()
    spool.close()
    print(f"  {events} events accepted in {time.perf_counter() - started:.1f} s by one process")
    command = [sys.executable, "-m", __spec__.name, "--load", str(folder), "--events", str(events)]
    answer = subprocess.run(command, capture_output=True, text=True, check=True)
    seconds, megabytes = map(float, answer.stdout.split())
    yield Figure("a million events from the spool into the lake", seconds * 1e6 / events, MAX_SECONDS, "s")
    yield Figure("memory of it", megabytes, MAX_MB, "MB")


def _load(folder: Path, events: int) -> int:
    source = Lake(str(folder / "raw")).source(loading.NOUN, ORGANIZATION, loading.SOURCE)
    started = time.perf_counter()
    loaded = loading.load(source, folder)
    seconds = time.perf_counter() - started
    assert loaded.rows["requests"] == events // EVENTS_PER_BATCH * EVENTS_PER_BATCH
    print(seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
    return 0


if __name__ == "__main__":
    sys.exit(main())
