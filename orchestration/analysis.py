"""The main job behind `eas analyze`: sync due connections, extract changed repositories, then build and publish if
inputs changed.

Add: steps of the main job. Keep out: running jobs (runs.py), printing (cli/, report/).
This module imports Dagster and dbt only when there is work for them.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace

from sqlalchemy.exc import DatabaseError, OperationalError

from api.control.database import check_file
from api.control.organizations import organizations
from api.control.principals import OPERATOR
from api.control.repositories import sync_status
from ingest.errors import IngestError
from ingest.git.repository_source import RepositorySource, on_branch, resolve
from orchestration import syncing
from orchestration.build import due as due_builds
from orchestration.deployment import LOCAL_ORGANIZATION, LOCAL_SLUG, Deployment
from orchestration.reading import Pool
from orchestration.runtime import collector, instance
from orchestration.runtime.explanations import explain
from orchestration.runtime.run_state import RepositoryEntry
from orchestration.runtime.terminal import Watcher
from orchestration.state import conditions, connections, fingerprints, strays
from orchestration.state.conditions import Condition
from orchestration.state.connections import KnownConnection
from orchestration.state.readings import Reading
from orchestration.state.repositories import Repositories, printable_target, record_failure, storable_target

SHOWN_SECONDS = 0.1
"""Timings below this are noise: no connection was due."""


@dataclass(frozen=True)
class Problem:
    """A failure: the repository, connection, setting or warehouse that failed (`subject`), and the reason."""

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

    Damaged facts are extracted from the start, whether their repository was named or not. A repository that fails
    becomes a problem of the result; the other repositories are still analysed. Raises ControlError if the control
    database refuses a setting, is lost or is damaged.
    """
    analysis = Analysis()
    clear_way(deployment, watcher)
    check_file(deployment.settings.data_dir)
    _ensure_organization(deployment, analysis.organization_id, time_zone)
    read_and_build(deployment, analysis, list(dict.fromkeys(targets)), watcher)
    return analysis


def sync_and_build(
    deployment: Deployment,
    organization_id: str,
    slug: str,
    chosen: Sequence[KnownConnection],
    watcher: Watcher,
    *,
    is_full: bool = False,
) -> list[Problem]:
    """Read chosen connections, whether they are due or not, then build and publish if an input changed."""
    clear_way(deployment, watcher)
    check_file(deployment.settings.data_dir)
    analysis = Analysis(organization_id, slug)
    note_syncs(analysis, syncing.read(deployment, chosen, watcher, is_full=is_full), 0.0)
    if _can_build(deployment, analysis):
        _extract_and_build(deployment, _Opening(deployment, analysis, (), (), watcher), (), watcher)
    return analysis.problems


def clear_way(deployment: Deployment, watcher: Watcher) -> None:
    """Move aside what does not belong into the deployment's folders, and say so."""
    moved = strays.set_aside(deployment)
    if moved is not None:
        watcher.say(f"{moved}.")


def _ensure_organization(deployment: Deployment, organization_id: str, time_zone: str | None) -> None:
    with deployment.control() as control:
        control.ensure_organization(
            "Local", organization_id=organization_id, slug=LOCAL_SLUG, time_zone=time_zone
        )
        if time_zone is not None:
            organizations.change_settings(control, OPERATOR, organization_id, {"time_zone": time_zone})


def read_and_build(
    deployment: Deployment,
    analysis: Analysis,
    targets: Sequence[str],
    watcher: Watcher,
    *,
    only_damaged: bool = False,
) -> None:
    """Read due connections, the targets that changed and all repositories with damaged facts; build what is due.

    With `only_damaged` only connections with damaged facts are due.
    """
    started = time.monotonic()
    failures = syncing.read_due(deployment, analysis.organization_id, watcher, only_damaged=only_damaged)
    note_syncs(analysis, failures, time.monotonic() - started)
    started = time.monotonic()
    opening = _Opening(deployment, analysis, targets, _mark_damaged(deployment, analysis, watcher), watcher)
    with Pool(deployment, watcher, opening.count, opening.open).running() as pool:
        has_work = pool.has_work()
        analysis.timings["looking for changes"] = time.monotonic() - started
        if has_work:
            _extract_and_build(deployment, opening, pool.ended(), watcher)
    if not has_work:
        opening.report()
        if _can_build(deployment, analysis):
            _extract_and_build(deployment, opening, (), watcher)


def note_syncs(analysis: Analysis, failures: Mapping[str, str], seconds: float) -> None:
    """Add the connections that failed, and the time that reading connections took."""
    analysis.problems += [Problem(name, reason) for name, reason in failures.items()]
    if seconds >= SHOWN_SECONDS:
        analysis.timings["reading connections"] = seconds


