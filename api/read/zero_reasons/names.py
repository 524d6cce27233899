"""The reasons why work has no ETV. `…/zeroReasons` explains each; the seed zero_reason_texts has the same names."""

from typing import Literal

ZeroReasonName = Literal[
    "EXCLUDED_BY_HAND",
    "EXCLUDED",
    "BEFORE_START",
    "WAITING",
    "UPSTREAM",
    "BOT",
    "IMPORT",
    "IMPORT_WAITING",
    "REPOSITORY_COPY",
    "LOCK",
    "EXPORT",
    "LICENCE",
    "SUBMODULE",
    "BINARY",
    "GENERATED",
    "VENDORED",
    "FOREIGN",
    "MINIFIED",
    "DUPLICATE",
    "MERGE",
    "NO_NEW_LINES",
    "NOT_IN_DELIVERY",
    "NO_COUNTED_LINES",
    "NOT_DELIVERED",
]
