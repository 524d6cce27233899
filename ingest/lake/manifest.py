"""Compares the committed files of a source with its manifest.

Add: a kind of damage that a build must not read. Keep out: repairs (connectors extract again), writing (`source`).
Contents are compared as a whole: Parquet has no checksum that DuckDB checks, and a flipped byte can decode. Hashing
reads a gigabyte in a second, beside minutes of a build.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from ingest.lake.files import LakeFiles
from ingest.lake.state import SIDE_FOLDER, SourceState
from ingest.schemas import TABLES


@dataclass(frozen=True)
class Damage:
    """A committed file that is not as it was written. Builds read facts and no other files (`is_fact`)."""

    file: str
    problem: str
    is_fact: bool = True

    def __str__(self) -> str:
        return f"{self.file} {self.problem}"


@cache
def schema_version(noun: str) -> str:
    """Fingerprint of the columns of all tables of a noun."""
    columns = [
        (name, [(f.name, str(f.type)) for f in schema]) for (n, name), schema in TABLES.items() if n == noun
    ]
    return hashlib.sha256(repr(sorted(columns)).encode()).hexdigest()[:12]


def damages(
    lake: LakeFiles, state: SourceState, location: Callable[[str], str], *, thorough: bool
) -> Iterator[Damage]:
    """Committed files that are missing or changed; without `thorough` only sizes are compared.

    `location` gives the path of a file by its name in the manifest.
    """
    for name in state.names():
        path, expected = location(name), state.files.get(name)
        problem = _problem(lake, path, expected, thorough=thorough)
        if problem is None and expected is None and state.files:
            problem = "is missing in the manifest"
        if problem is not None:
            yield Damage(path, problem, not name.startswith(f"{SIDE_FOLDER}/"))
    if not state.files:
        yield from _wrong_totals(lake, state, location)


def count_rows(lake: LakeFiles, path: str) -> int:
    """The rows of a Parquet file by its footer. Raises OSError or pa.ArrowInvalid for an unreadable one."""
    with lake.fs.open(path, "rb") as handle:
        return int(pq.read_metadata(handle).num_rows)


def _problem(lake: LakeFiles, path: str, expected: dict[str, Any] | None, *, thorough: bool) -> str | None:
    try:
        size = lake.size(path)
        if expected is None:
            return None
        if size != expected["bytes"]:
            return f"has {size:,} bytes instead of {expected['bytes']:,}"
        if thorough and lake.checksum(path)[1] != expected["sha256"]:
            return "has another content than was written"
    except FileNotFoundError:
        return "is missing"
    except OSError as error:
        lake.refuse_unreachable(error)
        return f"cannot be read ({type(error).__name__}: {error})"
    return None


def _wrong_totals(lake: LakeFiles, state: SourceState, location: Callable[[str], str]) -> Iterator[Damage]:
    """Tables of an earlier release's state, which knows only their rows, that hold another number of them."""
    for table, names in state.tables.items():
        paths = [location(f"{table}/{name}") for name in names]
        try:
            found = sum(count_rows(lake, path) for path in paths)
        except FileNotFoundError:
            continue  # reported as missing
        except (OSError, pa.ArrowInvalid) as error:
            yield Damage(", ".join(paths), f"cannot be read ({type(error).__name__}: {error})")
            continue
        if found != state.rows.get(table, 0):
            yield Damage(", ".join(paths), f"has {found:,} rows instead of {state.rows.get(table, 0):,}")
