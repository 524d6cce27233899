"""The recipe for a column leads to the column: performed step by step in a copy of the project."""

import csv
import json
import shutil
from pathlib import Path

import pytest

from tests.docs import recipes
from tests.end_to_end.histories import varied
from tests.git_repository import GitRepository

NEW = "capitalizable_commits"


# A trial of the recipe in a copy of the project: a build, an interface and its documents.
@pytest.mark.release
def test_the_recipe_for_a_column_gives_it_in_every_place(tmp_path: Path) -> None:
    copy = recipes.copied(tmp_path / "copy")
    history = varied(GitRepository(tmp_path / "history"))
    shutil.copytree(history.path / ".git", copy / ".git")
    printed = [recipes.perform(step, copy) for step in recipes.steps("Add a metric column")]
    assert len(printed) == 7
    names, first = csv.reader(printed[-1].splitlines()[-2:])
    row = dict(zip(names, first, strict=True))
    assert 0 <= int(row[NEW]) <= int(row["commits"])
    tables = json.loads((copy / "api" / "snapshot" / "empty_tables.json").read_text())
    assert tables["capex"][NEW] == "BIGINT"
    assert f"`{NEW}`" in (copy / "docs" / "data-dictionary.md").read_text()


def test_a_change_whose_place_is_missing_or_ambiguous_fails(tmp_path: Path) -> None:
    file = tmp_path / "tea.sql"
    file.write_text("select\n    a,\n    b\nfrom tea\n")
    recipes.apply("     a,\n+    c,\n@@\n-from tea\n+from cups\n", file)
    assert file.read_text() == "select\n    a,\n    c,\n    b\nfrom cups\n"
    for place in ("    d,", "    "):
        with pytest.raises(AssertionError, match=r"tea\.sql: \d times"):
            recipes.apply(f" {place}\n+    e,\n", file)
