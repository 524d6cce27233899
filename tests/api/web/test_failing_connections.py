"""Every page of figures says in its frame which connections fail, to those who may see connections."""

from collections.abc import Callable

import httpx
import pytest

from api.web.frame_answers import FrameAnswers
from api.web.reading import Answer, OrganizationReader
from tests.api.web.conftest import HOME
from tests.api.web.test_work import shown, told

FAILING = {"health": "FAILING", "failureReason": "EXPIRED"}
ROWS = [
    {"id": "1", "name": "Our model", "category": "MODEL_ENDPOINT"} | FAILING,
    {"id": "2", "name": "Our tracker", "category": "ISSUE_TRACKER"} | FAILING,
]
SAID = "The connection Our tracker fails. What happened since the last sync is missing"
OF_FIGURES = (
    "overview", "developers", "teams", "benchmarks", "me", "repositories", "commits", "pullRequests", "objectives",
    "checks", "ai", "reports",
)  # fmt: skip


@pytest.fixture(scope="module")
def owner(browser_of: Callable[[str], httpx.Client]) -> httpx.Client:
    return browser_of("owner")


def answer_connections(monkeypatch: pytest.MonkeyPatch, answer: Answer) -> None:
    """Every page reads this answer about connections anew."""
    read = OrganizationReader.read

    async def changed(self: OrganizationReader, path: str = "", **asked: object) -> Answer:
        return answer if path == "connections" else await read(self, path, **asked)

    monkeypatch.setattr(OrganizationReader, "read", changed)
    monkeypatch.setattr(FrameAnswers, "_holds", lambda *_: False)


@pytest.mark.parametrize("page", OF_FIGURES)
def test_pages_of_figures_name_only_connections_that_bring_facts(
    owner: httpx.Client, monkeypatch: pytest.MonkeyPatch, page: str
) -> None:
    answer_connections(monkeypatch, Answer(200, {"connections": ROWS}))
    text = shown(owner, page).text
    assert text.count(SAID) == 1
    assert "Our model" not in text


@pytest.mark.parametrize("kind", ["developers", "repositories", "pullRequests"])
def test_the_page_of_one_thing_names_them_too(
    owner: httpx.Client, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    first = told(owner, kind, pageSize=1)[kind][0]["id"]
    answer_connections(monkeypatch, Answer(200, {"connections": ROWS}))
    assert shown(owner, f"{kind}/{first}").text.count(SAID) == 1


def test_a_page_that_is_refused_names_none(owner: httpx.Client, monkeypatch: pytest.MonkeyPatch) -> None:
    answer_connections(monkeypatch, Answer(200, {"connections": ROWS}))
    refused = owner.get(f"{HOME}/repositories/00000000-0000-4000-8000-000000000000")
    assert refused.status_code == 404
    assert "Our tracker" not in refused.text


@pytest.mark.parametrize("page", ["manage", "checkKinds", "members", "general"])
def test_pages_without_figures_name_none(
    owner: httpx.Client, monkeypatch: pytest.MonkeyPatch, page: str
) -> None:
    answer_connections(monkeypatch, Answer(200, {"connections": ROWS}))
    assert SAID not in shown(owner, page).text


@pytest.mark.parametrize(
    "answer",
    [
        Answer(403, None, "you may not see connections"),
        Answer(200, {"connections": [ROWS[1] | {"health": "HEALTHY"}]}),
    ],
)
def test_who_sees_no_connections_and_who_has_none_that_fails_is_told_of_none(
    owner: httpx.Client, monkeypatch: pytest.MonkeyPatch, answer: Answer
) -> None:
    answer_connections(monkeypatch, answer)
    assert "Our tracker" not in shown(owner, "overview").text
