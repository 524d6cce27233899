"""Runs the main job at a terminal: shows progress, the report, failures, and the paths of the output."""

from __future__ import annotations

import time
from collections.abc import Sequence

import duckdb
from rich.console import Console

from api.control.errors import ControlError
from api.control.operations import restatements
from api.presentation import sentences
from api.presentation.formats import counted
from ingest.settings import CHECKOUT
from orchestration.commands.analysis import analyze
from orchestration.deployment import LOCAL_SLUG, Deployment
from orchestration.reading.opening import Analysis, Problem
from orchestration.report import figures, restatement, snapshot, tables
from orchestration.report.capex import commits_to_confirm
from orchestration.report.capex_export import CapexExport, ExportFailed
from orchestration.runtime.explanations import explain
from orchestration.runtime.terminal import Watcher, plain
from orchestration.state import entitlements

# An image has no Makefile, and `eas` on its path.
SERVE, EAS = ("make serve", ".venv/bin/eas") if (CHECKOUT / "Makefile").is_file() else ("eas serve", "eas")


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
    _warn_of_entitlements(deployment, console)
    _report(deployment, analysis, console)
    _warn_of_shallow_clones(analysis, console)
    analysis.timings["total"] = time.monotonic() - started
    timings = ", ".join(f"{stage} {seconds:.1f} s" for stage, seconds in analysis.timings.items())
    watcher.say(f"Timings: {timings}")
    for problem in analysis.problems:
        line = f"Failed: {plain(problem.subject)}: {plain(problem.reason)}"
        console.print(line, style="bold red", markup=False, highlight=False, soft_wrap=True)
    if analysis.problems:
        opened = counted(len(analysis.repositories), "repository", "repositories")
        watcher.say(f"{len(analysis.problems)} failed, {opened} could be opened.")
    return not analysis.problems


def _warn_of_shallow_clones(analysis: Analysis, console: Console) -> None:
    """Name the clones that lack old history: their oldest commit looks like an import of everything."""
    for source in analysis.repositories:
        if source.is_shallow:
            line = (
                f"Warning: {plain(source.name)} is a shallow clone. Its oldest commit looks like an import of all older"
                " work, and figures lack that work. Run `git fetch --unshallow` in it, then analyse it again."
            )
            console.print(line, style="yellow", markup=False, highlight=False, soft_wrap=True)


def _warn_of_entitlements(deployment: Deployment, console: Console) -> None:
    """Name a license that ends soon or is missing, plans that are used up, and open payments."""
    for one in entitlements.of(deployment):
        if one.is_failure or one.is_warning:
            style = "bold red" if one.is_failure else "yellow"
            line = f"{one.subject}: {plain(one.message)}."
            console.print(line, style=style, markup=False, highlight=False, soft_wrap=True)


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
    written = []
    try:
        written.append(("CapEx CSV", export.finished()))
    except (ExportFailed, OSError) as error:
        cause = explain(error) if isinstance(error, OSError) else error
        reason = f"the CapEx file was not written: {cause}; run `eas analyze` again"
        analysis.problems.append(Problem("report", reason))
    settings = deployment.settings
    advice = [("Confirm", sentences.to_confirm(to_confirm))] if to_confirm else []
    for label, value in (
        *written,
        *advice,
        ("Warehouse", settings.warehouse_file(analysis.organization_id)),
        ("Snapshot", settings.published_dir / analysis.organization_id / f"{build_id}.duckdb"),
    ):
        console.print(f"{label + ':':<11}{value}", markup=False, highlight=False, soft_wrap=True)
    console.print(
        f"{'Dashboard:':<11}`{SERVE}` opens http://127.0.0.1:8000/organizations/{LOCAL_SLUG}/overview and prints a"
        " link that signs you in on this machine.\n"
        f"{'Programs:':<11}http://127.0.0.1:8000/docs documents /api/v1 (create a key: `{EAS} token create"
        " --name me`); http://127.0.0.1:3000 is the Dagster UI.",
        markup=False,
        highlight=False,
        soft_wrap=True,
    )


def _show_restatement(deployment: Deployment, organization_id: str, build_id: str, console: Console) -> None:
    with deployment.control() as control:
        restated = restatements.of_build(control, organization_id, build_id)
    if restated is not None:
        restatement.show(console, restated)
