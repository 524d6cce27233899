"""Lines of deliveries and what the plain loops know about each."""

from dataclasses import dataclass, field

from ingest.git.lexing.line_features import BLANK, CODE, Features
from tests.ingest.git.naive.history import Delivery, Origin, Pair

DAY = 86_400


@dataclass(eq=False)
class Line:
    """One physical line on the mainline.

    The facts below `size` are charged at its removal: those of the line itself, or of the line that it continues.
    """

    text: bytes
    kind: int = BLANK
    is_head: bool = False
    words: int = 0
    """Equal for lines with the same text, apart from white space and comments at their end."""
    shape: int = 0
    size: int = 0
    klass: str = "unread"
    tokens: int = 0
    own_tokens: int = 0
    rank: int = 1
    birth: str = ""
    delivery: str = ""
    time: int = 0

    @property
    def is_code(self) -> bool:
        return self.kind == CODE


@dataclass(eq=False)
class Added:
    """An added line and its facts."""

    line: Line
    head: "Added | None" = None
    """First physical line of its logical line."""
    klass: str = "open"
    original: str = ""
    """Class at first delivery."""
    tokens: int = 0
    own_tokens: int = 0
    rank: int = 1
    source: Line | None = None
    """The line that it continues."""
    removal: str | None = None
    replaced: str | None = None
    copied_from: set[str] = field(default_factory=set)
    """Every path that contains its blocks."""
    words: tuple[int, ...] = ()
    """Word pairs that it replaces, or edits of a rewritten line."""
    words_of: "Removed | None" = None
    """The removed line in which it replaces them."""
    credited: str = ""
    birth: str = ""

    @property
    def is_open(self) -> bool:
        return self.klass == "open"


@dataclass(eq=False)
class Removed:
    """A removed line and its fate."""

    line: Line
    origin: Origin
    remover: str = ""
    is_claimed: bool = False
    """A layout line, a moved line or one with other words continues it."""
    is_continued: bool = False
    """A line with other words continues it."""
    is_standing: bool = False
    is_replaced: bool = False
    place: int = 0
    """Lines that are not blank follow each other within a hunk alone."""
    is_gone: bool = False


@dataclass(eq=False)
class Comparison:
    """The two sides of one block as they meet: positions are those among the changed lines."""

    removed: list[Removed]
    added: list[Added]
    removed_features: Features
    added_features: Features


@dataclass
class File:
    pair: Pair
    before: list[Line]
    after: list[Line]
    removed_runs: list[list[Removed]] = field(default_factory=list)
    """One run per hunk."""
    added_runs: list[list[Added]] = field(default_factory=list)
    comparisons: list[Comparison] = field(default_factory=list)

    @property
    def removed(self) -> list[Removed]:
        return [line for run in self.removed_runs for line in run]

    @property
    def added(self) -> list[Added]:
        return [line for run in self.added_runs for line in run]


@dataclass
class Judged:
    """Everything that one delivery added and removed."""

    delivery: Delivery
    files: list[File]


def is_fresh(line: Line, now: int) -> bool:
    return line.klass != "unread" and line.time >= now - 14 * DAY


def is_same(one: Line, other: Line) -> bool:
    return one.kind != BLANK and other.kind != BLANK and one.words == other.words


def can_return(line: Removed) -> bool:
    return line.line.kind != BLANK and not line.is_claimed
