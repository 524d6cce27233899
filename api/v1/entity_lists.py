"""Pages of lists with figures: repositories, developers and teams for a range of days."""

from collections.abc import Mapping, Sequence
from typing import Any

from fastapi import Request
from starlette.responses import Response

from api.access.group_privacy.groups import shown_range
from api.access.row_access import RowAccess
from api.http.responses import Continuation, Reads
from api.query.columns import Column
from api.query.filtering import parse_filter
from api.query.ordering import parse_order
from api.query.pages import Position
from api.query.parameters import FigureQuery
from api.read.entities import Entity
from api.read.figures.entities import EntityQuery, entity_page, most_value_first, shown_columns
from api.read.organizations import local_date
from api.snapshot.build import Build


async def answer_entities(
    request: Request,
    reads: Reads,
    viewer: RowAccess,
    query: FigureQuery,
    entity: Entity,
    columns: Mapping[str, Column],
    searched: Sequence[str],
) -> Response:
    """The requested page of the entities, with totals where their rows do not contain each other."""
    shown = shown_columns(viewer, entity, columns)
    terms = parse_order(query.order_by, shown, most_value_first(columns), columns["id"])
    condition = parse_filter(query.filter, shown)
    digest = query.digest(entity.table, viewer.key)

    def read(build: Build, position: Position | None) -> dict[str, Any]:
        days = shown_range(viewer, query.start_date, query.end_date, local_date(build, viewer))
        asked = EntityQuery(days, query.search, condition, terms, query.limit)
        found, totals = entity_page(build, viewer, entity, shown, searched, asked, position)
        return {
            entity.table: found.rows,
            **({} if entity.outside_totals is None else {"totals": totals}),
            "startDate": days.first,
            "endDate": days.last,
            "nextPageToken": reads.tokens.next(digest, build.id, found.next_values),
            "totalSize": found.total,
        }

    return await reads.answer(request, viewer, read, Continuation(query.page_token, digest))
