"""Windsurf's analytics: completions, chats and commands of people by day, and the code of all people by day.

Read in Windsurf's documentation: a query names a source, sums, filters and groups; an answer has a result for each
query; people are named by a key, which no row keeps; the share of written code names neither a person nor a day, so
that each day is a query of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date
from functools import partial
from hashlib import sha256
from typing import Any

from ingest.connections.ai_tools.amounts import key_of, sum_of
from ingest.connections.ai_tools.days import Days
from ingest.connections.ai_tools.records import Usage
from ingest.connections.model import Deferred
from ingest.connections.parsing import deferred
from ingest.connections.values import day, number, text
from ingest.errors import Transient
from ingest.json_paths import at

SECRETS = frozenset({"apiKey", "api_key"})
"""Fields that name a person by a key of theirs."""
ACCEPTED, LINES = ("sum_num_acceptances", "num_acceptances"), ("sum_num_lines_accepted", "num_lines_accepted")
CHATS, CHAT_LINES = ("sum_num_chats_received", "num_chats_received"), ("sum_chat_loc_used", "chat_loc_used")
ADDED, REMOVED = ("sum_lines_added", "lines_added"), ("sum_lines_removed", "lines_removed")
"""Names of sums: the aggregation comes before the field unless a query names it otherwise."""
GROUPS = ("language", "model_id", "ide", "latest_intent_type", "provider_source", "version")
OF_CODE = (
    "percent_code_written",
    "codeium_bytes",
    "user_bytes",
    "total_bytes",
    "codeium_bytes_by_autocomplete",
    "codeium_bytes_by_command",
)
Ask = Callable[[dict[str, Any]], list[Any]]
"""The results of queries."""


def suggestions(ask: Ask, addresses: Mapping[str, str], days: Days) -> Iterator[list[Deferred]]:
    """Completions, chats and commands of some days. `addresses` are those of people by their keys."""
    asked = [
        _query("USER_DATA", ("num_acceptances", "num_lines_accepted"), ("language", "ide"), days),
        _query("CHAT_DATA", ("num_chats_received", "chat_loc_used"), ("model_id", "ide"), days),
        _query("COMMAND_DATA", ("lines_added", "lines_removed"), ("language", "ide"), days),
    ]
    for result in ask({"query_requests": asked}):
        yield [deferred(item, suggestion_key, partial(suggestion, addresses)) for item in _items(result)]


def written(ask: Ask, days: Days) -> Iterator[list[Deferred]]:
    """The code of all people on each of some days. Raises Transient for an answer without all of them."""
    asked = [
        {
            "data_source": "QUERY_DATA_SOURCE_PCW_DATA",
            "selections": [{"field": name} for name in OF_CODE],
            "filters": _between(on, on),
        }
        for on in days.names
    ]
    results = ask({"query_requests": asked})
    if len(results) != len(asked):
        raise Transient(
            f"Windsurf answers {len(asked)} queries with {len(results)} results: try again later."
        )
    for on, result in zip(days.names, results, strict=True):
        of_day = date.fromisoformat(on)
        yield [deferred(item, partial(code_key, of_day), partial(code, of_day)) for item in _items(result)]


def _query(source: str, sums: Sequence[str], groups: Sequence[str], days: Days) -> dict[str, Any]:
    """Sums by key of a person, day and groups."""
    return {
        "data_source": f"QUERY_DATA_SOURCE_{source}",
        "selections": [{"field": one, "aggregation_function": "QUERY_AGGREGATION_SUM"} for one in sums],
        "filters": _between(days.first.isoformat(), days.last.isoformat()),
        "aggregations": [{"field": one, "name": one} for one in ("api_key", "date", *groups)],
    }


def _between(first: str, last: str) -> list[dict[str, str]]:
    return [
        {"name": "date", "filter": f"QUERY_FILTER_{how}", "value": value}
        for how, value in (("GE", first), ("LE", last))
    ]


def _items(result: Any) -> Iterator[Any]:
    found = at(result, ("responseItems",))
    yield from (at(one, ("item",)) for one in (found if isinstance(found, list) else []))


def suggestion_key(row: Any) -> str:
    """The id of a row: its kind, day, person and groups. Raises LookupError without person or day."""
    # The key of a person would be a secret in the lake.
    person = row.get("email") or sha256(str(row["api_key"]).encode()).hexdigest()[:16]
    names = row.keys()
    kind = (
        "chat" if names & {*CHATS, *CHAT_LINES} else "command" if names & {*ADDED, *REMOVED} else "completion"
    )
    return key_of(kind, _day(row["date"]), person, *(row.get(name) for name in GROUPS[:4]))


def suggestion(addresses: Mapping[str, str], row: Any) -> Usage:
    """Completions, a chat or commands. Raises LookupError and ValueError without person or day."""
    key = suggestion_key(row)
    return Usage(
        provider_id=key,
        tool="windsurf",
        used_on=_day(row["date"]),
        actor_email=text(row.get("email")) or addresses.get(str(row.get("api_key"))),
        product=text(row.get("ide")),
        model=text(row.get("model_id")),
        requests=_told(row, CHATS),
        lines_accepted=_told(row, (*LINES, *CHAT_LINES, *ADDED)),
        lines_removed=_told(row, REMOVED),
        edits_accepted=_told(row, ACCEPTED),
        payload=harmless(row),
    )


def code_key(on: date, row: Any) -> str:
    """The id of the code of a day, and of its groups if any."""
    return key_of("code", on, *(row[name] for name in GROUPS if row.get(name) is not None))


def code(on: date, row: Any) -> Usage:
    """The code of all people on a day. Raises AttributeError for what is no row."""
    by_tool = number(row.get("codeium_bytes"))
    whole = number(row.get("total_bytes"))
    return Usage(
        provider_id=code_key(on, row),
        tool="windsurf",
        used_on=on,
        is_total=True,
        is_active=False,
        product=text(row.get("ide")),
        ai_bytes=sum_of(row, *OF_CODE[4:]) if by_tool is None else by_tool,
        code_bytes=sum_of(row, "codeium_bytes", "user_bytes") if whole is None else whole,
        payload=harmless(row),
    )


def _told(row: Any, names: Sequence[str]) -> int | None:
    return next((found for name in names if (found := number(row.get(name))) is not None), None)


def _day(value: Any) -> date:
    found = day(value)
    if found is None:
        raise ValueError("no day")
    return found


def harmless(row: Any) -> dict[str, Any]:
    """A row without the key of a person."""
    return {name: value for name, value in row.items() if name not in SECRETS}
