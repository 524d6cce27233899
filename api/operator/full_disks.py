"""Finds a full disk in the error of any library: Python, SQLite, PostgreSQL, DuckDB, Parquet.

Keep out: sentences for people.
"""

import errno

NUMBERS = frozenset({errno.ENOSPC, errno.EDQUOT})
# PostgreSQL says it in the language of its server.
SQLSTATE = "53100"
WORDS = (
    "no space left on device",
    "disk quota exceeded",
    "disk is full",
    # DuckDB, which first asks how much is free.
    "failed to offload data block",
)


def is_full_disk(error: BaseException) -> bool:
    """Whether an error, or one that caused it, says that a disk is full."""
    cause = error.__cause__ or error.__context__
    return (
        getattr(error, "errno", None) in NUMBERS
        or getattr(error, "sqlstate", None) == SQLSTATE
        or says_full_disk(str(error))
        or (cause is not None and is_full_disk(cause))
    )


def says_full_disk(text: str) -> bool:
    """Whether the text of an error says that a disk is full."""
    return any(words in text.lower() for words in WORDS)
