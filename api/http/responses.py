"""Answers from a published build: build id, ETag, cache and JSON.

A build never changes. Within a build, one row access and one URL therefore always have the same answer, and both the
ETag and the cache key are made of them. Keep out: queries (read/).
"""

import hashlib
import itertools
import logging
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import anyio
import anyio.to_thread
import orjson
from fastapi import Request
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Send
from starlette.types import Scope as AsgiScope

from api.access.row_access import RowAccess
from api.errors import InvalidArgument, NotFound, NothingPublished
from api.http import pictures
from api.http.paging import PageTokens
from api.http.response_cache import ResponseCache
from api.presentation.charts.frames import Specification, noted
from api.presentation.charts.themes import Theme
from api.presentation.page_words import page_words
from api.query.pages import Position
from api.snapshot.build import Build
from api.snapshot.builds import DAMAGED, BuildGone, Builds
from api.snapshot.common_build import first_build
from api.snapshot.warehouse import Warehouse

logger = logging.getLogger(__name__)
Found = TypeVar("Found")

# Part of every ETag: raise it when the same build is shown differently.
REPRESENTATION = "3"
JSON_OPTIONS = orjson.OPT_NAIVE_UTC | orjson.OPT_UTC_Z | orjson.OPT_NON_STR_KEYS
NOT_KEPT = {"Cache-Control": "no-store", "Vary": "Authorization"}


class Reads:
    """Answers reads of published builds, a bounded number at a time.

    `unpublished` opens the empty build of an organization that has published nothing, and `first_step` says what it
    misses.
    """

    def __init__(
        self,
        warehouse: Warehouse,
        tokens: PageTokens,
        threads: int,
        cache_mb: int,
        unpublished: Callable[[str], Build],
        first_step: Callable[[str], str],
    ) -> None:
        self.warehouse = warehouse
        self._unpublished = unpublished
        self._first_step = first_step
        self.tokens = tokens
        self._cache = ResponseCache(cache_mb)
        self._limiter = anyio.CapacityLimiter(threads)
        self._pictures = pictures.Pictures()

    async def start_drawing(self) -> None:
        """Start the process that draws pictures, before somebody waits for one."""
        await self._pictures.start()

    async def answer(
        self,
        request: Request,
        access: RowAccess,
        read: Callable[[Build], Any],
        *,
        position: Position | None = None,
        varies: str = "",
        needs_build: bool = False,
    ) -> Response:
        """The JSON of the result of `read` for the current build, or for the build of `position`.

        `read` runs in a worker thread. Raises its errors, InvalidArgument for a position in a deleted build. `varies`
        names further inputs of the answer beside build, row access and URL. Before the first publish `read` reads an
        empty build, and `nextStep` says what to do; with `needs_build` NothingPublished is raised.
        """
        try:
            build = await self._lease(access, position)
        except NothingPublished:
            if needs_build:
                raise
            return await self._answer_nothing(access, read)
        return await self._answered(
            request, access, build, varies, lambda build: orjson.dumps(read(build), option=JSON_OPTIONS)
        )

    async def picture(
        self,
        request: Request,
        access: RowAccess,
        read: Callable[[Build], Specification],
        theme: Theme,
        *,
        position: Position | None = None,
        varies: str = "",
    ) -> Response:
        """The picture of the specification that `read` makes; otherwise as `answer`. The build is given back before
        the drawing.
        """
        try:
            build = await self._lease(access, position)
        except NothingPublished:
            step = await self._next_step(access)
            note = page_words(step) if theme is Theme.PAGE else step
            specification = noted(await self._of_nothing(access, read), note)
            body = await self._pictures.drawn(specification, theme)
            return Response(body, headers=NOT_KEPT | pictures.HEADERS, media_type=pictures.SVG)
        answer = await self._answered(
            request,
            access,
            build,
            f"{pictures.SVG} {varies}",
            read,
            lambda found: self._pictures.drawn(found, theme),
        )
        answer.headers.update(pictures.HEADERS)
        return answer

    async def value(
        self, access: RowAccess, read: Callable[[Build], Found], *, or_empty: bool = False
    ) -> Found:
        """The result of `read` for the current build. Before the first publish it raises NothingPublished, or reads
        an empty build with `or_empty`.
        """
        try:
            build = await self._lease(access, None)
        except NothingPublished:
            if not or_empty:
                raise
            return await self._of_nothing(access, read)
        with self._held(build, access):
            return await anyio.to_thread.run_sync(read, build, limiter=self._limiter)

    async def stream(
        self,
        request: Request,
        access: RowAccess,
        write: Callable[[Build], Iterator[bytes]],
        media_type: str,
        file_name: str,
    ) -> Response:
        """The bytes that `write` yields for the current build, as a file. The build is kept to the last of them."""
        try:
            build = await self._lease(access, None)
        except NothingPublished:
            return await self._stream_nothing(access, write, media_type, file_name)
        builds = self.warehouse.of(access.organization_id)
        headers = _headers(build, _key(build, access, request, ""))
        if _matches(request.headers.get("if-none-match"), headers["ETag"]):
            builds.release(build)
            return Response(status_code=304, headers=headers)
        headers = attachment(file_name) | headers
        try:
            content = await begun(write(build))
        except BaseException as error:
            if isinstance(error, DAMAGED):
                builds.discard(build)
            builds.release(build)
            raise
        return _Leased(content, lambda: builds.release(build), headers=headers, media_type=media_type)

    async def _answered(
        self,
        request: Request,
        access: RowAccess,
        build: Build,
        varies: str,
        read: Callable[[Build], Any],
        draw: Callable[[Any], Awaitable[bytes]] | None = None,
    ) -> Response:
        """What `read` finds in a leased build, which is given back before it is drawn; or 304."""
        with self._held(build, access):
            key = _key(build, access, request, varies)
            headers = _headers(build, key)
            if _matches(request.headers.get("if-none-match"), headers["ETag"]):
                return Response(status_code=304, headers=headers)
            body = self._cache.get(key)
            if body is None:
                found = await anyio.to_thread.run_sync(
                    read, build, limiter=self._limiter, abandon_on_cancel=False
                )
        if body is None:
            body = found if draw is None else await draw(found)
            self._cache.put(key, body)
        return Response(
            body, headers=headers, media_type="application/json" if draw is None else pictures.SVG
        )

    async def _answer_nothing(self, access: RowAccess, read: Callable[[Build], Any]) -> Response:
        """The answer of an organization without a build. It has no ETag, because the next one may have data."""
        step = await self._next_step(access)
        try:
            body = await self._of_nothing(access, read)
        except NotFound as unknown:
            raise NotFound(f"{unknown.message}. {step}") from None
        return private(body | {"nextStep": step})

    async def _next_step(self, access: RowAccess) -> str:
        return await anyio.to_thread.run_sync(self._first_step, access.organization_id)

    async def _of_nothing(self, access: RowAccess, read: Callable[[Build], Found]) -> Found:
        return await anyio.to_thread.run_sync(
            lambda: read(self._unpublished(access.organization_id)), limiter=self._limiter
        )

    async def _stream_nothing(
        self, access: RowAccess, write: Callable[[Build], Iterator[bytes]], media_type: str, file_name: str
    ) -> Response:
        content = await self._of_nothing(access, lambda build: b"".join(write(build)))
        return Response(content, headers=attachment(file_name), media_type=media_type)

    @contextmanager
    def _held(self, build: Build, access: RowAccess) -> Iterator[None]:
        """Gives a leased build back at the end, and does not lease it again where its file is damaged."""
        builds = self.warehouse.of(access.organization_id)
        try:
            yield
        except DAMAGED:
            builds.discard(build)
            raise
        finally:
            builds.release(build)

    async def _lease(self, access: RowAccess, position: Position | None) -> Build:
        builds = self.warehouse.of(access.organization_id)
        if position is None:
            build = builds.lease_unchanged()
            if build is None:
                build = await _open(builds)
            first = first_build(access.organization_id, build.id)
            if first == build.id:
                return build
            return await anyio.to_thread.run_sync(builds.exchange, build, first)
        try:
            return await anyio.to_thread.run_sync(builds.lease, position.build_id)
        except BuildGone as gone:
            raise InvalidArgument(
                "pageToken",
                "the build of this token was replaced more than 30 minutes ago; start again without a token",
            ) from gone


