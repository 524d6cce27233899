"""The pages show what `/api/v1` answers, run nothing, and ask no other host."""

from collections.abc import Callable

import httpx
import pytest

from tests.api.conftest import ROOT
from tests.api.web.conftest import HOME
from tests.api.web.pages import Page

DAYS = {"startDate": "2025-01-01", "endDate": "2026-12-31"}
PATHS = (
    *("overview", "developers", "repositories", "commits", "connections"),
    *("ai", "capex", "reports"),
    *("manage", "sandbox", "pullRequests", "objectives", "checks", "checkKinds", "teams", "benchmarks", "me"),
    *("general", "members", "tokens", "calendar", "privacy", "plan", "audit"),
)


def page(browser: httpx.Client, path: str, **asked: str) -> Page:
    answer = browser.get(f"{HOME}/{path}", params=asked)
    assert answer.status_code == 200, answer.text
    return Page(answer.text)


@pytest.fixture(scope="module")
def commit(client: httpx.Client) -> dict[str, object]:
    found: dict[str, object] = client.get(
        f"{ROOT}/commits", params={"orderBy": "etv desc", "pageSize": 1}
    ).json()["commits"][0]
    return found


@pytest.mark.parametrize("path", PATHS)
def test_a_page_is_well_formed_and_has_nothing_that_its_policy_blocks(
    browser: httpx.Client, path: str
) -> None:
    answer = browser.get(f"{HOME}/{path}", params=DAYS)
    assert answer.status_code == 200
    found = Page(answer.text)
    assert (found.blocked, found.open) == ([], [])
    policy = dict(part.split(" ", 1) for part in answer.headers["content-security-policy"].split("; "))
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == policy["form-action"] == "'self'"
    assert not [link for link in found.links if "//" in link.partition("?")[0]]
    assert all(link.startswith(("https://", "http://")) for link in found.outside)


@pytest.mark.parametrize("role", ["owner", "admin", "member", "viewer", "team_lead"])
@pytest.mark.parametrize(("path", "rows"), [("developers", "developers"), ("repositories", "repositories")])
def test_a_list_has_the_figures_of_the_interface_for_each_role(
    browser_of: Callable[[str], httpx.Client], role: str, path: str, rows: str
) -> None:
    browser = browser_of(role)
    session = next(iter(browser.cookies.values()))
    asked = DAYS | {"orderBy": "etv desc", "pageSize": "25"}
    told = browser.get(f"{ROOT}/{path}", params=asked, headers={"Authorization": f"Bearer {session}"}).json()
    found = page(browser, path, **DAYS)
    shown = [row[:2] for row in found.rows[1:]]
    notes = {True: "bot or agent, in no total", False: ""}
    assert shown == [
        [row["name"] + notes[row.get("isBot", False)], f"{row['etv']:,.1f}"] for row in told[rows]
    ]


def test_every_link_of_a_page_leads_to_a_page(browser: httpx.Client) -> None:
    links = {link for path in PATHS for link in page(browser, path, **DAYS).links if not link.startswith("#")}
    # One developer and one repository stand for all; test_details.py has their pages.
    for link in links - set(_others(links, "developers")) - set(_others(links, "repositories")):
        answer = browser.get(link)
        # The teams of these facts are in the build alone.
        assert answer.status_code == (404 if "/teams/" in link else 200), link
        if "/files/" in link:
            assert answer.headers["content-disposition"].startswith("attachment"), link
            # A list without rows still has its heads.
            assert answer.text.count("\n") >= 1, link


def _others(links: set[str], kind: str) -> list[str]:
    """Links to all things of a kind but the first."""
    return sorted(link for link in links if f"{HOME}/{kind}/" in link)[1:]


def test_the_total_of_the_overview_is_that_of_the_interface(
    browser: httpx.Client, client: httpx.Client
) -> None:
    totals = client.get(f"{ROOT}/repositories", params=DAYS | {"pageSize": "1"}).json()["totals"]
    found = page(browser, "overview", **DAYS)
    assert found.row("All")[1] == f"{totals['etv']:,.1f}"
    for category in ("features", "maintenance", "tests", "documentation", "fixes"):
        assert found.row(category.title())[1] == f"{totals[category + 'Etv']:,.1f}"
    assert f"{totals['etv']:,.1f} ETV from 1 Jan 2025 to 31 Dec 2026" in found.text


