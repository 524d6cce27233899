"""Whether a connection fails or only waits, and since when figures lack what it brings.

Keep out: its words and badge (templates/running/health.html), the rule (control/connections/source_health.py).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from api.control.connections import source_health
from api.web.reading import Answer

MOST_CONNECTIONS = 100
"""Connections that a page asks about."""
WITHOUT_FACTS = "MODEL_ENDPOINT"
"""The category of connections that write texts and bring no facts."""


@dataclass(frozen=True, slots=True)
class Lacking:
    """What figures lack: `count` connections fail, and facts since `since`, an ISO time, can be missing. `named` has
    the connections; none for somebody who may not see connections.
    """

    count: int
    since: str | None
    named: tuple[dict[str, Any], ...] = ()


NOTHING_LACKS = Lacking(0, None)


def is_failing(row: Mapping[str, Any]) -> bool:
    """Whether a connection cannot be read at present, for another reason than the limit of its provider."""
    return source_health.is_failing(row["health"], row["failureReason"])


def missed(rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """The connections without which figures lack what happened since their last sync."""
    return [one for one in rows if is_failing(one) and one["category"] != WITHOUT_FACTS]


def lacking(connections: Answer, sources: Answer | None) -> Lacking:
    """What figures lack, by the answer about connections; by that about sources for somebody who may not see them."""
    if sources is not None and sources.is_there:
        return Lacking(sources.body["failingConnectionCount"], sources.body["missingSince"])
    named = missed(connections.rows("connections"))
    since = min((one["lastSyncedAt"] or one["createdAt"] for one in named), default=None)
    return Lacking(len(named), since, tuple(named))
