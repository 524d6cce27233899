"""An import earns nothing at any pace, and steady work of the same size earns its full value.

The tests write raw facts, because extracting 45,000 lines for each scenario would take too long.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

import pytest

from tests.dbt import warehouse
from tests.dbt.invented import invented_lake
from tests.dbt.invented.invented_history import START, History, Repository

COMMITS = 50
# Share of novel lines in an invented file.
NOVEL = 0.6
HOUR, DAY = timedelta(hours=1), timedelta(days=1)


@dataclass(frozen=True)
class Scenario:
    """A history and the bounds of its earned share of the lines' value."""

    write: Callable[[History, tuple[str, str]], None]
    min_share: float
    max_share: float


def at(history: History, moment: datetime) -> None:
    """Set the time of the next commit and its delivery."""
    history.now = moment - 5 * HOUR


def spread(lines: int, over: timedelta) -> Callable[[History, tuple[str, str]], None]:
    """An import of `lines` novel lines in 50 commits of three files each, evenly spread over a time."""

    def write(history: History, author: tuple[str, str]) -> None:
        for number in range(COMMITS):
            at(history, START + DAY + over * number / COMMITS)
            history.add_files(3, author, lines=round(lines / NOVEL / COMMITS / 3))

    return write


def merged_at_once(history: History, author: tuple[str, str]) -> None:
    """45,000 lines written on a branch in thirteen days, a month before the merge."""
    spread(45_000, 13 * DAY)(history, author)
    rows = history.repository.rows
    for row in rows["deliveries"]:
        row["delivered_at"] += 30 * DAY


def beside_work(history: History, author: tuple[str, str]) -> None:
    """3,000 novel lines a day for thirty days, a third of them in existing files."""
    at(history, START)
    history.add_files(40, ("Somebody Else", f"else@{history.repository.name}.example.net"), lines=20)
    for number in range(30):
        at(history, START + DAY * (number + 1))
        history.add_files(4, author, lines=round(2_000 / NOVEL / 4))
        at(history, START + DAY * (number + 1) + 6 * HOUR)
        history.write_on(40, author, lines=round(1_000 / NOVEL / 40))


def revised(history: History, author: tuple[str, str]) -> None:
    """3,000 novel lines a day in new files; each file grows by a tenth the next day."""
    for number in range(30):
        at(history, START + DAY * (number + 1))
        history.add_files(4, author, lines=round(2_700 / NOVEL / 4))
        at(history, START + DAY * (number + 2) - 6 * HOUR)
        history.write_on(4, author, lines=round(300 / NOVEL / 4) + 60, newest=True)


SCENARIOS = {
    "45,000 lines within an hour": Scenario(spread(45_000, HOUR), 0, 0.02),
    "45,000 lines within a day": Scenario(spread(45_000, DAY), 0, 0.02),
    "45,000 lines within 13 days": Scenario(spread(45_000, 13 * DAY), 0, 0.02),
    "45,000 lines on a branch": Scenario(merged_at_once, 0, 0.02),
    "12,500 lines within an hour": Scenario(spread(12_500, HOUR), 0, 0.02),
    "12,500 lines within a day": Scenario(spread(12_500, DAY), 0, 0.02),
    "3,000 lines a day beside work": Scenario(beside_work, 0.98, 1.02),
    "3,000 lines a day, revised": Scenario(revised, 0.98, 1.02),
}


def write_histories() -> Iterator[Repository]:
    for number, (name, scenario) in enumerate(SCENARIOS.items()):
        author = (f"Person{number} One", f"one@{number}.example.net")
        history = History(f"acme/{name}", seed=number, people=[author])
        scenario.write(history, author)
        yield history.finish()


@pytest.fixture(scope="module")
def earned(tmp_path_factory: pytest.TempPathFactory) -> dict[str, float]:
    """Earned share of the lines' value, by scenario."""
    folder = tmp_path_factory.mktemp("imports")
    invented_lake.write(folder / "raw", write_histories())
    built = warehouse.build(folder / "raw", folder, select="+fct_commit_files")
    query = """
        select r.name, sum(f.line_points_micro)::bigint as worth, sum(e.line_points_micro)::bigint as earned
        from int_files f join int_repositories r using (repository_id)
        join fct_commit_files e on e.commit_sha = f.commit_sha and e.path = f.path
        -- One in ten invented changes is a duplicate, which this test leaves out.
        where e.zero_reason is distinct from 'DUPLICATE' group by 1
    """
    rows = {row["name"].removeprefix("acme/"): row for row in warehouse.rows(built, query)}
    return {name: row["earned"] / row["worth"] for name, row in rows.items()}


@pytest.mark.parametrize("name", SCENARIOS)
def test_an_import_earns_nothing_and_steady_work_its_full_value(earned: dict[str, float], name: str) -> None:
    scenario = SCENARIOS[name]
    assert scenario.min_share <= earned[name] <= scenario.max_share, f"{name}: {earned[name]:.3f}"
