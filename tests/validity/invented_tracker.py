"""A tracker for the sets of issue links, which have none."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import pyarrow as pa

from ingest.schemas.trackers import ITEMS
from orchestration.deployment import LOCAL_ORGANIZATION
from tests.validity.labelled_sets import Row

# Number of a repository's issues beside those that the set names.
_NUMBERS = 1000
CONNECTION = "00000000-0000-7000-8000-000000000001"


def tracker(ids: Mapping[str, str], links: Sequence[Row]) -> pa.Table:
    """The issues that the set names, further numbers of both repositories, and a project with keys."""
    named = {row["issue_ref"] for row in links}
    numbers = {one for one in named if one.isdigit()} | {str(n) for n in range(1, _NUMBERS + 1)}
    rows = [
        _item(f"{name}#{n}", repository_id=repository, number=int(n))
        for name, repository in ids.items()
        for n in sorted(numbers)
    ]
    rows += [_item(url, url=url) for url in sorted({compared(one) for one in named if "://" in one})]
    rows += [_item(one, key=one) for one in sorted(named) if "/" in one and "://" not in one]
    rows += [_item(f"ABC-{n}", key=f"ABC-{n}") for n in range(1, _NUMBERS + 1)]
    return pa.Table.from_pylist(rows, schema=ITEMS)


def _item(provider_id: str, **given: Any) -> dict[str, Any]:
    instant = datetime(2020, 1, 1, tzinfo=UTC)
    shared = {
        "organization_id": LOCAL_ORGANIZATION, "connection_id": CONNECTION, "batch": 1, "provider_id": provider_id,
        "kind": "issue", "previous_keys": [], "title": provider_id, "status_category": "todo", "parent_ids": [],
        "created_at": instant, "updated_at": instant, "labels": [], "pull_requests": [], "history": [],
        "payload": "{}", "connector_version": "1",
    }  # fmt: skip
    return dict.fromkeys(ITEMS.names) | shared | given


def compared(target: str) -> str:
    """A URL without scheme, fragment and final punctuation, in lower case."""
    return target.lower().partition("#")[0].removeprefix("http://").removeprefix("https://").rstrip("/.,)>")
