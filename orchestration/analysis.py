"""The main job behind `eas analyze`: extract changed repositories, then build and publish if inputs changed.

Add: steps of the main job. Keep out: running jobs (runs.py), printing (cli.py, report/).
This module imports Dagster and dbt only when there is work for them.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

from sqlalchemy.exc import DatabaseError, OperationalError

from api.control.database import check_file
from api.control.organizations import organizations
from api.control.principals import OPERATOR
from api.control.repositories import sync_status
from ingest.errors import IngestError, LakeCorrupt
from ingest.git.repository_source import RepositorySource, on_branch, resolve
from orchestration.build import due as due_builds
from orchestration.deployment import LOCAL_ORGANIZATION, LOCAL_SLUG, Deployment
from orchestration.runtime import collector, instance
from orchestration.runtime.run_state import RepositoryEntry
from orchestration.runtime.terminal import Watcher
from orchestration.state import conditions, fingerprints
from orchestration.state.conditions import Condition
from orchestration.state.repositories import (
    Repositories,
    printable_target,
    record_failure,
    storable_target,
)


@dataclass(frozen=True)
class Problem:
    """A failure: the repository, setting or warehouse that failed (`subject`), and the reason."""

    subject: str
    reason: str


@dataclass
class Analysis:
    """The result of a run of `eas analyze`.

    `timings` maps each stage to seconds of wall time. `has_changed` is true after a successful build.
    """

    organization_id: str = LOCAL_ORGANIZATION
    slug: str = LOCAL_SLUG
    repositories: list[RepositorySource] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    timings: dict[str, float] = field(default_factory=dict)
    has_changed: bool = False


def analyze(
    deployment: Deployment, targets: Sequence[str], watcher: Watcher, *, time_zone: str | None = None
) -> Analysis:
    """Extract the repositories that changed, then build and publish if an input of the build changed.

    A repository that fails becomes a problem of the result; the other repositories are still analysed.
    Raises ControlError if the control database refuses a setting, is lost or is damaged.
    """
    analysis = Analysis()
    started = time.monotonic()
    check_file(deployment.settings.data_dir)
    _open(deployment, targets, analysis, watcher)
    _register(deployment, analysis, time_zone)
    _choose_branches(deployment, analysis)
    due = [source for source in analysis.repositories if _is_due(deployment, source)]
    _add_damaged(deployment, analysis, due, watcher)
    analysis.timings["looking for changes"] = time.monotonic() - started
    if due or _can_build(deployment, analysis):
        _extract_and_build(deployment, analysis, due, watcher)
    return analysis


def repair(deployment: Deployment, watcher: Watcher) -> list[Problem]:
    """Make again what is lost or damaged in every organization. Returns what could not be repaired."""
    with deployment.control() as control:
        known = control.organizations()
    problems = []
    for organization in known:
        analysis = Analysis(organization.id, organization.slug)
        due: list[RepositorySource] = []
        _add_damaged(deployment, analysis, due, watcher)
        if due or _can_build(deployment, analysis):
            _extract_and_build(deployment, analysis, due, watcher)
        problems += analysis.problems
    return problems


def register_again(deployment: Deployment) -> None:
    """Add the repositories of the command line's organization to a new control database, as the lake knows them."""
    lake = deployment.lake
    with deployment.control() as control:
        control.ensure_organization("Local", organization_id=LOCAL_ORGANIZATION, slug=LOCAL_SLUG)
        for source_id in lake.sources("git", LOCAL_ORGANIZATION):
            with suppress(LakeCorrupt):
                for run in (
                    lake.source("git", LOCAL_ORGANIZATION, source_id).read("repository_runs").to_pylist()
                ):
                    control.upsert_repository(
                        LOCAL_ORGANIZATION, source_id, name=run["name"], origin=run["origin"]
                    )


def _open(deployment: Deployment, targets: Sequence[str], analysis: Analysis, watcher: Watcher) -> None:
    for target in targets:
        name = printable_target(target)

        def fetching(stage: str, done: int, total: int, name: str = name) -> None:
            watcher.stage(name, stage, done, total)

        try:
            source = resolve(target, deployment.settings, analysis.organization_id, on_progress=fetching)
            if all(source.repository_id != other.repository_id for other in analysis.repositories):
                analysis.repositories.append(source)
                _record_location(deployment, source, storable_target(target))
        except IngestError as error:
            analysis.problems.append(Problem(name, str(error)))
        except Exception as error:  # noqa: BLE001 - a defect in one repository must not stop the others
            analysis.problems.append(Problem(name, f"unexpected {type(error).__name__}: {error}"))


def _record_location(deployment: Deployment, source: RepositorySource, target: str) -> None:
    """Record the path or address of the repository, which scheduled runs need."""
    entry = deployment.run_state.repository(source.organization_id, source.repository_id)
    entry = entry or RepositoryEntry(source.repository_id, source.name, target)
    deployment.run_state.record(source.organization_id, replace(entry, name=source.name, target=target))


def _register(deployment: Deployment, analysis: Analysis, time_zone: str | None) -> None:
    with deployment.control() as control:
        control.ensure_organization(
            "Local", organization_id=analysis.organization_id, slug=LOCAL_SLUG, time_zone=time_zone
        )
        if time_zone is not None:
            organizations.change_settings(
                control, OPERATOR, analysis.organization_id, {"time_zone": time_zone}
            )
        for source in analysis.repositories:
            control.upsert_repository(
                analysis.organization_id, source.repository_id, name=source.name, origin=source.origin
            )


