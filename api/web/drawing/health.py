"""Whether a connection fails or only waits, and whether figures lack what it brings.

Keep out: its words and badge (templates/running/health.html).
"""

from collections.abc import Iterable, Mapping
from typing import Any

LIMIT = "RATE_LIMITED"
"""The reason of a provider that only asks to wait. Any other one keeps a connection from being read."""
MOST_CONNECTIONS = 100
"""Connections that a page asks about."""
WITHOUT_FACTS = "MODEL_ENDPOINT"
"""The category of connections that write texts and bring no facts."""


def is_failing(row: Mapping[str, object]) -> bool:
    """Whether a connection cannot be read at present, for another reason than the limit of its provider."""
    return row["health"] == "FAILING" or (row["health"] == "LIMITED" and row["failureReason"] != LIMIT)


def missed(rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """The connections without which figures lack what happened since their last sync."""
    return [one for one in rows if is_failing(one) and one["category"] != WITHOUT_FACTS]
