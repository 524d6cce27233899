"""Reports of a run: its skips with reasons, its seconds beside the budgets, and the last run of `make test-all`.

The run fails when more tests are skipped than tests/suite/skips.toml lists.
A whole run also fails when a folder passes its budget.
"""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from tests.suite import budgets, recorded, release_run, skips
from tests.suite.order import longest_first
from tests.suite.recorded import Recorded
from tests.suite.speed import REFERENCE, Speed, SpeedSamples
from tests.suite.tiers import IS_WHOLE

MOST = 8
"""Modules and folders that the summary names."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--record-seconds",
        action="store_true",
        help="write the seconds of a whole run to tests/suite/seconds.json",
    )


def pytest_configure(config: pytest.Config) -> None:
    # Workers send their reports to the process that prints.
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(RunReport(config), "suite-report")


class RunReport:
    """What one run reports."""

    def __init__(self, config: pytest.Config, *, folder: Path = recorded.HERE) -> None:
        self._config = config
        self._seconds_file = folder / recorded.FILE.name
        self._reasons = skips.load(folder / skips.FILE.name)
        self._release_file = folder / release_run.FILE.name
        self._seconds: dict[str, float] = defaultdict(float)
        self._outcomes: Counter[str] = Counter()
        self._skipped: list[str] = []
        self._samples = SpeedSamples()
        self._started = time.monotonic()
        self._failures: list[str] = []
        self._lines: list[str] = []

    def pytest_sessionstart(self) -> None:
        self._samples.start()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._seconds[recorded.module_of(report.nodeid)] += report.duration
        if report.failed or report.skipped or report.when == "call":
            self._outcomes[report.outcome] += 1
        if report.skipped and isinstance(report.longrepr, tuple):
            self._skipped.append(report.longrepr[2].removeprefix("Skipped: "))

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        speed = self._samples.stop(len(self._config.getoption("tx", None) or [None]))
        self._failures = skips.excesses(self._skipped, self._reasons)
        self._lines = skips.told(self._skipped, self._reasons)
        if self._is_whole():
            self._conclude(speed, passed=exitstatus == pytest.ExitCode.OK and not self._failures)
        if self._failures and exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self._lines or self._failures:
            terminalreporter.section("suite")
        for line in self._lines:
            terminalreporter.line(line)
        for failure in self._failures:
            terminalreporter.line(f"FAILED {failure}", red=True)

    def _is_whole(self) -> bool:
        """Whether every test of the tier ran."""
        option = self._config.option
        is_partial = option.keyword or option.markexpr or option.fast or option.deselect or option.maxfail
        return not is_partial and [Path(one).resolve() for one in self._config.args] == [recorded.TESTS]

    def _conclude(self, speed: Speed, *, passed: bool) -> None:
        """What only a whole run can say."""
        today = datetime.now(UTC).date()
        minutes = (time.monotonic() - self._started) / 60
        self._lines.append(
            f"{minutes:.1f} minutes on {speed.workers} workers; "
            f"known work {speed.milliseconds} ms, mean load {speed.load}"
        )
        if IS_WHOLE:
            self._record_release(today, minutes)
            return
        folders = longest_first(recorded.by_folder(self._seconds), MOST)
        self._lines += [f"{seconds:7.0f} s  {folder}" for folder, seconds in folders]
        if self._config.getoption("record_seconds"):
            if passed:
                run = Recorded(today.isoformat(), speed, dict(self._seconds))
                run.as_on(REFERENCE).save(self._seconds_file)
            self._lines.append(f"The seconds are {'recorded' if passed else 'not recorded: tests failed'}")
            return
        verdict = budgets.judge(self._seconds, speed, recorded.load(self._seconds_file))
        self._failures += verdict.passed
        if verdict.unjudged:
            self._lines.append(f"Budgets are not judged: {verdict.unjudged}")
        if (reminder := release_run.reminder(today, self._release_file)) is not None:
            self._lines.append(reminder)

    def _record_release(self, today: date, minutes: float) -> None:
        run = release_run.ReleaseRun(
            date=today.isoformat(),
            commit=release_run.head(recorded.ROOT),
            passed=self._outcomes["passed"],
            failed=self._outcomes["failed"],
            skipped=self._outcomes["skipped"],
            minutes=round(minutes, 1),
        )
        run.save(self._release_file)
