"""What a summary is about, and what is stored of a text. Facts and documents are JSON here; presentation knows them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from enum import StrEnum
from typing import Any


class ScopeKind(StrEnum):
    """What a summary is about; upper case over HTTP."""

    ORGANIZATION = "organization"
    TEAM = "team"
    REPOSITORY = "repository"


class Period(StrEnum):
    """The length of the period; upper case over HTTP."""

    WEEK = "week"
    MONTH = "month"
    QUARTER = "quarter"


class Author(StrEnum):
    """What wrote a text: the rules of the service, or a model whose numbers were checked."""

    RULES = "rules"
    MODEL = "model"


@dataclass(frozen=True, slots=True)
class SummaryKey:
    """The scope and the period of a summary; the end is its last day, included."""

    scope_kind: ScopeKind
    scope_id: str
    period: Period
    period_start: date
    period_end: date


@dataclass(frozen=True, slots=True)
class WrittenText:
    """A text, and what it was made of. `failure` says why a model's text was not used.

    `answer` are the model's own words, and `tokens` those that its server counted.
    """

    scope_name: str
    build_id: str
    calculation_version: str
    context_version: int
    facts: list[dict[str, Any]]
    document: dict[str, Any]
    facts_digest: str
    written_by: Author = Author.RULES
    model: str | None = None
    prompt_version: str | None = None
    input_hash: str | None = None
    failure: str | None = None
    answer: str | None = None
    tokens: Mapping[str, int] | None = None


@dataclass(frozen=True, slots=True)
class RevisionRecord:
    """A stored text without its content."""

    number: int
    generated_at: datetime
    build_id: str
    calculation_version: str
    context_version: int
    written_by: Author
    model: str | None
    prompt_version: str | None
    input_hash: str | None
    failure: str | None
    operation_id: str | None
    restated_at: datetime | None
    restated_build_id: str | None


@dataclass(frozen=True, slots=True)
class SummaryRecord:
    """A summary with its newest text, without the content of the text."""

    id: str
    scope_kind: ScopeKind
    scope_id: str
    scope_name: str
    period: Period
    period_start: date
    period_end: date
    revision_count: int
    newest: RevisionRecord


@dataclass(frozen=True, slots=True)
class RevisionContent:
    """The content of a text: its facts, the document, and the cited values that a later build has otherwise."""

    revision: RevisionRecord
    facts: list[dict[str, Any]]
    document: dict[str, Any]
    restated_facts: list[dict[str, Any]] = field(default_factory=list)