def _mark_damaged(deployment: Deployment, analysis: Analysis, watcher: Watcher) -> list[Condition]:
    """Mark the repositories with damaged facts, so that later looks in this run compare only sizes."""
    conditions.discard_foreign_facts(deployment, analysis.organization_id)
    found = list(conditions.damaged_facts(deployment, analysis.organization_id))
    for damaged in found:
        noun, source_id = conditions.EXTRACTED, damaged.repository_id or ""
        deployment.lake.source(noun, analysis.organization_id, source_id).mark_damaged(damaged.detail)
        watcher.say(f"{damaged.subject}: {damaged.detail}; they are extracted from the start.")
    return found


class _Opening:
    """Opens the targets and the repositories with damaged facts, from several threads, and keeps each result.

    The targets have the first numbers. A damaged repository is read once, whether it is a target or not.
    """

    def __init__(
        self,
        deployment: Deployment,
        analysis: Analysis,
        targets: Sequence[str],
        damaged: Sequence[Condition],
        watcher: Watcher,
    ) -> None:
        self.analysis, self.count = analysis, len(targets) + len(damaged)
        self._deployment, self._watcher = deployment, watcher
        self._targets, self._damaged = targets, damaged
        self._damaged_ids = {one.repository_id for one in damaged}
        self._results: dict[int, RepositorySource | Problem] = {}
        self._targets_seen: set[str] = set()
        self._read: set[str] = set()
        self.has_added = False
        # One thread at a time writes to the control database, and the same repository is opened once.
        self._lock = threading.Lock()

    def open(self, number: int) -> RepositorySource | None:
        """Open and register the repository of a number. Returns it if it has to be read."""
        if number >= len(self._targets):
            return self._open_damaged(number, self._damaged[number - len(self._targets)])
        target = self._targets[number]
        name = printable_target(target)

        def fetching(stage: str, done: int, total: int) -> None:
            self._watcher.stage(name, stage, done, total)

        try:
            organization_id = self.analysis.organization_id
            access = connections.git_access_of_target(self._deployment, organization_id, target)
            source = resolve(
                target,
                self._deployment.settings,
                organization_id,
                token=access.login,
                reviews=access.reviews,
                on_progress=fetching,
            )
            with self._lock:
                if source.repository_id in self._targets_seen:
                    return None
                self._targets_seen.add(source.repository_id)
                _record_location(self._deployment, source, storable_target(target))
                return self._register(number, source)
        except IngestError as error:
            self._results[number] = Problem(name, str(error))
        except Exception as error:  # noqa: BLE001 - a defect in one repository must not stop the others
            self._results[number] = Problem(name, explain(error))
        return None

    def _register(self, number: int, source: RepositorySource) -> RepositorySource | None:
        """Register a repository, and apply the default branch that people chose."""
        with self._deployment.control() as control:
            self.has_added |= not sync_status.readable_repositories(control, source.repository_id)
            control.upsert_repository(
                source.organization_id, source.repository_id, name=source.name, origin=source.origin
            )
            branch = sync_status.chosen_branch(control, source.organization_id, source.repository_id)
        try:
            source = on_branch(source, branch) if branch is not None else source
        except IngestError as error:
            self._results[number] = Problem(source.name, str(error))
            entry = self._deployment.run_state.repository(source.organization_id, source.repository_id)
            if entry is not None:
                record_failure(self._deployment, source.organization_id, entry, str(error))
            return None
        self._results[number] = source
        if source.repository_id in self._damaged_ids or _is_due(self._deployment, source):
            return self._once(source)
        return None

    def _open_damaged(self, number: int, damaged: Condition) -> RepositorySource | None:
        repositories = Repositories()
        try:
            known = repositories.known(self._deployment, damaged.repository_id or "")
            source = repositories.open(self._deployment, known, self._watcher)
        except IngestError as error:
            self._results[number] = Problem(damaged.subject, f"{error}; {damaged}")
            return None
        except Exception as error:  # noqa: BLE001 - a defect in one repository must not stop the others
            self._results[number] = Problem(damaged.subject, explain(error))
            return None
        with self._lock:
            return self._once(source)

    def _once(self, source: RepositorySource) -> RepositorySource | None:
        if source.repository_id in self._read:
            return None
        self._read.add(source.repository_id)
        return source

    def report(self) -> None:
        """Add the opened targets and the problems to the result, in the order of the targets."""
        results = [self._results.pop(number) for number in sorted(self._results)]
        self.analysis.repositories += [one for one in results if isinstance(one, RepositorySource)]
        # A target may hold a damaged repository that is no longer at the place of its last run.
        read_anyway = {one.subject for one in self._damaged if one.repository_id in self._read}
        self.analysis.problems[:0] = [
            one for one in results if isinstance(one, Problem) and one.subject not in read_anyway
        ]


