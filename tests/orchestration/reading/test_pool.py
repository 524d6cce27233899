"""Several repositories are read at once by one bounded pool."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml

from ingest.errors import Permanent
from ingest.git.repository_source import RepositorySource
from ingest.settings import CHECKOUT, Settings
from orchestration.deployment import Deployment
from orchestration.graph.nightly_reading import NIGHT_TAG
from orchestration.reading import pool
from orchestration.reading.pool import Pool
from orchestration.runtime.in_process_runs import EXTRACT_REPOSITORY, MAX_READING_RUNS, share_of_workers
from orchestration.runtime.partitions import REPOSITORY_TAG
from orchestration.runtime.progress import Progress
from tests.git_repository import GitRepository
from tests.ingest.git.extraction import source_of


class Readings:
    """Stands for `read`, and observes what runs at the same time."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.running: dict[str, int] = {}
        self.most_workers = self.most_places = 0
        self.order: list[str] = []
        self.shares: dict[str, int] = {}
        self.held: dict[str, threading.Event] = {}
        self.seconds = 0.01

    def __call__(self, _d: object, _r: object, source: RepositorySource, _p: object, *, workers: int) -> Any:
        with self.lock:
            self.order.append(source.name)
            self.running[source.name] = self.shares[source.name] = workers
            self.most_workers = max(self.most_workers, sum(self.running.values()))
            self.most_places = max(self.most_places, len(self.running))
        if source.name in self.held:
            self.held[source.name].wait(30)
        time.sleep(self.seconds)
        with self.lock:
            del self.running[source.name]
        if source.name.startswith("broken"):
            raise Permanent(source.name)
        return source.name


@pytest.fixture
def readings(monkeypatch: pytest.MonkeyPatch) -> Readings:
    observed = Readings()
    monkeypatch.setattr(pool, "read", observed)
    return observed


@pytest.fixture
def source(new_repository: Callable[..., GitRepository]) -> RepositorySource:
    repository = new_repository("any")
    repository.commit({"a": "1\n"})
    return source_of(repository.path)


def new_pool(tmp_path: Path, workers: int, opened: list[RepositorySource | None]) -> Pool:
    deployment = Deployment(Settings(data_dir=tmp_path / "data", workers=workers))
    return Pool(deployment, Progress(), len(opened), lambda number: opened[number])


def named(source: RepositorySource, *names: str) -> list[RepositorySource | None]:
    return [replace(source, name=name, repository_id=name) for name in names]


@pytest.mark.parametrize("workers", [1, 2, 5, 8])
def test_all_repositories_are_read_and_the_workers_of_all_stay_within_the_bound(
    readings: Readings, source: RepositorySource, tmp_path: Path, workers: int
) -> None:
    names = [f"r{number}" for number in range(40)]
    with new_pool(tmp_path, workers, named(source, *names)).running() as running:
        assert running.has_work()
        found = {ended.name: future.result() for ended, future in running.ended()}
    assert list(map(str, found)) == list(map(str, found.values()))
    assert found.keys() == set(names)
    assert (readings.most_places, readings.most_workers) == (workers, workers)


@pytest.mark.parametrize(("repositories", "share"), [(1, 8), (2, 4), (3, 2), (20, 1)])
def test_few_repositories_share_all_workers(
    readings: Readings, source: RepositorySource, tmp_path: Path, repositories: int, share: int
) -> None:
    readings.seconds = 0.2
    names = [f"r{number}" for number in range(repositories)]
    with new_pool(tmp_path, 8, named(source, *names)).running() as running:
        assert len(list(running.ended())) == repositories
    assert readings.shares["r0"] == share


def test_a_repository_that_hangs_while_it_is_read_holds_one_place(
    readings: Readings, source: RepositorySource, tmp_path: Path
) -> None:
    readings.held["hangs"] = threading.Event()
    with new_pool(tmp_path, 2, named(source, "hangs", *"abcdefgh")).running() as running:
        ended = running.ended()
        assert sorted(next(ended)[0].name for _ in range(8)) == list("abcdefgh")
        readings.held["hangs"].set()
        assert [one.name for one, _ in ended] == ["hangs"]


def test_a_repository_that_hangs_while_it_is_fetched_holds_one_place(
    readings: Readings, source: RepositorySource, tmp_path: Path
) -> None:
    release = threading.Event()
    opened = named(source, "hangs", *"abcdefgh")

    def open_one(number: int) -> RepositorySource | None:
        if number == 0:
            release.wait(30)
        return opened[number]

    deployment = Deployment(Settings(data_dir=tmp_path / "data", workers=2))
    with Pool(deployment, Progress(), len(opened), open_one).running() as running:
        ended = running.ended()
        assert sorted(next(ended)[0].name for _ in range(8)) == list("abcdefgh")
        release.set()
        assert [one.name for one, _ in ended] == ["hangs"]


def test_a_failure_is_the_result_of_its_repository_alone(
    readings: Readings, source: RepositorySource, tmp_path: Path
) -> None:
    with new_pool(tmp_path, 2, named(source, "broken", "a", "b")).running() as running:
        found = {ended.name: future for ended, future in running.ended()}
    assert isinstance(found["broken"].exception(), Permanent)
    assert [found[name].exception() for name in "ab"] == [None, None]


@pytest.mark.parametrize("count", [0, 1, 3])
def test_without_a_due_repository_there_is_no_work(readings: Readings, tmp_path: Path, count: int) -> None:
    with new_pool(tmp_path, 2, [None] * count).running() as running:
        assert not running.has_work()
        assert list(running.ended()) == []


def test_small_histories_are_read_first(
    readings: Readings, new_repository: Callable[..., GitRepository], tmp_path: Path
) -> None:
    sources: list[RepositorySource | None] = []
    for name, size in (("large", 3000), ("small", 3), ("middle", 300)):
        repository = new_repository(name)
        repository.commit({f"{number}": f"{number * number}\n" for number in range(size)})
        repository.repack()
        sources.append(source_of(repository.path, name=name, repository_id=name))
    with new_pool(tmp_path, 1, sources).running() as running:
        assert [source.name for source, _ in running.ended()] == ["small", "middle", "large"]


def test_after_an_error_of_the_caller_nothing_is_read_any_more(
    source: RepositorySource, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started, ended = threading.Event(), threading.Event()

    def read(_d: object, readers: Any, *_: object, **__: object) -> None:
        started.set()
        if readers._is_ended.wait(30):
            ended.set()

    monkeypatch.setattr(pool, "read", read)

    def interrupted() -> None:
        with new_pool(tmp_path, 1, named(source, "a", "b", "c")).running():
            started.wait(30)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert ended.wait(30)


@pytest.mark.parametrize(("runs", "share"), [(0, 4), (1, 4), (2, 2), (200, 2)])
def test_scheduled_runs_that_read_at_the_same_time_share_the_workers(runs: int, share: int) -> None:
    instance: Any = SimpleNamespace(
        get_runs_count=lambda filters: runs if filters.job_name == EXTRACT_REPOSITORY else 0
    )
    assert share_of_workers(instance, 4) == share
    assert share_of_workers(instance, 1) == 1
    limits = yaml.safe_load((CHECKOUT / "dagster.yaml").read_text())["concurrency"]["runs"]
    for tag in (REPOSITORY_TAG, NIGHT_TAG):
        assert {"key": tag, "limit": MAX_READING_RUNS} in limits["tag_concurrency_limits"]
