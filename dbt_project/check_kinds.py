"""The kinds of checks, from the var `check_kinds` of the project, as the API reads them.

`python -m dbt_project.check_kinds` writes api/presentation/check_kinds.json; with `--check` it only compares, and ends
with 1 where the file is out of date. Keep out: what a kind measures (the models `fct_check__<name>`).
"""

from __future__ import annotations

import argparse
import json
import sys

import yaml

from dbt_project import dictionary

FILE = dictionary.PROJECT.parent / "api" / "presentation" / "check_kinds.json"


def text() -> str:
    """The file."""
    project = yaml.safe_load((dictionary.PROJECT / "dbt_project.yml").read_text())
    return json.dumps(project["vars"]["check_kinds"], indent=1) + "\n"


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
