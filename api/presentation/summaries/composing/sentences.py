"""Sentences made of words and facts."""

from collections.abc import Iterable

from api.presentation.summaries.document import Number, Part, Sentence, Subject, Text
from api.presentation.summaries.facts import Fact
from api.presentation.summaries.values import rendered

Piece = str | Number | Subject


def sentence(*pieces: Piece) -> Sentence:
    """A sentence of pieces; words beside one another become one text."""
    return Sentence(cell(*pieces))


def cell(*pieces: Piece) -> tuple[Part, ...]:
    """The parts of these pieces. A full stop follows no title that ends with one."""
    parts: list[Part] = []
    for given in pieces:
        piece = given
        if (
            isinstance(piece, str)
            and parts
            and isinstance(parts[-1], Subject)
            and parts[-1].label.endswith(".")
        ):
            piece = piece.removeprefix(".")
        if not isinstance(piece, str):
            parts.append(piece)
        elif parts and isinstance(parts[-1], Text):
            parts[-1] = Text(parts[-1].text + piece)
        elif piece:
            parts.append(Text(piece))
    return tuple(parts)


def noun(fact: Fact, one: str, many: str, field: str = "value") -> str:
    """The noun after a count: one commit, two commits."""
    return one if rendered(fact, field) == "1" else many


def listed(found: Iterable[list[Piece]]) -> list[Piece]:
    """The lists of pieces with commas between them, and `and` before the last."""
    each = list(found)
    pieces: list[Piece] = []
    for place, one in enumerate(each):
        if place:
            pieces.append(" and " if place == len(each) - 1 else ", ")
        pieces += one
    return pieces