def _record_location(deployment: Deployment, source: RepositorySource, target: str) -> None:
    """Record the path or address of the repository, which scheduled runs need."""
    entry = deployment.run_state.repository(source.organization_id, source.repository_id)
    entry = entry or RepositoryEntry(source.repository_id, source.name, target)
    deployment.run_state.record(source.organization_id, replace(entry, name=source.name, target=target))


def _is_due(deployment: Deployment, source: RepositorySource) -> bool:
    entry = deployment.run_state.repository(source.organization_id, source.repository_id)
    if entry is None or entry.state != fingerprints.of_repository(source):
        return True
    # A repository that was unknown when this run looked for damage, because the control database is new.
    if conditions.difference_to_record(deployment, source.organization_id, source.repository_id):
        return True
    with deployment.control() as control:
        return sync_status.is_awaited(control, source.organization_id, source.repository_id)


def _can_build(deployment: Deployment, analysis: Analysis) -> bool:
    """Whether a build is due and possible. Facts that stay damaged are a problem, unless an earlier one names them."""
    remaining = conditions.blocking(deployment, analysis.organization_id, thorough=False)
    named = {problem.subject for problem in analysis.problems}
    analysis.problems += [Problem(one.subject, str(one)) for one in remaining if one.subject not in named]
    return not remaining and _build_is_due(deployment, analysis.organization_id)


def _build_is_due(deployment: Deployment, organization_id: str) -> bool:
    return due_builds.inputs_of_due_build(deployment, organization_id) is not None


def _extract_and_build(
    deployment: Deployment,
    opening: _Opening,
    ended: Iterable[tuple[RepositorySource, Future[Reading]]],
    watcher: Watcher,
) -> None:
    """Do the work that is due; once more without Dagster's records if these turn out to be damaged."""
    kept = instance.set_aside_damaged(deployment.settings)
    readings = iter(ended)
    seen: list[tuple[RepositorySource, Future[Reading]]] = []

    def noted() -> Iterator[tuple[RepositorySource, Future[Reading]]]:
        for one in readings:
            seen.append(one)
            yield one

    try:
        _work(deployment, opening, noted(), watcher)
    except DatabaseError as error:
        if isinstance(error, OperationalError) and "no such" not in str(error):
            raise
        kept = instance.set_aside(deployment.settings)
        _work(deployment, opening, [*seen, *readings], watcher)
    if kept is not None:
        watcher.say(f"Dagster's records were damaged; they are in {kept} now, and new ones were started.")


def _work(
    deployment: Deployment,
    opening: _Opening,
    ended: Iterable[tuple[RepositorySource, Future[Reading]]],
    watcher: Watcher,
) -> None:
    """Record the readings of the repositories in the order in which they end, then build what changed."""
    started = time.monotonic()
    analysis = opening.analysis
    with collector.held():
        from orchestration import runs

    repositories = Repositories()
    with runs.open_runs(deployment, repositories, watcher) as jobs:
        analysis.timings["starting Dagster and dbt"] = time.monotonic() - started
        for source, reading in ended:
            repositories.add(source, reading)
            outcome = jobs.extract(source.name, source.repository_id)
            seconds = outcome.seconds if reading.exception() else reading.result().seconds
            analysis.timings[f"reading {source.name}"] = seconds
            if outcome.succeeded:
                counts = outcome.metadata.get("raw git commits", {})
                new, skipped = counts.get("commits_new", 0), counts.get("skipped_objects", 0)
                skipped_note = f"; {skipped:,} times an object could not be read" if skipped else ""
                watcher.done(source.name, f"{new:,} new commits in {seconds:.1f} s{skipped_note}")
            else:
                watcher.done(source.name, "failed")
                analysis.problems += [Problem(source.name, reason) for reason in outcome.failures]
        opening.report()
        if opening.has_added:
            added = syncing.read_for_new_repositories(deployment, analysis.organization_id, jobs, watcher)
            note_syncs(analysis, added, 0.0)
        if _can_build(deployment, analysis):
            outcome = jobs.build(analysis.organization_id, analysis.slug)
            analysis.timings["building and publishing"] = outcome.seconds
            analysis.has_changed = outcome.succeeded
            watcher.done("warehouse", f"built in {outcome.seconds:.1f} s" if outcome.succeeded else "failed")
            analysis.problems += [Problem("warehouse", reason) for reason in outcome.failures]
