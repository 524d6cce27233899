"""Escaping of cells that a spreadsheet would run as a formula."""

from typing import Any

# Characters that a spreadsheet takes for the start of a formula, or strips before. The wide forms too:
# some East Asian settings read them as the narrow ones.
STARTERS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def is_formula(value: Any) -> bool:
    """Whether a spreadsheet might run this text. Numbers and dates are no text."""
    return isinstance(value, str) and value.lstrip(" \u00a0").startswith(STARTERS)


def inert(value: Any) -> Any:
    """The value, with an apostrophe before text that would run. Spreadsheets read the apostrophe as a mark of text."""
    return f"'{value}" if is_formula(value) else value
