"""Whether a connection fails or only waits, and whether figures lack what it brings.

Keep out: its words and badge (templates/running/health.html).
"""

from collections.abc import Mapping

LIMIT = "RATE_LIMITED"
"""The reason of a provider that only asks to wait. Any other one keeps a connection from being read."""
WITHOUT_FACTS = "MODEL_ENDPOINT"
"""The category of connections that write texts and bring no facts."""


def is_failing(row: Mapping[str, object]) -> bool:
    """Whether a connection cannot be read at present, for another reason than the limit of its provider."""
    return row["health"] == "FAILING" or (row["health"] == "LIMITED" and row["failureReason"] != LIMIT)


def is_missed(row: Mapping[str, object]) -> bool:
    """Whether figures lack what happened since the last sync of a connection."""
    return is_failing(row) and row["category"] != WITHOUT_FACTS
