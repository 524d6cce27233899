"""Opens the repositories of an analysis, and finds those that have to be read.

Add: what is looked up before a repository is read. Keep out: reading (pool.py) and building (commands/analysis.py).
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from api.control.repositories import sync_status
from ingest.errors import IngestError, LakeCorrupt
from ingest.git.cache_validity import times_hold
from ingest.git.repository_source import RepositorySource, on_branch, resolve
from ingest.lake import SourceState
from orchestration.deployment import LOCAL_ORGANIZATION, LOCAL_SLUG, Deployment
from orchestration.reading import repositories
from orchestration.reading.git_access import GitAccess, git_access_of_target
from orchestration.reading.pool import in_turn
from orchestration.reading.repositories import printable_target, storable_target
from orchestration.runtime.explanations import explain
from orchestration.runtime.run_state import RepositoryEntry
from orchestration.runtime.terminal import Watcher
from orchestration.state import conditions, fingerprints, outcomes
from orchestration.state.condition import Condition


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


class Opening:
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
        self._accesses: dict[str, GitAccess] = {}
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
            access = git_access_of_target(self._deployment, organization_id, target)
            source = in_turn(
                lambda: resolve(
                    target,
                    self._deployment.settings,
                    organization_id,
                    token=access.login,
                    reviews=access.reviews,
                    parent=access.parent,
                    on_progress=fetching,
                ),
                lambda: self.tell_of_waiting(name),
            )
            with self._lock:
                if source.repository_id in self._targets_seen:
                    return None
                self._targets_seen.add(source.repository_id)
                self._accesses[target] = access
                _record_location(self._deployment, source, storable_target(target))
                return self._register(number, source)
        except IngestError as error:
            self._results[number] = Problem(name, str(error))
        except Exception as error:  # noqa: BLE001 - a defect in one repository must not stop the others
            self._results[number] = Problem(name, explain(error))
        return None

    def tell_of_waiting(self, name: str) -> None:
        """Say that the run waits for another one."""
        self._watcher.say(f"{name}: another process reads it now; this run waits for it.")

    def with_news(self) -> list[str]:
        """The targets of which a connection has learnt of merged pull requests, or a parent, since they were opened."""
        found = []
        for target, seen in self._accesses.items():
            try:
                access = git_access_of_target(self._deployment, self.analysis.organization_id, target)
            except IngestError:
                continue  # its connection was removed or changed at this moment
            if access.reviews.keys() - seen.reviews.keys() or access.parent != seen.parent:
                found.append(target)
        return found

    def _register(self, number: int, source: RepositorySource) -> RepositorySource | None:
        """Register a repository, and apply the default branch that people chose."""
        with self._deployment.control() as control:
            self.has_added |= not sync_status.readable_repositories(control, source.repository_id)
            name = control.upsert_repository(
                source.organization_id, source.repository_id, name=source.name, origin=source.origin
            )
            source = replace(source, name=name)
            branch = sync_status.chosen_branch(control, source.organization_id, source.repository_id)
        try:
            source = on_branch(source, branch) if branch is not None else source
        except IngestError as error:
            self._results[number] = Problem(source.name, str(error))
            entry = self._deployment.run_state.repository(source.organization_id, source.repository_id)
            if entry is not None:
                outcomes.record(self._deployment, outcomes.failed(source.organization_id, entry, str(error)))
            return None
        self._results[number] = source
        if source.repository_id in self._damaged_ids or _is_due(self._deployment, source):
            return self._once(source)
        return None

    def _open_damaged(self, number: int, damaged: Condition) -> RepositorySource | None:
        try:
            known = repositories.known(self._deployment, damaged.repository_id or "")
            source = in_turn(
                lambda: repositories.open_known(self._deployment, known, self._watcher),
                lambda: self.tell_of_waiting(known.name),
            )
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
    if not times_hold(_stored(deployment, source)):
        return True
    # A repository that was unknown when this run looked for damage, because the control database is new.
    if conditions.difference_to_record(deployment, source.organization_id, source.repository_id):
        return True
    with deployment.control() as control:
        return sync_status.is_awaited(control, source.organization_id, source.repository_id)


def _stored(deployment: Deployment, source: RepositorySource) -> SourceState:
    """The state of the facts; an empty one where it is damaged, which `conditions` finds."""
    try:
        return deployment.lake.source("git", source.organization_id, source.repository_id).state()
    except LakeCorrupt:
        return SourceState()
