"""The rows of one request: what every record shares, and what was left out of them with the reason.

Keep out: the meaning of single events (`events`), counters (`points`) and spans (`spans`).
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from ingest.telemetry.attributes import Attributes, WrongValue
from ingest.texts import shown

Row = dict[str, Any]
"""Values by column without the nulls; instants are microseconds since 1970."""
# No tool reported before. A clock that is not set says 1970.
OLDEST = datetime.fromisoformat("2020-01-01T00:00:00+00:00")
FUTURE = timedelta(days=1)
"""How far the clock of a machine may be ahead."""
TOOLS = {
    "claude-code": "claude_code",
    "claude-code-desktop": "claude_code",
    "codex_exec": "codex",
    "codex_tui": "codex",
    "codex_cli_rs": "codex",
    "gemini-cli": "gemini_cli",
    "github-copilot": "copilot",
    "copilot-chat": "copilot",
}
MAX_TOLD = 5


@dataclass
class Rows:
    """The rows of a request by table, and the number of records that cannot be used with the reasons."""

    received_at: datetime
    # Id of the ingest token: two people's counters may have the same attributes.
    sender: str = ""
    by_table: dict[str, list[Row]] = field(default_factory=dict)
    problems: Counter[str] = field(default_factory=Counter)

    @property
    def rejected(self) -> int:
        """Number of records that cannot be used."""
        return self.problems.total()

    @property
    def message(self) -> str:
        """The most frequent reasons, for the person who reads the exporter's log."""
        told = [f"{count} times: {problem}" for problem, count in self.problems.most_common(MAX_TOLD)]
        more = len(self.problems) - MAX_TOLD
        return "; ".join(told) + (f"; and {more} other reasons" if more > 0 else "")

    def add(self, table: str, row: Row) -> None:
        """Add a row, without its nulls."""
        self.by_table.setdefault(table, []).append({key: one for key, one in row.items() if one is not None})

    @contextmanager
    def record(self) -> Iterator[None]:
        """Count a record as rejected whose block raises WrongValue."""
        try:
            yield
        except WrongValue as error:
            self.problems[str(error)] += 1

    def instant(self, *nanoseconds: int) -> int:
        """The first of these times that is set, in microseconds since 1970. Raises WrongValue."""
        found = next((one for one in nanoseconds if one), 0) // 1000
        if not found:
            raise WrongValue("a record has no time")
        latest = (self.received_at + FUTURE).timestamp() * 1e6
        if not OLDEST.timestamp() * 1e6 <= found <= latest:
            raise WrongValue(
                f"a time is before {OLDEST.year} or more than a day ahead; set the clock of the machine"
            )
        return found


def about(found: Attributes, tool: str) -> Row:
    """The columns about tool and person, which every table has."""
    return {
        "tool": tool,
        "service_name": found.text("service.name"),
        "session_id": found.text("session.id", "conversation.id", "gen_ai.conversation.id"),
        "user_email": found.email(),
        "user_account": found.text("user.account_uuid", "user.account_id"),
        "user_id": found.text("user.id", "installation.id"),
    }


def tool_of(service: str | None, name: str = "") -> str:
    """The tool of a service name, else of the prefix of an event or metric, else the service itself."""
    prefix = name.partition(".")[0]
    if service in TOOLS:
        return TOOLS[service]
    if prefix in ("claude_code", "codex", "gemini_cli"):
        return prefix
    if prefix == "copilot_chat":
        return "copilot"
    return shown(service or "", 64) or "unknown"


def key_of(*parts: object) -> str:
    """A key of these values, which says nothing about them."""
    content = json.dumps(parts, default=bytes.hex, ensure_ascii=True)
    return hashlib.sha256(content.encode()).hexdigest()[:32]
