"""A build that is killed between two texts is finished by the next one, without a text twice."""

from __future__ import annotations

import multiprocessing
import time
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from api.control.list_pages import ListQuery
from api.control.summaries import summaries
from api.control.summaries.kinds import SummaryRecord
from api.control.summaries.summaries import Selection
from api.presentation.summaries.composing import compose
from orchestration.deployment import LOCAL_ORGANIZATION, Deployment
from orchestration.summaries import writing
from tests.orchestration.summaries.fact_builds import built

TODAY = date(2026, 3, 5)


def write_slowly(file: Path) -> None:
    """Write the summaries of a build, with time for a kill."""

    def slow(*given: Any) -> Any:
        time.sleep(0.3)
        return compose(*given)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(writing, "compose", slow)
        writing.write_due(Deployment(), file, "b1")


def stored(deployment: Deployment) -> list[SummaryRecord]:
    with deployment.control() as control:
        return list(summaries.list_summaries(control, LOCAL_ORGANIZATION, ListQuery(100), Selection()).items)


def test_the_next_build_writes_what_a_killed_one_left(deployment: Deployment, tmp_path: Path) -> None:
    file = built(tmp_path, TODAY)
    process = multiprocessing.get_context("spawn").Process(target=write_slowly, args=(file,))
    process.start()
    deadline = time.monotonic() + 60
    while len(stored(deployment)) < 2 and process.is_alive() and time.monotonic() < deadline:
        time.sleep(0.02)
    process.kill()
    process.join()
    killed = {one.id for one in stored(deployment)}
    assert 2 <= len(killed) < 9
    outcome = writing.write_due(deployment, built(tmp_path, TODAY, name="b2"), "b2")
    assert (outcome.written, outcome.failures) == (9 - len(killed), {})
    finished = stored(deployment)
    assert {one.revision_count for one in finished} == {1}
    assert {one.newest.build_id for one in finished if one.id in killed} == {"b1"}
    assert {one.newest.build_id for one in finished if one.id not in killed} == {"b2"}
