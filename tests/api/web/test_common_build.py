"""A page shows one build, also where another one is published while it is made."""

import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import httpx
import pytest

from api.http.inner_requests import InnerAnswer
from api.web import frame, reading
from api.web.frame_answers import Around
from api.web.reading import Answer, OrganizationReader
from api.web.sessions.cookies import NAME
from tests.api.conftest import Deployment, client_for
from tests.api.people import Clock, join, sign_in
from tests.api.published_facts import ORGANIZATION
from tests.api.web.conftest import HOME

Serve = Callable[..., AbstractContextManager[str]]


@pytest.fixture
def owner(deployment: Deployment, serve: Serve, clock: Clock) -> Iterator[httpx.Client]:
    session = sign_in(deployment.store, join(deployment.store, ORGANIZATION, "owner"))
    deployment.publish()
    with serve(deployment.data_dir, clock) as address, client_for(address) as made:
        made.headers["Accept"] = "text/html"
        made.cookies.set(NAME, session)
        yield made


@pytest.fixture
def builds(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The builds of the answers that pages read, in their order."""
    found: list[str] = []
    answered = reading.answered

    def noted(answer: InnerAnswer, *accept: str) -> Answer:
        made = answered(answer, *accept)
        found.extend([made.build] if made.build else [])
        return made

    monkeypatch.setattr(reading, "answered", noted)
    return found


def publish_after_the_frame(
    monkeypatch: pytest.MonkeyPatch, deployment: Deployment, delete: Callable[[], Path] | None = None
) -> list[str]:
    """Publish once, when the frame of the next page has been read, and delete a file. The list takes the build's id."""
    published: list[str] = []
    read = frame._around

    async def then_published(reads: OrganizationReader) -> Around:
        around = await read(reads)
        if not published:
            published.append(deployment.publish())
            if delete is not None:
                delete().unlink()
        return around

    monkeypatch.setattr(frame, "_around", then_published)
    return published


@pytest.mark.parametrize("path", ["overview", "commits", "repositories", "capex"])
def test_a_page_keeps_the_build_that_it_began_with(
    path: str,
    owner: httpx.Client,
    builds: list[str],
    deployment: Deployment,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    published = publish_after_the_frame(monkeypatch, deployment)
    assert owner.get(f"{HOME}/{path}").status_code == 200
    assert len(builds) > 1
    assert len(published) == 1
    assert not set(published) & set(builds)
    assert len(set(builds)) == 1
    builds.clear()
    assert owner.get(f"{HOME}/{path}").status_code == 200
    assert set(builds) == set(published)


def test_a_page_whose_build_is_deleted_goes_on_with_the_current_one(
    owner: httpx.Client, builds: list[str], deployment: Deployment, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = deployment.data_dir / "published" / ORGANIZATION
    published = publish_after_the_frame(
        monkeypatch, deployment, delete=lambda: folder / f"{builds[0]}.duckdb"
    )
    answer = owner.get(f"{HOME}/overview")
    assert answer.status_code == 200
    assert not re.search("could not be read|The service answered", answer.text)
    assert set(builds) >= set(published)
