"""The pages of one developer, repository and commit have the figures of `/api/v1`, and no more for any role."""

from collections.abc import Callable
from datetime import date
from typing import Any

import httpx
import pytest

from api.web.drawing.rendering import templates
from tests.api.conftest import ROOT
from tests.api.web.conftest import HOME
from tests.api.web.own_organization import address, published
from tests.api.web.pages import Page

__all__ = ["address", "published"]

DAYS = {"startDate": "2025-06-01", "endDate": "2026-11-20"}
CATEGORIES = ("features", "maintenance", "tests", "documentation", "fixes")


def read(browser: httpx.Client, path: str, **asked: Any) -> httpx.Response:
    """The answer of the interface to the session of the browser."""
    bearer = {"Authorization": f"Bearer {next(iter(browser.cookies.values()))}"}
    return browser.get(f"{ROOT}/{path}", params=asked, headers=bearer)


def told(browser: httpx.Client, path: str, **asked: Any) -> dict[str, Any]:
    answer = read(browser, path, **asked)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def shown(browser: httpx.Client, path: str, **asked: Any) -> Page:
    answer = browser.get(f"{HOME}/{path}", params=asked)
    assert answer.status_code == 200, answer.text
    page = Page(answer.text)
    assert (page.blocked, page.open) == ([], [])
    return page


def first(browser: httpx.Client, name: str) -> dict[str, Any]:
    found: dict[str, Any] = told(browser, name, orderBy="etv desc", pageSize=1, **DAYS)[name][0]
    return found


@pytest.fixture(scope="module")
def owner(browser_of: Callable[[str], httpx.Client]) -> httpx.Client:
    return browser_of("owner")


@pytest.mark.parametrize(("name", "key"), [("developers", "developer"), ("repositories", "repository")])
def test_a_page_has_the_figures_commits_and_pull_requests_of_the_interface(
    owner: httpx.Client, name: str, key: str
) -> None:
    one = first(owner, name)
    row = told(owner, f"{name}/{one['id']}", **DAYS)
    page = shown(owner, f"{name}/{one['id']}", **DAYS)
    assert page.heading.strip() == row["name"]
    assert f"{row['etv']:,.1f} ETV from 1 Jun 2025 to 20 Nov 2026 by {row['commits']:,} commits" in page.text
    for category in CATEGORIES:
        assert page.row(category.title())[1] == f"{row[category + 'Etv']:,.1f}"
    points = told(owner, "metrics", interval="MONTH", metrics="etv,commits", **{key: one["id"]}, **DAYS)
    for point in points["series"][0]["points"]:
        name = f"{date.fromisoformat(point['start']):%b %Y}"
        # The table of the chart, and the one of all else.
        in_chart, beside = (row for row in page.rows if row and row[0].startswith(name))
        assert in_chart[1] == beside[1] == f"{point['etv']:,.1f}"
        assert beside[2] == f"{point['commits']:,}"
    commits = told(owner, "commits", orderBy="etv desc", pageSize=10, **{key: one["id"]}, **DAYS)
    for commit in commits["commits"]:
        assert page.row(commit["subject"])[1] == f"{commit['etv']:,.1f}"
    assert f"All {commits['totalSize']:,} commits" in page.text
    pulls = told(owner, "pullRequests", orderBy="createdAt desc", pageSize=7, **{key: one["id"]}, **DAYS)
    heads = [row[0] for row in page.rows if row]
    for pull in pulls["pullRequests"]:
        assert [head for head in heads if head.startswith(pull["title"])], pull["title"]


def test_a_developer_has_all_addresses_that_the_interface_joins(owner: httpx.Client) -> None:
    one = first(owner, "developers")
    row = told(owner, f"developers/{one['id']}", **DAYS)
    page = shown(owner, f"developers/{one['id']}", **DAYS)
    assert row["addresses"]
    for entry in row["addresses"]:
        assert page.row(entry["email"])[1] == entry["name"]


