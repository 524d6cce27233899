"""Copies of scripts that the pages have: from npm packages, whose versions and hashes are in the lock file here.

    python -m tests.api.web.chromium.vendored

writes them again. A change of a version is a change of package.json and its lock file.
"""

from pathlib import Path

import api.web
from tests.node_packages import installed

HERE = Path(__file__).parent
STATIC = Path(next(iter(api.web.__path__))) / "static"
ORIGINALS = {"htmx.js": "htmx.org/dist/htmx.min.js", "uplot.js": "uplot/dist/uPlot.iife.min.js"}
"""The minified script of each package, by the name of its copy."""


def original(name: str) -> bytes:
    """The script that a copy is of."""
    installed(HERE)
    return (HERE / "node_modules" / ORIGINALS[name]).read_bytes()


if __name__ == "__main__":
    for copy in ORIGINALS:
        (STATIC / copy).write_bytes(original(copy))
        print(f"{STATIC / copy} is that of the package")
