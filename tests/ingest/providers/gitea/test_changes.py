"""The question for changed pull requests: an answer that may lack one counts as none."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import httpx
import pytest

from ingest.providers.gitea.changes import changed_repositories
from ingest.providers.gitea.host import Gitea, repository
from tests.ingest.connections.running import Recorded, client_to, connection_to
from tests.ingest.providers.gitea import server as fake

SINCE = datetime(2026, 3, 4, tzinfo=UTC)


def server(count: int = 9, **more: Any) -> fake.GiteaServer:
    """Each repository has a pull request that changed on the day of its number."""
    return fake.GiteaServer(
        [fake.repository(number, f"shop-{number}") for number in range(1, count + 1)],
        pulls=[fake.pull(number, base={"repo_id": number}) for number in range(1, count + 1)],
        **more,
    )


def asked(handler: Recorded, repositories: list[fake.Row]) -> set[str] | None:
    provider = Gitea()
    with client_to(provider, connection_to(provider, fake.ADDRESS), handler) as client:
        return changed_repositories(client, [repository(one) for one in repositories], SINCE)


def test_the_changes_of_all_pages_count_from_the_time_on() -> None:
    made = server(page_size=2)
    assert asked(Recorded(made), made.repositories) == {"4", "5", "6", "7", "8", "9"}


@pytest.mark.parametrize(("owners", "requests"), [(5, 5), (6, 1)])
def test_the_repositories_of_few_owners_are_asked_for_alone(owners: int, requests: int) -> None:
    made = server()
    for number, one in enumerate(made.repositories):
        one.update(fake.repository(one["id"], one["name"], f"owner-{number % owners}"))
    recorded = Recorded(made)
    assert asked(recorded, made.repositories) == {"4", "5", "6", "7", "8", "9"}
    assert len(recorded.requests) == requests


def test_an_answer_that_ends_before_its_number_of_rows_counts_as_none() -> None:
    """Servers count the pages of their links by another setting."""
    made = server(page_size=4)

    def ending(request: httpx.Request) -> httpx.Response:
        answer = made(request)
        answer.headers.pop("link", None)
        return answer

    assert asked(Recorded(ending), made.repositories) is None


def test_an_answer_from_which_a_pull_request_goes_meanwhile_counts_as_none() -> None:
    made = server(page_size=4)

    def forgetting(request: httpx.Request) -> httpx.Response:
        answer = made(request)
        made.pulls = made.pulls[:-1] if len(made.pulls) == 9 else made.pulls
        return answer

    assert asked(Recorded(forgetting), made.repositories) is None


def test_an_answer_without_its_number_of_rows_or_with_too_many_counts_as_none() -> None:
    made = server()
    for stated in (None, "1001", "many"):

        def handler(request: httpx.Request, stated: str | None = stated) -> httpx.Response:
            answer = made(request)
            del answer.headers["x-total-count"]
            answer.headers.update({} if stated is None else {"X-Total-Count": stated})
            return answer

        assert asked(Recorded(handler), made.repositories) is None
