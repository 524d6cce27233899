"""Writes the index: `python -m tests.published_lines --packages FOLDER --clones FOLDER [--out FOLDER] [--add NAME]`."""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from ingest.git.published import known_libraries
from tests.published_lines.archives import PublishedText, read_texts
from tests.published_lines.attribution import Attribution, Line, mark_beginnings
from tests.published_lines.downloads import download
from tests.published_lines.histories import add_package_days, line_days, read_older, read_versions
from tests.published_lines.library_list import Library, read_list


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--packages", type=Path, required=True, help="folder of the downloaded packages")
    parser.add_argument("--clones", type=Path, required=True, help="folder of Git directories, owner/name")
    parser.add_argument("--out", type=Path, default=known_libraries.FOLDER)
    parser.add_argument(
        "--add", nargs="+", metavar="NAME", help="libraries to read, of which the index has none"
    )
    options = parser.parse_args()
    known = read_index(options.out) if options.add else {}
    libraries = [library for library in read_list() if not options.add or library.name in options.add]
    texts: list[PublishedText] = []
    days: dict[str, dict[int, int]] = {}
    for library in libraries:
        found = list(read_library(library, options.packages, options.clones))
        texts += found
        days[library.name] = read_days(library, found, options.clones)
    attribution = Attribution(days, known)
    attribution.add(sorted(texts, key=lambda text: (text.day, text.library, text.path)))
    lines = attribution.lines()
    mark_beginnings(lines, {library.name for library in libraries if library.source == "git"})
    write(lines, options.out)


def read_index(folder: Path) -> dict[int, Line]:
    """The lines of a written index, by their number."""
    names = json.loads((folder / known_libraries.NAMES).read_text(encoding="utf-8"))
    data = np.fromfile(folder / known_libraries.LINES, np.uint8)
    count = len(data) // known_libraries.ROW_BYTES
    numbers, libraries, days = (
        data[start * count : end * count].view(kind).tolist()
        for start, end, kind in ((0, 4, "<u4"), (4, 6, "<u2"), (6, 8, "<u2"))
    )
    return {
        number: Line(names[library], day)
        for number, library, day in zip(numbers, libraries, days, strict=True)
    }


def read_library(library: Library, packages: Path, clones: Path) -> Iterator[PublishedText]:
    """The texts of a library, from its packages, its history or both."""
    if library.source == "git":
        yield from read_versions(library, clones / library.package)
        return
    found = list(read_texts(library, download(library, packages)))
    yield from found
    if library.older:
        yield from read_older(library, clones / library.histories[0], min(text.day for text in found))


def read_days(library: Library, found: Sequence[PublishedText], clones: Path) -> dict[int, int]:
    """The days of a library's lines, as far as it has a history."""
    names = {text.path.rpartition("/")[2] for text in found}
    days: dict[int, int] = {}
    for history in library.histories:
        for number, day in line_days(library, clones / history, names).items():
            days[number] = min(day, days.get(number, day))
    if days and library.source != "git":
        add_package_days(found, days)
    return days


def write(lines: dict[int, Line], folder: Path) -> None:
    """Write the index of lines, and print how many each library has."""
    counts = Counter(line.library for line in lines.values())
    names = sorted(counts, key=str.lower)
    numbers = np.array(sorted(lines), np.uint32)
    places = {name: place for place, name in enumerate(names)}
    libraries = np.array([places[lines[number].library] for number in numbers.tolist()], np.uint16)
    days = np.array([lines[number].day for number in numbers.tolist()], np.uint16)
    columns = (numbers.astype("<u4"), libraries.astype("<u2"), days.astype("<u2"))
    (folder / known_libraries.LINES).write_bytes(b"".join(column.tobytes() for column in columns))
    (folder / known_libraries.NAMES).write_text(json.dumps(names, indent=1) + "\n", encoding="utf-8")
    for name, count in counts.most_common():
        print(f"{count:>8,} {name}")
    print(f"{len(numbers):>8,} lines of {len(names):,} libraries")


if __name__ == "__main__":
    main()
