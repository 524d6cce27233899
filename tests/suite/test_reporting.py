"""A run fails for skips without a listed reason, and a whole run for a folder above its budget."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.suite import budgets, recorded, release_run, reporting, skips
from tests.suite.recorded import Recorded
from tests.suite.reporting import RunReport
from tests.suite.speed import Speed, SpeedSamples

pytest_plugins = ["pytester"]
SKIPS = '[[reason]]\npattern = "no .* here"\nmost = 1\nremedy = "install it"\n'
TESTS = """
import pytest
def test_runs(): pass
def skip(): pytest.skip("{reason}")
{tests}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Recorded facts of an invented suite on this machine."""
    (tmp_path / "skips.toml").write_text(SKIPS)
    save(tmp_path, {})
    monkeypatch.setattr(SpeedSamples, "stop", lambda *_: Speed(10.0, 2.5, 2))
    return tmp_path


def save(folder: Path, modules: dict[str, float]) -> None:
    Recorded("2026-01-01", Speed(10.0, 2.5, 2), modules).save(folder / "seconds.json")


class Suite:
    """An invented suite that runs in this process as a whole, as `make test` unless a test says otherwise."""

    def __init__(self, pytester: pytest.Pytester, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.pytester, self.folder, self.monkeypatch = pytester, folder, monkeypatch
        monkeypatch.setattr(recorded, "TESTS", pytester.path)
        # This process may be one of `make test-all`.
        monkeypatch.setattr(reporting, "IS_WHOLE", False)

    def run(self, *arguments: str, skipped: int = 0, reason: str = "no program here") -> pytest.RunResult:
        tests = "\n".join(f"def test_skips_{number}(): skip()" for number in range(skipped))
        self.pytester.makepyfile(test_one=TESTS.format(tests=tests, reason=reason))
        return self.pytester.runpytest_inprocess(
            "-p", "no:xdist", "-p", "no:randomly", *arguments, str(self.pytester.path), plugins=[self]
        )

    def pytest_addoption(self, parser: pytest.Parser) -> None:
        parser.addoption("--fast", action="store_true")
        parser.addoption("--record-seconds", action="store_true")

    def pytest_configure(self, config: pytest.Config) -> None:
        config.pluginmanager.register(RunReport(config, folder=self.folder), "suite-report")


@pytest.fixture
def suite(pytester: pytest.Pytester, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Suite:
    return Suite(pytester, folder, monkeypatch)


def test_a_listed_skip_is_shown_with_its_remedy(suite: Suite) -> None:
    done = suite.run(skipped=1)
    assert done.ret == pytest.ExitCode.OK
    done.stdout.fnmatch_lines(["*1 skipped: no program here (install it)"])


@pytest.mark.parametrize(("skipped", "reason"), [(2, "no program here"), (1, "another reason")])
def test_more_skips_than_listed_fail_the_run(suite: Suite, skipped: int, reason: str) -> None:
    done = suite.run("-k", "skips", skipped=skipped, reason=reason)
    assert done.ret == pytest.ExitCode.TESTS_FAILED
    done.stdout.fnmatch_lines([f"FAILED {skipped} tests are skipped, and tests/suite/skips.toml lists *"])


def test_a_whole_run_above_its_budget_fails_and_a_part_of_it_does_not(
    suite: Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(budgets, "SLACK", -1.0)
    assert suite.run("-k", "runs").ret == pytest.ExitCode.OK
    done = suite.run()
    assert done.ret == pytest.ExitCode.TESTS_FAILED
    done.stdout.fnmatch_lines(["FAILED * took 0 s; 0 s are recorded.*"])


def test_seconds_are_recorded_only_by_a_run_that_passes(suite: Suite, folder: Path) -> None:
    before = (folder / "seconds.json").read_text()
    suite.run("--record-seconds", "-k", "runs")
    suite.run("--record-seconds", skipped=1, reason="another reason")
    suite.pytester.makepyfile(test_two="def test_fails(): assert False")
    suite.run("--record-seconds")
    assert (folder / "seconds.json").read_text() == before
    (suite.pytester.path / "test_two.py").unlink()
    assert suite.run("--record-seconds").ret == pytest.ExitCode.OK
    assert list(json.loads((folder / "seconds.json").read_text())["modules"]) == ["test_one.py"]


def test_a_whole_run_names_a_missing_or_old_run_of_the_release_tests(suite: Suite, folder: Path) -> None:
    suite.run().stdout.fnmatch_lines(["`make test-all` has no recorded run*"])
    release_run.ReleaseRun("2026-01-01", "abc", 9, 1, 2, 61.4).save(folder / "release_run.json")
    suite.run().stdout.fnmatch_lines(
        ["*ran last on 2026-01-01 at commit abc: 9 passed, 1 failed, 2 skipped in 61 minutes*"]
    )
    today = datetime.now(UTC).date().isoformat()
    release_run.ReleaseRun(today, "abc", 9, 0, 0, 61.4).save(folder / "release_run.json")
    suite.run().stdout.no_fnmatch_line("*test-all*")


def test_a_whole_run_of_the_release_tests_is_recorded(
    suite: Suite, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reporting, "IS_WHOLE", True)
    suite.run(skipped=1)
    found = json.loads((folder / "release_run.json").read_text())
    assert (found["passed"], found["failed"], found["skipped"]) == (1, 0, 1)
    assert found["date"] == datetime.now(UTC).date().isoformat()


def test_every_listed_skip_has_a_remedy() -> None:
    assert all(one.remedy and one.most > 0 for one in skips.load())
