"""The query of the model `fct_check_episodes` as plain SQL, with which the API judges proposed settings.

`python -m dbt_project.check_episodes` writes api/read/checks/episodes.sql; with `--check` it only compares, and ends
with 1 where the file is out of date. The file reads tables with the names of the models. Keep out: the query itself.
"""

from __future__ import annotations

import argparse
import sys
from typing import Any

import jinja2
import yaml

from dbt_project import dictionary

FILE = dictionary.PROJECT.parent / "api" / "read" / "checks" / "episodes.sql"
MODEL = dictionary.PROJECT / "models" / "marts" / "core" / "checks" / "fct_check_episodes.sql"
MACROS = ("portable/numbers.sql", "portable/time.sql", "portable/identifiers.sql", "checks.sql")


def text() -> str:
    """The query in DuckDB's spelling."""
    variables = yaml.safe_load((dictionary.PROJECT / "dbt_project.yml").read_text())["vars"]
    macros = "".join((dictionary.PROJECT / "macros" / name).read_text() for name in MACROS)
    environment = jinja2.Environment(undefined=jinja2.StrictUndefined, autoescape=False)

    def spelled(name: str) -> Any:
        return getattr(module, f"duckdb__{name}")

    # dbt's own functions, as far as these files call them.
    environment.globals |= {
        "var": variables.get,
        "ref": str,
        "return": lambda value: value,
        "spelled": spelled,
    }
    module = environment.from_string(macros).module
    query = environment.from_string(macros + MODEL.read_text()).render()
    return "\n".join(line.rstrip() for line in query.strip().splitlines()) + "\n"


def main(arguments: list[str] | None = None) -> int:
    """Write or check the file; the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="only compare")
    if parser.parse_args(arguments).check:
        if FILE.exists() and FILE.read_text() == text():
            return 0
        sys.stderr.write(f"{FILE.name}: out of date; run `make docs`\n")
        return 1
    FILE.write_text(text())
    return 0


if __name__ == "__main__":
    sys.exit(main())
