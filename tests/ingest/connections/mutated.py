"""Invented servers whose answers are damaged on purpose: values of other types, hostile texts, pages without end."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import httpx

from tests.ingest.connections.cases import Case
from tests.ingest.connections.running import TOKEN, Handler

ESCAPED_TOKEN = "s3cret\\u002dtoken"
# JSON has no spelling of these in Python, so that they stand in the text until it is sent.
RAW = {
    '"@digits"': "9" * 5_000,
    '"@deep"': "[" * 948 + "]" * 948,
    '"@abyss"': '{"a":' * 20_000 + "1" + "}" * 20_000,
    '"@infinite"': "1e999",
    '"@nan"': "NaN",
    '"@token"': f'"{ESCAPED_TOKEN}"',
}
TEXTS = (
    "", " ", "\x00", "a\x00b", "\ud83d", "x\udc00y", "\u202eevil", "\x1b[2J", "<script>x()</script>",
    "javascript:alert(1)", "2026-13-45T99:99:99Z", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "y" * 5_000, "..",
    "https://user:pw@h.example/",
)  # fmt: skip
OTHERS: tuple[Any, ...] = (
    None,
    True,
    False,
    0,
    -1,
    7,
    1.5,
    2**31,
    2**70,
    -(10**30),
    [],
    {},
    [None],
    {"id": []},
    [[[]]],
)
PAGE = "<!doctype html><html><body>Maintenance</body></html>"
JSON = {"content-type": "application/json"}
CURSORS = frozenset(
    {"endCursor", "nextPageToken", "next", "next_page", "nextPageStart", "continuationToken", "offset", "uri"}
)
MORE = {"hasNextPage": True, "isLast": False, "isLastPage": False, "isLastBatch": False}


@dataclass
class Mutated:
    """A server of which a share of the answers is damaged. `mutations` counts the damaged values and answers."""

    handler: Handler
    random: random.Random
    share: float = 0.5
    mutations: int = 0

    def __call__(self, request: httpx.Request) -> httpx.Response:
        try:
            answer = self.handler(request)
        except StopIteration:
            # It looks for what a damaged id names.
            return httpx.Response(404, json={"message": "Not Found"})
        if self.random.random() > self.share or not answer.is_success:
            return answer
        self.mutations += 1
        damage = self.random.choices([kind for kind, _ in KINDS], [weight for _, weight in KINDS])[0]
        return damage(self, answer)

    def values(self, answer: httpx.Response) -> httpx.Response:
        """The answer with other values in a few places."""
        try:
            body = answer.json()
        except ValueError:
            return answer
        whole = [body]
        for _ in range(self.random.randint(1, 4)):
            places = list(_places(whole))
            owner, key = self.random.choice(places)
            self._spoil(owner, key)
            self.mutations += 1
        return _again(answer, sent(whole[0]))

    def _spoil(self, owner: Any, key: Any) -> None:
        how = self.random.random()
        if how < 0.1 and isinstance(owner, dict):
            del owner[key]
        elif how < 0.2 and isinstance(owner, list):
            owner.append(copy.deepcopy(owner[key]))
        elif how < 0.3 and isinstance(owner[key], str):
            owner[key] += self.random.choice(("\x00", "\ud800", "\udfff"))
        else:
            value = self.random.choice((*TEXTS, *OTHERS, *(json.loads(one) for one in RAW)))
            owner[key] = copy.deepcopy(value)

    def page(self, answer: httpx.Response) -> httpx.Response:
        return httpx.Response(200, html=PAGE)

    def page_as_json(self, answer: httpx.Response) -> httpx.Response:
        return httpx.Response(200, content=PAGE.encode(), headers=JSON)

    def cut(self, answer: httpx.Response) -> httpx.Response:
        return _again(answer, answer.content[: self.random.randint(0, len(answer.content))])

    def foreign(self, answer: httpx.Response) -> httpx.Response:
        """Valid JSON of another shape."""
        return _again(answer, sent(self.random.choice((*TEXTS, *OTHERS))))

    def refusal(self, answer: httpx.Response) -> httpx.Response:
        status = self.random.choice((300, 400, 401, 402, 403, 404, 409, 410, 418, 422, 500, 502, 503))
        said = {"message": self.random.choice(TEXTS) + TOKEN, "errors": [{"message": "@token"}]}
        return httpx.Response(status, content=sent(said), headers=JSON)


KINDS: tuple[tuple[Callable[[Mutated, httpx.Response], httpx.Response], float], ...] = (
    (Mutated.values, 0.86), (Mutated.page, 0.02), (Mutated.page_as_json, 0.02), (Mutated.cut, 0.03),
    (Mutated.foreign, 0.03), (Mutated.refusal, 0.04),
)  # fmt: skip


def sent(body: Any) -> bytes:
    """A body as JSON, with what Python's JSON has no spelling of."""
    text = json.dumps(body)
    for placeholder, raw in RAW.items():
        text = text.replace(placeholder, raw)
    return text.encode()


def _again(answer: httpx.Response, content: bytes, **headers: str) -> httpx.Response:
    kept = {
        name: value
        for name, value in answer.headers.items()
        if name not in ("content-length", "content-type", "etag", "last-modified")
    }
    return httpx.Response(answer.status_code, content=content, headers={**kept, **JSON, **headers})


def _places(whole: Any) -> Iterator[tuple[Any, Any]]:
    """Every place of a value below a list: its owner and its key or number."""
    waiting = [whole]
    while waiting:
        owner = waiting.pop()
        for key in list(owner) if isinstance(owner, dict) else range(len(owner)):
            yield owner, key
            if isinstance(owner[key], dict | list):
                waiting.append(owner[key])


@dataclass
class Endless:
    """A server whose main list never ends. With `repeats` each page is the first one, otherwise each is new."""

    case: Case
    handler: Handler
    repeats: bool
    first: httpx.Response | None = None
    pages: int = 0

    def __call__(self, request: httpx.Request) -> httpx.Response:
        if not self.case.is_main(request):
            return self.handler(request)
        if self.first is None:
            self.first = self.handler(request)
        self.pages += 1
        number = 0 if self.repeats else self.pages
        body = _further(self.first.json(), number)
        headers = {}
        if "link" in self.first.headers:
            headers["link"] = self.first.headers["link"].replace(">", f"&n={number}>", 1)
        if "x-ms-continuationtoken" in self.first.headers:
            headers["x-ms-continuationtoken"] = f"n{number}"
        return _again(self.first, sent(body), **headers)


def _further(body: Any, number: int) -> Any:
    """A page that names a further one, with texts of its own."""
    if isinstance(body, list):
        return [_further(one, number) for one in body]
    if not isinstance(body, dict):
        return body
    return {name: _made(name, _further(value, number), number) for name, value in body.items()}


def _made(name: str, value: Any, number: int) -> Any:
    if name in CURSORS and isinstance(value, str | int) and value != "":
        return f"{value}{'&n=' if isinstance(value, str) and '://' in value else ''}{number}"
    if name in MORE:
        return MORE[name]
    if name in ("total", "totalCount", "total_pages") and isinstance(value, int):
        return 10**6
    is_title = name in ("title", "name", "summary", "System.Title") and isinstance(value, str)
    return f"{value} {number}" if is_title else value
