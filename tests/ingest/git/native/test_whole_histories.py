"""Whole histories: both engines write the same lake, and each continues the other's."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from ingest.git import native
from ingest.git import run as run_module
from ingest.git.changes.native_reading import NativeReader
from ingest.git.delivery_lines import DeliveryLines
from tests.git_repository import GitRepository
from tests.ingest.git.extraction import Extraction, current, differences
from tests.ingest.git.random_history import RandomHistory
from tests.suite.tiers import some


@pytest.fixture(autouse=True)
def _fast_and_small(reader: NativeReader, fast_lake: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_module, "KEEP_AT_LEAST", 0)


@pytest.mark.parametrize("seed", some(range(8), 1))
def test_both_engines_write_the_same_and_continue_each_other(
    tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    random = Random(f"engines {seed}")
    monkeypatch.setattr(run_module, "BATCH_COMMITS", random.choice([1, 3, 20_000]))
    saved: list[bytes] = []
    save = DeliveryLines.checkpoint

    def checkpoint(lines: DeliveryLines) -> bytes:
        payload = save(lines)
        saved.append(payload)
        return payload

    monkeypatch.setattr(DeliveryLines, "checkpoint", checkpoint)
    history = RandomHistory(GitRepository(tmp_path / "repository"), seed)
    lakes = {
        name: Extraction(history.repository.path, tmp_path / name) for name in ("python", "native", "mixed")
    }
    for step in range(25):
        history.step()
        if random.random() < 0.3 or step == 24:
            checkpoints = {}
            for name, lake in lakes.items():
                monkeypatch.setenv(
                    native.ENGINE, random.choice(("python", "native")) if name == "mixed" else name
                )
                saved.clear()
                lake.run()
                checkpoints[name] = list(saved)
            assert checkpoints["python"] == checkpoints["native"] == checkpoints["mixed"]
    expected = current(lakes["python"].all_rows())
    assert expected["delivered_lines"]
    assert not differences(expected, current(lakes["native"].all_rows()))
    assert not differences(expected, current(lakes["mixed"].all_rows()))
