"""Runs the main job at a terminal: shows progress, the report, failures, and the paths of the output."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import duckdb
from rich.console import Console

from api.control.errors import ControlError
from api.control.operations import restatements
from ingest.settings import CHECKOUT
from orchestration.analysis import Analysis, Problem, analyze
from orchestration.deployment import LOCAL_SLUG, Deployment
from orchestration.report import figures, restatement, snapshot, tables
from orchestration.report.capex import commits_to_confirm, confirmation_sentence
from orchestration.runtime.run_state import ExportEntry
from orchestration.runtime.terminal import Watcher, plain
from orchestration.state import snapshot_files


def run(deployment: Deployment, targets: Sequence[str], console: Console, *, time_zone: str | None) -> bool:
    """Analyse the repositories and print the report. Returns whether everything succeeded."""
    started = time.monotonic()
    watcher = Watcher(console)
    try:
        with watcher.watching():
            analysis = analyze(deployment, targets, watcher, time_zone=time_zone)
    except ControlError as error:
        analysis = Analysis(problems=[Problem("settings", str(error))])
    if analysis.repositories and not analysis.problems and not analysis.has_changed:
        watcher.say("Nothing new since the last run.")
    _report(deployment, analysis, console)
    analysis.timings["total"] = time.monotonic() - started
    timings = ", ".join(f"{stage} {seconds:.1f} s" for stage, seconds in analysis.timings.items())
    watcher.say(f"Timings: {timings}")
    for problem in analysis.problems:
        line = f"Failed: {plain(problem.subject)}: {plain(problem.reason)}"
        console.print(line, style="bold red", markup=False, highlight=False, soft_wrap=True)
    if analysis.problems:
        watcher.say(
            f"{len(analysis.problems)} failed, {len(analysis.repositories)} repositories could be opened."
        )
    return not analysis.problems


def _report(deployment: Deployment, analysis: Analysis, console: Console) -> None:
    if not analysis.repositories:
        return
    ids = [source.repository_id for source in analysis.repositories]
    try:
        with snapshot.opened(deployment.settings.published_dir, analysis.organization_id) as build:
            build_id = build.build_id
            export = CapexExport(deployment, analysis.organization_id, build_id)
            tables.show(console, figures.read(build, ids))
            to_confirm = commits_to_confirm(build)
    except snapshot.NothingPublished:
        return  # the problems hold the reason
    except duckdb.Error as error:
        reason = f"the published build cannot be read ({error}); run `eas doctor --fix`"
        analysis.problems.append(Problem("report", reason))
        return
    if analysis.has_changed:
        _show_restatement(deployment, analysis.organization_id, build_id, console)
    capex = export.finished()
    settings = deployment.settings
    advice = [("Confirm", confirmation_sentence(to_confirm))] if to_confirm else []
    for label, value in (
        ("CapEx CSV", capex),
        *advice,
        ("Warehouse", settings.warehouse_file(analysis.organization_id)),
        ("Snapshot", settings.published_dir / analysis.organization_id / f"{build_id}.duckdb"),
    ):
        console.print(f"{label + ':':<11}{value}", markup=False, highlight=False, soft_wrap=True)
    console.print(
        "API and Dagster UI: `make serve`, then http://127.0.0.1:8000/api/v1 (create a key: `.venv/bin/eas token create"
        " --name me`) and http://127.0.0.1:3000",
        markup=False,
        highlight=False,
        soft_wrap=True,
    )


def _show_restatement(deployment: Deployment, organization_id: str, build_id: str, console: Console) -> None:
    with deployment.control() as control:
        restated = restatements.of_build(control, organization_id, build_id)
    if restated is not None:
        restatement.show(console, restated)


class CapexExport:
    """The CapEx report of completed months as a CSV file. Its export runs beside this process, once per build.

    It is a process of its own, because `orchestration` may not import the exporter of the API.
    """

    def __init__(self, deployment: Deployment, organization_id: str, build_id: str) -> None:
        self._deployment, self._organization_id, self._build_id = deployment, organization_id, build_id
        self._file = deployment.settings.exports_dir / f"capex-{LOCAL_SLUG}.csv"
        self._partial = self._file.with_suffix(".partial")
        self._process: subprocess.Popen[bytes] | None = None
        if not self._file.exists() or deployment.run_state.export(organization_id) != self._entry():
            self._file.parent.mkdir(parents=True, exist_ok=True)
            command = [sys.executable, "-m", "api.exports.capex", organization_id]
            with self._partial.open("wb") as sink:
                self._process = subprocess.Popen(
                    command, cwd=CHECKOUT, env=deployment.environment(), stdout=sink
                )

    def finished(self) -> Path:
        """Wait for the file and return its path.

        Raises CalledProcessError if the API's exporter fails; its message is on standard error.
        """
        if self._process is not None:
            if code := self._process.wait():
                raise subprocess.CalledProcessError(code, self._process.args)
            self._partial.replace(self._file)
            self._deployment.run_state.record_export(self._organization_id, self._entry())
        return self._file

    def _entry(self) -> ExportEntry:
        return ExportEntry(self._build_id, snapshot_files.checksum(self._file))
