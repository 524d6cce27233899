"""Exit codes of `eas`."""

from typing import Final

FAILED: Final = 1
MISUSED: Final = 2
