"""The explanation of a commit's value as rows: by class of line, and of one file by line.

All amounts come from the interface; here they are only put together. Keep out: how points are found (dbt_project).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from api.web.drawing.figures import joined

MICRO = 1_000_000
RULES = {
    "NOVEL": "the square root of the line’s new words and signs: 9 of them earn 3 points. More than 15 count as 15. Of "
    "lines that are built alike, the first five earn in full, and each further one a fifth of the one before",
    "REMOVED": "1 a line, for the first ten of a file and the first hundred of a delivery; then 0.05",
    "COMMENT": "0.05 a line",
    "SUBSTITUTED": "the same words changed in many places: less each time",
    "LAYOUT": "indentation, brackets, empty lines",
    "MOVED": "the change removes the same line elsewhere",
    "COPIED": "the code stood in the repository before",
    "RETURNED": "somebody had removed the line in the 90 days before, or with nine others in the year before",
}
"""Why a class of lines earns what it earns: docs/measures.md."""


DEDUCTION = "TAKEN_BACK"
"""The class of lines that another class has too: its points take theirs away."""


@dataclass(frozen=True, slots=True)
class ClassRow:
    """Lines of a class, with their points and the rule; no number of lines where the row is about files. `mark` is the
    class in CSS of its lines in a bar.
    """

    name: str
    lines: int | None
    points: float
    rule: str
    mark: str = ""

    @property
    def earns(self) -> bool:
        """Whether the lines have points."""
        return self.points != 0


def class_rows(commit: Mapping[str, Any]) -> list[ClassRow]:
    """The points of a commit: by class of line, most points first, then what files add and take away.

    The points of all rows add up to those of the commit, if its answer has all its files.
    """
    files = commit["files"]
    rows = sorted(_classes(files), key=lambda row: (-row.points, -(row.lines or 0), row.name))
    bonus = _sum(file["fileBonusMicros"] for file in files)
    rows += _row("Changed files", bonus, "up to 5 for each existing file that had to be understood")
    counted = [file for file in files if not file["zeroReason"]]
    rows += _row("Tests and documentation", _lost(counted), "they count in part; each file has its factor")
    left_out = [file for file in files if file["zeroReason"]]
    reasons = joined(sorted({_words(file["zeroReason"]) for file in left_out}))
    rows += _row("Files that do not count", _lost(left_out), reasons)
    whole = _sum(file["pointsMicros"] for file in files)
    if commit["zeroReason"] and whole:
        rows += _row("The commit does not count", -whole, _words(commit["zeroReason"]))
    return rows


def _classes(files: Iterable[Mapping[str, Any]]) -> list[ClassRow]:
    lines: dict[tuple[str, str], int] = {}
    points: dict[tuple[str, str], int] = {}
    sources: dict[str, int] = {}
    for file in files:
        for one in file["lineClasses"]:
            key = (one["class"], one["note"] or "")
            lines[key] = lines.get(key, 0) + one["lines"]
            points[key] = points.get(key, 0) + one["pointsMicros"]
            if one["class"] == "COPIED" and file["copiedFrom"]:
                sources[file["copiedFrom"]] = sources.get(file["copiedFrom"], 0) + one["lines"]
    return [
        ClassRow(
            _words(name).capitalize(),
            lines[name, note],
            points[name, note] / MICRO,
            note or _rule(name, sources),
            _mark(name),
        )
        for name, note in lines
    ]


def _mark(name: str) -> str:
    return "" if name == DEDUCTION else f"l-{name.lower().replace('_', '-')}"


@dataclass(frozen=True, slots=True)
class Segment:
    """Lines of a class in a bar, from `start` on, in units of the bar."""

    mark: str
    start: float
    width: float


def bar_of(commit: Mapping[str, Any]) -> list[Segment]:
    """The lines of a commit by class in a bar of 1000 units, in the order of the classes."""
    rows = [(row.mark, row.lines or 0) for row in class_rows(commit) if row.mark]
    return _segments(rows, 1000 / max(1, sum(lines for _, lines in rows)))


def bars_of(files: Iterable[Mapping[str, Any]]) -> list[list[Segment]]:
    """The lines of each file by class in bars of 100 units for the file with the most lines."""
    found = list(files)
    scale = 100 / max([1, *map(lines_of, found)])
    return [_segments(_lines_by_mark(file), scale) for file in found]


def _lines_by_mark(file: Mapping[str, Any]) -> list[tuple[str, int]]:
    lines = dict.fromkeys((_mark(name) for name in RULES), 0)
    for one in file["lineClasses"]:
        if mark := _mark(one["class"]):
            lines[mark] = lines.get(mark, 0) + one["lines"]
    return list(lines.items())


def _segments(rows: Iterable[tuple[str, int]], scale: float) -> list[Segment]:
    found, start = [], 0.0
    for mark, lines in rows:
        if lines:
            found.append(Segment(mark, round(start, 1), round(lines * scale, 1)))
        start += lines * scale
    return found


def _rule(name: str, sources: Mapping[str, int]) -> str:
    if name != "COPIED" or not sources:
        return RULES.get(name, "")
    most = max(sorted(sources), key=lambda path: sources[path])
    return f"from {most}" if len(sources) == 1 else f"from {len(sources)} files, most from {most}"


def _lost(files: Iterable[Mapping[str, Any]]) -> int:
    """The difference between the points of files and those of their lines and bonus."""
    return _sum(
        file["pointsMicros"]
        - file["linePointsMicros"]
        - file["removedPointsMicros"]
        - file["fileBonusMicros"]
        for file in files
    )


def _row(name: str, micros: int, rule: str) -> list[ClassRow]:
    return [ClassRow(name, None, micros / MICRO, rule)] if micros else []


def _sum(amounts: Iterable[int]) -> int:
    return sum(amounts)


def _words(code: str) -> str:
    return code.replace("_", " ").lower()


@dataclass(frozen=True, slots=True)
class LineRow:
    """Lines of a file of one class and weight. `each` has the points of one of them."""

    name: str
    lines: int
    words: int | None
    rank: int | None
    each: float | None
    points: float
    rule: str


def line_rows(file: Mapping[str, Any]) -> list[LineRow]:
    """The lines of a file with their points, those that earn most first."""
    rows = [
        LineRow(
            _words(one["class"]).capitalize(),
            one["lines"],
            one["tokens"],
            one["rank"],
            None if one["weightMicros"] is None else one["weightMicros"] / MICRO,
            one["pointsMicros"] / MICRO,
            one["note"] or _changed(one),
        )
        for one in file["lineClasses"]
    ]
    return sorted(rows, key=lambda row: (-(row.each or 0), row.name, row.words or 0, row.rank or 0))


@dataclass(frozen=True, slots=True)
class SingleLine:
    """A changed line: its sign and number, its text where the reader may see code, class, points and reasons."""

    sign: str
    number: int
    text: str | None
    name: str
    points: float | None
    words: int | None
    rank: int | None
    rule: str
    is_certain: bool


def single_lines(lines: Iterable[Mapping[str, Any]]) -> list[SingleLine]:
    """The lines of a file with their points, in the order of the file: removed ones first."""
    return [
        SingleLine(
            "−" if one["side"] == "OLD" else "+",
            one["number"],
            one["text"],
            _words(one["class"]).capitalize() if one["class"] else "Gone",
            None if one["weightMicros"] is None else one["weightMicros"] / MICRO,
            one["tokens"],
            one["rank"],
            one["note"] or "",
            one["isCertain"],
        )
        for one in lines
    ]


def _changed(one: Mapping[str, Any]) -> str:
    if one["originalClass"] and one["originalClass"] != one["class"]:
        return f"first {_words(one['originalClass'])}"
    return ""


def lines_of(file: Mapping[str, Any]) -> int:
    """The number of lines of a file that have a class, each counted once."""
    return sum(one["lines"] for one in file["lineClasses"] if one["class"] != DEDUCTION)


def in_classes(file: Mapping[str, Any]) -> str:
    """The lines of a file in words: `36 novel, 13 layout`."""
    lines: dict[str, int] = {}
    for one in file["lineClasses"]:
        lines[one["class"]] = lines.get(one["class"], 0) + one["lines"]
    ranked = sorted(lines.items(), key=lambda entry: (-entry[1], entry[0]))
    return ", ".join(f"{count:,} {_words(name)}" for name, count in ranked)
