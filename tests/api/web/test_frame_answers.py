"""The frame of a page is read once, and anew as soon as something changes it."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager

import httpx
import pytest

from api.web import frame
from api.web.frame_answers import MAX_AGE, Around
from api.web.reading import OrganizationReader
from api.web.sessions.cookies import NAME
from tests.api.conftest import ROOT, Deployment, client_for
from tests.api.people import Clock, join, sign_in
from tests.api.published_facts import ORGANIZATION
from tests.api.web.conftest import HOME
from tests.api.web.pages import Page

Serve = Callable[..., AbstractContextManager[str]]
PAGE = f"{HOME}/general"


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The frames that were read."""
    found: list[str] = []
    read = frame._around

    async def noted(reads: OrganizationReader) -> Around:
        found.append(reads.root)
        return await read(reads)

    monkeypatch.setattr(frame, "_around", noted)
    return found


@pytest.fixture
def owner(deployment: Deployment, serve: Serve, clock: Clock) -> Iterator[httpx.Client]:
    deployment.publish()
    session = sign_in(deployment.store, join(deployment.store, ORGANIZATION, "owner"))
    with serve(deployment.data_dir, clock) as address, client_for(address) as made:
        made.headers["Accept"] = "text/html"
        made.cookies.set(NAME, session)
        # The first visit notes that the session is used, which is a change.
        made.get(PAGE)
        yield made


def test_a_second_page_reads_no_frame_until_time_passes(
    owner: httpx.Client, reads: list[str], clock: Clock
) -> None:
    first = owner.get(PAGE)
    for path in ("general", "plan", "general"):
        assert owner.get(f"{HOME}/{path}").status_code == 200
    assert len(reads) == 1
    assert owner.get(PAGE).text == first.text
    clock.advance(seconds=MAX_AGE.total_seconds() + 1)
    owner.get(PAGE)
    assert len(reads) == 2


def test_a_change_is_seen_by_the_next_page(owner: httpx.Client, reads: list[str]) -> None:
    owner.get(PAGE)
    bearer = {"Authorization": f"Bearer {owner.cookies[NAME]}"}
    assert owner.patch(ROOT, json={"name": "Renamed"}, headers=bearer).status_code == 200
    assert "<title>Settings · Renamed</title>" in owner.get(PAGE).text
    assert len(reads) == 2


def test_a_new_build_is_seen_by_the_next_page(
    owner: httpx.Client, reads: list[str], deployment: Deployment
) -> None:
    owner.get(PAGE)
    deployment.publish()
    owner.get(PAGE)
    assert len(reads) == 2
    # The first of these reads may still have opened the former build.
    owner.get(PAGE)
    settled = len(reads)
    owner.get(PAGE)
    assert len(reads) == settled


def test_an_ended_session_leads_to_the_sign_in(owner: httpx.Client, reads: list[str], clock: Clock) -> None:
    owner.get(PAGE)
    bearer = {"Authorization": f"Bearer {owner.cookies[NAME]}"}
    assert owner.post("/auth/signOut", headers=bearer).status_code in (200, 204)
    gone = owner.get(PAGE)
    assert (gone.status_code, gone.headers["location"].partition("?")[0]) == (303, "/signIn")


def test_people_have_frames_of_their_own(
    owner: httpx.Client, deployment: Deployment, reads: list[str]
) -> None:
    owner.get(PAGE)
    viewer = sign_in(deployment.store, join(deployment.store, ORGANIZATION, "viewer"))
    with client_for(str(owner.base_url)) as other:
        other.headers["Accept"] = "text/html"
        other.cookies.set(NAME, viewer)
        assert "Viewer Sign out" in Page(other.get(PAGE).text).text
    assert "Owner Invite somebody Sign out" in Page(owner.get(PAGE).text).text
