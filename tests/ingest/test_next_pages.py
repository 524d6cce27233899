"""Addresses of next pages are requested as the provider gave them."""

import httpx
import pytest

from ingest.http import Client, Login
from ingest.pages import BodyLink, BodyToken, Links, Query, Style, pages

ADDRESS = "https://h.example/api/rows?page=2&q=a%20b"


@pytest.mark.parametrize("style", [Links(("rows",)), BodyLink(("rows",), ("next",))])
def test_the_address_of_a_next_page_keeps_its_query(style: Style) -> None:
    asked: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(str(request.url))
        if len(asked) == 2:
            return httpx.Response(200, json={"rows": [2]})
        links = {"Link": f'<{ADDRESS}>; rel="next"'}
        return httpx.Response(200, json={"rows": [1], "next": ADDRESS}, headers=links)

    with Client(Login("https://h.example/api", {}), transport=httpx.MockTransport(answer)) as client:
        found = [row for page in pages(client, Query("rows", {"size": 1}), style) for row in page.rows]
    assert found == [1, 2]
    assert asked == ["https://h.example/api/rows?size=1", ADDRESS]


def test_a_last_page_may_name_a_next_one() -> None:
    body = {"rows": [1], "nextPageStart": 25, "isLastPage": True}
    transport = httpx.MockTransport(lambda _: httpx.Response(200, json=body))
    style = BodyToken(("rows",), ("nextPageStart",), "start", ("isLastPage",))
    with Client(Login("https://h.example", {}), transport=transport) as client:
        assert [page.rows for page in pages(client, Query("rows"), style)] == [[1]]
