"""`python -m tests.validity --data FOLDER [--repositories FOLDER]`: every claim."""

import sys

from tests.validity.suite import main

if __name__ == "__main__":
    sys.exit(main())
