"""The row access of published tables, from `meta.access` in the ymls of the models, as the API reads it.

`python -m dbt_project.row_access` writes api/access/declared_access.json; with `--check` it only compares, and ends
with 1 where the file is out of date. A table without `access` stays out of the file and is closed. Keep out: the rows
that a rule means (api/access).
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable

from dbt_project import dictionary

FILE = dictionary.PROJECT.parent / "api" / "access" / "declared_access.json"


def declared(models: Iterable[dictionary.Model]) -> dict[str, dict[str, str]]:
    """The declarations of the published tables of these models, by table. A table in another order can differ."""
    found = {
        table: model.access | settings.get("access", {})
        for model in models
        for table, settings in (model.tables or {model.name: {}}).items()
    }
    return {table: access for table, access in sorted(found.items()) if access}


def text() -> str:
    """The file."""
    models = [*dictionary.models(dictionary.API), *dictionary.models(dictionary.PUBLISHED)]
    return json.dumps(declared(models), indent=1) + "\n"


def main(arguments: list[str] | None = None) -> int:
    """Write or check the file; the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="only compare")
    if parser.parse_args(arguments).check:
        if FILE.exists() and FILE.read_text() == text():
            return 0
        sys.stderr.write(f"{FILE.relative_to(dictionary.PROJECT.parent)} is out of date: run `make docs`\n")
        return 1
    FILE.write_text(text())
    return 0


if __name__ == "__main__":
    sys.exit(main())
