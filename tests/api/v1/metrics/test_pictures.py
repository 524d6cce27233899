"""Time series as pictures: the same values, gaps, rights and headers as in JSON."""

import re
import statistics
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from typing import Any

import httpx
import pytest

from api.http import pictures
from api.http.pictures import SVG
from api.presentation.charts.units import unit_of
from api.presentation.metrics import METRICS, Metric
from api.presentation.pull_request_metrics import PULL_REQUEST_METRICS
from api.snapshot.builds import Builds
from tests.api.conftest import ROOT, Deployment, client_for, serving
from tests.api.drawn_once import PicturesDrawnOnce
from tests.api.people import join, sign_in
from tests.api.presentation.charts.drawn import Drawn, read
from tests.api.published_facts import ORGANIZATION, Facts

WIDE = {"startDate": "2026-04-01", "endDate": "2026-11-20", "interval": "MONTH"}
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
PICTURE = {"Accept": SVG}


def picture(client: httpx.Client, path: str, **params: Any) -> Drawn:
    answer = client.get(f"{ROOT}/{path}", params=params, headers=PICTURE)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == SVG
    return read(answer.text)


def spoken(series: list[dict[str, Any]], metric: Metric, *, name_first: bool) -> list[str]:
    """What the marks of these series say, written out once more from the JSON."""
    found = []
    for line in series:
        for point in line["points"]:
            if point[metric.field] is None:
                continue
            year, month = point["start"].split("-")[:2]
            words = [f"{MONTHS[int(month) - 1]} {year}"]
            if line["key"] is not None:
                words.insert(0 if name_first else 1, line["name"])
            found.append(f"{', '.join(words)}: {unit_of(metric).said(point[metric.field])}")
    return sorted(found)


def in_proportion(heights: list[float], values: list[float], pixels: float) -> None:
    """The heights are those of the values, with about so many pixels a unit as the lines of the grid say."""
    scale = max(heights) / max(values)
    assert scale == pytest.approx(pixels, rel=0.01)
    assert sorted(heights) == pytest.approx(sorted(value * scale for value in values), abs=1e-6)


@pytest.mark.parametrize("group", [None, "REPOSITORY", "DEVELOPER", "TEAM", "CATEGORY"])
@pytest.mark.parametrize("name", ["etv", "performance", "aiShareAtLeast", "commits", "roadmapAlignment"])
def test_a_picture_says_every_value_of_the_series_and_nothing_where_it_is_null(
    client: httpx.Client, group: str | None, name: str
) -> None:
    params = WIDE | {"metrics": name} | ({"groupBy": group} if group else {})
    series = client.get(f"{ROOT}/metrics", params=params).json()["series"]
    drawn = picture(client, "metrics", **params)
    is_stacked = group == "CATEGORY" and name == "etv"
    assert sorted(drawn.spoken("bar" if is_stacked else "point")) == spoken(
        series, METRICS[name], name_first=not is_stacked
    )
    by = f"{group.lower()} and month" if group else "month"
    assert drawn.title == f"{METRICS[name].label} by {by}"
    if not is_stacked:
        assert {line["name"] for line in series if line["key"] is not None} <= set(drawn.texts)


def test_marks_are_as_high_as_the_values(client: httpx.Client) -> None:
    params = WIDE | {"metrics": "etv"}
    (total,) = client.get(f"{ROOT}/metrics", params=params).json()["series"]
    drawn = picture(client, "metrics", **params)
    pixels, zero = drawn.grid()
    heights = [zero - mark.y for mark in drawn.marks]
    in_proportion(heights, [point["etv"] for point in total["points"]], pixels)
    by_category = client.get(f"{ROOT}/metrics", params=params | {"groupBy": "CATEGORY"}).json()["series"]
    stacked = picture(client, "metrics", **params, groupBy="CATEGORY")
    pixels, _ = stacked.grid()
    in_proportion(
        [mark.height for mark in stacked.marks],
        [point["etv"] for line in by_category for point in line["points"]],
        pixels,
    )


@pytest.mark.parametrize("grouping", ["TWO", "THREE"])
def test_groups_of_categories_are_stacked_under_their_names(client: httpx.Client, grouping: str) -> None:
    params = WIDE | {"metrics": "etv", "groupBy": "CATEGORY", "categoryGrouping": grouping}
    series = client.get(f"{ROOT}/metrics", params=params).json()["series"]
    drawn = picture(client, "metrics", **params)
    assert sorted(drawn.spoken("bar")) == spoken(series, METRICS["etv"], name_first=False)
    assert {line["name"] for line in series} <= set(drawn.texts)


