"""`eas analyze` without its terminal: which repositories have to be read and whether to build, then doing it.

Add: steps of the main job. Keep out: how they run (runs.py) and what is shown (cli.py, report/).
Nothing here imports Dagster or dbt before it is known that there is work for them.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from api.control import organizations, readings
from api.control.principals import OPERATOR
from ingest.errors import IngestError
from ingest.git.mirror import RepositorySource, on_branch, resolve
from orchestration import collector, control_snapshot, inputs, outbox, removal
from orchestration.deployment import LOCAL_ORGANIZATION, LOCAL_SLUG, Deployment
from orchestration.journal import RepositoryEntry
from orchestration.repositories import named_by, note_failure, shown
from orchestration.terminal import Watcher


@dataclass(frozen=True)
class Problem:
    """Something that went wrong, and with what."""

    subject: str
    reason: str


@dataclass
class Analysis:
    """What a run of `eas analyze` did. `timings` are seconds of wall time by stage."""

    organization_id: str = LOCAL_ORGANIZATION
    repositories: list[RepositorySource] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    timings: dict[str, float] = field(default_factory=dict)
    has_changed: bool = False


def analyze(
    deployment: Deployment, targets: Sequence[str], watcher: Watcher, *, time_zone: str | None = None
) -> Analysis:
    """Read what is new in the repositories, then build and publish if anything that counts has changed.

    A repository that fails is a problem of the answer and stops no other. Raises ControlError for settings
    that the control database refuses.
    """
    analysis = Analysis()
    started = time.monotonic()
    _open(deployment, targets, analysis, watcher)
    _register(deployment, analysis, time_zone)
    _choose_branches(deployment, analysis)
    due = [source for source in analysis.repositories if _is_due(deployment, source)]
    analysis.timings["looking for changes"] = time.monotonic() - started
    if due or _build_is_due(deployment, analysis.organization_id):
        _work(deployment, analysis, due, watcher)
    return analysis


def _open(deployment: Deployment, targets: Sequence[str], analysis: Analysis, watcher: Watcher) -> None:
    for target in targets:
        name = shown(target)

        def fetching(stage: str, done: int, total: int, name: str = name) -> None:
            watcher.stage(name, stage, done, total)

        try:
            source = resolve(target, deployment.settings, analysis.organization_id, on_progress=fetching)
            if all(source.repository_id != other.repository_id for other in analysis.repositories):
                analysis.repositories.append(source)
                _place(deployment, source, named_by(target))
        except IngestError as error:
            analysis.problems.append(Problem(name, str(error)))
        except Exception as error:  # noqa: BLE001 - a defect met in one repository must not stop the others
            analysis.problems.append(Problem(name, f"unexpected {type(error).__name__}: {error}"))


def _place(deployment: Deployment, source: RepositorySource, target: str) -> None:
    """Note where the repository is read, for runs that nobody starts by hand."""
    entry = deployment.journal.repository(source.organization_id, source.repository_id)
    entry = entry or RepositoryEntry(source.repository_id, source.name, target)
    deployment.journal.record(source.organization_id, replace(entry, name=source.name, target=target))


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
    """Go on with the default branches that people chose, where they did."""
    opened, analysis.repositories = analysis.repositories, []
    for source in opened:
        with deployment.control() as control:
            branch = readings.chosen_branch(control, source.organization_id, source.repository_id)
        try:
            analysis.repositories.append(on_branch(source, branch) if branch is not None else source)
        except IngestError as error:
            analysis.problems.append(Problem(source.name, str(error)))
            entry = deployment.journal.repository(source.organization_id, source.repository_id)
            if entry is not None:
                note_failure(deployment, source.organization_id, entry, str(error))


def _is_due(deployment: Deployment, source: RepositorySource) -> bool:
    entry = deployment.journal.repository(source.organization_id, source.repository_id)
    if entry is None or entry.state != inputs.of_repository(source):
        return True
    with deployment.control() as control:
        return readings.is_awaited(control, source.organization_id, source.repository_id)


def _build_is_due(deployment: Deployment, organization_id: str) -> bool:
    published = deployment.journal.build(organization_id)
    if published is None and not deployment.lake.sources("git", organization_id):
        return False
    pointer = deployment.settings.published_dir / organization_id / "current.json"
    seen = outbox.noted(deployment, organization_id)
    settings = control_snapshot.decided(deployment, organization_id)
    wanted = inputs.of_build(deployment, organization_id, settings, inputs.now())
    if published is None or published.inputs != wanted or not pointer.is_file():
        return True
    if removal.is_waiting(deployment, organization_id):
        return True
    outbox.included(deployment, organization_id, seen, published.build_id)
    return False


def _work(
    deployment: Deployment, analysis: Analysis, due: Sequence[RepositorySource], watcher: Watcher
) -> None:
    started = time.monotonic()
    with collector.held():
        from orchestration import runs

    with runs.opened(deployment, {source.repository_id: source for source in due}, watcher) as jobs:
        analysis.timings["starting Dagster and dbt"] = time.monotonic() - started
        for source in due:
            outcome = jobs.extract(source)
            analysis.timings[f"reading {source.name}"] = outcome.seconds
            if outcome.succeeded:
                read = outcome.metadata.get("raw git commits", {})
                new, lost = read.get("commits_new", 0), read.get("skipped_objects", 0)
                unread = f"; {lost:,} times an object could not be read" if lost else ""
                watcher.done(source.name, f"{new:,} new commits in {outcome.seconds:.1f} s{unread}")
            else:
                watcher.done(source.name, "failed")
                analysis.problems += [Problem(source.name, reason) for reason in outcome.failures]
        if _build_is_due(deployment, analysis.organization_id):
            outcome = jobs.build(analysis.organization_id, LOCAL_SLUG)
            analysis.timings["building and publishing"] = outcome.seconds
            analysis.has_changed = outcome.succeeded
            watcher.done("warehouse", f"built in {outcome.seconds:.1f} s" if outcome.succeeded else "failed")
            analysis.problems += [Problem("warehouse", reason) for reason in outcome.failures]
