"""`/organizations/{organization}/benchmarks`: saved groups. Lists and time series answer their figures."""

from datetime import datetime
from functools import partial
from typing import Annotated, Any, Literal

from anyio.to_thread import run_sync
from fastapi import APIRouter, Request
from pydantic import Field
from starlette.responses import Response

from api.access.row_access import RowAccess
from api.callers.access import Access
from api.callers.dependencies import BenchmarkManager, BenchmarkReader
from api.control.benchmarks import benchmarks
from api.control.benchmarks.benchmarks import (
    MAX_MEMBERS,
    MAX_NAME_LENGTH,
    MAX_PERCENTILE,
    MIN_PERCENTILE,
    Aggregation,
    BenchmarkRecord,
    MemberKind,
)
from api.control.changes import UNCHANGED
from api.errors import InvalidArgument, NotFound
from api.http.parameters import Mask, NoQuery, PagedQuery, Queried
from api.http.values import Whole
from api.query.parameters import Id, OneOf
from api.query.records import shown
from api.read.benchmarks.groups import ENTITIES
from api.read.ids import visible_ids
from api.services import services
from api.shapes import Empty, Shape, page_of
from api.v1.answers import answer_change, answer_record
from api.v1.control_lists import answer_list
from api.v1.paths import BenchmarkPath

router = APIRouter(prefix="/organizations/{organization}/benchmarks", tags=["benchmarks"])

Name = Annotated[str, Field(max_length=MAX_NAME_LENGTH, examples=["Backend engineers"])]
Members = Annotated[
    list[Id],
    Field(
        max_length=MAX_MEMBERS,
        description=f"Ids of 2 to {MAX_MEMBERS} developers or repositories of the newest build. A former id of a "
        "developer gives the current one.",
    ),
]
AggregationName = Annotated[
    str,
    OneOf(*Aggregation.__members__),
    Field(description="AVERAGE, MEDIAN, or PERCENTILE with `percentile`.", examples=["MEDIAN"]),
]
Percentile = Annotated[
    Whole | None,
    Field(
        ge=MIN_PERCENTILE,
        le=MAX_PERCENTILE,
        description="Only with PERCENTILE; 50 is the median.",
        examples=[None],
    ),
]


class Benchmark(Shape):
    """A saved group, and how the figures of its members become one."""

    id: str
    name: str = Field(examples=["Backend engineers"])
    member_kind: Literal["DEVELOPER", "REPOSITORY"]
    member_count: int = Field(description="The number of saved members.")
    member_ids: list[str] | None = Field(description="Ids of the members; null for a team lead.")
    aggregation: Literal["AVERAGE", "MEDIAN", "PERCENTILE"]
    percentile: int | None = Field(description="1 to 99; null for other aggregations.")
    created_by: str = Field(examples=["ada@example.org"])
    created_at: datetime


BenchmarkPage = page_of("BenchmarkPage", "A page of saved groups.", benchmarks=Benchmark)


class NewBenchmark(Shape):
    """A new group."""

    name: Name
    member_kind: Annotated[str, OneOf(*MemberKind.__members__), Field(examples=["DEVELOPER"])]
    member_ids: Members
    aggregation: AggregationName = "AVERAGE"
    percentile: Percentile = None


class BenchmarkChange(Shape):
    """Changes to a group."""

    name: Name | None = None
    member_ids: Members | None = None
    aggregation: AggregationName | None = None
    percentile: Percentile = None


@router.get("", summary="Benchmarks", response_model=BenchmarkPage)
async def list_benchmarks(reader: BenchmarkReader, query: PagedQuery, request: Request) -> Response:
    """The saved groups by name. Sortable by name, createdAt. ORGANIZATION_AVERAGE and ZERO_DAY_INDEX exist without
    being saved.

    A list or time series with `benchmark=…` has the benchmark beside its rows. Callers who see every developer see it
    whole. A team lead sees figures of developers outside of the led teams only over complete months, of at least five
    such people; where the organization has a minimum group size, everybody sees only figures of at least so many.
    They see no percentile with fewer people on one of its sides, and nothing of a group that differs by fewer people
    from everybody, a team or a group that was saved before it.
    """
    return await answer_list(
        request,
        reader.organization_id,
        query,
        "benchmarks",
        benchmarks.list_benchmarks,
        partial(_shown, reader),
        bound_to=RowAccess.of(reader.organization_id, reader.visibility).key,
    )


@router.post("", summary="Save a benchmark", response_model=Benchmark)
async def create_benchmark(
    manager: BenchmarkManager, body: NewBenchmark, _: NoQuery, request: Request
) -> Response:
    """Save a group of developers or repositories, and how their figures become one. An organization has at most
    100 groups. ALREADY_EXISTS names the group that has the name.
    """
    kind = MemberKind[body.member_kind]
    return await answer_change(
        request,
        manager,
        partial(_shown, manager),
        benchmarks.create_benchmark,
        body.name,
        kind,
        await _known(request, manager, kind, body.member_ids),
        Aggregation[body.aggregation],
        body.percentile,
    )


@router.get("/{benchmark}", summary="One benchmark", response_model=Benchmark)
async def get_benchmark(
    reader: BenchmarkReader, benchmark: BenchmarkPath, _: NoQuery, request: Request
) -> Response:
    """A saved group."""
    return await answer_record(request, reader, partial(_shown, reader), benchmarks.benchmark, benchmark)


@router.patch("/{benchmark}", summary="Change a benchmark", response_model=Benchmark)
async def update_benchmark(
    manager: BenchmarkManager,
    benchmark: BenchmarkPath,
    body: BenchmarkChange,
    query: Queried[Mask[BenchmarkChange]],
    request: Request,
) -> Response:
    """Rename a group, change its members or how their figures become one. `memberKind` cannot be changed."""
    chosen = query.chosen(body)
    members: Any = UNCHANGED
    if "member_ids" in chosen:
        find = partial(benchmarks.benchmark, services(request).store)
        saved = await run_sync(find, manager.organization_id, benchmark)
        members = await _known(request, manager, saved.member_kind, body.member_ids or [])
    return await answer_change(
        request,
        manager,
        partial(_shown, manager),
        benchmarks.change_benchmark,
        benchmark,
        name=body.name or "" if "name" in chosen else UNCHANGED,
        member_ids=members,
        aggregation=Aggregation[body.aggregation or "AVERAGE"] if "aggregation" in chosen else UNCHANGED,
        percentile=body.percentile if "percentile" in chosen else UNCHANGED,
    )


@router.delete("/{benchmark}", summary="Delete a benchmark", response_model=Empty)
async def delete_benchmark(
    manager: BenchmarkManager, benchmark: BenchmarkPath, _: NoQuery, request: Request
) -> Response:
    """Delete a saved group. Lists and series can no longer name it."""
    return await answer_change(request, manager, Empty, benchmarks.delete_benchmark, benchmark)


def _shown(reader: Access, record: BenchmarkRecord) -> dict[str, Any]:
    # A lead would learn which developers outside of the led teams exist.
    members = None if reader.visibility.teams is not None else list(record.member_ids)
    return shown(Benchmark, record, member_count=len(record.member_ids), member_ids=members)


async def _known(request: Request, manager: Access, kind: MemberKind, wanted: list[str]) -> list[str]:
    """The current ids of these members. Raises InvalidArgument for one that the newest build does not have."""
    whole = RowAccess(manager.organization_id)
    try:
        known = await services(request).reads.value(
            whole, lambda build: visible_ids(build, whole, ENTITIES[kind], wanted)
        )
    except NotFound as unknown:
        raise InvalidArgument("memberIds", unknown.message) from None
    return list(known)
