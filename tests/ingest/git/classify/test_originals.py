"""Of equal lines in one delivery, those of the source are the original."""

from pathlib import Path

import pytest

from tests.git_repository import GitRepository
from tests.ingest.git.extraction import Extraction

TEXT = """export function total(entries) {
  return entries.map((entry) => entry.amount).reduce((sum, amount) => sum + amount, 0);
}

export class Ledger extends Base {
  constructor(name, { currency = 'EUR', isOpen } = {}) {
    super(name.trim());
    this.currency = currency || fallback[name];
    if (isOpen === undefined) throw new TypeError(`no state: ${name}`);
  }
  close = async () => { await this.store.write(this.entries, { at: Date.now() }); };
}
"""


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
    assert {(row["path"], row["copied_from"]) for row in rows} >= {(original, None), (copy, original)}
    assert copy not in {row["copied_from"] for row in rows}
