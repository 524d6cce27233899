"""Pages and their files go compressed to browsers that take it, and say the same to others."""

import gzip

import httpx
import pytest
from starlette.datastructures import Headers

from api.web.compression import takes_gzip
from tests.api.conftest import ROOT
from tests.api.web.conftest import HOME
from tests.api.web.pages import Page


def raw(browser: httpx.Client, path: str, coding: str) -> tuple[httpx.Headers, bytes]:
    """The headers and the bytes of an answer as they are sent."""
    with browser.stream("GET", path, headers={"Accept-Encoding": coding}) as answer:
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


def test_its_size_differs_by_chance(browser: httpx.Client) -> None:
    assert len({len(raw(browser, f"{HOME}/tokens", "gzip")[1]) for _ in range(12)}) > 1


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
    answer = browser.get(f"{ROOT}/developers", headers=bearer | {"Accept-Encoding": "gzip"})
    assert "content-encoding" not in answer.headers


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
