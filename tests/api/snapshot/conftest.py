"""The builds of the published organization."""

from collections.abc import Iterator

import pytest

from api.snapshot.builds import Builds
from tests.api.conftest import Deployment
from tests.api.published_facts import ORGANIZATION


@pytest.fixture
def builds(deployment: Deployment) -> Iterator[Builds]:
    made = Builds(deployment.data_dir / "published" / ORGANIZATION, 256)
    yield made
    made.close()
