"""The comparison of two analyses of one history."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest

from tests.validity.restated import comparison, published_figures
from tests.validity.restated.published_figures import Commit, Figures

TABLES = """
create table developers as
select * from (values ('a', 'Ada', false, 9), ('b', 'robot', true, 4)) as t (developer_id, name, is_bot, commit_count);
create table daily as
select * from (values
    ('a', 'features', false, 3000000), ('a', 'tests', false, 1000000), ('b', 'fixes', true, 9000000)
) as t (developer_id, category, is_bot, etv_micro);
create table commits_by_time as
select * from (values
    ('1', 'Add a list', 'features', 3000000, true, null), ('2', 'Import', null, 0, false, 'IMPORT'),
    ('3', 'Test it', 'tests', 1000000, true, null)
) as t (commit_sha, subject, category, etv_micro, is_counted, zero_reason);
create table zero_reason_days as
select * from (values ('IMPORT', 700), ('IMPORT', 200), ('BOT', 5)) as t (zero_reason, lines_added);
"""


@pytest.fixture
def figures(tmp_path: Path) -> Figures:
    folder = tmp_path / "published" / "organization"
    folder.mkdir(parents=True)
    with duckdb.connect(str(folder / "build.duckdb")) as connection:
        connection.execute(TABLES)
    (folder / "current.json").write_text(json.dumps({"file": "build.duckdb"}))
    return published_figures.read(tmp_path)


def test_the_figures_of_people_leave_robots_out(figures: Figures) -> None:
    assert (figures.etv, figures.people, figures.robots) == (4.0, {"Ada": 4.0}, {"robot": 4})
    assert (figures.categories["features"], figures.categories["fixes"]) == (3.0, 0.0)
    assert (figures.imported, figures.reasons) == (1, {"IMPORT": 900, "BOT": 5})
    assert [one.sha for one in figures.top] == ["1", "3"]


def test_a_history_without_result_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=str(tmp_path)):
        published_figures.read(tmp_path)


def test_the_same_figures_move_nothing(figures: Figures) -> None:
    text = comparison.told("house", figures, figures)
    assert "moved by half a point or more: none." in text
    assert "2 stay" in text
    assert "Robots, in commits: the same." in text
    assert "by reason: the same." in text
    assert "| moved | +0.0% | +0.0% |" in text


def test_moved_figures_are_told_with_both_values(figures: Figures) -> None:
    after = replace(
        figures,
        etv=5.0,
        categories=figures.categories | {"fixes": 1.0},
        people={"Ada": 4.0, "Bob": 1.0},
        robots={},
        reasons={"IMPORT": 1000, "BOT": 4},
        top=(Commit("4", "Mend it", "fixes", 4.0), figures.top[1]),
    )
    text = comparison.told("house", figures, after)
    assert "Ada 100.0% → 80.0%; Bob 0.0% → 20.0%" in text
    assert "robot 4 → 0" in text
    assert "IMPORT 900 → 1,000." in text
    assert "BOT" not in text
    assert "1 stay" in text
    assert "left: `1` Add a list (features, 3.0)" in text
    assert "came: `4` Mend it (fixes, 4.0)" in text
    assert "| moved | +25.0% |" in text
    assert "new |" in text
