"""Runs dbt's unit tests of the models with the relations that they need."""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.dbt import warehouse


def test_every_unit_test_of_the_models_passes(built: Path, tmp_path: Path) -> None:
    # A copy, because dbt opens its warehouse for writing.
    for file in (built, warehouse.published(built)):
        shutil.copyfile(file, tmp_path / file.name)
    answer = warehouse.run_dbt(["test", "--select", "test_type:unit"], built.parent / "raw", tmp_path)
    failed = [(r.node.name, r.message) for r in answer.results if str(r.status) != "pass"]
    assert not failed, failed
    assert len(answer.results) == len(warehouse.project().unit_tests) > 20
