"""Each line of a commit with its number, class and weight: the same in the interface and on the page."""

from collections.abc import Callable
from typing import Any

import httpx
import pytest

from api.http.clone_lines import CloneLines
from ingest.lines import AddedLine, DeliveredFile, RemovedLine
from tests.api.conftest import ROOT
from tests.api.web.conftest import HOME
from tests.api.web.own_organization import address, published
from tests.api.web.pages import Page
from tests.api.web.test_details import first, read, told

__all__ = ["address", "published"]

TEXT = "total = <b>sum</b>(\u202eprices)"


@pytest.fixture(scope="module")
def owner(browser_of: Callable[[str], httpx.Client]) -> httpx.Client:
    return browser_of("owner")


@pytest.fixture(scope="module")
def commit(owner: httpx.Client) -> dict[str, Any]:
    return told(owner, f"commits/{first(owner, 'commits')['id']}")


@pytest.fixture(scope="module")
def file(commit: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = max(commit["files"], key=lambda one: one["etvMicros"])
    return found


def reading(monkeypatch: pytest.MonkeyPatch, read: Callable[..., Any]) -> None:
    """Let this function read clones, of repositories that nobody added."""
    monkeypatch.setattr("api.v1.commits.commits.origin_of", lambda *_: "example.org/acme/web")
    monkeypatch.setattr(CloneLines, "read", read)


@pytest.fixture
def clone(monkeypatch: pytest.MonkeyPatch, commit: dict[str, Any], file: dict[str, Any]) -> DeliveredFile:
    """A clone with a line for each that the build counts, and a removed one."""
    counted = [
        one
        for one in file["lineClasses"]
        if one["class"] not in ("REMOVED", "TAKEN_BACK")
        for _ in range(one["lines"])
    ]
    added = [
        AddedLine(n, f"{TEXT} {n}", one["class"].lower(), one["tokens"], one["rank"], commit["sha"])
        for n, one in enumerate(counted, 11)
    ]
    of_others = AddedLine(5, "not mine", "novel", 3, 1, "f" * 40)
    made = DeliveredFile([of_others, *added], [RemovedLine(7, "old total", True, commit["sha"])])

    async def found(*_: object) -> DeliveredFile:
        return made

    reading(monkeypatch, found)
    return made


def test_lines_and_the_rest_add_up_to_the_points_of_the_file(
    owner: httpx.Client, commit: dict[str, Any], file: dict[str, Any], clone: DeliveredFile
) -> None:
    assert told(owner, f"commits/{commit['id']}")["lines"] is None
    lines = told(owner, f"commits/{commit['sha'][:9]}", file=file["path"])["lines"]
    assert lines["path"] == file["path"]
    assert lines["missingReason"] is None
    points = sum(one["weightMicros"] or 0 for one in lines["lines"])
    points += sum(one["pointsMicros"] for one in lines["rest"])
    assert points == file["linePointsMicros"] + file["removedPointsMicros"]
    new = [one for one in lines["lines"] if one["side"] == "NEW"]
    assert [one["number"] for one in new] == [one.number for one in clone.added[1:]]
    assert new[0]["text"] == f"{TEXT} 11"
    assert all(one["isCertain"] for one in new)


@pytest.mark.parametrize(("role", "reads"), [("admin", True), ("member", False), ("viewer", False)])
def test_owners_and_admins_read_code(
    browser_of: Callable[[str], httpx.Client],
    commit: dict[str, Any],
    file: dict[str, Any],
    clone: DeliveredFile,
    role: str,
    reads: bool,
) -> None:
    browser = browser_of(role)
    lines = told(browser, f"commits/{commit['id']}", file=file["path"])["lines"]["lines"]
    assert len(lines) == len(clone.added)  # one more was removed, and one is of somebody else
    assert {one["text"] is not None for one in lines} == {reads}
    page = browser.get(f"{HOME}/commits/{commit['id']}", params={"file": file["path"]}).text
    assert ("old total" in page) is reads
    weighed = [row for row in Page(page).rows if row and row[0].startswith("+") and row[-1]]
    assert weighed
    # A phone has no column of reasons, and reads each below the class of its line.
    assert all(row[1].endswith(row[-1]) for row in weighed)
    assert ("Owners and admins see the text" in page) is not reads


def test_a_copy_with_code_is_not_current_for_somebody_without(
    browser_of: Callable[[str], httpx.Client],
    commit: dict[str, Any],
    file: dict[str, Any],
    clone: DeliveredFile,
) -> None:
    assert clone.added
    with_code = read(browser_of("owner"), f"commits/{commit['id']}", file=file["path"])
    again = {}
    for role in ("owner", "member"):
        browser = browser_of(role)
        browser.headers["If-None-Match"] = with_code.headers["ETag"]
        again[role] = read(browser, f"commits/{commit['id']}", file=file["path"]).status_code
        del browser.headers["If-None-Match"]
    assert again == {"owner": 304, "member": 200}


def test_the_page_of_a_file_has_each_line_with_its_points(
    owner: httpx.Client, commit: dict[str, Any], file: dict[str, Any], clone: DeliveredFile
) -> None:
    address = f"{HOME}/commits/{commit['id']}"
    begins = owner.get(address).text
    assert "Show each line" in begins
    page = Page(owner.get(address, params={"file": file["path"]}).text)
    lines = told(owner, f"commits/{commit['id']}", file=file["path"])["lines"]["lines"]
    for one in lines:
        row = page.row(f"{'+' if one['side'] == 'NEW' else '−'}{one['number']}")
        shown = "–no" if one["weightMicros"] is None else f"{one['weightMicros'] / 1e6:.2f}"
        assert row[2].split()[0] == shown
    assert (page.blocked, page.open) == ([], [])
    assert "Show each line" not in page.text


def test_a_clone_that_is_not_at_hand_is_said_and_the_classes_stay(
    owner: httpx.Client, commit: dict[str, Any], file: dict[str, Any]
) -> None:
    lines = told(owner, f"commits/{commit['id']}", file=file["path"])["lines"]
    assert (lines["missingReason"], lines["lines"], lines["rest"]) == ("NO_CLONE", [], file["lineClasses"])
    page = Page(owner.get(f"{HOME}/commits/{commit['id']}", params={"file": file["path"]}).text)
    assert "This machine has no clone of the repository" in page.text


def test_a_commit_none_of_whose_lines_was_delivered_says_so(
    owner: httpx.Client, commit: dict[str, Any], file: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def found(*_: object) -> DeliveredFile:
        return DeliveredFile([AddedLine(1, "x", "novel", 1, 1, "f" * 40)])

    reading(monkeypatch, found)
    lines = told(owner, f"commits/{commit['sha'][:12]}", file=file["path"])["lines"]
    assert (lines["missingReason"], lines["rest"]) == ("ELSEWHERE", file["lineClasses"])


def test_an_unknown_file_is_refused_with_the_way_to_the_list(
    owner: httpx.Client, commit: dict[str, Any]
) -> None:
    answer = read(owner, f"commits/{commit['id']}", file="no/such.py")
    assert answer.status_code == 404
    assert f"…/commits/{commit['id']}/files lists its files" in answer.json()["message"]
    assert owner.get(f"{HOME}/commits/{commit['id']}", params={"file": "no/such.py"}).status_code == 200
    assert read(owner, "commits/0000000", file="a.py").status_code == 404
    assert owner.get(f"{ROOT}/commits/{commit['id']}").status_code == 401
