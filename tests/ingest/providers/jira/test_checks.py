"""The sentences that a person reads who adds a connection to Jira."""

from collections.abc import Callable
from typing import Any

import httpx
import pytest

from ingest.connections.model import Checked
from ingest.errors import ProviderRefused, RateLimited, Refusal
from ingest.providers.jira.cloud import JiraCloud
from ingest.providers.jira.data_center import JiraDataCenter
from tests.ingest.connections.running import client_to
from tests.ingest.providers.runs import SECRET, connection

CLOUD, DATA_CENTER = JiraCloud(), JiraDataCenter()
SITE = "https://invented.atlassian.net"
GATEWAY = "https://api.atlassian.com/ex/jira/11111111-2222-3333-4444-555555555555"
SERVER = "https://jira.example/context"
ME = {"accountId": "u1", "name": "ann", "displayName": "Ann Example", "timeZone": "UTC"}
ABOUT = {"versionNumbers": [10, 3, 0], "deploymentType": "Server"}
Routes = dict[str, tuple[int, Any] | tuple[int, Any, dict[str, str]]]


def serve(routes: Routes) -> Callable[[httpx.Request], httpx.Response]:
    def answer(request: httpx.Request) -> httpx.Response:
        path = next((end for end in routes if request.url.path.endswith(end)), None)
        status, body, *headers = routes[path] if path else (404, {"errorMessages": ["none"]})
        return httpx.Response(status, json=body, headers=headers[0] if headers else {})

    return answer


def cloud(routes: Routes, address: str = SITE, **options: Any) -> Checked:
    of = connection(CLOUD, address, **options)
    with client_to(CLOUD, of, serve(routes)) as open_client:
        return CLOUD.check(open_client, of)


def data_center(routes: Routes, **options: Any) -> Checked:
    of = connection(DATA_CENTER, SERVER, **options)
    with client_to(DATA_CENTER, of, serve(routes)) as open_client:
        return DATA_CENTER.check(open_client, of)


def refused(check: Callable[..., Checked], *args: Any, **options: Any) -> ProviderRefused:
    with pytest.raises(ProviderRefused) as caught:
        check(*args, **options)
    assert SECRET not in str(caught.value)
    return caught.value


FOUND: Routes = {"/myself": (200, ME), "/search/jql": (200, {"issues": [{"id": "1"}]}), "/serverInfo": (200, ABOUT),
                 "/search": (200, {"issues": [{"id": "1"}], "total": 1})}  # fmt: skip


def test_a_good_token_names_its_account() -> None:
    assert cloud(FOUND) == Checked("Ann Example")
    assert data_center(FOUND) == Checked("Ann Example")


def test_the_address_of_a_page_of_the_site_is_understood() -> None:
    assert cloud(FOUND, f"{SITE}/jira/your-work").account == "Ann Example"


def test_a_refused_token_of_the_cloud_is_told_the_address_for_tokens_with_scopes() -> None:
    cloud_id = {"cloudId": "11111111-2222-3333-4444-555555555555"}
    error = refused(cloud, {"/myself": (401, {}), "/_edge/tenant_info": (200, cloud_id)})
    assert error.refusal is Refusal.UNAUTHORIZED
    assert GATEWAY in error.message
    assert "email address" in error.message
    without = refused(cloud, {"/myself": (401, {})})
    assert f"{SITE}/_edge/tenant_info" in without.message


def test_a_refused_token_with_scopes_is_told_its_scopes() -> None:
    error = refused(cloud, {"/myself": (401, {})}, GATEWAY)
    assert "read:jira-work" in error.message
    assert refused(cloud, {"/myself": (403, {})}, GATEWAY).refusal is Refusal.FORBIDDEN


@pytest.mark.parametrize(
    ("status", "refusal", "words"),
    [
        (403, Refusal.FORBIDDEN, "access to the product"),
        (404, Refusal.NOT_FOUND, "check the name of the site"),
    ],
)
def test_other_refusals_of_the_cloud(status: int, refusal: Refusal, words: str) -> None:
    error = refused(cloud, {"/myself": (status, {})})
    assert error.refusal is refusal
    assert words in error.message


@pytest.mark.parametrize(
    "headers", [{"x-seraph-loginreason": "AUTHENTICATION_DENIED"},
                {"x-authentication-denied-reason": "CAPTCHA_CHALLENGE; login-url=https://jira.example/login"}]
)  # fmt: skip
@pytest.mark.parametrize("check", [cloud, data_center])
def test_a_captcha_asks_for_one_login_in_a_browser(
    check: Callable[..., Checked], headers: dict[str, str]
) -> None:
    error = refused(check, FOUND | {"/myself": (403, {}, headers)})
    assert error.refusal is Refusal.UNAUTHORIZED
    assert "log in once in a browser" in error.message


@pytest.mark.parametrize("check", [cloud, data_center])
def test_an_anonymous_answer_is_no_account(check: Callable[..., Checked]) -> None:
    error = refused(check, FOUND | {"/myself": (200, {})})
    assert "ignores the token" in error.message


@pytest.mark.parametrize("check", [cloud, data_center])
def test_an_account_without_projects_lacks_a_permission(check: Callable[..., Checked]) -> None:
    nothing: Routes = {"/search/jql": (200, {"issues": []}), "/search": (200, {"issues": [], "total": 0}),
                       "/project": (200, [])}  # fmt: skip
    empty: Routes = {"/project/search": (200, {"values": []})}
    error = refused(check, empty | FOUND | nothing)
    assert error.refusal is Refusal.FORBIDDEN
    assert "Browse projects" in error.message


@pytest.mark.parametrize("check", [cloud, data_center])
def test_an_empty_project_is_a_warning(check: Callable[..., Checked]) -> None:
    nothing: Routes = {"/search/jql": (200, {"issues": []}), "/search": (200, {"issues": [], "total": 0}),
                       "/project": (200, [{"key": "ABC"}])}  # fmt: skip
    checked = check({"/project/search": (200, {"values": [{"key": "ABC"}]})} | FOUND | nothing)
    assert checked.warnings == ("The account sees no issue yet.",)


@pytest.mark.parametrize("check", [cloud, data_center])
def test_an_unknown_project_is_named(check: Callable[..., Checked]) -> None:
    said = {"errorMessages": ["The value 'NOPE' does not exist for the field 'project'."]}
    error = refused(check, FOUND | {"/search/jql": (400, said), "/search": (400, said)}, projects="NOPE")
    assert error.refusal is Refusal.INVALID
    assert "NOPE" in error.message
    assert "correct `projects`" in error.message


def test_a_missing_context_path_is_named() -> None:
    error = refused(data_center, {})
    assert error.refusal is Refusal.BAD_ADDRESS
    assert "https://jira.example/jira" in error.message


def test_versions_without_tokens_and_the_cloud_are_told_apart() -> None:
    old = refused(data_center, FOUND | {"/serverInfo": (200, {"versionNumbers": [8, 13, 27]})})
    assert "8.14" in old.message
    other = refused(data_center, FOUND | {"/serverInfo": (200, {"deploymentType": "Cloud"})})
    assert "is Jira Cloud" in other.message


def test_a_refused_token_of_a_data_center() -> None:
    error = refused(data_center, FOUND | {"/myself": (401, {})})
    assert error.refusal is Refusal.UNAUTHORIZED
    assert "personal access token in your profile" in error.message


def test_a_limit_is_no_refusal_and_says_how_long() -> None:
    limited: Routes = {"/myself": (429, {}, {"Retry-After": "300"})}
    with pytest.raises(RateLimited) as caught:
        cloud(limited)
    assert caught.value.retry_after == 300
