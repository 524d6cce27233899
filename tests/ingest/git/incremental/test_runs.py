"""Any split into runs, batches or workers, and any damage between runs, gives the facts of one run."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from ingest.git import run as run_module
from ingest.git.changes import workers as workers_module
from ingest.lake import Lake, manifest
from tests.chaos.damages import Site, damage
from tests.git_repository import GitRepository
from tests.ingest.git.engines import ENGINES, reading_with, run_with_both
from tests.ingest.git.extraction import Extraction, current, differences
from tests.ingest.git.growing_history import GrowingHistory
from tests.ingest.git.incremental.one_run import assert_as_one_run, batches_of
from tests.suite.tiers import some


def run_with_any(extraction: Extraction, random: Random) -> str:
    """A run with one of the engines. Each therefore continues its own runs and those of the other."""
    engine = random.choice(ENGINES)
    with reading_with(engine):
        extraction.run()
    return engine


@pytest.mark.parametrize("seed", some(range(14), 2))
def test_any_split_into_runs_gives_the_same_facts(
    tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    random, choice = Random(f"split {seed}"), Random(f"engines {seed}")
    batches_of(monkeypatch, random.choice([1, 3, 7, 20_000]))
    history = GrowingHistory(GitRepository(tmp_path / "repository"), seed)
    extraction = Extraction(tmp_path / "repository", tmp_path / "raw")
    for _ in range(35):
        history.step()
        if random.random() < 0.25:
            history.log.append(f"run with {run_with_any(extraction, choice)}")
    history.log.append(f"run with {run_with_any(extraction, choice)}")
    assert_as_one_run(extraction, tmp_path, history.log)


def test_batches_may_end_at_a_number_of_lines_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    history = GrowingHistory(GitRepository(tmp_path / "repository"), 1)
    for _ in range(30):
        history.step()
    extraction = Extraction(tmp_path / "repository", tmp_path / "raw")
    with monkeypatch.context() as patched:
        patched.setattr(run_module, "BATCH_LINES", 20)
        run_with_both(extraction)
    batches = Lake(extraction.raw).source("git", *extraction.ids).state().batch
    assert batches > 5
    assert_as_one_run(extraction, tmp_path)


def test_any_number_of_workers_gives_the_same_facts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers_module, "ALONE_BELOW", 1)
    monkeypatch.setattr(workers_module, "CHUNK", 5)
    history = GrowingHistory(GitRepository(tmp_path / "repository"), 3)
    for _ in range(40):
        history.step()
    found = []
    for workers, engine in ((1, ENGINES[0]), (2, ENGINES[0]), (3, ENGINES[-1])):
        extraction = Extraction(history.repository.path, tmp_path / f"raw{workers}")
        with reading_with(engine):
            extraction.run(workers=workers)
        found.append(current(extraction.all_rows()))
    assert not differences(found[0], found[1])
    assert not differences(found[0], found[2])


@pytest.mark.parametrize("seed", some(range(12), 2))
def test_any_damage_to_the_lake_gives_the_facts_of_one_run(
    tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    random, choice = Random(f"damage {seed}"), Random(f"engines {seed}")
    batches_of(monkeypatch, random.choice([1, 3, 20_000]))
    history = GrowingHistory(GitRepository(tmp_path / "repository"), seed)
    extraction = Extraction(tmp_path / "repository", tmp_path / "raw")
    for _ in range(8):
        history.step()
    done: list[object] = [f"run with {run_with_any(extraction, choice)}"]
    # Nothing is put back, because only builds notice older copies, by the run state; and files in the place of folders
    # are moved away before a run.
    site = Site(tmp_path / "raw", tmp_path / "nothing earlier")
    for _ in range(5):
        done.append(damage(site, random, random.choice(["git", "_state"]), folder_share=0))
        if random.random() < 0.5:
            history.step()
        done.append(f"run with {run_with_any(extraction, choice)}")
        assert Lake(tmp_path / "raw").source("git", *extraction.ids).damage() == []
    assert_as_one_run(extraction, tmp_path, done)


def test_facts_of_other_columns_are_extracted_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    history = GrowingHistory(GitRepository(tmp_path / "repository"), 1)
    history.step()
    extraction = Extraction(tmp_path / "repository", tmp_path / "raw")
    with monkeypatch.context() as earlier:
        earlier.setattr(manifest, "schema_version", lambda _: "columns of an earlier release")
        extraction.run()
    report = extraction.run()
    assert (report.unchanged, report.commits_new) == (False, report.commits_total)
    assert extraction.run().unchanged
