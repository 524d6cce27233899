"""The same work earns the same in whatever way it is told, within the bars of tellings_earned.py."""

from __future__ import annotations

import pytest

from tests.dbt import tellings_earned, warehouse
from tests.dbt.tellings_earned import BARS, Earned


@pytest.fixture(scope="module")
def earned(tmp_path_factory: pytest.TempPathFactory) -> Earned:
    folder = tmp_path_factory.mktemp("invariances")
    told = tellings_earned.told(folder)
    return told.earned(warehouse.build(told.raw, folder, select="+fct_commit_files"))


@pytest.mark.parametrize("name", BARS)
def test_the_same_work_earns_the_same(earned: Earned, name: str) -> None:
    ratios = tellings_earned.ratios(earned, BARS[name])
    shown = f"{name}: " + ", ".join(f"{ratio:.3f}" for ratio in ratios)
    print(shown)
    assert BARS[name].holds(ratios), shown
