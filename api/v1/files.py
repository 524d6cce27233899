"""Lists as files: CSV, XLSX or Parquet with all selected rows."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from fastapi import Request
from starlette.responses import Response

from api.access.row_access import RowAccess
from api.errors import InvalidArgument
from api.exports.tables import MEDIA_TYPES, write
from api.query.columns import Column
from api.query.pages import Page, Position
from api.query.parameters import FileQuery, Format
from api.services import services
from api.snapshot.build import Build
from api.v1.answers import answer_page

Batches = Iterator[Sequence[Sequence[Any]]]


class FormattedQuery(Protocol):
    """A query of a list that may be a file."""

    @property
    def format(self) -> str:
        """A name of `Format`."""

    @property
    def page_token(self) -> str:
        """The token of a page; empty for the first."""


def file_responses(what: str) -> dict[int | str, dict[str, Any]]:
    """What the description of an operation says of its files; `what` begins a sentence."""
    return {
        200: {
            "description": f"{what} In CSV and XLSX, text that a spreadsheet would run as a formula starts with "
            "an apostrophe.",
            "content": {
                media_type.partition(";")[0]: {"schema": {"type": "string", "format": "binary"}}
                for media_type in MEDIA_TYPES.values()
            },
        }
    }


def format_of(query: FormattedQuery) -> Format:
    """The format of the answer. Raises InvalidArgument for a page of a file."""
    kind = Format(query.format)
    if kind is not Format.JSON and query.page_token:
        raise InvalidArgument("pageToken", f"a {kind} file is not paged; omit it")
    return kind


async def answer_file(
    request: Request,
    access: RowAccess,
    kind: Format,
    columns: Mapping[str, Column],
    read: Callable[[Build], Batches],
    name: str,
) -> Response:
    """The rows that `read` finds, in the order of the columns, as a file of this name without its ending."""

    def export(build: Build) -> Iterator[bytes]:
        return write(kind, columns, read(build))

    return await services(request).reads.stream(
        request, access, export, MEDIA_TYPES[kind], f"{name}.{kind.lower()}"
    )


Query = TypeVar("Query", bound=FileQuery)


@dataclass(frozen=True)
class Listed(Generic[Query]):
    """A list as pages and as a file: its field in JSON, its columns, and the functions that read both."""

    field: str
    columns: Mapping[str, Column]
    page: Callable[[Build, RowAccess, Query, Position | None], Page]
    batches: Callable[[Build, RowAccess, Query], Batches]


async def answer_list(
    request: Request, access: RowAccess, query: Query, listed: Listed[Query], name: str
) -> Response:
    """A page of a list, or all its rows as a file of this name without its ending. Raises InvalidArgument."""
    kind = format_of(query)
    if kind is Format.JSON:
        return await answer_page(request, access, query, listed.field, listed.page)
    return await answer_file(
        request, access, kind, listed.columns, lambda build: listed.batches(build, access, query), name
    )
