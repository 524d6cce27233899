"""Repositories with their figures over a range."""

from datetime import datetime
from typing import Annotated

from pydantic import Field

from api.query.fields import Id, Stored
from api.query.ordering import Term
from api.read.figures.shapes import Figures, entity_columns


class Repository(Figures):
    """A repository with its figures for the range of days."""

    id: Annotated[Id, Stored("repository_id")] = Field(examples=["6f1de1f0-38f2-5d8d-9a62-0f6ef2b4d2c1"])
    name: str = Field(examples=["acme/web"])
    origin: str = Field(description="Address without credentials.", examples=["https://git.example/acme/web"])
    default_branch: str | None = Field(examples=["main"])
    head_sha: str | None
    is_sandbox: bool = Field(description="Does not count in totals.")
    is_excluded: bool = Field(description="Excluded from every metric.")
    is_disabled: bool = Field(description="No longer analysed.")
    tags: list[str] = Field(examples=[["backend"]])
    is_shallow: bool
    is_partial: bool
    commit_count: int | None = Field(
        description="Commits of all time that are reachable from a branch or tag. This field and the "
        "next four are null when fewer people than the minimum group size made them; for "
        "a team lead they cover the led teams."
    )
    delivered_commit_count: int | None
    developer_count: int | None
    skipped_objects: int = Field(description="Objects that could not be read.")
    first_delivered_at: datetime | None
    last_delivered_at: datetime | None
    calculation_version: str


COLUMNS = entity_columns(Repository)
SEARCHED = ("name", "origin")
MOST_VALUE_FIRST = (Term(COLUMNS["etv"], True), Term(COLUMNS["name"], False))
