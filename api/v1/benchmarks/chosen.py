"""The benchmark that a request names, with what decides the figures that it may show."""

from anyio.to_thread import run_sync
from fastapi import Request

from api.access.row_access import RowAccess
from api.control.benchmarks.benchmarks import every_benchmark
from api.read.benchmarks.groups import Reference, reference
from api.read.entities import DEVELOPERS, Entity
from api.services import services


async def chosen_benchmark(
    request: Request, access: RowAccess, wanted: str, of: Entity = DEVELOPERS
) -> Reference | None:
    """The benchmark of this id or built-in name (with all of `of`), None for an empty text. Raises NotFound."""
    if not wanted:
        return None
    saved = await run_sync(every_benchmark, services(request).store, access.organization_id)
    return reference(saved, wanted, of)


def varies_by(benchmark: Reference | None) -> str:
    """What distinguishes answers with differing benchmarks; empty without one."""
    return "" if benchmark is None else benchmark.key
