"""`/` and `/api/v1`: what a browser and a program find there."""

import tomllib
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urljoin

import httpx
import pytest

from api.http.methods import WITH_HEAD
from ingest.settings import CHECKOUT
from tests.api.conftest import client_for, serving
from tests.api.web.pages import Page

BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
RELEASE = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["project"]["version"]
APP = "https://eas.example/below"


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    """A client of a service that stands below a path prefix of its proxy."""
    folder: Path = tmp_path_factory.mktemp("index")
    with serving(folder, EAS_APP_URL=APP) as address, client_for(address, None) as made:
        yield made


def test_a_browser_gets_a_page_with_the_version_and_ways_on(client: httpx.Client) -> None:
    answer = client.get("/", headers={"Accept": BROWSER})
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/html")
    assert "Engineering Analytics Service" in answer.text
    assert f"Version {RELEASE}" in answer.text
    assert f"{APP}/api/v1" in answer.text
    # Below the prefix.
    found = {urljoin(APP, link).removeprefix(APP) for link in Page(answer.text).links}
    assert found == {"/signIn", "/signUp", "/docs", "/healthz", "/readyz"}
    assert {client.get(path).status_code for path in found} == {200}


@pytest.mark.parametrize("path", ["/", "/api/v1"])
@pytest.mark.parametrize("accept", [None, "application/json", "*/*"])
def test_a_program_gets_links_that_all_lead_somewhere(
    client: httpx.Client, path: str, accept: str | None
) -> None:
    answer = client.get(path, headers={"Accept": accept} if accept else {})
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/json"
    body = answer.json()
    assert (body.pop("name"), body.pop("version")) == ("Engineering Analytics Service", RELEASE)
    reached = {
        name: client.get(address.removeprefix(APP), follow_redirects=False).status_code
        for name, address in body.items()
    }
    # The list of organizations needs a credential.
    assert reached.pop("organizations") == 401
    assert set(reached.values()) == {200}
    assert {"documentation", "openapi", "signIn", "health"} <= reached.keys()


def test_a_browser_gets_the_links_of_the_interface_too(client: httpx.Client) -> None:
    assert client.get("/api/v1", headers={"Accept": BROWSER}).json()["documentation"] == f"{APP}/docs"


def test_caches_tell_page_and_links_apart(client: httpx.Client) -> None:
    answer = client.get("/")
    assert (answer.headers["vary"], answer.headers["cache-control"]) == ("Accept, Cookie", "no-store")


def test_other_methods_and_parameters_are_refused_as_elsewhere(client: httpx.Client) -> None:
    assert (client.post("/").status_code, client.post("/").headers["allow"]) == (405, "GET, HEAD")
    assert client.get("/api/v1?pageSize=1").status_code == 400


@pytest.mark.parametrize("path", ["/docs/", "/auth/", "/auth/signIn/", "/auth/signin"])
def test_a_browser_at_a_wrong_path_gets_a_page_and_a_program_json(client: httpx.Client, path: str) -> None:
    page = client.get(path, headers={"Accept": BROWSER})
    assert page.status_code == 404
    assert page.headers["content-type"].startswith("text/html")
    assert Page(page.text).links == ["/below/"]
    assert client.get(path).json()["code"] == 5
    assert client.get("/api/v1/nothing", headers={"Accept": BROWSER}).json()["code"] == 5


@pytest.mark.parametrize("path", sorted(WITH_HEAD))
def test_pages_and_probes_answer_head_like_get_without_a_body(client: httpx.Client, path: str) -> None:
    asked, told = client.get(path), client.head(path)
    assert (told.status_code, told.content) == (200, b"")
    for name in ("content-type", "content-length"):
        assert told.headers[name] == asked.headers[name]
    assert client.delete(path).headers["allow"].startswith("GET, HEAD")


def test_head_uses_up_no_sign_in(client: httpx.Client) -> None:
    assert client.head("/auth/callback/google").status_code == 405
