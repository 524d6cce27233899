"""`/organizations/{organization}/summaries`: texts about completed periods, and drafts of running ones."""

from dataclasses import replace
from functools import partial
from typing import Annotated, Any

from anyio.to_thread import run_sync
from fastapi import APIRouter, Body, Path, Request
from pydantic import Field
from starlette.responses import Response

from api.access.row_access import RowAccess
from api.callers.access import Access
from api.callers.dependencies import SummaryManager, SummaryReader
from api.control.connections.source_health import source_health
from api.control.operations import operations
from api.control.organizations import organizations
from api.control.summaries import regenerations, summaries
from api.control.summaries.kinds import Period, ScopeKind, SummaryRecord
from api.control.summaries.summaries import Selection
from api.errors import InvalidArgument
from api.http.parameters import NoQuery, PagedQuery, Queried
from api.http.responses import private
from api.presentation.summaries.notes import with_failing_sources
from api.query.parameters import ControlQuery, Day, Id, OneOf, Query, several
from api.query.periods import refuse_backwards
from api.query.records import shown
from api.read.summaries.drafts import Draft, draft
from api.read.summaries.shapes import Summary, SummaryDraft, SummaryRevision, SummaryText
from api.read.summaries.stored import stored_text
from api.read.summaries.texts import SeenText
from api.services import services
from api.shapes import Shape, page_of
from api.snapshot.build import Build
from api.v1.control_lists import answer_list
from api.v1.organizations.operations import Operation, sees_all, shown_operation
from api.v1.summaries.printing import ANSWERS, HEADERS, PRINTER, wanted_format

router = APIRouter(prefix="/organizations/{organization}/summaries", tags=["summaries"])

SummaryPath = Annotated[
    str, Path(alias="summary", min_length=1, max_length=64, description="Id of the summary.")
]
RevisionPath = Annotated[
    int, Path(alias="revision", ge=1, le=2**31 - 1, description="Number of the revision, from 1.")
]
ScopeKindName = Annotated[str, OneOf(*ScopeKind.__members__)]
PeriodLength = Annotated[str, OneOf(*Period.__members__)]
SummaryPage = page_of("SummaryPage", "A page of summaries.", summaries=Summary)
RevisionPage = page_of("SummaryRevisionPage", "A page of texts of a summary.", revisions=SummaryRevision)


class SummaryQuery(ControlQuery):
    """The requested summaries."""

    scope_kind: list[ScopeKindName] = Field(
        [], max_length=3, description="Kinds of scopes. Repeat the parameter for several. Default: all."
    )
    scope_id: list[Id] = several("Ids of teams, repositories or the organization.")
    period: list[PeriodLength] = Field(
        [], max_length=3, description="Lengths of the period. Repeat the parameter for several. Default: all."
    )
    start_date: Day | None = Field(None, description="Only periods that begin on this day or later.")
    end_date: Day | None = Field(None, description="Only periods that end on this day or earlier.")
    is_restated: bool | None = Field(
        None,
        description="true: only summaries whose facts a later build has otherwise; false: only the others.",
    )


class PreviewQuery(Query):
    """The running period of a scope."""

    scope_kind: ScopeKindName = Field("ORGANIZATION", description="Kind of the scope.")
    scope_id: Id | None = Field(
        None, description="Id of the team or repository; of the organization none is needed."
    )
    period: PeriodLength = Field("WEEK", description="Length of the period.")


class Regeneration(Shape):
    """What to write again."""

    repository_id: Id | None = Field(
        None, description="Id of the repository; null: everything of the organization.", examples=[None]
    )


@router.get("", summary="Summaries", response_model=SummaryPage)
async def list_summaries(reader: SummaryReader, query: Queried[SummaryQuery], request: Request) -> Response:
    """The stored summaries, newest period first. Sortable by startDate, endDate, scopeName, generatedAt.

    A build writes them for each completed week, month and quarter of the organization, its teams and its repositories,
    in the organization's time zone. A team lead sees those of the led teams.
    """
    refuse_backwards(query.start_date, query.end_date)
    selection = Selection(
        teams=reader.visibility.team_ids,
        scope_kinds=[ScopeKind[name] for name in query.scope_kind],
        scope_ids=query.scope_id,
        periods=[Period[name] for name in query.period],
        start_on=query.start_date,
        end_on=query.end_date,
        is_restated=query.is_restated,
    )
    return await answer_list(
        request,
        reader.organization_id,
        query,
        "summaries",
        partial(summaries.list_summaries, selection=selection),
        _listed,
        bound_to=RowAccess.of(reader.organization_id, reader.visibility).key,
    )


