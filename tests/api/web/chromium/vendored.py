"""The copy of htmx that the pages have: from its npm package, whose version and hash are in the lock file here.

    python -m tests.api.web.chromium.vendored

writes it again. A change of the version is a change of package.json and its lock file.
"""

from pathlib import Path

import api.web
from tests.node_packages import installed

HERE = Path(__file__).parent
COPY = Path(next(iter(api.web.__path__))) / "static" / "htmx.js"


def original() -> bytes:
    """The minified script of the package."""
    installed(HERE)
    return (HERE / "node_modules" / "htmx.org" / "dist" / "htmx.min.js").read_bytes()


if __name__ == "__main__":
    COPY.write_bytes(original())
    print(f"{COPY} is that of the package")
