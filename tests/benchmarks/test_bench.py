"""The bench itself: verdicts, exit codes, measured processes and borrowed histories."""

import math
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from ingest.git import native, run
from tests.benchmarks import bench, machine_speed, many_repositories
from tests.benchmarks.connections import connected
from tests.benchmarks.figures import Figure, not_measured
from tests.benchmarks.measuring import CommandError, Measured, measure
from tests.benchmarks.reading import continued, extraction
from tests.benchmarks.reading.borrowed import borrow, borrow_past, find
from tests.benchmarks.reading.continued import unequal_current_rows
from tests.benchmarks.reading.engines import unequal_rows
from tests.benchmarks.reading.reference_git import ReferenceGit
from tests.git_repository import GitRepository
from tests.ingest.git.extraction import Extraction
from tests.ingest.git.growing_history import GrowingHistory


@pytest.mark.parametrize(
    ("figure", "verdict"),
    [
        (Figure("a", 3, at_most=3), "ok"),
        (Figure("a", 3.01, at_most=3), "MISSED"),
        (Figure("a", 6, at_least=6), "ok"),
        (Figure("a", 5.99, at_least=6), "MISSED"),
        (Figure("a", 5), ""),
        (not_measured("a", "why"), "NOT MEASURED"),
    ],
)
def test_a_figure_is_judged_by_its_bar(figure: Figure, verdict: str) -> None:
    assert figure.verdict == verdict


def test_a_share_just_below_one_is_not_shown_as_one() -> None:
    assert Figure("a", 99.996, "%").shown == "99.996 %"
    assert math.isnan(not_measured("a", "why").value)


@pytest.mark.parametrize(
    ("figure", "shown", "verdict"),
    [
        (Figure("a", 1.5, "s", at_most=1, quiet_factor=0.5), "1.5 s (0.75)", "ok"),
        (Figure("a", 1.5, "s", at_most=1, quiet_factor=0.8), "1.5 s (1.2)", "MISSED"),
        (Figure("a", 0.9, "s", at_most=1, quiet_factor=1.2), "0.9 s (1.08)", "MISSED"),
        (Figure("a", 120, "ms", at_most=100, quiet_factor=0.5), "120 ms (60)", "ok"),
        (Figure("a", 4, "×", at_most=3, quiet_factor=0.5), "4 ×", "MISSED"),
        (Figure("a", 1.5, "s", at_most=1), "1.5 s", "MISSED"),
    ],
)
def test_a_bar_in_seconds_refers_to_a_quiet_machine(figure: Figure, shown: str, verdict: str) -> None:
    assert (figure.shown, figure.verdict) == (shown, verdict)


