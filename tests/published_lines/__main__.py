"""Writes the index: `python -m tests.published_lines --packages FOLDER --clones FOLDER [--out FOLDER]`."""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path

import numpy as np

from ingest.git.published import known_libraries
from tests.published_lines.archives import PublishedText, read_texts
from tests.published_lines.attribution import Attribution, Line
from tests.published_lines.downloads import download
from tests.published_lines.library_list import read_list
from tests.published_lines.tag_days import tag_days


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--packages", type=Path, required=True, help="folder of the downloaded packages")
    parser.add_argument(
        "--clones", type=Path, required=True, help="folder of Git directories, owner/name, with tags"
    )
    parser.add_argument("--out", type=Path, default=known_libraries.FOLDER)
    options = parser.parse_args()
    texts: list[PublishedText] = []
    days: dict[str, dict[int, int]] = {}
    for library in read_list():
        found = list(read_texts(library, download(library, options.packages)))
        texts += found
        if library.tags is not None:
            days[library.name] = tag_days(
                options.clones / library.tags, {text.path.rpartition("/")[2] for text in found}
            )
    attribution = Attribution(days)
    attribution.add(sorted(texts, key=lambda text: (text.day, text.library, text.path)))
    write(attribution.lines(), options.out)


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
