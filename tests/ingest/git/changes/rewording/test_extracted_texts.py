"""A style sheet that leaves a program for a file of its own keeps its words, and earns as moved lines do."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from ingest.git.changes.rewording import extracted_texts
from ingest.git.changes.rewording.extracted_texts import LEAST_LINES, find_taken
from ingest.git.changes.rewording.phrases import ChangedText, ChangedWords, Split, split_removed
from tests.git_repository import GRACE, GitRepository
from tests.ingest.git.changes.rewording.test_rewordings import novel

THEMES = ("squirrel", "archlinux", "zenburn", "monokai")
PARTS = [
    "header",
    "cart",
    "total",
    "button",
    "footer",
    "price",
    "list",
    "login",
    "search",
    "menu",
    "label",
    "error",
]
VALUES = {theme: [f"{n:x}{k}f{n:x}a{k}" for n in range(len(PARTS))] for k, theme in enumerate(THEMES)}
SHEET = "".join(
    f"@mixin {theme} {{\n"
    + "".join(
        f"  --{part}: #{value};\n  margin: var(--{part}_{theme});\n"
        for part, value in zip(PARTS, values, strict=True)
    )
    + "}\n"
    for theme, values in VALUES.items()
)
PROGRAM = "".join(
    f"fn {theme}() -> Theme {{\n"
    + "".join(
        f'  {part}: "#{value}",\n  margin: {{{part}_{theme}}},\n'
        for part, value in zip(PARTS, values, strict=True)
    )
    + "}\n"
    for theme, values in VALUES.items()
)
REST = 'fn page() -> String {\n    include_str!("style.css")\n}\n'
OWN = "".join(
    f".{part}-{value} {{ padding: {value[0]}em; }}\n" for value in VALUES["zenburn"] for part in PARTS
)


def test_only_quotes_and_places_for_values_change() -> None:
    found = find_taken(
        [ChangedText("page.rs", [*PROGRAM.encode().split(b"\n"), None], [])],
        ChangedText("style.css", [], [*SHEET.encode().split(b"\n"), None]),
    )
    assert found is not None
    new = [line for n, line in enumerate(SHEET.split("\n")) if n not in found[-1].added and line.strip("}")]
    assert new == [f"@mixin {theme} {{" for theme in THEMES]
    assert len(found[0].kept) == 2 * len(THEMES) * len(PARTS)


@pytest.mark.parametrize(
    ("path", "text", "fewest", "most"),
    [
        ("data/style.css", SHEET, 0, 4),
        ("data/style.css", SHEET + OWN[: len(OWN) // 3], 1, 10),
        # Most of the lines are new, so all count that are no copies.
        ("data/style.css", SHEET + OWN, 25, 254),
        # Where a program takes the place of another one, the same words say something else.
        ("data/style.py", SHEET, 20, 110),
        # Few lines
        ("data/style.css", "".join(SHEET.splitlines(keepends=True)[: LEAST_LINES - 1]), 20, LEAST_LINES),
    ],
)
def test_the_new_file_earns_its_new_words_alone(
    tmp_path: Path, path: str, text: str, fewest: int, most: int
) -> None:
    repository = GitRepository(tmp_path / "repository")
    repository.commit({"src/page.rs": PROGRAM})
    repository.commit({"src/page.rs": REST, path: text}, author=GRACE)
    assert fewest <= novel(repository, tmp_path / "lake").get("Grace Hopper", 0) <= most


def test_programs_are_split_once_for_all_new_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[int] = []

    def split(files: Sequence[ChangedText], how: Split) -> list[ChangedWords]:
        calls.append(len(files))
        return split_removed(files, how)

    monkeypatch.setattr(extracted_texts, "split_removed", split)
    repository = GitRepository(tmp_path / "repository")
    repository.commit({"src/page.rs": PROGRAM})
    repository.commit({"src/page.rs": REST, "data/style.css": SHEET, "data/style.scss": SHEET}, author=GRACE)
    assert novel(repository, tmp_path / "lake").get("Grace Hopper", 0) <= 8
    assert calls == [1]


def test_split_words_serve_several_new_files() -> None:
    programs = [ChangedText("page.rs", [*PROGRAM.encode().split(b"\n"), None], [])]
    words = split_removed(programs, extracted_texts.split_words)
    lines = SHEET.encode().split(b"\n")
    for some in (lines, lines[:50], lines[50:], lines):
        new = ChangedText("style.css", [], [*some, None])
        found = find_taken(programs, new, words)
        assert found is not None
        assert found == find_taken(programs, new)


def test_a_text_that_stays_in_the_program_is_written_a_second_time(tmp_path: Path) -> None:
    repository = GitRepository(tmp_path / "repository")
    repository.commit({"src/page.rs": PROGRAM})
    repository.commit({"data/style.css": SHEET}, author=GRACE)
    assert novel(repository, tmp_path / "lake")["Grace Hopper"] > 20
