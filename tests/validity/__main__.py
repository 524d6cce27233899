"""`python -m tests.validity --data FOLDER [--repositories FOLDER]`: measures every claim."""

import sys

from tests.validity.suite import main

if __name__ == "__main__":
    sys.exit(main())
