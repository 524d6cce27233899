"""Extraction of one repository: from its refs to committed batches of facts.

What a run does is in `run`; here it is decided whether there is anything to do, and from what to start.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from ingest.git.cache_validity import fingerprint, is_valid, validity_key
from ingest.git.objects.loose_objects import open_git_dir
from ingest.git.objects.refs import extracted_refs
from ingest.git.repository_source import RepositorySource
from ingest.git.run import Run
from ingest.lake import Lake


@dataclass(frozen=True)
class Progress:
    """`stage` is what is being done, `done` of `total` commits."""

    stage: str
    done: int
    total: int


@dataclass(frozen=True)
class ExtractionReport:
    """What one run did. `seconds` is wall time per stage."""

    commits_new: int
    commits_total: int
    deliveries_new: int
    skipped_objects: int
    head: str
    unchanged: bool
    seconds: dict[str, float] = field(default_factory=dict)


def extract_repository(
    source: RepositorySource,
    lake: Lake,
    *,
    workers: int,
    on_progress: Callable[[Progress], None] | None = None,
    anew: bool = False,
) -> ExtractionReport:
    """Bring the lake up to date with one repository; `anew` makes all its facts again, changed or not.

    Facts that rest on something that is no longer so (another extractor, default branch or boundary of a shallow
    clone, objects that could not be read and now can) are all made anew; until that is done the old ones serve.

    Raises SourceBusy, ShrinkRefused, LakeCorrupt, EmptyRepository, NoDefaultBranch, Permanent (a commit cannot
    be read) and Transient.
    """
    target = lake.source("git", source.organization_id, source.repository_id)
    with target.extracting():
        state = target.state()
        repo = open_git_dir(source.path)
        refs = extracted_refs(repo, source.chosen_branch)
        head = next(ref.head_sha for ref in refs if ref.is_default)
        basis = validity_key(source, repo)
        keeps = is_valid(state, basis, target, repo) and not (anew and state.batch)
        if keeps and state.extra.get("seen") == fingerprint(source, refs):
            total = int(state.extra["commits"])
            return ExtractionReport(0, total, 0, state.rows.get("problems", 0), head, unchanged=True)
        draft = lake.drafts().source("git", source.organization_id, source.repository_id)
        if keeps or draft.state().extra.get("basis") != basis:
            draft.clear()

        def report(done: int, total: int) -> None:
            if on_progress is not None:
                on_progress(Progress("commits", done, total))

        run = Run(source, target if keeps else draft, basis, repo, refs, workers, report)
        run.refuse_less_than(int(state.extra.get("commits", 0)))
        run.extract(head)
        if not keeps:
            target.take_over(draft)
            draft.clear()
        problems = target.state().rows.get("problems", 0)
        return ExtractionReport(
            run.commits_new,
            len(run.commits),
            run.deliveries_new,
            problems,
            head,
            unchanged=False,
            seconds=run.seconds,
        )