@pytest.mark.parametrize("name", ["mergedPullRequests", "cycleHours", "reviewedShare"])
def test_pull_requests_have_the_same_pictures(client: httpx.Client, name: str) -> None:
    for params in (WIDE, WIDE | {"groupBy": "REPOSITORY"}):
        asked = params | {"metrics": name}
        series = client.get(f"{ROOT}/pullRequestMetrics", params=asked).json()["series"]
        drawn = picture(client, "pullRequestMetrics", **asked)
        assert sorted(drawn.spoken("point")) == spoken(series, PULL_REQUEST_METRICS[name], name_first=True)


def test_a_picture_is_answered_where_accept_prefers_it(client: httpx.Client) -> None:
    def kind(accept: str) -> str:
        answer = client.get(f"{ROOT}/metrics", headers={"Accept": accept})
        assert answer.headers["vary"] == "Accept, Authorization"
        return answer.headers["content-type"].partition(";")[0]

    pictures = (
        SVG,
        "image/avif,image/webp,image/svg+xml,image/*,*/*;q=0.8",
        f"application/json;q=0.5, {SVG};q=0.6",
    )
    assert {accept: kind(accept) for accept in pictures} == dict.fromkeys(pictures, SVG)
    others = (
        *("*/*", "", "image/png", "text/html,*/*;q=0.8", f"{SVG};q=0", f"application/json, {SVG}"),
        f"application/json;q=0.6, {SVG};q=0.5",
    )
    assert {accept: kind(accept) for accept in others} == dict.fromkeys(others, "application/json")


def test_light_and_dark_differ_in_colours_alone(client: httpx.Client) -> None:
    light, dark, page = (
        client.get(f"{ROOT}/metrics", params={"theme": theme}, headers=PICTURE).text
        for theme in ("light", "DARK", "PAGE")
    )
    assert "#ffffff" in light
    assert "#ffffff" not in dark
    assert [mark.label for mark in read(light).marks] == [mark.label for mark in read(dark).marks]
    # A page has the colours, as variables of its style sheet.
    assert "var(--ink)" in page
    assert re.findall("#[0-9a-f]{6}", page) == []
    assert [mark.label for mark in read(light).marks] == [mark.label for mark in read(page).marks]
    bars = {"groupBy": "CATEGORY", "metrics": "etv"}
    keyed = [
        ">Maintenance<" in client.get(f"{ROOT}/metrics", params=bars | {"theme": theme}, headers=PICTURE).text
        for theme in ("LIGHT", "PAGE")
    ]
    # The page has the key, which stays in place when a phone scrolls the picture.
    assert keyed == [True, False]
    # It has a heading above the picture, which says the title for the eye.
    title = re.findall("<title>([^<]+)</title>", light)[0]
    assert [one.count(f">{title}<") for one in (light, page)] == [2, 1], title
    refused = client.get(f"{ROOT}/metrics", params={"theme": "SEPIA"}, headers=PICTURE)
    assert (refused.status_code, refused.json()["message"]) == (
        400,
        "theme: must be one of LIGHT, DARK, PAGE",
    )


