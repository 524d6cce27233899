"""The same work earns the same in every scenario, within the bars of scenario_bars.py."""

from __future__ import annotations

import pytest

from tests.dbt import warehouse
from tests.dbt.invented import scenario_bars
from tests.dbt.invented.scenario_bars import ALL, BARS, Earned
from tests.suite.tiers import spread

TASKS = spread(ALL, 2)


@pytest.fixture(scope="module")
def earned(tmp_path_factory: pytest.TempPathFactory) -> Earned:
    folder = tmp_path_factory.mktemp("invariances")
    facts = scenario_bars.extract(folder, TASKS)
    return facts.earned(warehouse.build(facts.raw, folder, select="+fct_commit_files"))


@pytest.mark.parametrize("name", BARS)
def test_the_same_work_earns_the_same(earned: Earned, name: str) -> None:
    ratios = scenario_bars.ratios(earned, BARS[name], TASKS)
    shown = f"{name}: " + ", ".join(f"{ratio:.3f}" for ratio in ratios)
    print(shown)
    assert BARS[name].holds(ratios), shown
