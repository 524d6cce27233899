"""The plan of the published organization."""

import pytest

from tests.api.published_facts import Facts
from tests.api.published_plans import Plan, make_plan


@pytest.fixture(scope="module")
def plan(facts: Facts) -> Plan:
    return make_plan(facts)
