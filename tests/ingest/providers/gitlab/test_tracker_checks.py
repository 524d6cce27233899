"""The sentences that a person reads who adds a connection to GitLab."""

from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest

from ingest.connections.model import Checked
from ingest.errors import ProviderRefused, Refusal
from ingest.providers.gitlab.tracker import GitLabIssues
from tests.ingest.connections.running import client_to
from tests.ingest.providers.runs import SECRET, connection

GITLAB = GitLabIssues()
ADDRESS = "https://gitlab.example/tools"
LATER = (datetime.now(UTC) + timedelta(days=200)).date()
TOKEN = {"scopes": ["read_api"], "expires_at": LATER.isoformat()}
Routes = dict[str, tuple[int, Any]]
FOUND: Routes = {"personal_access_tokens/self": (200, TOKEN), "user": (200, {"username": "ann"})}


def check(routes: Routes, **options: Any) -> Checked:
    def answer(request: httpx.Request) -> httpx.Response:
        path = request.url.raw_path.decode().partition("?")[0].removeprefix("/tools/api/v4/")
        status, body = routes.get(path, (404, {"message": "404 Not Found"}))
        return httpx.Response(status, json=body)

    of = connection(GITLAB, ADDRESS, **options)
    with client_to(GITLAB, of, answer) as open_client:
        return GITLAB.check(open_client, of)


def refused(routes: Routes, **options: Any) -> ProviderRefused:
    with pytest.raises(ProviderRefused) as caught:
        check(routes, **options)
    assert SECRET not in str(caught.value)
    return caught.value


def test_a_good_token_names_its_account_and_its_end() -> None:
    end = datetime(LATER.year, LATER.month, LATER.day, tzinfo=UTC)
    assert check(FOUND) == Checked("ann", end)


def test_a_token_that_ends_soon_is_a_warning() -> None:
    soon = (datetime.now(UTC) + timedelta(days=3)).date().isoformat()
    checked = check(FOUND | {"personal_access_tokens/self": (200, {**TOKEN, "expires_at": soon})})
    assert "The token ends on" in checked.warnings[0]


def test_a_server_that_hides_tokens_is_asked_for_its_user() -> None:
    assert check({"user": (200, {"username": "ann"})}) == Checked("ann")


@pytest.mark.parametrize(
    "routes",
    [
        {"personal_access_tokens/self": (403, {"error": "insufficient_scope"})},
        {"personal_access_tokens/self": (200, {**TOKEN, "scopes": ["read_user"]})},
    ],
)
def test_a_missing_scope_is_named(routes: Routes) -> None:
    error = refused(FOUND | routes)
    assert error.refusal is Refusal.MISSING_SCOPE
    assert "read_api" in error.message


def test_a_token_for_everything_has_every_scope() -> None:
    assert check(FOUND | {"personal_access_tokens/self": (200, {"scopes": ["api"]})}).account == "ann"


def test_an_unknown_group_and_a_plan_without_epics_are_told() -> None:
    assert "GitLab has no group acme/core" in refused(FOUND, group="acme/core").message
    group: Routes = {"groups/acme%2Fcore": (200, {}), "groups/acme%2Fcore/epics": (403, {})}
    assert "need GitLab Premium" in check(FOUND | group, group="acme/core").warnings[0]
