"""Shapes of lines: classes of lines that are alike, and single lines."""

from typing import Annotated, Literal

from pydantic import Field

from api.query.fields import NOT_STORED, EnumName
from api.shapes import Shape

MICROS = "In integer millionths."
MAX_LINES = 2000
"""Lines of an answer: more are no explanation."""


class LineClass(Shape):
    """Lines of a file change with the same weight and the same reason."""

    class_: EnumName = Field(
        alias="class",
        description="LAYOUT, MOVED, RETURNED, COPIED, SUBSTITUTED, COMMENT, NOVEL or REMOVED. A later release "
        "can add classes.",
        examples=["NOVEL"],
    )
    original_class: EnumName | None = Field(
        description="The class before a later rule changed it; null when none did."
    )
    tokens: int | None = Field(description="Number of tokens of one line.")
    rank: int | None = Field(
        description="The number of this line among novel lines of the same shape in the delivery. Repetitions "
        "of a shape weigh less."
    )
    lines: Annotated[int, NOT_STORED] = Field(description="Number of lines.")
    weight_micros: Annotated[int, NOT_STORED] | None = Field(description=f"Weight of one line. {MICROS}")
    points_micros: Annotated[int, NOT_STORED] = Field(description=f"Points of all these lines. {MICROS}")
    note: str | None = Field(description="Additional explanation in words; null without one.")


class ChangedLine(Shape):
    """A changed line, with its class and weight."""

    side: Literal["NEW", "OLD"] = Field(
        description="NEW: an added line, in the version of `deliverySha`. OLD: a removed line, in the version before."
    )
    number: int = Field(description="Number of the line in that version, from 1.", examples=[12])
    text: str | None = Field(
        description="The text of the line, at most 400 characters; null for callers who may not read code: only "
        "owners and admins may.",
        examples=["    total = sum(item.price for item in basket)"],
    )
    class_: EnumName | None = Field(
        alias="class",
        description="As `lineClasses.class`; null for a removed line that earns nothing, or of which nobody knows "
        "whether it does: see `rest`.",
        examples=["NOVEL"],
    )
    tokens: int | None = Field(description="Number of new tokens of the line.")
    rank: int | None = Field(
        description="The number of the line among those of the same shape in the delivery."
    )
    weight_micros: int | None = Field(description=f"Points of the line. {MICROS}")
    note: str | None = Field(description="Additional explanation in words; null without one.")
    is_certain: bool = Field(
        description="true: the line has its class in the clone too. false: the stored numbers of lines say that one "
        "of the lines has this class, and not which one."
    )


class CommitLines(Shape):
    """The changed lines of a file change, read from the clone, with the classes and weights of the build.

    The weights of `lines` and the points of `rest` add up to the points of the added and removed lines.
    """

    path: str = Field(description="Path of the file.", examples=["src/checkout/cart.py"])
    delivery_sha: str | None = Field(
        description="SHA of the delivery: numbers of new lines are those of its version."
    )
    missing_reason: EnumName | None = Field(
        description="The reason why no line is known: NO_CLONE (this machine has no clone of the repository), "
        "NOT_DELIVERED, ELSEWHERE (no line of the delivery has the commit as its author: it was squashed, or others "
        "wrote its lines anew), TOO_LARGE (the delivery takes too long to read) or UNREADABLE (the clone lacks an "
        "object). Null for a file with lines.",
        examples=["NO_CLONE"],
    )
    lines: list[ChangedLine] = Field(
        description=f"At most {MAX_LINES:,} lines, removed ones first, each side by number."
    )
    line_total: int = Field(description="The number of all of them.")
    rest: list[LineClass] = Field(
        description="Classes with lines that are not among `lines`: later removals that took points back, removed "
        "lines of which only some earn, and all classes where no line is known."
    )
    line_points_micros: int = Field(description=f"Points of added lines. {MICROS}")
    removed_points_micros: int = Field(description=f"Points of removed lines. {MICROS}")
