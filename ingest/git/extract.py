"""Extraction of one repository: from its refs to committed batches of facts.

This module decides whether a run is needed and from which state it starts. Keep out: the run itself (`run`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from ingest.errors import LakeCorrupt
from ingest.git.cache_validity import fingerprint, is_seen, is_valid, skipped_objects, validity_key
from ingest.git.changes.workers import Workers
from ingest.git.objects.loose_objects import open_git_dir
from ingest.git.objects.refs import branches, extracted_refs
from ingest.git.repository_source import RepositorySource
from ingest.git.run import Run
from ingest.lake import Lake, Source, SourceState


@dataclass(frozen=True)
class Progress:
    """Progress of a run: `done` of `total` commits in the current `stage`."""

    stage: str
    done: int
    total: int


@dataclass(frozen=True)
class ExtractionReport:
    """The result of one run. `seconds` is wall time per stage, `branches` has the head of each branch by its name."""

    commits_new: int
    commits_total: int
    deliveries_new: int
    skipped_objects: int
    head: str
    unchanged: bool
    branches: Mapping[str, str]
    seconds: dict[str, float] = field(default_factory=dict)


def extract_repository(
    source: RepositorySource,
    lake: Lake,
    *,
    workers: int | Workers,
    on_progress: Callable[[Progress], None] | None = None,
    anew: bool = False,
) -> ExtractionReport:
    """Bring the lake up to date with one repository. `anew` extracts all its facts again, changed or not.

    All facts are extracted again when their validity key changes (extractor version, default branch, boundary of a
    shallow clone), when unreadable objects become readable, or when a stored file is missing or changed. The old facts
    serve until that is done, unless they are damaged.

    Raises SourceBusy, ShrinkRefused, EmptyRepository, NoDefaultBranch, Permanent (a commit cannot
    be read), LimitExceeded and Transient.
    """
    target = lake.source("git", source.organization_id, source.repository_id)
    with target.extracting():
        is_damaged = bool(target.damage())
        if not is_damaged:
            target.adopt()
        state = _known_state(target)
        repo = open_git_dir(source.path)
        refs = extracted_refs(repo, source.chosen_branch, source.limits)
        head = next(ref.head_sha for ref in refs if ref.is_default)
        validity = validity_key(source, repo)
        keeps = not is_damaged and is_valid(state, validity, target, repo) and not (anew and state.batch)
        if keeps and is_seen(state, fingerprint(source, refs, repo)):
            total = int(state.extra["commits"])
            return ExtractionReport(
                0, total, 0, skipped_objects(target), head, unchanged=True, branches=branches(refs)
            )
        draft = lake.drafts().source("git", source.organization_id, source.repository_id)
        if keeps or draft.damage() or draft.state().extra.get("basis") != validity:
            draft.clear()

        def report(done: int, total: int) -> None:
            if on_progress is not None:
                on_progress(Progress("commits", done, total))

        run = Run(source, target if keeps else draft, validity, repo, refs, workers, report)
        run.refuse_less_than(int(state.extra.get("commits", 0)))
        run.trace(head)
        if run.has_other_past():
            keeps = False
            draft.clear()
            run = Run(source, draft, validity, repo, refs, workers, report)
            run.trace(head)
        run.extract()
        if not keeps:
            target.take_over(draft)
            draft.clear()
        return ExtractionReport(
            run.commits_new,
            run.commit_count,
            run.deliveries_new,
            skipped_objects(target),
            head,
            unchanged=False,
            branches=branches(refs),
            seconds=run.seconds,
        )


def _known_state(target: Source) -> SourceState:
    """The state; the empty state where its file is damaged."""
    try:
        return target.state()
    except LakeCorrupt:
        return SourceState()
