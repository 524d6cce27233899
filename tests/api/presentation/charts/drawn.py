"""Reads a drawn chart back: the marks that a screen reader finds, and where they are on the axis."""

import re
from dataclasses import dataclass
from xml.etree import ElementTree as ET

import pytest

_TRANSLATED = re.compile(r"translate\((-?[\d.e-]+),(-?[\d.e-]+)\)")
_BAR = re.compile(r"M-?[\d.e-]+,-?[\d.e-]+h(-?[\d.e-]+)v(-?[\d.e-]+)")
SVG = "{http://www.w3.org/2000/svg}"


@dataclass(frozen=True)
class Mark:
    """A mark: what is read aloud, its kind, its distance from the upper edge of its panel, and its width and height
    where it is a bar, in pixels.
    """

    label: str
    kind: str
    y: float
    width: float
    height: float


@dataclass(frozen=True)
class Drawn:
    """A chart as a reader finds it."""

    root: ET.Element
    marks: list[Mark]

    @property
    def title(self) -> str:
        return self.root[0].text or ""

    @property
    def description(self) -> str:
        return self.root[1].text or ""

    @property
    def texts(self) -> list[str]:
        """Every text that is seen, also of several lines."""
        return [" ".join(one.itertext()) for one in self.root.iter(f"{SVG}text")]

    def spoken(self, kind: str) -> list[str]:
        return [mark.label for mark in self.marks if mark.kind == kind]

    def grid(self) -> tuple[float, float]:
        """The pixels of a unit of the vertical axis, and the place of 0, from its numbers and lines."""
        labels, grids = (
            [one for one in self.root.iter(f"{SVG}g") if one.get("class") == name]
            for name in ("mark-text role-axis-label", "mark-rule role-axis-grid")
        )
        # Those of the horizontal axis are centred. Panels below one another have the same axis.
        numbers = next(
            [(float((one.text or "").replace(",", "")), _place(one)[1]) for one in group]
            for group in labels
            if group[0].get("text-anchor") == "end"
        )
        lines = [_place(one)[1] for one in grids[0]]
        assert len(numbers) == len(lines) > 1
        (low, _), (high, _) = numbers[0], numbers[-1]
        pixels = (lines[0] - lines[-1]) / (high - low)
        # Lines are at whole pixels; those at the ends are exact.
        assert lines == pytest.approx([lines[0] - (number - low) * pixels for number, _ in numbers], abs=0.5)
        return pixels, lines[0] + low * pixels


def read(svg: str) -> Drawn:
    """The chart of a picture, which must be well-formed XML of SVG alone, with nothing that runs or is fetched."""
    root = ET.fromstring(svg)
    assert root.tag == f"{SVG}svg"
    assert [one.tag for one in root[:2]] == [f"{SVG}title", f"{SVG}desc"]
    for element in root.iter():
        assert element.tag.removeprefix(SVG) in {
            "svg",
            "title",
            "desc",
            "metadata",
            "defs",
            "pattern",
            "g",
            "path",
            "line",
            "rect",
            "text",
            "tspan",
        }
        assert not {
            name for name in element.attrib if name.startswith("on") or name.endswith(("href", "style"))
        }
    marks = [_mark(one) for one in root.iter(f"{SVG}path") if one.get("role") == "graphics-symbol"]
    marks += [
        Mark(one.get("aria-label", ""), "text", *_place(one)[1:], 0, 0)
        for one in root.iter(f"{SVG}text")
        if one.get("role") == "graphics-symbol"
    ]
    return Drawn(root, marks)


def _mark(path: ET.Element) -> Mark:
    label, kind = path.get("aria-label", ""), path.get("aria-roledescription", "")
    bar = _BAR.match(path.get("d", ""))
    width, height = (abs(float(one)) for one in bar.groups()) if bar else (0.0, 0.0)
    return Mark(label, kind, 0.0 if kind == "bar" else _place(path)[1], width, height)


def _place(element: ET.Element) -> tuple[float, float]:
    found = _TRANSLATED.fullmatch(element.get("transform", ""))
    assert found is not None
    return float(found[1]), float(found[2])