def test_a_repository_has_the_sums_of_its_developers_and_its_state(owner: httpx.Client) -> None:
    one = first(owner, "repositories")
    page = shown(owner, f"repositories/{one['id']}", **DAYS)
    asked = {"metrics": "etv", "interval": "MONTH", "groupBy": "DEVELOPER", "repository": one["id"]}
    lines = told(owner, "metrics", pageSize=10, **asked, **DAYS)["series"]
    assert lines
    for line in lines:
        assert page.row(line["name"])[1] == f"{sum(point['etv'] for point in line['points']):,.1f}"
    assert "Can it be read?" in page.text


def test_deliveries_with_an_impossible_time_are_one_link_away(owner: httpx.Client) -> None:
    repositories = told(owner, "repositories", pageSize=100, **DAYS)["repositories"]
    chosen = [one for one in repositories if one["misdatedDeliveries"]]
    assert chosen
    for one in chosen:
        number = one["misdatedDeliveries"]
        page = shown(owner, f"repositories/{one['id']}", **DAYS)
        assert "impossible time" in page.text
        [link] = [found for found in page.links if "misdated=true" in found]
        found = Page(owner.get(link).text)
        assert f"{number} {'commit was' if number == 1 else 'commits were'} delivered" in found.text
        assert "whose delivery has an impossible time" in found.text


def test_every_link_of_a_page_leads_to_a_page(owner: httpx.Client) -> None:
    paths = [f"{name}/{first(owner, name)['id']}" for name in ("developers", "repositories", "commits")]
    links = {link for path in paths for link in shown(owner, path, **DAYS).links if not link.startswith("#")}
    for link in sorted(links):
        # The teams of these facts are in the build alone.
        assert owner.get(link).status_code == (404 if "/teams/" in link else 200), link


@pytest.mark.parametrize("role", ["admin", "member", "viewer", "team_lead"])
@pytest.mark.parametrize("name", ["developers", "repositories", "commits"])
def test_a_role_sees_what_the_interface_answers_it(
    owner: httpx.Client, browser_of: Callable[[str], httpx.Client], role: str, name: str
) -> None:
    one = first(owner, name)
    browser = browser_of(role)
    path = f"{name}/{one['id']}"
    asked = {} if name == "commits" else DAYS
    answer, page = read(browser, path, **asked), browser.get(f"{HOME}/{path}", params=DAYS)
    assert page.status_code == answer.status_code
    if answer.status_code != 200:
        assert str(one.get("name", one.get("subject"))) not in page.text
        assert Page(page.text).rows == []
    elif name == "developers":
        for entry in answer.json()["addresses"]:
            assert entry["email"] in page.text


def test_the_classes_of_a_commit_add_up_to_its_points(owner: httpx.Client) -> None:
    for commit in told(owner, "commits", orderBy="etv desc", pageSize=3, **DAYS)["commits"]:
        row = told(owner, f"commits/{commit['id']}")
        page = shown(owner, f"commits/{commit['id']}")
        start = page.rows.index(["Class", "Lines", "Points", "Rule"])
        end = next(at for at, cells in enumerate(page.rows) if at > start and cells[0].startswith("Points"))
        # A phone has no column of rules, and reads each below the name of its class.
        assert all(cells[3] and cells[0].endswith(cells[3]) for cells in page.rows[start + 1 : end + 1])
        points = [float(cells[2].replace("−", "-").replace("+", "")) for cells in page.rows[start + 1 : end]]
        assert sum(points) == pytest.approx(row["points"], abs=0.05 * (len(points) + 1))
        assert page.rows[end][2] == f"{row['points']:,.1f}"


def test_a_commit_leads_to_its_issue_and_objective_or_says_what_is_missing(owner: httpx.Client) -> None:
    commits = told(owner, "commits", pageSize=200, **DAYS)["commits"]
    aligned = next(row for row in commits if row["reachesObjective"])
    issue = told(owner, f"commits/{aligned['id']}")["issues"][0]
    page = shown(owner, f"commits/{aligned['id']}")
    assert issue["title"] in page.text
    assert f"{HOME}/objectives/{issue['objectiveId']}" in page.links
    alone = next(row for row in commits if not row["isAligned"])
    found = shown(owner, f"commits/{alone['id']}")
    assert "The way leads by an issue." in found.text
    assert any(who in found.text for who in ("may edit it", "You can", "nobody can"))


