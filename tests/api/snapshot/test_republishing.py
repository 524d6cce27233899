"""Republishing under load: no read fails, and no answer mixes builds."""

import re
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import timedelta
from pathlib import Path

import duckdb
import pytest

from tests.api.conftest import ROOT, Deployment, client_for
from tests.api.published_facts import ORGANIZATION, make_facts
from tests.api.published_rows import write
from tests.published_tables import publish_marts
from tests.suite.tiers import IS_WHOLE

PATIENCE = 60
SECONDS = 6 if IS_WHOLE else 3
PATHS = [
    "commits?pageSize=20",
    "commits?orderBy=etv%20desc",
    "repositories",
    "developers",
    "metrics",
    "capex?format=CSV",
    "commits/{}",
]


def test_no_read_fails_or_mixes_builds_while_builds_are_published_in_a_loop(
    deployment: Deployment, serve: Callable[..., AbstractContextManager[str]], tmp_path: Path
) -> None:
    # Each version holds another number of commits, so that rows and totals of two builds cannot agree.
    built = []
    for number in range(3):
        facts = make_facts(100 + 20 * number, seed=5)
        version = f"0.1.{number}"
        built.append((version, facts, write(facts, tmp_path / f"{number}.duckdb", version=version)))
    shared = next(commit.id for commit in built[0][1].commits if commit.changes)
    sizes = {version: len(facts.commits) for version, facts, _ in built}
    versions: dict[str, str] = {}
    root = deployment.data_dir / "published"

    def republish(number: int) -> None:
        version, _, warehouse = built[number % 3]
        versions[publish_marts(warehouse, root, ORGANIZATION, keep_replaced=timedelta(0)).build_id] = version

    republish(0)
    problems: list[str] = []
    answered: list[str] = []
    ending = threading.Event()

    def read(address: str, key: str, start: int) -> None:
        with client_for(address, key) as client:
            number = start
            while not ending.is_set():
                path = PATHS[number % len(PATHS)].format(shared)
                number += 1
                response = client.get(f"{ROOT}/{path}")
                if response.status_code != 200:
                    problems.append(f"{path}: {response.status_code} {response.text[:200]}")
                    continue
                build = response.headers["x-warehouse-build"]
                answered.append(build)
                shown = set(re.findall(r"0\.1\.\d", response.text))
                if len(shown) > 1:
                    problems.append(f"{path}: {build} shows {shown}")
                seen.extend((build, version) for version in shown)
                if path.startswith("commits?"):
                    totals.append((build, response.json()["totalSize"]))

    seen: list[tuple[str, str]] = []
    totals: list[tuple[str, int]] = []
    with serve(deployment.data_dir) as address:
        keys = [deployment.key() for _ in range(6)]
        readers = [threading.Thread(target=read, args=(address, key, n)) for n, key in enumerate(keys)]
        for reader in readers:
            reader.start()
        started, number = time.monotonic(), 0
        # Longer where a busy machine has not come to several builds yet.
        while (spent := time.monotonic() - started) < SECONDS or (
            spent < PATIENCE and len(set(answered)) < 3
        ):
            number += 1
            republish(number)
        ending.set()
        for reader in readers:
            reader.join()
    assert problems == []
    assert len(set(answered)) > 2
    assert all(versions[build] == version for build, version in seen)
    assert all(sizes[versions[build]] == total for build, total in totals)


def test_a_read_after_a_publish_sees_it(
    deployment: Deployment, serve: Callable[..., AbstractContextManager[str]]
) -> None:
    with serve(deployment.data_dir) as address, client_for(address, deployment.key()) as client:
        for _ in range(4):
            build = deployment.publish()
            assert client.get(f"{ROOT}/commits").headers["x-warehouse-build"] == build


def test_a_failed_publish_changes_nothing_for_readers(
    deployment: Deployment, serve: Callable[..., AbstractContextManager[str]], tmp_path: Path
) -> None:
    good = deployment.publish()
    (tmp_path / "broken.duckdb").write_bytes(b"not a database")
    with serve(deployment.data_dir) as address, client_for(address, deployment.key()) as client:
        before = client.get(f"{ROOT}/commits")
        deployment.warehouse = tmp_path / "broken.duckdb"
        with pytest.raises(duckdb.Error, match="broken"):
            deployment.publish()
        after = client.get(f"{ROOT}/commits")
    assert (after.headers["x-warehouse-build"], after.content) == (good, before.content)
