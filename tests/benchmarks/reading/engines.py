"""The compiled extraction compared with its oracle in Python: equal facts, also when disturbed, time and memory."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa

from ingest.git import native
from ingest.schemas import git as schemas
from tests.benchmarks.figures import Figure, not_measured, progress
from tests.benchmarks.measuring import GIGABYTE, Measured
from tests.benchmarks.raw_facts import RawFacts
from tests.benchmarks.reading import continued
from tests.benchmarks.reading.borrowed import Original
from tests.benchmarks.reading.extraction import Extracted, extract, facts_of, inner_wall

ENGINES = ("native", "python")


def figures(original: Original, extracted: Extracted) -> Iterator[Figure]:
    if native.engine().name != "native":
        yield not_measured("compiled extraction compared with Python", native.engine().reason)
        return
    folder = extracted.raw.parent
    runs: dict[str, Measured] = {}
    found: dict[str, RawFacts] = {}
    for engine in ENGINES:
        progress(f"extraction with the engine {engine}")
        raw = folder / engine
        runs[engine] = extract(extracted.git, raw, engine=engine)
        found[engine] = facts_of(raw, runs[engine])
    ours, oracles = (found[engine] for engine in ENGINES)
    tables = {name: (ours.table(name), oracles.table(name)) for name in schemas.TABLES}
    rows = sum(oracle.num_rows for _, oracle in tables.values())
    different = [name for name, (our, oracle) in tables.items() if not our.equals(oracle)]
    unequal = sum(unequal_rows(*tables[name]) for name in different)
    where = f": {', '.join(different)}" if different else ""
    yield Figure("rows that differ between the engines", unequal, at_most=0, note=f"of {rows:,}{where}")
    states = [_state(folder / engine) for engine in ENGINES]
    yield Figure("checkpoints that differ", int(states[0] != states[1]), at_most=0)
    compiled, python = (runs[engine] for engine in ENGINES)
    yield Figure("Python ÷ compiled, CPU time", python.cpu / compiled.cpu, "×", note=_note(compiled, python))
    yield Figure("peak memory, compiled ÷ Python", compiled.peak / python.peak, "×", at_most=1.05)
    yield from continued.figures(original, extracted, oracles)
    for engine in ENGINES:
        shutil.rmtree(folder / engine)


def unequal_rows(ours: pa.Table, oracle: pa.Table) -> int:
    """Rows that are not the same at the same place; a missing or surplus row counts too."""
    pairs = zip(ours.to_pylist(), oracle.to_pylist(), strict=False)
    changed = [our for our, other in pairs if our != other]
    return len(changed) + int(abs(ours.num_rows - oracle.num_rows))


def _state(raw: Path) -> bytes:
    """The state from which the next run goes on."""
    [file] = raw.rglob("*classifier*")
    return file.read_bytes()


def _note(compiled: Measured, python: Measured) -> str:
    return (
        f"{python.cpu:.1f} s and {compiled.cpu:.1f} s; wall {inner_wall(python):.1f} s and "
        f"{inner_wall(compiled):.1f} s; {compiled.peak / GIGABYTE:.2f} GB compiled"
    )