def test_the_chart_of_the_overview_has_a_table_with_the_figures_of_the_interface(
    browser: httpx.Client, client: httpx.Client
) -> None:
    metrics = [
        "etv",
        *(f"{one}Etv" for one in ("features", "maintenance", "tests", "documentation", "fixes")),
    ]
    asked = DAYS | {"interval": "QUARTER"}
    points = client.get(f"{ROOT}/metrics", params=asked | {"metrics": ",".join(metrics)}).json()["series"][0][
        "points"
    ]
    found = page(browser, "overview", **asked)
    assert len(points) == 8
    assert any(point["etv"] for point in points)
    for point in points:
        name = f"Q{(int(point['start'][5:7]) + 2) // 3} {point['start'][:4]}"
        assert found.row(name)[1:] == [f"{point[metric]:,.1f}" for metric in metrics]


def test_a_commit_is_explained_class_by_class_and_file_by_file(
    browser: httpx.Client, client: httpx.Client, commit: dict[str, object]
) -> None:
    told = client.get(f"{ROOT}/commits/{commit['id']}").json()
    found = page(browser, f"commits/{commit['id']}")
    assert found.heading == told["subject"]
    assert told["explanation"] in found.text
    for file in told["files"]:
        assert found.row(file["path"])[-1] == f"{file['etv']:.2f}"


def test_an_unknown_commit_is_told_in_place(browser: httpx.Client) -> None:
    answer = browser.get(f"{HOME}/commits/0190d3b0-0000-7000-8000-000000000099")
    assert answer.status_code == 404
    assert "organizations/acme/overview" in answer.text


@pytest.mark.parametrize(
    "hostile", ["<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "\u202e", "'{{7*7}}"]
)
def test_hostile_text_of_an_address_is_text(browser: httpx.Client, hostile: str) -> None:
    answer = browser.get(f"{HOME}/developers", params={"search": hostile})
    found = Page(answer.text)
    assert (found.blocked, found.fields["search"]) == ([], hostile)
    assert "49" not in found.text.partition("match")[2][:20]


@pytest.mark.parametrize(
    "asked",
    [
        {"startDate": "2024-13-45", "endDate": "x"},
        {"period": "<b>"},
        {"interval": "SECOND"},
        {"startDate": "2025-01-01", "endDate": "2024-01-01"},
    ],
)
def test_an_unreadable_period_counts_as_none(browser: httpx.Client, asked: dict[str, str]) -> None:
    assert "ETV in twelve weeks" in page(browser, "developers", **asked).text


def test_a_part_of_a_month_is_not_held_against_the_month_before(
    browser: httpx.Client, client: httpx.Client
) -> None:
    days = {"startDate": "2026-01-01", "endDate": "2026-10-10", "interval": "MONTH"}
    points = client.get(f"{ROOT}/metrics", params=days | {"metrics": "etv"}).json()["series"][0]["points"]
    assert [point["isPartial"] for point in points[-2:]] == [False, True]
    found = page(browser, "overview", **days).text
    assert f"September brought {points[-2]['etv']:,.1f}" in found
    assert "October brought" not in found
    rows = {row[0] for row in page(browser, "overview", **days).rows if row}
    assert {"Oct 2026 only a part", "Sep 2026"} <= rows


def test_buckets_that_are_too_fine_are_closed_with_the_reason(browser: httpx.Client) -> None:
    answer = browser.get(f"{HOME}/overview", params=DAYS | {"interval": "DAY"})
    found = Page(answer.text)
    assert "730 bars are too many; choose a shorter range" in found.text
    assert not [link for link in found.links if "interval=DAY" in link]


def test_a_page_of_another_organization_shows_nothing_of_it(browser: httpx.Client) -> None:
    answer = browser.get("/organizations/umbrella/overview")
    assert answer.status_code in (403, 404)
    assert Page(answer.text).rows == []


def test_a_wrong_order_is_explained_and_not_ignored(browser: httpx.Client) -> None:
    answer = browser.get(f"{HOME}/developers", params={"orderBy": "nothing"})
    assert answer.status_code == 400
    assert "OrderBy: " in Page(answer.text).text