def test_a_commit_of_no_value_says_why(owner: httpx.Client) -> None:
    commits = told(owner, "commits", pageSize=500, counted="false", **DAYS)["commits"]
    one = next(row for row in commits if row["zeroReason"] and row["deliveredOn"])
    reasons = told(
        owner,
        "zeroReasons",
        repository=one["repositoryId"],
        startDate=one["deliveredOn"],
        endDate=one["deliveredOn"],
    )
    titles = [row["title"] for row in reasons["zeroReasons"] if row["zeroReason"] == one["zeroReason"]]
    # A reason that the interface does not explain on the day is told by its name.
    expected = titles[0] if titles else one["zeroReason"].replace("_", " ").capitalize()
    assert f"Not counted: {expected}." in shown(owner, f"commits/{one['id']}").text


def test_the_files_of_a_commit_are_paged_and_one_is_chosen_by_the_address(owner: httpx.Client) -> None:
    commit = first(owner, "commits")
    files = told(owner, f"commits/{commit['id']}/files")["files"]
    page = shown(owner, f"commits/{commit['id']}", files="all", file=files[0]["path"])
    assert f"{len(files)} of {len(files)} files, by path" in page.text
    hostile = shown(owner, f"commits/{commit['id']}", file="<script>alert(1)</script>")
    assert "alert(1)" not in hostile.text


def send(browser: httpx.Client, path: str, act: str, **fields: str | list[str]) -> httpx.Response:
    token = Page(browser.get(f"{HOME}/{path}").text).fields["token"]
    return browser.post(f"{HOME}/{path}", data={"token": token, "act": act} | fields)


def test_a_commit_is_excluded_and_counted_again_by_forms(owner: httpx.Client) -> None:
    commit = first(owner, "commits")
    path = f"commits/{commit['id']}"
    refused = send(owner, path, "exclude", commit=commit["id"], reason="OTHER", note=" ")
    assert refused.status_code == 422
    assert "The reason OTHER needs a note" in Page(refused.text).text
    assert told(owner, "commitExclusions")["commitExclusions"] == []
    note = "Written <b>elsewhere</b>."
    done = send(owner, path, "exclude", commit=commit["id"], reason="OTHER", note=note)
    assert (done.status_code, done.headers["location"]) == (303, f"{HOME}/{path}?done=exclude")
    [stored] = told(owner, "commitExclusions")["commitExclusions"]
    assert (stored["commitId"], stored["isExcluded"], stored["note"]) == (commit["id"], True, note)
    text = shown(owner, path, done="exclude").text
    assert "The commit is excluded. The next build applies it." in text
    assert f"Excluded by {stored['decidedBy']}" in text
    assert note in text
    assert "Undo the exclusion" in text
    assert "Correct category" not in text
    assert send(owner, path, "include", commit=commit["id"]).status_code == 303
    assert told(owner, "commitExclusions")["commitExclusions"] == []
    # The last one of both decisions, and nothing at another commit.
    assert [one["kind"] for one in told(owner, path)["pendingDecisions"]] == ["INCLUSION"]
    other = told(owner, "commits", pageSize=2)["commits"][1]["id"]
    assert told(owner, f"commits/{other}")["pendingDecisions"] == []
    assert "Exclude this commit?" in shown(owner, path).text


def test_a_category_is_corrected_and_left_to_the_rules_again_by_a_form(owner: httpx.Client) -> None:
    commit = first(owner, "commits")
    path = f"commits/{commit['id']}"
    for category, stored in (("FIXES", {"category": "fixes"}), ("", None)):
        assert send(owner, path, "categorize", commit=commit["id"], category=category).status_code == 303
        entry = told(owner, "auditEntries", pageSize=1)["auditEntries"][0]
        assert (entry["action"], entry["targetId"], entry["after"]) == (
            "commits.categorize",
            commit["id"],
            stored,
        )
        [pending] = [one for one in told(owner, path)["pendingDecisions"] if one["kind"] == "CATEGORY"]
        assert pending["category"] == (category or None)
        assert pending["operationId"] == told(owner, "operations", pageSize=1)["operations"][0]["id"]
        said = "Fixes is decided since" if category else "The rules decide its category again since"
        assert said in shown(owner, path).text
    refused = send(owner, path, "categorize", commit=commit["id"], category="MAGIC")
    assert refused.status_code == 422
    assert '-note" class="bad small"' in refused.text


