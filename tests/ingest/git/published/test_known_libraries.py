"""Texts whose lines a known library published, and when."""

from pathlib import Path

import numpy as np
import pytest

from ingest.git.published import known_libraries
from ingest.git.published.compared_lines import SHARE, compared_lines
from ingest.git.published.known_libraries import (
    FEWEST_LINES,
    SECONDS_A_DAY,
    KnownLibrary,
    LibraryIndex,
    library_index,
    library_of,
)

PUBLISHED, LATER = 10_000, 11_000
WRITTEN = 10_500 * SECONDS_A_DAY


def lines_of(name: str, count: int = 400) -> list[bytes]:
    """Lines that are all compared."""
    found = (b"    %s.slide(handles, %d, values);" % (name.encode(), number) for number in range(count * 9))
    return [line for line in found if len(compared_lines(line))][:count]


def index_of(libraries: dict[tuple[str, int], list[bytes]]) -> LibraryIndex:
    """An index of the lines that each library published on a day."""
    names = sorted({name for name, _ in libraries})
    rows = sorted(
        (number, names.index(name), day)
        for (name, day), lines in libraries.items()
        for number in compared_lines(b"\n".join(lines)).tolist()
    )
    numbers, places, days = zip(*rows, strict=True)
    return LibraryIndex(
        names, np.array(numbers, np.uint32), np.array(places, np.uint16), np.array(days, np.uint16)
    )


SLIDER, OWN = lines_of("slider"), lines_of("shop")
INDEX = index_of({("Slider", PUBLISHED): SLIDER, ("Chart", LATER): lines_of("chart")})


def test_a_text_of_a_library_has_its_name_and_the_counts() -> None:
    text = b"\n".join([*SLIDER[:41], *OWN[:4]])
    assert INDEX.find(text, WRITTEN) == KnownLibrary("Slider", 41, 0, 45)


def test_lines_are_as_old_as_the_version_before_the_first_that_has_them() -> None:
    first, second, third = (lines_of("chart", 90)[start : start + 30] for start in (0, 30, 60))
    index = index_of({("Chart", PUBLISHED): first, ("Chart", LATER): second, ("Chart", LATER + 100): third})

    def counts(lines: list[bytes], day: int) -> tuple[int, int]:
        found = index.find(b"\n".join(lines), day * SECONDS_A_DAY)
        assert found is not None
        return found.published, found.later

    # Nobody knows when lines of the first known version came out.
    assert counts(first, PUBLISHED - 5_000) == (30, 30)
    assert counts(first, PUBLISHED + 1) == (30, 0)
    assert counts(second, PUBLISHED) == (0, 30)
    assert counts(second, PUBLISHED + 1) == (30, 30)
    assert counts(second, LATER + 1) == (30, 0)
    assert counts(third, LATER) == (0, 30)
    assert counts([*second, *third], LATER) == (30, 60)


def test_versions_of_each_library_are_its_own() -> None:
    index = index_of({("Chart", LATER): lines_of("chart", 40), ("Slider", PUBLISHED): SLIDER[:40]})
    for lines in (lines_of("chart", 40), SLIDER[:40]):
        found = index.find(b"\n".join(lines), 0)
        assert found is not None
        assert (found.published, found.later) == (40, 40)


def test_white_space_makes_no_difference() -> None:
    text = b"\r\n".join(line.strip().replace(b", ", b",\t") for line in SLIDER[:20])
    assert INDEX.find(text, WRITTEN) == KnownLibrary("Slider", 20, 0, 20)


@pytest.mark.parametrize(
    ("known", "own"), [(FEWEST_LINES - 1, 0), (40, 30), (0, 40)], ids=["few", "minority", "none"]
)
def test_own_work_that_has_some_lines_of_a_library_is_none_of_its(known: int, own: int) -> None:
    assert INDEX.find(b"\n".join([*SLIDER[:known], *OWN[:own]]), WRITTEN) is None


