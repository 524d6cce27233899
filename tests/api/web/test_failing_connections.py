"""Every page of figures says in its frame which connections fail, to those who may see connections."""

from collections.abc import Callable

import httpx
import pytest

from api.web.frame_answers import FrameAnswers
from api.web.reading import Answer, OrganizationReader
from tests.api.web.conftest import HOME
from tests.api.web.test_work import shown, told

FAILING = {
    "health": "FAILING",
    "failureReason": "EXPIRED",
    "lastSyncedAt": "2026-11-20T06:40:00Z",
    "createdAt": "2026-01-01T00:00:00Z",
}
ROWS = [
    {"id": "1", "name": "Our model", "category": "MODEL_ENDPOINT"} | FAILING,
    {"id": "2", "name": "Our tracker", "category": "ISSUE_TRACKER"} | FAILING,
]
SINCE = "What happened since 20 Nov 2026, 06:40 UTC can be missing below."
SAID = f"The connection Our tracker fails. {SINCE}"
SOURCES = {"failingConnectionCount": 1, "missingSince": "2026-11-20T06:40:00Z"}
OF_FIGURES = (
    "overview", "developers", "teams", "benchmarks", "me", "repositories", "commits", "pullRequests", "objectives",
    "checks", "ai", "reports",
)  # fmt: skip


@pytest.fixture(scope="module")
def owner(browser_of: Callable[[str], httpx.Client]) -> httpx.Client:
    return browser_of("owner")


def answer_connections(
    monkeypatch: pytest.MonkeyPatch, answer: Answer, sources: Answer | None = None
) -> None:
    """Every page reads this answer about connections anew, and this one about sources."""
    read = OrganizationReader.read
    answers = {"connections": answer} | ({} if sources is None else {"sourceHealth": sources})

    async def changed(self: OrganizationReader, path: str = "", **asked: object) -> Answer:
        return answers[path] if path in answers else await read(self, path, **asked)

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
    # The page tells owners and admins nothing about asking somebody: they mend it themselves.
    assert "An owner or admin mends" not in text


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


@pytest.mark.parametrize("page", [*OF_FIGURES, "capex"])
def test_a_lead_learns_that_a_connection_fails_and_who_mends_it(
    browser_of: Callable[[str], httpx.Client], monkeypatch: pytest.MonkeyPatch, page: str
) -> None:
    refused = Answer(403, None, "you may not open the connections")
    answer_connections(monkeypatch, refused, Answer(200, SOURCES))
    found = shown(browser_of("team_lead"), page)
    said = f"A connection fails. {SINCE} An owner or admin mends it."
    assert found.text.count(said) == 1
    # The page of connections is denied to a lead: nothing leads there.
    assert [one for one in found.links if "/connections" in one] == []


def test_a_lead_is_told_of_several_and_of_none(
    browser_of: Callable[[str], httpx.Client], monkeypatch: pytest.MonkeyPatch
) -> None:
    lead, refused = browser_of("team_lead"), Answer(403, None, "no")
    answer_connections(monkeypatch, refused, Answer(200, SOURCES | {"failingConnectionCount": 2}))
    assert f"2 connections fail. {SINCE} An owner or admin mends them." in shown(lead, "teams").text
    answer_connections(monkeypatch, refused, Answer(200, {"failingConnectionCount": 0, "missingSince": None}))
    assert "An owner or admin mends" not in shown(lead, "teams").text


def test_a_viewer_learns_which_one_fails_and_who_mends_it(
    browser_of: Callable[[str], httpx.Client], monkeypatch: pytest.MonkeyPatch
) -> None:
    answer_connections(monkeypatch, Answer(200, {"connections": ROWS}))
    assert f"{SAID} An owner or admin mends it." in shown(browser_of("viewer"), "teams").text


def test_what_was_never_read_is_missing_since_the_connection_was_added(
    owner: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    never = [ROWS[1] | {"lastSyncedAt": None}]
    answer_connections(monkeypatch, Answer(200, {"connections": never}))
    assert "What happened since 1 Jan 2026, 00:00 UTC can be missing below." in shown(owner, "teams").text
