"""The example of an operation: the answer of the tests that shows most of its fields, shortened and without secrets."""

import json
import re
from collections.abc import Iterable
from typing import Any

MAX_ITEMS = 2
MAX_TEXT = 200
# Longer examples hide the shape of the answer.
MAX_LENGTH = 6_000
SECRET = re.compile(r"\b(service|session|root|invitation|reset|verify)_[A-Za-z0-9_-]{16,}")
LOOPBACK = re.compile(r"https?://(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?")
LOCAL_PATH = re.compile(r"(?:file://)?/(?:tmp|var|private|root|home|work)/[^\s\"']*?/([\w.-]+)(?=[\s\"']|$)")
HOST = "https://analytics.example.org"


def choose(answers: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """The example of each operation, by its id, from recorded answers."""
    best: dict[str, tuple[bool, int, str]] = {}
    for answer in answers:
        if answer["status"] != 200:
            continue
        is_picture = isinstance(answer["body"], str)
        body = json.dumps(answer["body"] if is_picture else shortened(answer["body"]), sort_keys=True)
        if len(body) > MAX_LENGTH or not body.isascii():
            continue
        # The body itself breaks a tie, so that the order of the tests does not matter.
        values = body.count("aria-label") if is_picture else shown_values(json.loads(body))
        shown = _has_items(answer["body"]), values, body
        best[answer["operation"]] = max(shown, best.get(answer["operation"], shown))
    return {operation: json.loads(body) for operation, (_, _, body) in sorted(best.items())}


def shortened(value: Any) -> Any:
    """The value with at most two items per list, short texts, and no secret, address or path of the test."""
    match value:
        case dict():
            return {name: shortened(one) for name, one in value.items()}
        case list():
            return [shortened(one) for one in value[:MAX_ITEMS]]
        case str():
            text = SECRET.sub(lambda found: f"{found[1]}_EXAMPLE", value)
            return LOCAL_PATH.sub(r"/srv/git/\1", LOOPBACK.sub(HOST, text))[:MAX_TEXT]
        case _:
            return value


def shown_values(value: Any) -> int:
    """The number of values that say something: not null, empty or zero."""
    if isinstance(value, dict):
        return sum(map(shown_values, value.values()))
    if isinstance(value, list):
        return sum(map(shown_values, value))
    return bool(value)


def _has_items(body: Any) -> bool:
    """Whether a page has an item, in its first list; other answers count as such."""
    lists = [one for one in body.values() if isinstance(one, list)] if isinstance(body, dict) else []
    return not lists or bool(lists[0])