# The paths are the collection's with a verb, hence no slash before it.
@router.get(":preview", summary="Draft of a running period", response_model=SummaryDraft, responses=ANSWERS)
async def preview_summary(reader: SummaryReader, query: Queried[PreviewQuery], request: Request) -> Response:
    """The summary of the running week, month or quarter so far, labelled DRAFT. It is made on request, and neither
    stored nor mailed.
    """
    kind, period = ScopeKind[query.scope_kind], Period[query.period]
    if kind is not ScopeKind.ORGANIZATION and query.scope_id is None:
        raise InvalidArgument("scopeId", f"name the {kind.value} whose draft you want")
    access, app = RowAccess.of(reader.organization_id, reader.visibility), services(request)
    sources = await run_sync(source_health, app.store, reader.organization_id)

    def drafted(build: Build) -> tuple[Draft, SeenText]:
        found = draft(build, access, kind, query.scope_id, period)
        text = SeenText.of(found.document, found.facts, access.minimum_group_size)
        if sources.missing_since is None:
            return found, text
        since = f"{sources.missing_since:%d %b %Y}".lstrip("0")
        document = with_failing_sources(text.document, sources.failing_connection_count, since)
        return found, replace(text, document=document)

    chosen = wanted_format(request)
    if chosen is not None:
        _, text = await app.reads.value(access, drafted)
        return await PRINTER.printed(text.document, chosen)
    context = await run_sync(organizations.context_version, app.store, reader.organization_id)

    def read(build: Build) -> dict[str, Any]:
        found, text = drafted(build)
        return shown(SummaryDraft, found, context_version=context, **text.answer())

    answer = await app.reads.answer(
        request, access, read, varies=f"context {context}, {sources}", needs_build=True
    )
    answer.headers["Vary"] = HEADERS["Vary"]
    return answer


@router.post(":regenerate", summary="Write summaries again", response_model=Operation)
async def regenerate_summaries(
    manager: SummaryManager,
    body: Annotated[Regeneration, Body(default_factory=Regeneration)],
    _: NoQuery,
    request: Request,
) -> Response:
    """Write new texts from the newest facts: of the newest completed week, month and quarter, and of all periods whose
    facts were restated. Earlier texts stay readable as revisions. The answer is an operation; the texts are there when
    it is DONE.
    """
    store, organization = services(request).store, manager.organization_id
    made = await run_sync(
        regenerations.regenerate, store, manager.principal, organization, body.repository_id
    )
    begun = await run_sync(operations.operation, store, organization, made)
    return private(shown_operation(begun, in_full=sees_all(manager)))


@router.get("/{summary}", summary="One summary", response_model=SummaryText, responses=ANSWERS)
async def get_summary(reader: SummaryReader, summary: SummaryPath, _: NoQuery, request: Request) -> Response:
    """The newest text of a summary with its facts."""
    return await _answer_text(reader, summary, None, request)


@router.get("/{summary}/revisions", summary="Texts of a summary", response_model=RevisionPage)
async def list_summary_revisions(
    reader: SummaryReader, summary: SummaryPath, query: PagedQuery, request: Request
) -> Response:
    """Every text of a summary, newest first. Sortable by number."""
    store = services(request).store
    found = await run_sync(
        summaries.summary, store, reader.organization_id, summary, reader.visibility.team_ids
    )
    return await answer_list(
        request,
        reader.organization_id,
        query,
        "revisions",
        partial(summaries.list_revisions, summary_id=found.id),
        SummaryRevision,
        bound_to=found.id,
    )


@router.get(
    "/{summary}/revisions/{revision}",
    summary="One text of a summary",
    response_model=SummaryText,
    responses=ANSWERS,
)
async def get_summary_revision(
    reader: SummaryReader, summary: SummaryPath, revision: RevisionPath, _: NoQuery, request: Request
) -> Response:
    """An earlier text of a summary with its facts, as it was written."""
    return await _answer_text(reader, summary, revision, request)


async def _answer_text(reader: Access, wanted: str, number: int | None, request: Request) -> Response:
    text = await run_sync(
        stored_text, services(request).store, reader.organization_id, reader.visibility, wanted, number
    )
    body = shown(
        SummaryText,
        text.summary,
        revision=shown(SummaryRevision, text.content.revision),
        restated_facts=text.seen.restated,
        **text.seen.answer(),
    )
    return await PRINTER.answer(request, body, text.document)


def _listed(record: SummaryRecord) -> dict[str, Any]:
    return shown(Summary, record, revision=shown(SummaryRevision, record.newest))
