"""A folder that grew by more than a third is named, on a machine that can be compared."""

import pytest

from tests.suite.budgets import GROWTH, SLACK, judge
from tests.suite.recorded import Recorded
from tests.suite.speed import Speed, known_work

SPEED = Speed(10.0, 2.5, 2)
BEFORE = Recorded(
    "2026-01-01",
    SPEED,
    {"tests/api/v1/test_a.py": 60.0, "tests/api/v1/teams/test_b.py": 60.0, "tests/dbt/test_c.py": 30.0},
)
LIMIT = 120 * GROWTH + SLACK


def test_a_folder_may_take_a_third_more_and_a_new_slow_module_is_named() -> None:
    within = dict(BEFORE.modules) | {"tests/api/v1/test_new.py": LIMIT - 120.5}
    assert judge(within, SPEED, BEFORE).passed == []
    above = within | {"tests/api/v1/test_new.py": LIMIT - 119}
    [sentence] = judge(above, SPEED, BEFORE).passed
    assert sentence.startswith(f"tests/api/v1 took {LIMIT + 1:.0f} s; 120 s are recorded.")
    assert f"tests/api/v1/test_new.py (+{LIMIT - 119:.0f} s)" in sentence


def test_a_new_folder_has_the_slack_alone() -> None:
    assert judge({"tests/new/test_a.py": SLACK - 1}, SPEED, BEFORE).passed == []
    assert judge({"tests/new/test_a.py": SLACK + 1}, SPEED, BEFORE).passed


@pytest.mark.parametrize(
    ("speed", "reason"),
    [
        (Speed(12.0, 2.5, 2), "1.20 times the processor time"),
        (Speed(10.0, 3.5, 2), "mean load was 3.5"),
        (Speed(10.0, 2.5, 4), "4 workers instead of 2"),
    ],
)
def test_another_machine_or_other_work_beside_the_run_is_not_judged(speed: Speed, reason: str) -> None:
    verdict = judge({"tests/dbt/test_c.py": 900.0}, speed, BEFORE)
    assert verdict.passed == []
    assert reason in str(verdict.unjudged)


def test_a_faster_machine_is_judged() -> None:
    assert judge({"tests/dbt/test_c.py": 900.0}, Speed(7.0, 2.0, 2), BEFORE).passed


def test_seconds_of_a_slow_machine_are_recorded_as_on_the_machine_of_reference() -> None:
    slow = Recorded("2026-01-01", Speed(25.0, 2.5, 2), {"tests/dbt/test_c.py": 60.0})
    assert slow.as_on(10.0) == Recorded("2026-01-01", SPEED, {"tests/dbt/test_c.py": 24.0})


def test_the_known_work_takes_processor_time() -> None:
    assert 0 < known_work() < 10_000
