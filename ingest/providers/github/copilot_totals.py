"""Totals of Copilot over all people by day, which older servers of GitHub still report. They name nobody.

Read in GitHub's documentation: GitHub.com closed both reports, and reports by person came instead; the older one has
sums by language and editor, the later one also by model. A row counts only where no source tells of people.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ingest.connections.ai_tools.amounts import key_of
from ingest.connections.ai_tools.days import Days
from ingest.connections.ai_tools.records import Usage
from ingest.connections.model import Deferred
from ingest.connections.parsing import deferred
from ingest.connections.values import day, number
from ingest.errors import ProviderRefused, Refusal
from ingest.http.client import Client
from ingest.http.pages import Links, Query, pages
from ingest.json_paths import JsonPath, at

REPORT = "copilot/metrics"
PAGE = 100
CLOSED = frozenset({Refusal.NOT_FOUND, Refusal.FORBIDDEN, Refusal.GONE, Refusal.INVALID})
COMPLETIONS: JsonPath = ("copilot_ide_code_completions", "editors")
CHATS: JsonPath = ("copilot_ide_chat", "editors")
CHATS_OF_SITE: JsonPath = ("copilot_dotcom_chat", "models")


def read(client: Client, place: str, days: Days) -> Iterator[list[Deferred]]:
    """The totals of some days; none where the server has closed the report."""
    asked = {"since": days.start.isoformat(), "until": days.end.isoformat(), "per_page": PAGE}
    try:
        for page in pages(client, Query(f"{place}/{REPORT}", asked), Links()):
            yield [deferred(row, key, record) for row in page.rows]
    except ProviderRefused as refused:
        if refused.refusal not in CLOSED:
            raise


def key(row: Any) -> str:
    """The id of a row: its day. Raises ValueError without one."""
    used_on = day(row.get("date")) or day(row.get("day"))
    if used_on is None:
        raise ValueError("no day")
    return key_of("total", used_on)


def record(row: Any) -> Usage:
    """The totals of a day, in either form. Raises ValueError without a day."""
    used_on = day(row.get("date")) or day(row.get("day"))
    if used_on is None:
        raise ValueError("no day")
    return Usage(
        provider_id=key(row),
        tool="copilot",
        used_on=used_on,
        is_total=True,
        is_active=False,
        active_people=number(row.get("total_active_users")),
        requests=_first(number(row.get("total_chat_turns")), _chats(row)),
        lines_suggested=_summed(
            row, "total_lines_suggested", "total_code_lines_suggested", "lines_suggested"
        ),
        lines_accepted=_summed(row, "total_lines_accepted", "total_code_lines_accepted", "lines_accepted"),
        edits_accepted=_summed(row, "total_acceptances_count", "total_code_acceptances", "acceptances_count"),
        payload=row,
    )


def _summed(row: Any, whole: str, part: str, older: str) -> int | None:
    """A number of the whole day; else the sum over editors, models and languages, or over the older breakdown."""
    languages = [
        language
        for editor in _list(row, COMPLETIONS)
        for model in _list(editor, ("models",))
        for language in _list(model, ("languages",))
    ]
    parts = [at(one, (part,)) for one in languages] + [
        at(one, (older,)) for one in _list(row, ("breakdown",))
    ]
    return _first(number(row.get(whole)), _sum(parts))


def _chats(row: Any) -> int | None:
    of_editors = [model for editor in _list(row, CHATS) for model in _list(editor, ("models",))]
    return _sum([at(model, ("total_chats",)) for model in of_editors + _list(row, CHATS_OF_SITE)])


def _sum(values: list[Any]) -> int | None:
    told = [found for value in values if (found := number(value)) is not None]
    return sum(told) if told else None


def _first(*values: int | None) -> int | None:
    return next((one for one in values if one is not None), None)


def _list(body: Any, place: JsonPath) -> list[Any]:
    """The list at a place; empty where a feature was not used."""
    found = at(body, place)
    return found if isinstance(found, list) else []
