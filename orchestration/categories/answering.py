"""Asks the model endpoint, after a build, about commits of which the rules are unsure.

The next build applies the answers. Nothing here stops a publish. An answer is stored and never asked for again with
the same prompt, so that builds give the same figures whatever the endpoint would say today.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

import duckdb

from api.control.commits.category_answers import Answer, answered, is_asked, keep
from api.control.store import ControlStore
from api.presentation.summaries.outside import one_line
from ingest.errors import IngestError
from ingest.http.client import Client
from ingest.providers.openai_compatible.capabilities import Capabilities
from orchestration.categories.questions import (
    PROMPT_VERSION,
    UnsureCommit,
    Unusable,
    category_of,
    input_hash,
    question_of,
)
from orchestration.deployment import Deployment
from orchestration.endpoints.asking import Asker, asking
from orchestration.runtime.explanations import Attempt

ENDPOINT = "the model endpoint"
UNSURE_BELOW = 0.8
"""From this confidence on, few decisions on unseen projects are wrong (docs/VALIDITY.md)."""
COMMITS_OF_A_BUILD = 200
SECONDS_OF_A_COMMIT = 30.0
SECONDS_OF_A_BUILD = 300.0
STORED_AT_ONCE = 20
"""What a run that is killed has asked in vain."""
UNSURE = f"""
    select commit_id, repository_id, subject from commits_by_time
    where is_counted and not is_bot and category_method = 'model' and category_confidence < {UNSURE_BELOW}
    order by delivered_at desc, commit_id
"""
FILES = """
    select commit_id, list(path order by path), list(status order by path) from commit_files
    where list_contains(?, commit_id) group by commit_id
"""
STATUSES = {"A": "added", "D": "deleted", "M": "changed", "R": "renamed", "C": "copied", "T": "changed"}


@dataclass
class Outcome:
    """What became of the questions of a build."""

    answered: int = 0
    unusable: int = 0
    failures: dict[str, str] = field(default_factory=dict)

    def metadata(self) -> dict[str, Any]:
        """The outcome as metadata of a run; empty where nothing happened."""
        told = {
            "categories_answered": self.answered,
            "category_answers_unusable": self.unusable,
            "category_failures": self.failures,
        }
        return {name: value for name, value in told.items() if value}


class CategoryAsker(Asker):
    """The questions of one build about categories."""

    def __init__(
        self,
        client: Client,
        model: str,
        capabilities: Capabilities | None = None,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        super().__init__(client, model, capabilities, seconds=SECONDS_OF_A_BUILD, clock=clock, sleep=sleep)

    def answer(self, commit: UnsureCommit) -> Answer:
        """The answer about a commit, which may be unusable. Raises IngestError where there is none."""
        question = question_of(commit, self.model)
        reply = self.ask(question, self.patience(SECONDS_OF_A_COMMIT))
        category, confidence, failure = None, None, None
        try:
            category, confidence = category_of(reply)
        except Unusable as error:
            failure = one_line(str(error), 400)
        return Answer(
            commit.commit_id,
            commit.repository_id,
            category,
            confidence,
            one_line(reply.model or self.model, 255),
            PROMPT_VERSION,
            input_hash(question),
            reply.text,
            failure,
        )


def ask_about(deployment: Deployment, organization_id: str, file: Path) -> Outcome:
    """Ask about the newest commits of a published build that nobody was asked about. Never raises."""
    outcome = Outcome()
    with Attempt(outcome.failures, ENDPOINT), deployment.control() as control:
        if is_asked(control, organization_id):
            reach = deployment.settings.reach
            with asking(control, organization_id, reach, SECONDS_OF_A_COMMIT, CategoryAsker) as asker:
                if asker is None:
                    outcome.failures[ENDPOINT] = "none is connected"
                else:
                    known = answered(control, organization_id, PROMPT_VERSION)
                    _ask(control, organization_id, asker, unsure_commits(file, known), outcome)
    return outcome


def unsure_commits(file: Path, known: set[str]) -> list[UnsureCommit]:
    """The newest commits of a build that are to be asked about."""
    with duckdb.connect(str(file), read_only=True) as build:
        rows = build.execute(UNSURE).fetchall()
        chosen = list(islice((row for row in rows if row[0] not in known), COMMITS_OF_A_BUILD))
        files = {
            commit: [f"{path} ({STATUSES.get(status, 'changed')})" for path, status in zip(*of, strict=True)]
            for commit, *of in build.execute(FILES, [[row[0] for row in chosen]]).fetchall()
        }
    return [
        UnsureCommit(commit, repository, subject or "", files.get(commit, ()))
        for commit, repository, subject in chosen
    ]


def _ask(
    control: ControlStore,
    organization_id: str,
    asker: CategoryAsker,
    commits: Sequence[UnsureCommit],
    outcome: Outcome,
) -> None:
    answers = _answers(asker, commits, outcome)
    while some := list(islice(answers, STORED_AT_ONCE)):
        keep(control, organization_id, some)
        outcome.answered += sum(one.category is not None for one in some)
        outcome.unusable += sum(one.category is None for one in some)


def _answers(asker: CategoryAsker, commits: Sequence[UnsureCommit], outcome: Outcome) -> Iterator[Answer]:
    for commit in commits:
        if (obstacle := asker.obstacle("categories")) is not None:
            outcome.failures.setdefault(ENDPOINT, obstacle)
            return
        try:
            yield asker.answer(commit)
        except IngestError as error:
            outcome.failures[ENDPOINT] = str(error)
