"""Reads each repository with both engines and compares the lakes, so that what a test finds in one holds for both.

The lakes have to be equal byte for byte: rows, checkpoints and state. Each engine therefore continues the other's runs
as it continues its own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ingest.errors import SourceBusy
from ingest.git import native
from ingest.git.extract import ExtractionReport, Progress
from tests.ingest.git.extraction import Extraction, differences

ENGINES = ("native", "python") if native.is_built() else ("python",)

run_with_one = Extraction.run
"""One reading with the engine that users have."""


@contextmanager
def reading_with(engine: str) -> Iterator[None]:
    """Whatever is read meanwhile is read by this engine."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv(native.ENGINE, engine)
        yield


def run_with_both(
    extraction: Extraction, workers: int = 1, on_progress: Callable[[Progress], None] | None = None
) -> ExtractionReport:
    """`Extraction.run` with the compiled engine, and the same with Python's into a second lake beside the first.

    Raises AssertionError where the lakes, the reports or the errors of the engines differ.
    """
    outcomes: list[ExtractionReport | Exception] = []
    lakes: list[Extraction] = []
    for engine in ENGINES:
        is_first = not lakes
        lake = extraction if is_first else _beside(extraction, engine)
        lakes.append(lake)
        with reading_with(engine):
            try:
                outcomes.append(run_with_one(lake, workers, on_progress if is_first else None))
            except SourceBusy:
                raise  # the test holds the first lake; no engine has read anything
            except Exception as error:  # noqa: BLE001 - compared below, and raised again
                outcomes.append(error)
    said = [_plain(outcome) for outcome in outcomes]
    assert len(set(said)) == 1, f"the engines end differently, {_beside_each_other(said)}"
    _assert_equal(lakes)
    if isinstance(outcomes[0], Exception):
        raise outcomes[0]
    return outcomes[0]


def _beside(extraction: Extraction, engine: str) -> Extraction:
    return replace(extraction, raw=extraction.raw.with_name(f"{extraction.raw.name} by {engine}"))


def _plain(outcome: ExtractionReport | Exception) -> str:
    if isinstance(outcome, Exception):
        return repr(outcome)
    return repr(replace(outcome, seconds=dict.fromkeys(outcome.seconds, 0.0)))


def _assert_equal(lakes: list[Extraction]) -> None:
    contents = [_files(lake.raw) for lake in lakes]
    if all(content == contents[0] for content in contents):
        return
    names = {name for name in set().union(*contents) if len({content.get(name) for content in contents}) > 1}
    rows = [{name: Counter(map(repr, found)) for name, found in lake.all_rows().items()} for lake in lakes]
    found = differences(*rows)
    told = {table: _beside_each_other(sides) for table, sides in found.items()}
    raise AssertionError(f"the engines write different lakes: {sorted(names)}. Rows of one alone: {told}")


def _files(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }


def _beside_each_other(findings: Any) -> str:
    return "; ".join(f"{engine}: {found}" for engine, found in zip(ENGINES, findings, strict=True))