def test_lines_of_many_libraries_are_no_text_of_one() -> None:
    libraries = {(f"L{number}", PUBLISHED): lines_of(f"l{number}") for number in range(5)}
    mixed = [line for lines in libraries.values() for line in lines[:15]]
    assert index_of(libraries).find(b"\n".join(mixed), WRITTEN) is None


def test_lines_of_another_library_are_not_those_of_the_one() -> None:
    index = index_of({("Slider", PUBLISHED): SLIDER, ("Chart", PUBLISHED): lines_of("chart")})
    text = b"\n".join([*SLIDER[:30], *lines_of("chart")[:20]])
    assert index.find(text, WRITTEN) == KnownLibrary("Slider", 30, 0, 50)


STATUS = [b"  %d: 'Status of the kind %d'," % (number, number) for number in range(900)]
PROPERTIES = [b"    'border-side-%d-color'," % number for number in range(900)]
CONSTANTS = [b"#define ICMP6_OPTION_%d 0x%02x /* one option */" % (number, number) for number in range(900)]
COLOURS = [b'  "colour-of-flag-%d": [%d, 248, 255],' % (number, number) for number in range(900)]
NAMES = [b"    HTTP_STATUS_OF_KIND_%d," % number for number in range(900)]


@pytest.mark.parametrize(
    "facts",
    [STATUS, PROPERTIES, CONSTANTS, COLOURS, NAMES],
    ids=["status", "properties", "constants", "colours", "names"],
)
def test_facts_that_a_library_lists_too_are_own_work(facts: list[bytes]) -> None:
    index = index_of({("Slider", PUBLISHED): [*SLIDER, *facts]})
    assert len(compared_lines(b"\n".join(facts))) > 100
    assert index.find(b"\n".join([*facts, *OWN[:2]]), WRITTEN) is None
    assert index.find(b"\n".join([*facts, *SLIDER[:20]]), WRITTEN) == KnownLibrary("Slider", 20, 0, 20)


def test_a_library_of_which_most_cannot_be_compared_is_own_work() -> None:
    short = [b"if y%d > 7:" % number for number in range(1_200)]
    assert INDEX.find(b"\n".join([*SLIDER[:15], *short]), WRITTEN) is None
    assert (
        INDEX.find(b"\n".join([*SLIDER[:15], *short[:40], *[b"", b"}", b"return;"] * 300]), WRITTEN)
        is not None
    )


def test_a_repeated_line_counts_once() -> None:
    assert INDEX.find(b"\n".join(SLIDER[:5] * 20), WRITTEN) is None


def test_one_line_of_four_is_compared_and_short_ones_are_not() -> None:
    text = b"\n".join(b"a sentence of the program %d" % number for number in range(8_000))
    assert len(compared_lines(text)) == pytest.approx(8_000 / SHARE, rel=0.1)
    assert not len(compared_lines(b"\n".join(b"x = %d;" % number for number in range(8_000))))


def test_a_manifest_names_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(known_libraries, "library_index", lambda: INDEX)
    manifest = b'{"name": "slider", "version": "1.0.0"}'
    assert library_of("package.json", manifest, None, WRITTEN) == KnownLibrary("Slider")
    assert library_of("web/package.json", manifest, None, WRITTEN) is None


def test_a_title_says_more_than_the_lines_of_a_readme(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(known_libraries, "library_index", lambda: INDEX)
    text = b"\n".join(SLIDER[:40])
    titled = b"# Slider\n" + text
    assert library_of("README.md", titled, titled, WRITTEN) == KnownLibrary("Slider")
    assert library_of("README.md", b"# Shop\n" + text, text, WRITTEN) == KnownLibrary("Slider", 40, 0, 40)


def test_the_index_is_sorted_and_small() -> None:
    index = library_index()
    size = (known_libraries.FOLDER / known_libraries.LINES).stat().st_size
    assert len(index) * known_libraries.ROW_BYTES == size <= 5_500_000
    numbers = np.fromfile(Path(known_libraries.FOLDER) / known_libraries.LINES, "<u4", len(index))
    assert (np.diff(numbers.astype(np.int64)) > 0).all()
    assert len(set(index.names)) == len(index.names)
