"""Fixtures: one invented organization, built as it is, with decisions of people, and with trackers."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.dbt import shared, warehouse
from tests.dbt.invented import decided_capex, decided_organization, invented_lake
from tests.dbt.invented.invented_history import Repository
from tests.dbt.invented.tracked_organization import Tracked
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

    def build(folder: Path) -> Path:
        invented_lake.write(folder / "raw", repositories, invented_lake.TIME_ZONE)
        return warehouse.build(folder / "raw", folder)

    return shared.made(tmp_path_factory, "built", build)


@pytest.fixture(scope="session")
def decisions(naive: Scores) -> dict[str, bool]:
    """Whether a commit that somebody decided about is excluded, by SHA."""
    return decided_organization.exclusions(naive)


@pytest.fixture(scope="session")
def decided_naive(repositories: list[Repository], decisions: dict[str, bool]) -> Scores:
    """The expected score of every file under all decisions."""
    return decided_organization.scores(repositories, decisions)


@pytest.fixture(scope="session")
def decided(
    repositories: list[Repository],
    decisions: dict[str, bool],
    built: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> Path:
    """The warehouse of the invented organization after all decisions."""

    def build(folder: Path) -> Path:
        capex = decided_capex.rows(repositories, built, decisions)
        identities = decided_organization.IDENTITIES
        invented_lake.write(
            folder / "raw", repositories, decisions=decisions, identities=identities, capex=capex
        )
        return warehouse.build(folder / "raw", folder)

    return shared.made(tmp_path_factory, "decided", build)


@pytest.fixture(scope="session")
def tracked() -> Tracked:
    return Tracked.invented()


@pytest.fixture(scope="session")
def aligned(tracked: Tracked, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The warehouse of the invented organization with its trackers.

    The lake has all rows of each tracker a second time, from a connection that the settings no longer have.
    """

    def build(folder: Path) -> Path:
        invented_lake.write(folder / "raw", tracked.repositories, trackers=tracked.read_before_too())
        return warehouse.build(folder / "raw", folder)

    return shared.made(tmp_path_factory, "aligned", build)
