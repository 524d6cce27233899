"""`python -m tests.api.examples [TEST …]` runs tests and writes `api/http/openapi/examples.json` from their answers.

With some tests it replaces only the examples of the operations that they call.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from api.http.openapi.answers import examples
from tests.api.examples.choice import choose
from tests.api.examples.recording import FOLDER

ROOT = Path(__file__).parents[3]
WRITTEN = ROOT / "api" / "http" / "openapi" / "examples.json"
# Real histories behind every read.
MORE = ("tests/end_to_end/test_git_to_json.py",)
# Their requests are generated, so nobody would recognise the answers.
GENERATED = (
    "schemathesis",
    "sequences",
    "generated_on_postgresql",
    "bodies",
    "empty_bodies",
    "openapi_document",
)


def main() -> None:
    """Record and choose. Exits with pytest's code where a test fails."""
    with TemporaryDirectory() as folder:
        left_out = [f"--ignore=tests/api/http/test_{name}.py" for name in GENERATED]
        chosen_tests = sys.argv[1:] or ("tests/api", *MORE)
        command = [sys.executable, "-m", "pytest", "--quiet", "--numprocesses=auto", "--dist=loadfile"]
        ran = subprocess.run(
            [*command, *left_out, *chosen_tests],
            cwd=ROOT,
            env=os.environ | {FOLDER: folder},
            check=False,
        )
        if ran.returncode:
            sys.exit(ran.returncode)
        chosen = examples() | choose(_answers(Path(folder)))
    WRITTEN.write_text(json.dumps(chosen, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    print(f"{len(chosen)} examples in {WRITTEN.relative_to(ROOT)}")


def _answers(folder: Path) -> Iterator[dict[str, Any]]:
    for file in sorted(folder.iterdir()):
        for line in file.read_text(encoding="utf-8").splitlines():
            yield json.loads(line)


if __name__ == "__main__":
    main()
