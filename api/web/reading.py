"""Reads and writes of `/api/v1` for a page, as the person whose session the browser holds.

Keep out: what a page shows of an answer (the module of the page).
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, quote

from api.http.inner_requests import InnerAnswer, InnerClient
from api.http.media_types import JSON
from api.http.pictures import SVG

UNAUTHENTICATED, FORBIDDEN, NOT_FOUND = 401, 403, 404


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer, or the reason why there is none. `status` is that of HTTP."""

    status: int
    body: Any
    message: str = ""
    problems: Mapping[str, str] = field(default_factory=dict)
    """Of a refused write: what is wrong with each field."""
    build: str = ""
    """Id of the build that a read answered from; empty for others."""
    retry_after: str = ""
    """Of a refusal above a rate limit: seconds until the next attempt."""

    @property
    def is_there(self) -> bool:
        """Whether the read brought what it asked for."""
        return self.status < 400

    def rows(self, name: str) -> list[Any]:
        """The rows of a list; none if the read failed."""
        return list(self.body[name]) if self.is_there else []


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads with one session."""

    client: InnerClient

    async def read(self, path: str, asked: Mapping[str, Any] | None = None, accept: str = JSON) -> Answer:
        """The answer of `GET path`: an object, or the text of a picture."""
        return answered(
            await self.client.get(path, params=_texts(asked or {}), headers={"Accept": accept}), accept
        )

    async def write(self, method: str, path: str, body: Mapping[str, Any]) -> Answer:
        """The answer of a write at a path, which may have a query. A body without fields is left out of `DELETE`."""
        content = dict(body) if body or method != "DELETE" else None
        path, _, query = path.partition("?")
        return answered(await self.client.request(method, path, params=parse_qsl(query), json=content))

    async def both(self, first: str, second: str) -> tuple[Answer, Answer]:
        """The answers of two paths."""
        one, other = await asyncio.gather(self.read(first), self.read(second))
        return one, other

    def of(self, organization: str) -> "OrganizationReader":
        """Reads of one organization, by id or slug."""
        return OrganizationReader(self, f"/api/v1/organizations/{quote(organization, safe='')}")


@dataclass(frozen=True, slots=True)
class OrganizationReader:
    """Reads below one organization."""

    reader: Reader
    root: str

    async def read(self, path: str = "", **asked: Any) -> Answer:
        """The answer of a path below the organization: its last parts, such as `commits/1f2e`."""
        return await self.reader.read(self.address(path), asked)

    async def write(self, method: str, path: str, body: Mapping[str, Any]) -> Answer:
        """The answer of a write at a path below the organization."""
        return await self.reader.write(method, self.address(path), body)

    def address(self, path: str) -> str:
        """The address of a path below the organization. Parts that would lead out of it stay parts of a name."""
        parts = ["%2E" * len(part) if part in (".", "..") else part for part in path.split("/")]
        return f"{self.root}/{'/'.join(parts)}".rstrip("/")

    async def picture(self, path: str, **asked: Any) -> Answer:
        """A chart as SVG that takes its colours from the page."""
        return await self.reader.read(self.address(path), {"theme": "PAGE"} | asked, SVG)

    async def all(self, *reads: Any) -> tuple[Answer, ...]:
        """The answers of several reads at once, in their order."""
        return tuple(await asyncio.gather(*reads))


def points_of(series: Answer) -> list[dict[str, Any]]:
    """The buckets of the first series of an answer of `metrics`; none if the read failed."""
    found = series.rows("series")
    return list(found[0]["points"]) if found else []


def _texts(asked: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters as the interface takes them; an unset one is left out."""
    return {
        name: str(value).lower() if isinstance(value, bool) else value
        for name, value in asked.items()
        if value not in (None, "", [])
    }


def answered(answer: InnerAnswer, accept: str = JSON) -> Answer:
    """What a response of the interface says."""
    if answer.is_error:
        again = answer.headers.get("retry-after", "")
        return Answer(answer.status_code, None, _message(answer), _problems(answer), retry_after=again)
    if not answer.content:
        return Answer(answer.status_code, {})
    body = answer.json() if accept == JSON else answer.text
    return Answer(answer.status_code, body, build=answer.headers.get("x-warehouse-build", ""))


def _problems(answer: InnerAnswer) -> dict[str, str]:
    """The faults by field. Several faults of one field share a sentence."""
    if not answer.headers.get("content-type", "").startswith(JSON):
        return {}
    found: dict[str, list[str]] = {}
    for detail in answer.json().get("details", []):
        for one in detail.get("fieldViolations", []):
            found.setdefault(one["field"], []).append(one["description"])
    return {name: "; ".join(reasons) for name, reasons in found.items()}


def _message(answer: InnerAnswer) -> str:
    if not answer.headers.get("content-type", "").startswith(JSON):
        return f"the service answered {answer.status_code}"
    return str(answer.json().get("message", ""))
