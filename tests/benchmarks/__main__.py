"""`python -m tests.benchmarks [REPOSITORY …]`: runs the whole bench."""

import sys

from tests.benchmarks.bench import main

if __name__ == "__main__":
    sys.exit(main())
