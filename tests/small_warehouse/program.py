"""The command line `eas` in a process of its own, on the small project: `python -m tests.small_warehouse.program …`."""

import sys

from orchestration.cli import main
from tests.small_warehouse.project import used

if __name__ == "__main__":
    sys.argv[0] = "eas"
    with used():
        main()
