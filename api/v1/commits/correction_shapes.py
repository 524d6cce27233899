"""Shapes of corrections: created, listed, decided."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from api.control.commits.corrections import MAX_TEXT_LENGTH, CorrectionKind, CorrectionState
from api.http.values import Flag
from api.query.fields import Stored
from api.query.parameters import Category, ControlQuery, OneOf
from api.read.commits.shapes import CategoryName
from api.shapes import Shape, page_of

KINDS = tuple(kind.name for kind in CorrectionKind)
STATES = tuple(state.name for state in CorrectionState)
Text = Annotated[str, Field(max_length=MAX_TEXT_LENGTH)]


class CorrectionQuery(ControlQuery):
    """The requested corrections."""

    state: Annotated[str, OneOf(*STATES)] | None = Field(None, description="Only corrections in this state.")


class NewCorrection(Shape):
    """A request for a correction."""

    kind: Annotated[
        str,
        OneOf(*KINDS),
        Field(examples=["EXCLUSION"]),
    ] = Field(
        description="ALIAS: an address belongs to another developer. EXCLUSION: exclude a commit. CATEGORY: "
        "set the category of a commit."
    )
    text: Text = Field(
        description="The reason for the correction. The administrator reads it.",
        examples=["This is an import of the old parser."],
    )
    email: str | None = Field(
        None, max_length=254, description="For ALIAS: the email address.", examples=[None]
    )
    is_mine: Flag | None = Field(
        None,
        description="For ALIAS. true: the address is yours, but listed under another developer; false: the "
        "address is listed as yours, but is not.",
        examples=[None],
    )
    commit: str | None = Field(
        None,
        max_length=64,
        description="For EXCLUSION and CATEGORY: id or SHA of one of your commits, or the first digits of the SHA, at "
        "least 7.",
    )
    category: Category | None = Field(
        None, description="For CATEGORY: the requested category for all file changes of the commit."
    )


class Decision(Shape):
    """The answer of an administrator to a correction."""

    answer: Text = Field(
        "",
        description="Text for the author of the correction; required for a rejection.",
        examples=["That address is Grace's."],
    )


class Correction(Shape):
    """A request of a member to correct their own figures, with its state."""

    id: str
    kind: Literal["ALIAS", "EXCLUSION", "CATEGORY"] = Field(
        description="ALIAS: an address belongs to another developer. EXCLUSION: exclude a commit. CATEGORY: "
        "set the category of a commit."
    )
    state: Literal["PENDING", "ACCEPTED", "REJECTED"] = Field(
        description="PENDING until an owner or admin accepts or rejects the request."
    )
    text: str
    email: str | None
    is_mine: bool | None = Field(
        description="For ALIAS. true: the address is the author's, but listed under another developer; false: "
        "the address is listed as the author's, but is not."
    )
    commit_id: str | None
    commit_sha: str | None
    category: CategoryName | None = Field(description="For CATEGORY: the requested category.")
    developer_id: str = Field(
        description="The developer of the member who asked, at the time of the request."
    )
    developer_name: str
    filed_by: Annotated[str, Stored("filed_by_email")] = Field(
        description="Email address of the account.", examples=["ada@acme.example"]
    )
    filed_at: datetime
    decided_at: datetime | None = Field(description="Null while the correction is pending.")
    decided_by: str | None
    answer: str | None


CorrectionPage = page_of("CorrectionPage", "A page of corrections.", corrections=Correction)
