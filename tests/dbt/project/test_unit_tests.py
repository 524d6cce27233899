"""Runs dbt's unit tests of the models with the relations that they need."""

from __future__ import annotations

from pathlib import Path

from tests.dbt.warehouse import run_dbt


def test_every_unit_test_of_the_models_passes(built: Path) -> None:
    folder = built.parent
    answer = run_dbt(["test", "--select", "test_type:unit"], folder / "raw", folder)
    failed = [(r.node.name, r.message) for r in answer.results if str(r.status) != "pass"]
    assert not failed, failed
    assert len(answer.results) > 20
