"""Answers of model endpoints about the categories of commits.

Keep out: the question (`orchestration.categories`), categories that people set (`categories`).
"""

from collections.abc import Collection
from dataclasses import dataclass

from sqlalchemy import select

from api.control.models import CategoryAnswer, Organization
from api.control.store import ControlStore

CATEGORIES = ("features", "maintenance", "fixes")
"""What a model may answer: tests and documentation follow from the files."""


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer about a commit. `category` and `confidence_micro` are None where it could not be used, and `failure`
    says why.
    """

    commit_id: str
    repository_id: str
    category: str | None
    confidence_micro: int | None
    model: str
    prompt_version: str
    input_hash: str
    answer: str | None
    failure: str | None = None


def is_asked(store: ControlStore, organization_id: str) -> bool:
    """Whether the organization asks a model endpoint for categories."""
    with store.session() as session:
        row = session.get(Organization, organization_id)
        return row is not None and row.has_categories_by_model


def answered(store: ControlStore, organization_id: str, prompt_version: str) -> set[str]:
    """Ids of the commits that a model was asked about with this version of the prompt."""
    with store.session() as session:
        statement = select(CategoryAnswer.commit_id).where(
            CategoryAnswer.organization_id == organization_id,
            CategoryAnswer.prompt_version == prompt_version,
        )
        return set(session.scalars(statement))


def keep(store: ControlStore, organization_id: str, answers: Collection[Answer]) -> None:
    """Store answers, each in the place of an earlier one about its commit. The next build applies them.

    Raises NotFound for an unknown organization.
    """
    with store.write_transaction(organization_id) as session:
        for one in answers:
            session.merge(
                CategoryAnswer(
                    organization_id=organization_id,
                    commit_id=one.commit_id,
                    repository_id=one.repository_id,
                    category=one.category,
                    confidence_micro=one.confidence_micro,
                    model=one.model,
                    prompt_version=one.prompt_version,
                    input_hash=one.input_hash,
                    answer=one.answer,
                    failure=one.failure,
                    answered_at=store.now(),
                )
            )
