"""The organization with people who move between teams, and a server with a public address."""

from collections.abc import Iterator

import pytest

from tests.api.conftest import Deployment, serving
from tests.api.moving_people import address_of, deployed, lead, moving, moving_warehouse

__all__ = ["address_of", "deployed", "lead", "moving", "moving_warehouse"]


@pytest.fixture(scope="session")
def served_publicly(published: Deployment) -> Iterator[str]:
    with serving(published.data_dir, EAS_APP_URL="https://eas.acme.example") as address:
        yield address
