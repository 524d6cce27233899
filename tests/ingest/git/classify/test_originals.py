"""Of equal lines in one delivery, those of the source are the original."""

from pathlib import Path

import pytest

from tests.git_repository import GitRepository
from tests.ingest.git.extraction import Extraction

TEXT = "".join(
    f"export function part{i}(value) {{ return other{i}(value, {i}) + value.length; }}\n" for i in range(12)
)


@pytest.mark.parametrize(
    ("original", "copy"),
    [
        ("src/parts.js", "build/parts.js"),
        ("source/parts.js", "lib/bundle.js"),
        ("packages/a/src/parts.js", "packages/a/assets/a.js"),
        ("parts.js", "out/parts.js"),
        ("lib/parts.js", "docs/demo/parts.js"),
        ("a/parts.js", "b/parts.js"),
    ],
)
def test_the_source_is_credited_and_not_what_a_build_made_of_it(
    tmp_path: Path, repository: GitRepository, original: str, copy: str
) -> None:
    repository.commit({"README.md": "Parts\n"})
    sha = repository.commit({original: TEXT, copy: TEXT})
    extraction = Extraction(repository.path, tmp_path / "raw")
    extraction.run()
    rows = [row for row in extraction.rows("delivered_lines") if row["delivery_sha"] == sha]
    assert {row["path"]: row["copied_from"] for row in rows} == {original: None, copy: original}