def test_times_are_halved_on_a_machine_of_half_speed(
    repository: GitRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.commit({"a": "1"})
    took = iter([100.0, 9.4, 3.0, 47.0])  # the first one reads the files
    monkeypatch.setattr(
        machine_speed, "measure", lambda *_, **__: Measured(wall=next(took), cpu=0, peak=0, load=0, output="")
    )
    factor, runs = machine_speed.quiet_factor(find(repository.path).git)
    assert (factor, [run.wall for run in runs]) == (0.5, [9.4, 3.0, 47.0])


def test_a_clone_of_pytest_is_recognized_by_its_first_commit(
    new_repository: Callable[..., GitRepository], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Found among the measured repositories or beside them; another repository of that name does not count."""
    mine, named = new_repository("mine"), new_repository("pytest")
    mine.commit({"a": "1"})
    (mine.path.parent / "pytest-dev__pytest").mkdir()
    root = named.commit({"a": "pytest"}, "Another root")
    assert machine_speed.find_clone(None, [mine.path]) is None
    with pytest.raises(ValueError, match="no clone of pytest"):
        machine_speed.find_clone(named.path, [])
    monkeypatch.setattr(machine_speed, "PYTEST_ROOT", root)
    for given, measured in [(named.path, []), (None, [named.path]), (None, [mine.path])]:
        found = machine_speed.find_clone(given, measured)
        assert found is not None
        assert found.git_dir == named.git_dir


def test_memory_and_time_cover_the_whole_process_tree() -> None:
    child = "x = bytearray(150_000_000); import time; time.sleep(1.2)"
    parent = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {child!r}], check=True)"
    run = measure([sys.executable, "-c", parent], sample=True)
    assert 150_000_000 < run.peak < 300_000_000
    assert run.wall > 1.2
    assert run.cpu < run.wall


def test_an_error_holds_the_output_of_the_command() -> None:
    with pytest.raises(CommandError, match="no such thing"):
        measure([sys.executable, "-c", "import sys; sys.exit('no such thing')"])


def test_a_borrowed_repository_has_the_refs_and_objects_of_the_original(
    repository: GitRepository, tmp_path: Path
) -> None:
    first = repository.commit({"a": "1"})
    second = repository.commit({"a": "2"})
    repository.tag("v1", first, message="First")
    original = find(repository.path)
    whole = borrow(original, tmp_path / "whole.git")
    assert whole.refs == original.git.refs
    assert whole.reachable(whole.heads) == {first, second}
    past = borrow_past(original, tmp_path / "past.git", first)
    assert past.reachable(past.heads) == {first}


def test_a_path_without_a_repository_is_named(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"is not \(in\) a Git repository"):
        find(tmp_path)


def test_a_remote_address_ends_the_bench_with_the_remedy(capsys: pytest.CaptureFixture[str]) -> None:
    assert bench.main(["https://git.example/a.git", "--only", "extraction"]) == 2
    assert "give the path of a clone" in capsys.readouterr().err


def test_a_small_repository_is_measured_from_extraction_to_agreement(
    repository: GitRepository,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # The bench pins its process, which must not outlast the test.
    monkeypatch.setattr(bench, "pin", lambda: 2)
    repository.commit({"a.py": "one = 1\ntwo = 2\n"})
    repository.branch("work")
    repository.commit({"a.py": "one = 1\n"}, branch="work")
    repository.commit({"b.py": "three = 3\n"})
    repository.merge("work")
    options = [
        "--only",
        "extraction",
        "engines",
        "agreement",
        "--repeat",
        "1",
        "--work",
        str(tmp_path / "work"),
    ]
    status = bench.main([str(repository.path), *options, "--json", str(tmp_path / "bench.json")])
    shown = capsys.readouterr().out
    assert "seconds are not normalized" in shown
    assert "rerun without news" in shown
    assert "rows that differ between the engines" in shown or native.engine().name == "python"
    assert "100.000 %" in shown
    assert (status, "MISSED" in shown or "NOT MEASURED" in shown) in ((0, False), (1, True))
    assert (tmp_path / "bench.json").stat().st_size
    assert not list((tmp_path / "work").iterdir())


def test_small_repositories_are_written_and_grow_by_a_commit_before_the_night(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each measured process is only noted; a real night is in the next test."""
    lengths: list[list[int]] = []
    started: list[Sequence[str | Path]] = []
    settings: list[Mapping[str, str]] = []

    def noted(command: Sequence[str | Path], **options: Any) -> Measured:
        lengths.append(_lengths(tmp_path))
        started.append(command)
        settings.append(options["environment"])
        return Measured(wall=2.0, cpu=3.0, peak=0, load=0, output="")

    monkeypatch.setattr(many_repositories, "measure", noted)
    monkeypatch.setattr(many_repositories, "_cores", lambda: 2)
    found = list(many_repositories.figures(tmp_path, 3))
    assert lengths == [[many_repositories.COMMITS] * 3, [many_repositories.COMMITS + 1] * 3]
    analysis, night = started
    assert list(analysis[1:]) == ["analyze", *(str(tmp_path / f"repository-{n:03d}") for n in range(3))]
    assert "night_once" in str(night[-1])
    assert {one["EAS_DATA_DIR"] for one in settings} == {str(tmp_path / "data")}
    # Three seconds on two cores in two seconds.
    assert [(figure.value, figure.verdict) for figure in found] == [(2, ""), (75, "ok")] * 2


@pytest.mark.release
def test_small_repositories_are_analysed_and_read_again_at_night(tmp_path: Path) -> None:
    """Of the product it proves nothing that the stories of tests/end_to_end do not prove; it takes 19 seconds."""
    found = {figure.name: figure for figure in many_repositories.figures(tmp_path, 3)}
    assert len(found) == 4
    assert _lengths(tmp_path) == [many_repositories.COMMITS + 1] * 3
    assert all(figure.value > 0 for figure in found.values())


def _lengths(folder: Path) -> list[int]:
    """Commits of each of the three repositories."""
    return [len(find(folder / f"repository-{number:03d}").mainline()) for number in range(3)]


def test_connections_are_read_whole_and_without_news_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connected, "_builds", lambda *_: iter(()))
    made = connected.prepare(tmp_path, 600)
    found = {figure.name: figure for figure in connected.figures(made, 1, issues=1_200, pull_requests=700)}
    notes = [figure.note for name, figure in found.items() if name.startswith("first read")]
    assert ["700 pull_requests" in notes[0], "1,200 items" in notes[1]] == [True, True]
    # Each of the two repositories has a milestone too.
    assert "1,202 items" in notes[2]
    again = [figure for name, figure in found.items() if "without news" in name]
    assert [("rows none" in figure.note, figure.verdict) for figure in again] == [(True, "ok")] * 3


def test_rows_that_engines_read_differently_are_counted() -> None:
    one, two = pa.table({"line": [1, 2, 3]}), pa.table({"line": [1, 5, 3, 4]})
    assert unequal_rows(one, one) == 0
    assert unequal_rows(one, two) == unequal_rows(two, one) == 2


def test_rows_that_are_missing_or_surplus_after_other_runs_are_counted(
    repository: GitRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "KEEP_AT_LEAST", 0)
    first = repository.commit({"a.py": "one = 1\ntwo = 2\n"})
    lost = repository.commit({"a.py": "one = 1\nlost = 3\n"})
    grown, whole = (Extraction(repository.path, tmp_path / name) for name in ("grown", "whole"))
    grown.run()
    repository.reset("main", first)
    repository.commit({"a.py": "one = 1\n"})
    grown.run()
    whole.run()
    assert lost in grown.column("commits", "commit_sha")
    compared, different = unequal_current_rows(whole.facts, grown.facts)
    assert compared == sum(len(rows) for rows in whole.all_rows().values())
    assert different == {}
    file = next(whole.raw.glob("git/line_deaths/*/*/00*.parquet"))
    deaths = len(whole.rows("line_deaths"))
    shutil.copyfile(file, file.with_name("twice.parquet"))
    assert unequal_current_rows(grown.facts, whole.facts)[1] == {"line_deaths": deaths}
    assert unequal_current_rows(whole.facts, grown.facts)[1] == {"line_deaths": deaths}


def test_readings_that_are_killed_go_on_with_the_other_engine(tmp_path: Path) -> None:
    if native.engine().name != "native":
        pytest.skip(f"no compiled engine: {native.engine().reason}")
    history = GrowingHistory(GitRepository(tmp_path / "repository"), 2)
    while len(history.repository.commits) < 60:
        history.step()
    original = find(history.repository.path)
    extracted = extraction.prepare(original, tmp_path)
    refs = extracted.git.refs
    undisturbed = extraction.facts_of(extracted.raw, extraction.extract(extracted.git, extracted.raw))
    figure = next(continued.figures(original, extracted, undisturbed))
    assert (figure.value, figure.verdict) == (0, "ok"), figure.note
    assert "of 2 kills" in figure.note
    assert ReferenceGit(extracted.git.git_dir).refs == refs
