"""Pages and their files go compressed to browsers that take it, and say the same to others."""

import asyncio
import gzip

import httpx
import pytest
from starlette.datastructures import Headers
from starlette.responses import HTMLResponse

from api.web.compression import CompressedPages, takes_gzip
from tests.api.conftest import ROOT
from tests.api.web.conftest import HOME
from tests.api.web.pages import Page


def raw(
    browser: httpx.Client, path: str, coding: str, *, opened_by: str = "same-origin"
) -> tuple[httpx.Headers, bytes]:
    """The headers and the bytes of an answer as they are sent; without `opened_by` nobody says who opens it."""
    headers = {"Accept-Encoding": coding} | ({"Sec-Fetch-Site": opened_by} if opened_by else {})
    with browser.stream("GET", path, headers=headers) as answer:
        assert answer.status_code == 200
        return answer.headers, b"".join(answer.iter_raw())


def test_a_page_is_sent_compressed_and_reads_the_same(browser: httpx.Client) -> None:
    plain_headers, plain = raw(browser, f"{HOME}/overview", "identity")
    headers, sent = raw(browser, f"{HOME}/overview", "br, gzip;q=0.9")
    assert "content-encoding" not in plain_headers
    assert headers["content-encoding"] == "gzip"
    assert {"Cookie", "Accept-Encoding"} <= {one.strip() for one in headers["vary"].split(",")}
    assert int(headers["content-length"]) == len(sent) < len(plain) / 3
    assert Page(gzip.decompress(sent).decode()).text == Page(plain.decode()).text


@pytest.mark.parametrize(
    ("opened_by", "expected"),
    [("same-origin", True), ("none", True), ("cross-site", False), ("same-site", False), ("", False)],
)
def test_a_page_that_another_site_opens_is_sent_as_it_is(
    browser: httpx.Client, opened_by: str, expected: bool
) -> None:
    headers, _ = raw(browser, f"{HOME}/members?search=a", "gzip", opened_by=opened_by)
    assert ("content-encoding" in headers) is expected


def test_the_first_page_is_small_on_the_wire(browser: httpx.Client) -> None:
    assert len(raw(browser, f"{HOME}/overview", "gzip")[1]) < 70_000


def test_style_and_scripts_are_sent_compressed(browser: httpx.Client) -> None:
    _, page = raw(browser, f"{HOME}/overview", "identity")
    files = [part.split(b'"')[0].decode() for part in page.split(b'"/assets/')[1:]]
    assert len(files) >= 3
    for name in files:
        _, plain = raw(browser, f"/assets/{name}", "identity")
        headers, sent = raw(browser, f"/assets/{name}", "gzip")
        assert (headers["content-encoding"], gzip.decompress(sent)) == ("gzip", plain)


def test_the_interface_is_sent_as_it_is(browser: httpx.Client) -> None:
    bearer = {"Authorization": f"Bearer {next(iter(browser.cookies.values()))}"}
    asked = {"Accept-Encoding": "gzip", "Sec-Fetch-Site": "same-origin"}
    answer = browser.get(f"{ROOT}/developers", headers=bearer | asked)
    assert "content-encoding" not in answer.headers


@pytest.mark.parametrize(
    ("path", "expected"), [("/organizations/acme/reports/1", True), (f"{ROOT}/summaries/1", False)]
)
def test_a_printed_summary_of_the_interface_is_sent_as_it_is(path: str, expected: bool) -> None:
    async def asked() -> httpx.Response:
        transport = httpx.ASGITransport(CompressedPages(HTMLResponse("a page " * 1000)))
        async with httpx.AsyncClient(transport=transport, base_url="http://eas.example") as client:
            return await client.get(path, headers={"Accept-Encoding": "gzip", "Sec-Fetch-Site": "none"})

    assert ("content-encoding" in asyncio.run(asked()).headers) is expected


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("gzip", True),
        ("deflate, GZIP;q=0.5", True),
        ("*", True),
        ("gzip;q=0", False),
        ("gzip; q=0.000", False),
        ("br", False),
        ("", False),
    ],
)
def test_a_browser_says_what_it_takes(header: str, expected: bool) -> None:
    assert takes_gzip(Headers({"accept-encoding": header})) is expected