def test_a_forged_correction_of_a_commit_changes_nothing(owner: httpx.Client) -> None:
    path = f"commits/{first(owner, 'commits')['id']}"
    sent = {"token": "forged", "act": "exclude", "commit": path.rpartition("/")[2], "reason": "IMPORT"}
    assert owner.post(f"{HOME}/{path}", data=sent).status_code == 403
    assert told(owner, "commitExclusions")["commitExclusions"] == []


def test_a_member_corrects_nothing_of_others(
    owner: httpx.Client, browser_of: Callable[[str], httpx.Client]
) -> None:
    commit, member = first(owner, "commits"), browser_of("member")
    path = f"commits/{commit['id']}"
    assert "Correct category" not in shown(member, path).text
    for act in ("exclude", "wishExclusion"):
        fields = {"commit": commit["id"], "reason": "IMPORT", "kind": "EXCLUSION", "text": "Mine."}
        refused = send(member, "me", act, **fields)
        assert refused.status_code == 400
        token = Page(member.get(f"{HOME}/me").text).fields["token"]
        refused = member.post(f"{HOME}/{path}", data={"token": token, "act": act} | fields)
        assert refused.status_code == 422
    assert told(owner, "commitExclusions")["commitExclusions"] == []
    assert told(owner, "corrections")["corrections"] == []


def test_hostile_text_of_a_tracker_is_text() -> None:
    hostile = "</li><script>alert(1)</script>\u202e"
    components: Any = templates().get_template("components.html").module
    template = templates().get_template("details/chain.html")
    drawn = template.render(
        title=hostile,
        home="/organizations/acme",
        today="2026-01-01",
        outside=components.outside,
        pull={"title": hostile, "state": "OPEN", "cycleHours": None, "etv": 0.0},
        objective=None,
        commit={
            "sha": "9fceb02d0a",
            "etv": 1.0,
            "deliveredOn": "2025-01-01",
            "issues": [1],
            "pullRequestId": "p",
            "pullRequestNumber": 1,
        },
        issue={
            "itemId": "i",
            "level": "ISSUE",
            "key": hostile,
            "title": hostile,
            "foundIn": "MESSAGE",
            "statusCategory": None,
            "url": "javascript:alert(1)",
            "objectiveId": "o",
            "objectiveTitle": hostile,
            "subObjectiveId": "s",
            "subObjectiveTitle": hostile,
        },
    )
    page = Page(drawn)
    assert (page.blocked, page.open, page.outside) == ([], [], [])
    assert page.text.count("<script>alert(1)</script>") == 6


def test_with_a_minimum_group_size_a_page_shows_nobody_alone(owner: httpx.Client) -> None:
    person, repository = first(owner, "developers"), first(owner, "repositories")
    bearer = {"Authorization": f"Bearer {next(iter(owner.cookies.values()))}"}
    changed = owner.patch(
        f"{ROOT}/settings", json={"minimumGroupSize": 100, "hasIndividualFigures": False}, headers=bearer
    )
    assert changed.status_code == 200, changed.text
    path = f"developers/{person['id']}"
    answer = read(owner, path, **DAYS)
    page = owner.get(f"{HOME}/{path}", params=DAYS)
    assert page.status_code == answer.status_code
    if answer.status_code == 200:
        assert answer.json()["etv"] is None
        assert "is too small" in page.text
    page = owner.get(f"{HOME}/repositories/{repository['id']}", params=DAYS)
    assert page.status_code == 200
    assert f"{HOME}/developers/" not in page.text.partition("Who worked in it?")[2]
    assert f"{repository['etv']:,.1f} ETV" not in page.text
