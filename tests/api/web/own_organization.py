"""The published organization once more, for a module whose forms change it: the other tests share theirs."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.api import both_databases
from tests.api.both_databases import Databases
from tests.api.conftest import Deployment, deploy, serving
from tests.api.published_facts import Facts


@pytest.fixture(scope="module")
def published(
    tmp_path_factory: pytest.TempPathFactory, facts: Facts, warehouse: Path, control_databases: Databases
) -> Deployment:
    """An organization of this module alone."""
    with control_databases.on(both_databases.SQLITE):
        deployment = deploy(tmp_path_factory.mktemp("changed"), facts, warehouse)
    deployment.publish()
    return deployment


@pytest.fixture(scope="module")
def address(published: Deployment) -> Iterator[str]:
    with serving(published.data_dir) as served:
        yield served
