"""`python -m tests.connectors.payloads FOLDER [--all]`: rows, read and unread fields of each file."""

import sys

from tests.connectors.payloads.report import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
