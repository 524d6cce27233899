"""The walk over a folder of payloads, and its report."""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.connectors.payloads.shape import Shape
from tests.connectors.payloads.shapes import SHAPES
from tests.connectors.payloads.traced import Trace

SHOWN = 12
"""Unread fields that a line names; `--all` names every one."""


@dataclass
class FileReport:
    """What was read of a file. `made` counts rows by what they are; `failures` are errors of parsers."""

    path: str
    made: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)
    trace: Trace = field(default_factory=Trace)

    @property
    def has_connector(self) -> bool:
        return bool(self.made or self.failures)

    def line(self, shown: int | None) -> str:
        rows = ", ".join(f"{count} × {kind}" for kind, count in sorted(self.made.items())) or "no row"
        unread = self.trace.unread
        names = ", ".join(unread[:shown]) + (", …" if shown is not None and len(unread) > shown else "")
        read = len(self.trace.leaves) - len(unread)
        failed = "".join(f"\n    FAILED {reason}" for reason in self.failures)
        return f"{self.path}: {rows}; {read} fields read, {len(unread)} unread: {names or 'none'}{failed}"


def walk(folder: Path, shapes: Sequence[Shape] = SHAPES) -> list[FileReport]:
    """A report of each JSON file below a folder."""
    return [read_file(path, str(path.relative_to(folder)), shapes) for path in sorted(folder.rglob("*.json"))]


def read_file(path: Path, name: str, shapes: Sequence[Shape]) -> FileReport:
    """Try a file with the shapes of the connector that its path names."""
    report = FileReport(name)
    try:
        payload = json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        return report
    names = {step for part in path.parts[:-1] for step in (part, part.removesuffix("-source"))}
    traced = report.trace.wrap(payload)
    for shape in shapes:
        if shape.folder in names:
            _read(report, shape, traced)
    return report


def _read(report: FileReport, shape: Shape, traced: object) -> None:
    for row in shape.rows(traced):
        try:
            shape.read(row)
        except Exception as error:  # noqa: BLE001 - any error is what the report is for
            report.failures.append(f"{shape.makes}: {type(error).__name__} {error}")
        else:
            report.made[shape.makes] += 1


def main(arguments: Sequence[str]) -> int:
    """Print the report. Returns 1 if a parser failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.connectors.payloads", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--all", action="store_true", help="name every unread field")
    options = parser.parse_args(arguments)
    reports = walk(options.folder)
    known = [one for one in reports if one.has_connector]
    for one in known:
        print(one.line(None if options.all else SHOWN))
    others = [one for one in reports if not one.has_connector]
    print(f"\n{len(known)} files with rows. {len(others)} files of kinds without a connector:")
    for one in others:
        print(f"  {one.path}")
    return 1 if any(one.failures for one in reports) else 0
