"""Analyses histories with the code of an earlier revision and with this checkout, and prints which figures moved.

    python -m tests.validity.restated --before REVISION --out FOLDER CLONE…

FOLDER keeps the earlier code and its results, so that a second call only runs this checkout. Exits with 2 where the
earlier code cannot be made, and with the code of a run that fails.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.validity.restated import comparison, published_figures

CHECKOUT = Path(__file__).resolve().parents[3]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--before", required=True, help="revision of this project with the earlier rules")
    parser.add_argument("--out", type=Path, required=True, help="folder that keeps code and results")
    parser.add_argument("clones", type=Path, nargs="+", help="clones or bare mirrors")
    given = parser.parse_args(arguments)
    out = given.out.resolve()
    out.mkdir(parents=True, exist_ok=True)
    try:
        earlier = earlier_code(given.before, out / f"code-{given.before}")
        for clone in given.clones:
            name = clone.name if clone.name != "repo" else clone.parent.name
            before = out / f"{name}-{given.before}"
            if not list(before.glob("published/*/current.json")):
                analyse(earlier, clone, before)
            after = out / f"{name}-after"
            analyse(CHECKOUT, clone, after)
            print(
                comparison.told(name, published_figures.read(before), published_figures.read(after)),
                flush=True,
            )
    except subprocess.CalledProcessError as error:
        print(f"{error}\n{error.stdout or ''}{error.stderr or ''}", file=sys.stderr)
        return 2
    return 0


def earlier_code(revision: str, folder: Path) -> Path:
    """A worktree of a revision with its compiled kernel. Raises CalledProcessError."""
    if not folder.is_dir():
        run(["git", "worktree", "add", "--detach", str(folder), revision], CHECKOUT)
        run([sys.executable, "-m", "ingest.git.native.build"], folder)
    return folder


def analyse(code: Path, clone: Path, data: Path) -> None:
    """Analyse a clone with a checkout of the project into a data directory. Raises CalledProcessError."""
    program = "import sys; from orchestration.cli import main; sys.argv[0] = 'eas'; main()"
    run([sys.executable, "-c", program, "analyze", str(clone.resolve())], code, EAS_DATA_DIR=str(data))


def run(command: Sequence[str], folder: Path, **settings: str) -> None:
    """Run a command with the code of a folder. Raises CalledProcessError."""
    environment = os.environ | {"PYTHONPATH": str(folder)} | settings
    subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=True)


if __name__ == "__main__":
    sys.exit(main())
