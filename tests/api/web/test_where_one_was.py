"""What many pages lead to marks no page of the navigation, and what is decided upon is said with a way to it."""

from collections.abc import Callable
from typing import Any

import httpx
import pytest

from api.web.work.checks import SUBJECTS
from tests.api.web.conftest import HOME
from tests.api.web.pages import Page
from tests.api.web.test_details import DAYS, told


@pytest.fixture(scope="module")
def owner(browser_of: Callable[[str], httpx.Client]) -> httpx.Client:
    return browser_of("owner")


def test_a_commit_marks_no_page_of_the_navigation(owner: httpx.Client) -> None:
    commit = told(owner, "commits", pageSize=1, **DAYS)["commits"][0]
    text = owner.get(f"{HOME}/commits/{commit['id']}").text
    assert 'aria-current="page"' not in text
    assert f"{HOME}/commits" in Page(text).links
    assert 'aria-current="page"' in owner.get(f"{HOME}/commits").text


def test_a_finding_leads_to_its_page_and_its_dialog_says_what_it_is(owner: httpx.Client) -> None:
    rows: list[dict[str, Any]] = told(owner, "checkOccurrences", status="OPEN", pageSize=25)[
        "checkOccurrences"
    ]
    page = Page(owner.get(f"{HOME}/checks").text)
    named = [row for row in rows if row["subjectType"] in SUBJECTS]
    assert named
    for row in named:
        assert f"{HOME}/{SUBJECTS[row['subjectType']]}/{row['subjectId']}" in page.links
        if row["developerName"]:
            assert f", of {row['developerName']}" in page.text
        assert page.text.count(row["subjectTitle"] or row["subjectReference"] or row["subjectId"]) >= 2


def test_the_lines_of_a_commit_are_named_as_kinds_of_lines(owner: httpx.Client) -> None:
    commit = told(owner, "commits", pageSize=1, orderBy="etv desc", **DAYS)["commits"][0]
    page = Page(owner.get(f"{HOME}/commits/{commit['id']}").text)
    assert "Which lines earned it?" in page.text
    assert "with its number, as the clone on this machine has it" in page.text
