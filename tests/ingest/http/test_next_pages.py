"""Addresses of next pages are requested as the provider gave them, and a list that is none ends the reading."""

from typing import Any

import httpx
import pytest

from ingest.errors import ProviderRefused, Transient
from ingest.http.client import Client, Login
from ingest.http.pages import BodyLink, BodyToken, Links, Offset, Query, Seek, Style, pages

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


def test_a_link_to_another_address_gives_its_parameters_alone() -> None:
    asked: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(str(request.url))
        links = (
            {"Link": '<http://localhost:3000/api/rows?page=2&id=7&id=8>; rel="next"'}
            if len(asked) == 1
            else {}
        )
        return httpx.Response(200, json=[len(asked)], headers=links)

    with Client(Login("https://h.example/api", {}), transport=httpx.MockTransport(answer)) as client:
        style = Links(keeps_address=True)
        assert [page.rows for page in pages(client, Query("rows", {"size": 1}), style)] == [[1], [2]]
    assert asked[1] == "https://h.example/api/rows?size=1&page=2&id=7&id=8"


def rows_of(content: str, style: Style) -> list[Any]:
    json = {"content-type": "application/json"}
    transport = httpx.MockTransport(lambda _: httpx.Response(200, content=content, headers=json))
    with Client(Login("https://h.example", {}), transport=transport) as client:
        return [row for page in pages(client, Query("rows"), style) for row in page.rows]


@pytest.mark.parametrize("content", ["null", "", "{}", '{"rows": null}', '{"rows": {"a": 1}}', "7"])
def test_an_answer_without_a_list_is_not_an_empty_list(content: str) -> None:
    with pytest.raises(Transient, match="without the list"):
        rows_of(content, Links(("rows",)))


def test_null_is_an_empty_list_of_a_server_that_writes_it_so() -> None:
    assert rows_of("null", Links(may_be_null=True)) == []
    with pytest.raises(Transient):
        rows_of("{}", Links(may_be_null=True))


@pytest.mark.parametrize(
    "style", [Offset(("rows",), "skip", 2), Seek(("rows",), ("at",), "since", 2)], ids=["offset", "seek"]
)
def test_a_server_that_answers_the_same_for_ever_is_left_alone(style: Style) -> None:
    asked = 0

    def answer(_: httpx.Request) -> httpx.Response:
        nonlocal asked
        asked += 1
        return httpx.Response(200, json={"rows": [{"id": 1}, {"id": 2}]})

    transport = httpx.MockTransport(answer)
    with (
        Client(Login("https://h.example", {}), transport=transport) as client,
        pytest.raises(ProviderRefused, match="circle"),
    ):
        list(pages(client, Query("rows"), style))
    assert asked == 3