async def begun(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """The same chunks with the first one computed, so an early failure becomes an error instead of half a file."""
    first = await anyio.to_thread.run_sync(next, pieces, b"")
    return itertools.chain((first,), pieces)


def private(body: Any, status: int = 200) -> Response:
    """JSON from the control database. It is not cached, because it can change with the next request."""
    return Response(
        orjson.dumps(body, option=JSON_OPTIONS),
        status,
        NOT_KEPT,
        media_type="application/json",
    )


def attachment(file_name: str) -> dict[str, str]:
    """Headers of a file that is not cached."""
    return {
        **NOT_KEPT,
        "Content-Disposition": f'attachment; filename="{file_name}"',
        "X-Content-Type-Options": "nosniff",
    }


class _Leased(StreamingResponse):
    """A stream that gives its build back however it ends: sent, failed, or the client gone."""

    def __init__(self, content: Iterator[bytes], release: Callable[[], None], **options: Any) -> None:
        super().__init__(content, **options)
        self._release = release

    async def __call__(self, scope: AsgiScope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._release()


async def _open(builds: Builds) -> Build:
    return await anyio.to_thread.run_sync(builds.lease_current)


def _key(build: Build, access: RowAccess, request: Request, varies: str) -> bytes:
    url = f"{request.scope['path']}?".encode() + request.scope["query_string"]
    parts = (REPRESENTATION.encode(), build.id.encode(), access.key.encode(), varies.encode(), url)
    return hashlib.blake2b(b"\0".join(parts), digest_size=16).digest()


def _headers(build: Build, key: bytes) -> dict[str, str]:
    return {
        "X-Warehouse-Build": build.id,
        "ETag": f'"{key.hex()}"',
        "Cache-Control": "private, no-cache",
        "Vary": "Authorization",
    }


def _matches(header: str | None, etag: str) -> bool:
    if header is None:
        return False
    candidates = [candidate.strip().removeprefix("W/") for candidate in header.split(",")]
    return etag in candidates or "*" in candidates
