"""Paging as values: a query, and a style that names the rows of its answer and the next query.

Add: ways in which providers page. Keep out: requests (`client`). This is the only loop over pages.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol
from urllib.parse import parse_qs, urlsplit

import xxhash

from ingest.errors import ProviderRefused, Refusal, Transient
from ingest.http import budgets
from ingest.http.answers import Answer
from ingest.http.client import MAX_TRIES, Client
from ingest.http.graphql_errors import graphql_codes, refusal_of
from ingest.json_paths import JsonPath, at
from ingest.texts import shown

MAX_PAGES = 100_000
GAVE_UP = frozenset({502, 504})
"""Statuses of a query that took too long."""


@dataclass(frozen=True)
class Query:
    """A request that can be stored: an address, its parameters, and the body of a POST."""

    address: str
    params: Mapping[str, Any] = field(default_factory=dict)
    body: Any = None

    def text(self) -> str:
        """The query as text, for a cursor."""
        return json.dumps([self.address, dict(self.params), self.body], sort_keys=True)

    @classmethod
    def parse(cls, text: str) -> Query:
        """The inverse of `text`."""
        address, params, body = json.loads(text)
        return cls(address, params, body)


@dataclass(frozen=True)
class Page:
    """Rows of one answer, the answer, and the next query; None on the last page."""

    rows: list[Any]
    answer: Answer
    next: Query | None

    @property
    def cursor(self) -> str | None:
        """The next query as text."""
        return self.next.text() if self.next else None


class Style(Protocol):
    """The way in which a provider pages."""

    @property
    def rows(self) -> JsonPath:
        """The place of the rows in a body."""

    def after(self, query: Query, answer: Answer, count: int) -> Query | None:
        """The query of the next page after one with `count` rows."""


def pages(client: Client, first: Query, style: Style, cursor: str | None = None) -> Iterator[Page]:
    """All pages from the first one, or from a cursor. Raises the errors of `Client`, and ProviderRefused for a circle.

    A provider that gives up on a GraphQL answer is asked for half as many rows, until one is left.
    """
    query: Query | None = Query.parse(cursor) if cursor else first
    asked: set[int] = set()
    seen: dict[int, int] = {}
    while query is not None:
        mark = xxhash.xxh3_64_intdigest(query.text().encode())
        if mark in asked or len(asked) >= MAX_PAGES:
            raise _circle(client)
        asked.add(mark)
        smaller = style.smaller(query) if isinstance(style, GraphQl) else None
        try:
            answer = _ask(client, query, is_last_try=smaller is None)
        except Transient as error:
            if smaller is None or error.status not in GAVE_UP:
                raise
            query = smaller
            continue
        rows = at(answer.body, style.rows)
        if rows is None and isinstance(style, Links) and style.may_be_null:
            rows = []
        query = style.after(query, answer, len(rows) if isinstance(rows, list) else 0)
        if not isinstance(rows, list):
            # No list is no empty list: rows that the lake has must stay.
            raise Transient(
                f"{client.login.address} answers without the list that was asked for: try again later."
            )
        if rows and answer.mark:
            seen[answer.mark] = seen.get(answer.mark, 0) + 1
            if seen[answer.mark] > 2:
                # A server that ignores the number of the page answers the same for ever. `Seek` may repeat one page.
                raise _circle(client)
        client.count_rows(len(rows))
        refused = client.refused_address(query.address) if query is not None else None
        # A run that continues at an address of another host would fail for ever.
        yield Page(rows, answer, query if refused is None else None)
        if refused is not None:
            raise refused


def all_rows(client: Client, listed: Iterator[Page]) -> list[Any]:
    """The rows of all pages of a list that is held as a whole, such as the commits of one pull request."""
    with client.within(budgets.of_row()):
        return [row for page in listed for row in page.rows]


def _circle(client: Client) -> ProviderRefused:
    return ProviderRefused(
        Refusal.INVALID,
        f"{client.login.address} pages in a circle: it gives a page again that it gave before. Ask its operator.",
    )


def _ask(client: Client, query: Query, *, is_last_try: bool) -> Answer:
    if query.body is None:
        return client.get(query.address, query.params)
    return client.query(query.address, query.body, query.params, tries=MAX_TRIES if is_last_try else 2)


@dataclass(frozen=True)
class Links:
    """The header `Link` names the next page (GitHub, GitLab, Gitea).

    With `keeps_address` only its parameters count: a server behind a proxy may name itself by another address.
    With `may_be_null` an empty list may be null, which servers written in Go send.
    """

    rows: JsonPath = ()
    keeps_address: bool = False
    may_be_null: bool = False

    def after(self, query: Query, answer: Answer, count: int) -> Query | None:
        link = answer.next_link
        if link is None or not self.keeps_address:
            return Query(link) if link else None
        named = parse_qs(urlsplit(link).query, keep_blank_values=True)
        params = {name: values if len(values) > 1 else values[0] for name, values in named.items()}
        return replace(query, params={**query.params, **params})


@dataclass(frozen=True)
class BodyLink:
    """The body names the address of the next page (Bitbucket Cloud: `next`)."""

    rows: JsonPath
    link: JsonPath

    def after(self, query: Query, answer: Answer, count: int) -> Query | None:
        link = at(answer.body, self.link)
        return Query(link) if link else None


@dataclass(frozen=True)
class BodyToken:
    """The body has a token or offset for a parameter of the next page; for queries by POST, for a field of the body.

    `last` is a flag of the last page, which may have a token nevertheless (Jira Cloud: `isLast`); `more` is one of the
    others (Anthropic: `has_more`).
    """

    rows: JsonPath
    token: JsonPath
    parameter: str
    last: JsonPath | None = None
    more: JsonPath | None = None

    def after(self, query: Query, answer: Answer, count: int) -> Query | None:
        token = at(answer.body, self.token)
        if token in (None, "", False) or (self.last and at(answer.body, self.last) is True):
            return None
        if self.more and at(answer.body, self.more) is not True:
            return None
        if query.body is None:
            return replace(query, params={**query.params, self.parameter: token})
        return replace(query, body={**query.body, self.parameter: token})


@dataclass(frozen=True)
class HeaderToken:
    """A header has the token for a parameter of the next page (Azure DevOps)."""

    rows: JsonPath
    header: str
    parameter: str

    def after(self, query: Query, answer: Answer, count: int) -> Query | None:
        token = answer.headers.get(self.header)
        return replace(query, params={**query.params, self.parameter: token}) if token else None


@dataclass(frozen=True)
class Offset:
    """The next page starts after the rows so far; a page with fewer than `size` rows is the last one.

    A page repeats the last `overlap` rows of the one before: so many rows may go meanwhile without hiding one.
    """

    rows: JsonPath
    parameter: str
    size: int
    overlap: int = 0

    def after(self, query: Query, answer: Answer, count: int) -> Query | None:
        if count < self.size:
            return None
        start = int(query.params.get(self.parameter, 0)) + max(1, count - self.overlap)
        return replace(query, params={**query.params, self.parameter: start})


@dataclass(frozen=True)
class OffsetOfTotal:
    """An offset, and the number of all rows in the body; the page size is the server's (Jira Data Center).

    A page repeats the last `overlap` rows of the one before: so many rows may be deleted meanwhile without hiding one.
    """

    rows: JsonPath
    total: JsonPath
    parameter: str
    overlap: int = 0

    def after(self, query: Query, answer: Answer, count: int) -> Query | None:
        total = at(answer.body, self.total)
        start = int(query.params.get(self.parameter, 0))
        if count == 0 or (isinstance(total, int) and start + count >= total):
            return None
        return replace(query, params={**query.params, self.parameter: start + max(1, count - self.overlap)})


@dataclass(frozen=True)
class Seek:
    """Rows by time: the next page starts at the time `key` of the last row, which it repeats.

    A row that is deleted between two pages hides no other, and no row is too far. A full page of one time is followed
    by page numbers.
    """

    rows: JsonPath
    key: JsonPath
    parameter: str
    size: int

    def after(self, query: Query, answer: Answer, count: int) -> Query | None:
        if count < self.size:
            return None
        last = at(answer.body, (*self.rows, count - 1, *self.key))
        if last is None or last == query.params.get(self.parameter):
            return replace(query, params={**query.params, "page": int(query.params.get("page", 1)) + 1})
        params = {name: value for name, value in query.params.items() if name != "page"}
        return replace(query, params={**params, self.parameter: last})


@dataclass(frozen=True)
class GraphQl:
    """A connection of a GraphQL answer (`pageInfo`), at `connection` in `data`.

    `sizes` are variables with numbers of rows, which shrink where the provider gives up.
    """

    connection: JsonPath
    variable: str = "after"
    sizes: tuple[str, ...] = ()

    @property
    def rows(self) -> JsonPath:
        return ("data", *self.connection, "nodes")

    def after(self, query: Query, answer: Answer, count: int) -> Query | None:
        if at(answer.body, ("data", *self.connection)) is None:
            # No rows and no answer are different: rows that the lake has must stay.
            words = at(answer.body, ("errors", 0, "message"))
            said = shown(words, 300) if isinstance(words, str) and words else "no reason given"
            variables = query.body.get("variables") or {}
            names = (variables[name] for name in ("owner", "name", "id") if name in variables)
            asked = shown("/".join(map(str, names)), 300)
            raise ProviderRefused(
                refusal_of(graphql_codes(answer.body)),
                f"The answer lacks {'.'.join(map(str, self.connection))}{f' of {asked}' if asked else ''}:"
                f" {said}",
                answer.status,
                answer.headers,
                answer.body,
            )
        info = at(answer.body, ("data", *self.connection, "pageInfo")) or {}
        if not info.get("hasNextPage"):
            return None
        variables = {**query.body["variables"], self.variable: info["endCursor"]}
        return replace(query, body={**query.body, "variables": variables})

    def smaller(self, query: Query) -> Query | None:
        """The query for half as many rows; None if it cannot shrink."""
        variables: dict[str, Any] = dict(query.body["variables"])
        halves = {name: max(1, variables[name] // 2) for name in self.sizes}
        if all(variables[name] == half for name, half in halves.items()):
            return None
        return replace(query, body={**query.body, "variables": {**variables, **halves}})
