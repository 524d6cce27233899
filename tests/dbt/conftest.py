"""Fixtures: one invented organization, built once for all tests of the warehouse."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.dbt import warehouse
from tests.dbt.invented import invented_lake
from tests.dbt.invented.invented_history import Repository
from tests.dbt.naive.naive_scores import Scores


@pytest.fixture(scope="session")
def repositories() -> list[Repository]:
    return invented_lake.organization()


@pytest.fixture(scope="session")
def naive(repositories: list[Repository]) -> Scores:
    """The expected score of every file, calculated without SQL."""
    return Scores(invented_lake.gathered(repositories), invented_lake.TIME_ZONE)


@pytest.fixture(scope="session")
def built(repositories: list[Repository], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The warehouse of the invented organization."""
    folder = tmp_path_factory.mktemp("warehouse")
    invented_lake.write(folder / "raw", repositories, invented_lake.TIME_ZONE)
    return warehouse.build(folder / "raw", folder)