@pytest.mark.parametrize("path", ["metrics", "pullRequestMetrics"])
def test_a_picture_has_the_headers_of_its_build_and_an_etag_of_its_own(
    client: httpx.Client, path: str
) -> None:
    params = {"startDate": "2026-10-01", "endDate": "2026-10-31", "interval": "MONTH"}

    def asked(**headers: str) -> httpx.Response:
        return client.get(f"{ROOT}/{path}", params=params, headers=headers)

    json, svg = asked(), asked(**PICTURE)
    assert svg.headers["x-warehouse-build"] == json.headers["x-warehouse-build"]
    assert svg.headers["cache-control"] == json.headers["cache-control"]
    assert svg.headers["content-security-policy"] == "default-src 'none'; sandbox"
    assert svg.headers["etag"] != json.headers["etag"]
    again = asked(**PICTURE | {"If-None-Match": svg.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert asked(**PICTURE | {"If-None-Match": json.headers["etag"]}).text == svg.text


def test_what_a_picture_cannot_show_is_refused_as_json_with_the_remedy(client: httpx.Client) -> None:
    refused = client.get(f"{ROOT}/metrics", params={"metrics": "commits,etv"}, headers=PICTURE)
    assert refused.status_code == 400
    assert refused.json()["message"] == "metrics: a picture shows one metric; name one, such as commits"
    assert client.get(f"{ROOT}/metrics", params={"repository": "none"}, headers=PICTURE).status_code == 404


def test_without_a_named_metric_a_picture_shows_the_first(client: httpx.Client) -> None:
    assert picture(client, "metrics").title == "ETV by week"
    assert picture(client, "pullRequestMetrics").title == "Throughput by week"


def test_a_picture_says_how_many_series_it_leaves_out(client: httpx.Client) -> None:
    params: dict[str, Any] = WIDE | {"metrics": "etv", "groupBy": "REPOSITORY"}
    answer = client.get(f"{ROOT}/metrics", params=params | {"pageSize": 1}).json()
    drawn = picture(client, "metrics", **params, pageSize=1)
    assert len(answer["series"]) == 1
    assert any(text.endswith(f"1 of {answer['totalSize']} series.") for text in drawn.texts)
    # The next page continues the series of the first.
    second = picture(client, "metrics", **params, pageSize=1, pageToken=answer["nextPageToken"])
    assert drawn.spoken("point") != second.spoken("point")


def test_callers_see_in_pictures_what_they_see_in_json(
    published: Deployment, address: str, facts: Facts
) -> None:
    store = published.store
    statuses = set()
    for role in ("viewer", "team_lead"):
        with client_for(address, sign_in(store, join(store, ORGANIZATION, role))) as caller:
            for params in (WIDE, WIDE | {"groupBy": "DEVELOPER"}, WIDE | {"team": next(iter(facts.teams))}):
                asked = params | {"metrics": "etv"}
                json = caller.get(f"{ROOT}/metrics", params=asked)
                svg = caller.get(f"{ROOT}/metrics", params=asked, headers=PICTURE)
                assert svg.status_code == json.status_code
                statuses.add(svg.status_code)
                if svg.status_code == 200:
                    assert sorted(read(svg.text).spoken("point")) == spoken(
                        json.json()["series"], METRICS["etv"], name_first=True
                    )
    assert statuses == {200, 403}
    assert httpx.get(f"{address}{ROOT}/metrics", headers=PICTURE).status_code == 401


def test_before_the_first_build_a_picture_says_the_next_step(
    deployment: Deployment, serve: Callable[..., AbstractContextManager[str]]
) -> None:
    with serve(deployment.data_dir) as address, client_for(address, deployment.key()) as client:
        answer = client.get(f"{ROOT}/metrics", headers=PICTURE)
        step = client.get(f"{ROOT}/metrics").json()["nextStep"]
    assert (answer.status_code, answer.headers["cache-control"]) == (200, "no-store")
    assert step in read(answer.text).texts


@pytest.fixture
def leases(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What happened in order: a build was given back, a picture was drawn."""
    found: list[str] = []
    release = Builds.release

    def released(builds: Builds, build: Any) -> None:
        found.append("release")
        release(builds, build)

    async def drawn(*_: Any, **__: Any) -> bytes:
        found.append("draw")
        return b"<svg/>"

    monkeypatch.setattr(Builds, "release", released)
    monkeypatch.setattr("api.http.pictures.Pictures.drawn", drawn)
    return found


def test_the_build_is_given_back_before_the_drawing(client: httpx.Client, leases: list[str]) -> None:
    client.get(
        f"{ROOT}/metrics", params={"endDate": "2026-06-01", "startDate": "2026-05-01"}, headers=PICTURE
    )
    assert leases == ["release", "draw"]


@pytest.fixture
def drawing_elsewhere(published: Deployment, monkeypatch: pytest.MonkeyPatch) -> Iterator[httpx.Client]:
    """A client of a server that draws in a process of its own, as those of the product do."""
    (product,) = PicturesDrawnOnce.__bases__
    monkeypatch.setattr(pictures, "Pictures", product)
    with serving(published.data_dir) as address, client_for(address, published.key("drawing")) as made:
        yield made


def test_the_server_answers_others_while_a_picture_is_drawn(drawing_elsewhere: httpx.Client) -> None:
    """Drawn in a thread of the server, it would hold the interpreter, and with it every other request."""
    client = drawing_elsewhere
    picture(client, "metrics", interval="DAY")
    others = list[int]()
    with ThreadPoolExecutor(1) as threads:
        for day in range(1, 8):
            days = {"startDate": f"2026-05-0{day}", "endDate": "2026-11-20", "interval": "DAY"}
            drawing = threads.submit(picture, client, "metrics", **days, groupBy="CATEGORY")
            others.append(0)
            while not drawing.done():
                assert client.get("/api/v1").status_code == 200
                others[-1] += 1
            drawing.result()
    # Drawn in a thread it was 11 in the middle, and 59 like this.
    assert statistics.median(others) >= 20
