"""Writes the summaries that a published build completes, marks those that it restates, and answers requests.

Nothing here stops a publish: what fails is counted and named, and the next build tries again. Keep out: the wording
(`api.presentation.summaries`), the store (`api.control.summaries`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from api.control.operations import operations
from api.control.operations.operations import OperationRecord
from api.control.organizations import organizations
from api.control.store import ControlStore
from api.control.summaries import revisions
from api.control.summaries.kinds import Period, ScopeKind, SummaryKey, WrittenText
from api.control.visibility import smallest_group
from api.presentation.summaries.composing import compose
from api.presentation.summaries.visibility import of_enough_people
from orchestration.deployment import Deployment
from orchestration.runtime.explanations import Attempt, Explained
from orchestration.summaries import build_facts, late_data, restated
from orchestration.summaries.build_facts import BuildFacts
from orchestration.summaries.by_model.writer import ModelWriter, Written, model_writer
from orchestration.summaries.periods import ended_at, last_complete


@dataclass
class Outcome:
    """What became of the summaries of a build. `failures` has reasons by summary; `waits_for` has unread sources."""

    written: int = 0
    restated: int = 0
    failures: dict[str, str] = field(default_factory=dict)
    waits_for: list[str] = field(default_factory=list)

    def attempt(self, what: str) -> Attempt:
        """A block whose error becomes a failure of `what` and ends nothing else."""
        return Attempt(self.failures, what)

    def metadata(self) -> dict[str, Any]:
        """The outcome as metadata of a run; empty where nothing happened."""
        told = {
            "summaries_written": self.written,
            "summaries_restated": self.restated,
            "summaries_failed": len(self.failures),
            "summary_failures": self.failures,
            "summaries_wait_for": self.waits_for,
        }
        return {name: value for name, value in told.items() if value}


def write_due(
    deployment: Deployment,
    file: Path,
    build_id: str,
    *,
    requests: Sequence[OperationRecord] = (),
    waits_for_sources: bool = False,
    forgets: bool = False,
) -> Outcome:
    """Write what is due after a build: the newest completed periods, those since the last stored ones, and what people
    asked for.

    With `waits_for_sources` a period that ended since the sources were read is left to a later build, for a day. With
    `forgets` a repository or a connection was removed: texts that told of it are replaced, and earlier ones deleted.
    """
    outcome = Outcome()
    with (
        outcome.attempt("summaries"),
        deployment.control() as control,
        build_facts.opened(file, build_id) as build,
        _writing(deployment, control, build, outcome) as writer,
    ):
        if forgets:
            writer.forget()
        for key in writer.due():
            if not (waits_for_sources and writer.waits(deployment, key)):
                writer.write(key)
        for request in requests:
            writer.answer(request)
        outcome.restated = restated.mark(control, build, outcome.attempt)
    return outcome


def write_period(deployment: Deployment, file: Path, build_id: str, period: Period, start: date) -> Outcome:
    """Write the summaries of one completed period that are not stored yet. Raises Explained for one without facts."""
    outcome = Outcome()
    with (
        deployment.control() as control,
        build_facts.opened(file, build_id) as build,
        _writing(deployment, control, build, outcome) as writer,
    ):
        for key in writer.of_period(period, start):
            writer.write(key)
    return outcome


@contextmanager
def _writing(
    deployment: Deployment, control: ControlStore, build: BuildFacts, outcome: Outcome
) -> Iterator[Writer]:
    """The writer of a run, with the model of the organization where it has one that can be reached."""
    with ExitStack() as stack:
        model = None
        with outcome.attempt("the model endpoint"):
            reach = deployment.settings.reach
            model = stack.enter_context(model_writer(control, build.organization_id, reach))
        yield Writer(control, build, outcome, model)


@dataclass
class Writer:
    """Writes texts of an open build; `model` is None without an endpoint."""

    control: ControlStore
    build: BuildFacts
    outcome: Outcome
    model: ModelWriter | None = None

    def due(self) -> list[SummaryKey]:
        """Completed periods without a summary, from the newest stored one of the organization on, oldest first.

        An organization without any gets those of the newest completed periods; a backfill writes older ones.
        """
        organization = self.build.organization_id
        last = revisions.last_starts(self.control, [organization])
        since = {
            period: min(
                last_complete(period, self.build.today)[0],
                last.get((organization, period), self.build.today),
            )
            for period in Period
        }
        stored = {one.key for one in revisions.stored_since(self.control, organization, since)}
        return [
            key for key in self.build.digests if key.period_start >= since[key.period] and key not in stored
        ]

    def waits(self, deployment: Deployment, key: SummaryKey) -> bool:
        """Whether sources that schedules read were not read since the period ended, and it ended yesterday."""
        if not late_data.may_wait(key.period_end, self.build.today):
            return False
        instant = ended_at(key.period_end, self.build.time_zone)
        unread = late_data.unread_since(deployment, self.control, self.build.organization_id, instant)
        self.outcome.waits_for = unread or self.outcome.waits_for
        return bool(unread)

    def of_period(self, period: Period, start: date) -> list[SummaryKey]:
        """The summaries of a completed period that are not stored. Raises Explained where the build has no facts."""
        known = sorted({key.period_start for key in self.build.digests if key.period is period})
        if start not in known:
            reach = f"from {known[0]} to {known[-1]}" if known else "no completed one"
            raise Explained(
                f"build {self.build.build_id} has no facts of the {period.value} that begins on {start}: it has "
                f"{reach}. Older ones are beyond the horizon of the facts, and the running one is not complete"
            )
        stored = {
            one.key
            for one in revisions.stored_since(self.control, self.build.organization_id, {period: start})
        }
        return [
            key
            for key in self.build.digests
            if (key.period, key.period_start) == (period, start) and key not in stored
        ]

    def write(self, key: SummaryKey) -> None:
        """Store the first text of a summary."""
        with self.outcome.attempt(self.build.title(key)):
            text = self._text(key, by_model=key.scope_kind is not ScopeKind.REPOSITORY)
            self.outcome.written += revisions.store_first(
                self.control, self.build.organization_id, key, text, is_news=self._is_news(key)
            )

    def forget(self) -> None:
        """Replace every text within the horizon whose facts this build has otherwise, and all earlier texts with it."""
        build = self.build
        for stored in revisions.stored_since(self.control, build.organization_id, build.horizon):
            digest = build.digests.get(stored.key)
            if digest == stored.facts_digest:
                continue
            with self.outcome.attempt(build.title(stored.key)):
                text = self._text(stored.key, by_model=True) if digest is not None else None
                revisions.replace_all(self.control, build.organization_id, stored, text)

    def answer(self, request: OperationRecord) -> None:
        """Store new texts for a request: of the newest completed periods, and of all whose facts were restated."""
        organization = self.build.organization_id
        of_repository = request.target_kind == ScopeKind.REPOSITORY.value
        before, failed_before = self.outcome.written, set(self.outcome.failures)
        newest = {period: last_complete(period, self.build.today)[0] for period in Period}
        restated_keys = {
            one.key
            for one in revisions.stored_since(self.control, organization, dict.fromkeys(Period, date.min))
            if one.is_restated
        }
        for key in self.build.digests:
            if of_repository and (key.scope_kind, key.scope_id) != (ScopeKind.REPOSITORY, request.target_id):
                continue
            if key.period_start < newest[key.period] and key not in restated_keys:
                continue
            with self.outcome.attempt(self.build.title(key)):
                if revisions.has_text_of(self.control, organization, key, request.id):
                    continue
                by_model = of_repository or key.scope_kind is not ScopeKind.REPOSITORY
                text = self._text(key, by_model=by_model)
                self.outcome.written += revisions.store_again(
                    self.control, organization, key, text, request.id, is_news=self._is_news(key)
                )
        failed = [name for name in self.outcome.failures if name not in failed_before]
        result = {"summaries": self.outcome.written - before, "failed": failed}
        operations.note_result(self.control, organization, request.id, result)

    def _is_news(self, key: SummaryKey) -> bool:
        """Whether this is the newest completed period: a missed or backfilled older one is mailed to nobody."""
        return key.period_start == last_complete(key.period, self.build.today)[0]

    def _text(self, key: SummaryKey, *, by_model: bool) -> WrittenText:
        build = self.build
        settings = organizations.settings(self.control, build.organization_id)
        minimum = smallest_group(settings)
        facts = [of_enough_people(fact, minimum) for fact in build.facts(key)]
        composed = compose(facts, build.name(key))
        written = Written(composed)
        if by_model and self.model is not None:
            written = self.model.write(facts, composed, settings.company_context, minimum)
        return WrittenText(
            scope_name=build.name(key),
            build_id=build.build_id,
            calculation_version=build.calculation_version,
            context_version=settings.context_version,
            facts=[fact.to_json() for fact in facts],
            document=written.document.to_json(),
            facts_digest=build.digests[key],
            written_by=written.written_by,
            model=written.model,
            prompt_version=written.prompt_version,
            input_hash=written.input_hash,
            failure=written.failure,
            answer=written.answer,
            tokens=written.tokens,
        )
