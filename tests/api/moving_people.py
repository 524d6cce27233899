"""The organization with people who move between teams, published and served, with each kind of lead."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.api.conftest import Deployment, client_for, deploy, serving
from tests.api.people import sign_in
from tests.api.published_facts import Facts
from tests.api.published_rows import write
from tests.api.scoped_deployment import LEADS, LeadView, make_lead, put_teams
from tests.api.scoped_facts import below, make_scoped_facts
from tests.suite.tiers import some

# Half of the tree by two teams that overlap, nobody, and everybody; the others lie between these.
MOST_DIFFERENT_FIRST = ("of one within the other", "of none", "of the whole tree")
ALL_LEADS = (*MOST_DIFFERENT_FIRST, *sorted(LEADS.keys() - set(MOST_DIFFERENT_FIRST)))


@pytest.fixture(scope="session")
def moving() -> Facts:
    return make_scoped_facts()


@pytest.fixture(scope="session")
def moving_warehouse(tmp_path_factory: pytest.TempPathFactory, moving: Facts) -> Path:
    """These facts as a built warehouse. Tests do not write to it."""
    return write(moving, tmp_path_factory.mktemp("moving") / "built.duckdb")


@pytest.fixture(scope="module")
def deployed(
    tmp_path_factory: pytest.TempPathFactory, moving: Facts, moving_warehouse: Path, database: str
) -> Deployment:
    deployment = deploy(tmp_path_factory.mktemp("scoped") / "data", moving, moving_warehouse)
    put_teams(deployment, moving)
    deployment.publish()
    return deployment


@pytest.fixture(scope="module")
def address_of(deployed: Deployment) -> Iterator[str]:
    with serving(deployed.data_dir) as served:
        yield served


@contextmanager
def seen_by_lead(deployed: Deployment, facts: Facts, address: str, name: str) -> Iterator[LeadView]:
    """What a new lead of these teams sees."""
    teams = LEADS[name]
    token = sign_in(deployed.store, make_lead(deployed, teams))
    with client_for(address, token) as client:
        yield LeadView(client, facts, below(facts, *teams))


@pytest.fixture(scope="module", params=some(ALL_LEADS, 3))
def lead(
    request: pytest.FixtureRequest, deployed: Deployment, moving: Facts, address_of: str
) -> Iterator[LeadView]:
    with seen_by_lead(deployed, moving, address_of, request.param) as seen:
        yield seen


@pytest.fixture(scope="module", params=some(ALL_LEADS, 2))
def lead_of_some_or_none(
    request: pytest.FixtureRequest, deployed: Deployment, moving: Facts, address_of: str
) -> Iterator[LeadView]:
    """The leads from whom most is hidden."""
    with seen_by_lead(deployed, moving, address_of, request.param) as seen:
        yield seen
