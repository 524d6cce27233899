"""Each change is described in a file of its own, and one command moves all of them into the changelog."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

from tests.docs.links import CHECKOUT

CHANGES = Path("docs/changes")
LAYOUT = "layout.jinja"
HEADINGS = {"added": "### Added", "changed": "### Changed", "fixed": "### Fixed"}


def described(folder: Path) -> list[Path]:
    """The descriptions of changes."""
    return sorted(file for file in (folder / CHANGES).iterdir() if file.name != LAYOUT)


def test_each_description_has_a_name_that_is_assembled() -> None:
    kinds = "|".join(["note", *HEADINGS])
    wrong = [
        file.name
        for file in described(CHECKOUT)
        if not re.fullmatch(rf"\+[a-z0-9-]+\.({kinds})\.md", file.name)
    ]
    assert wrong == []


def test_a_release_moves_every_description_into_the_changelog(tmp_path: Path) -> None:
    (tmp_path / CHANGES).mkdir(parents=True)
    for file in (Path("pyproject.toml"), Path("docs/CHANGELOG.md"), CHANGES / LAYOUT):
        shutil.copy(CHECKOUT / file, tmp_path / file)
    for kind in ("note", *HEADINGS):
        (tmp_path / CHANGES / f"+tea.{kind}.md").write_text(f"Tea is {kind},\nand so are cups.\n")
    command = [
        sys.executable,
        "-m",
        "towncrier",
        "build",
        "--yes",
        "--version",
        "9.9.9",
        "--date",
        "2030-01-01",
    ]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    changelog = (tmp_path / "docs/CHANGELOG.md").read_text()
    of_release = changelog.partition("## 9.9.9 – 2030-01-01\n")[2].partition("\n## ")[0]
    items = [f"{HEADINGS[kind]}\n\n- Tea is {kind},\n  and so are cups.\n" for kind in HEADINGS]
    assert of_release == "\n".join(["", "Tea is note,\nand so are cups.\n", *items])
    assert described(tmp_path) == []
    before = (CHECKOUT / "docs/CHANGELOG.md").read_text()
    assert changelog.replace(f"## 9.9.9 – 2030-01-01\n{of_release}\n", "") == before