def _choose_branches(deployment: Deployment, analysis: Analysis) -> None:
    """Apply the default branches that people chose."""
    opened, analysis.repositories = analysis.repositories, []
    for source in opened:
        with deployment.control() as control:
            branch = sync_status.chosen_branch(control, source.organization_id, source.repository_id)
        try:
            analysis.repositories.append(on_branch(source, branch) if branch is not None else source)
        except IngestError as error:
            analysis.problems.append(Problem(source.name, str(error)))
            entry = deployment.run_state.repository(source.organization_id, source.repository_id)
            if entry is not None:
                record_failure(deployment, source.organization_id, entry, str(error))


def _is_due(deployment: Deployment, source: RepositorySource) -> bool:
    entry = deployment.run_state.repository(source.organization_id, source.repository_id)
    if entry is None or entry.state != fingerprints.of_repository(source):
        return True
    with deployment.control() as control:
        return sync_status.is_awaited(control, source.organization_id, source.repository_id)


def _add_damaged(
    deployment: Deployment, analysis: Analysis, due: list[RepositorySource], watcher: Watcher
) -> None:
    """Add the repositories with damaged facts to those that are due, whether they were named or not."""
    conditions.discard_foreign_facts(deployment, analysis.organization_id)
    for damaged in conditions.damaged_facts(deployment, analysis.organization_id):
        # Later looks in this run compare only sizes.
        noun, source_id = conditions.EXTRACTED, damaged.repository_id or ""
        deployment.lake.source(noun, analysis.organization_id, source_id).mark_damaged(damaged.detail)
        watcher.say(f"{damaged.subject}: {damaged.detail}; they are extracted from the start.")
        if damaged.repository_id in {source.repository_id for source in due}:
            continue
        opened = [one for one in analysis.repositories if one.repository_id == damaged.repository_id]
        if not opened:
            opened = _opened_again(deployment, analysis, damaged, watcher)
        due += opened


def _opened_again(
    deployment: Deployment, analysis: Analysis, damaged: Condition, watcher: Watcher
) -> list[RepositorySource]:
    repositories = Repositories()
    try:
        known = repositories.known(deployment, damaged.repository_id or "")
        return [repositories.open(deployment, known, watcher)]
    except IngestError as error:
        analysis.problems.append(Problem(damaged.subject, f"{error}; {damaged}"))
        return []


def _can_build(deployment: Deployment, analysis: Analysis) -> bool:
    """Whether a build is due and possible. Facts that stay damaged are a problem, unless an earlier one names them."""
    found = conditions.damaged_facts(deployment, analysis.organization_id, thorough=False)
    remaining = [one for one in found if one.blocks_build]
    named = {problem.subject for problem in analysis.problems}
    analysis.problems += [Problem(one.subject, str(one)) for one in remaining if one.subject not in named]
    return not remaining and _build_is_due(deployment, analysis.organization_id)


def _build_is_due(deployment: Deployment, organization_id: str) -> bool:
    return due_builds.inputs_of_due_build(deployment, organization_id) is not None


def _extract_and_build(
    deployment: Deployment, analysis: Analysis, due: Sequence[RepositorySource], watcher: Watcher
) -> None:
    """Do the work that is due; once more without Dagster's records if these turn out to be damaged."""
    kept = instance.set_aside_damaged(deployment.settings)
    try:
        _work(deployment, analysis, due, watcher)
    except DatabaseError as error:
        if isinstance(error, OperationalError) and "no such" not in str(error):
            raise
        kept = instance.set_aside(deployment.settings)
        _work(deployment, analysis, due, watcher)
    if kept is not None:
        watcher.say(f"Dagster's records were damaged; they are in {kept} now, and new ones were started.")


def _work(
    deployment: Deployment, analysis: Analysis, due: Sequence[RepositorySource], watcher: Watcher
) -> None:
    started = time.monotonic()
    with collector.held():
        from orchestration import runs

    with runs.open_runs(deployment, {source.repository_id: source for source in due}, watcher) as jobs:
        analysis.timings["starting Dagster and dbt"] = time.monotonic() - started
        for source in due:
            outcome = jobs.extract(source)
            analysis.timings[f"reading {source.name}"] = outcome.seconds
            if outcome.succeeded:
                counts = outcome.metadata.get("raw git commits", {})
                new, skipped = counts.get("commits_new", 0), counts.get("skipped_objects", 0)
                skipped_note = f"; {skipped:,} times an object could not be read" if skipped else ""
                watcher.done(source.name, f"{new:,} new commits in {outcome.seconds:.1f} s{skipped_note}")
            else:
                watcher.done(source.name, "failed")
                analysis.problems += [Problem(source.name, reason) for reason in outcome.failures]
        if _can_build(deployment, analysis):
            outcome = jobs.build(analysis.organization_id, analysis.slug)
            analysis.timings["building and publishing"] = outcome.seconds
            analysis.has_changed = outcome.succeeded
            watcher.done("warehouse", f"built in {outcome.seconds:.1f} s" if outcome.succeeded else "failed")
            analysis.problems += [Problem("warehouse", reason) for reason in outcome.failures]
