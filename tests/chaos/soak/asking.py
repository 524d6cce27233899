"""Readers of the API all day: each list is of one build, and the same ETag is the same answer.

503 with a reason is allowed, and so is no answer while the API is killed. Keep out: what people decide (`decisions`).
"""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx

from tests.chaos.soak.deployment import Deployment

READERS, PAUSE = 2, 1.0
PAGES = {"developers": "developers", "repositories": "repositories", "commits": "commits"}
"""By path the field of the rows of a list that is read page by page."""
PAGE_SIZE = 7


@dataclass
class Asked:
    """What readers got on a day."""

    answers: int = 0
    lists: int = 0
    refused: int = 0
    problems: set[str] = field(default_factory=set)


@contextmanager
def readers(deployment: Deployment, days: dict[str, str]) -> Iterator[Asked]:
    """Read lists of these days without pause during the block. It is a problem if no list could be read at all."""
    asked, is_over = Asked(), threading.Event()
    threads = [
        threading.Thread(target=_read, args=(deployment, days, asked, is_over)) for _ in range(READERS)
    ]
    for thread in threads:
        thread.start()
    try:
        yield asked
    finally:
        is_over.set()
        for thread in threads:
            thread.join()
        if not asked.lists:
            asked.problems.add(f"no list was read; {asked.refused} answers were refused")


def _read(deployment: Deployment, days: dict[str, str], asked: Asked, is_over: threading.Event) -> None:
    known: dict[str, str] = {}
    while not is_over.is_set():
        for path, rows in PAGES.items():
            server = deployment.served
            try:
                with deployment.client() as client:
                    _read_list(client, path, rows, days, asked, known)
            except httpx.HTTPError as error:
                if server.process.is_alive() and deployment.served is server:
                    asked.problems.add(f"{path}: {error!r}")
                asked.refused += 1
            except (LookupError, ValueError, TypeError, AttributeError) as error:
                # An answer of another form. The reader goes on.
                asked.problems.add(f"{path}: {error!r}")
            time.sleep(PAUSE)


def _read_list(
    client: httpx.Client,
    path: str,
    rows: str,
    days: dict[str, str],
    asked: Asked,
    known: dict[str, str],
) -> None:
    """Read all pages. They are of the build of the first one, as many rows as it says, and as they were before.

    `known` has the content of each ETag.
    """
    parameters: dict[str, Any] = days | {"pageSize": PAGE_SIZE}
    pages: list[dict[str, Any]] = []
    builds: set[str] = set()
    while True:
        answer = client.get(path, params=parameters)
        asked.answers += 1
        if answer.status_code == 503:
            asked.refused += 1
            return
        if answer.status_code != 200:
            asked.problems.add(f"{path}: {answer.status_code} {answer.text[:300]}")
            return
        builds.add(answer.headers["X-Warehouse-Build"])
        content = hashlib.sha256(answer.content).hexdigest()
        if known.setdefault(f"{path} {answer.headers['ETag']}", content) != content:
            asked.problems.add(f"{path}: two answers with one ETag")
        pages.append(answer.json())
        if not (token := pages[-1].get("nextPageToken") or ""):
            break
        parameters["pageToken"] = token
    asked.lists += 1
    found = [row["id"] for page in pages for row in page[rows]]
    sizes = {page["totalSize"] for page in pages}
    if sizes != {len(found)} or len(set(found)) != len(found):
        asked.problems.add(f"{path}: {len(found)} rows, {len(set(found))} of them apart, of {sorted(sizes)}")
    if len(builds) > 1:
        asked.problems.add(f"{path}: pages of the builds {sorted(builds)}")
