"""Conventions of all paths: errors, parameters, headers, caching, and the OpenAPI document."""

import re
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import httpx
import pytest
from sqlalchemy import create_engine

from api.control.store import ControlStore
from api.errors import Unavailable
from api.http.methods import WITH_HEAD
from api.pages.health import ping
from tests.api.conftest import ROOT, Deployment, client_for

Serve = Callable[..., AbstractContextManager[str]]
OF_AN_ACCOUNT = {
    "/auth/acceptInvitation",
    "/auth/account",
    "/auth/changePassword",
    "/auth/requestEmailVerification",
    "/auth/sessions",
    "/auth/sessions/{session}",
    "/auth/signOut",
    "/auth/signOutEverywhere",
    "/auth/switchOrganization",
}
METHODS = ("get", "head", "post", "put", "patch", "delete", "options")
DATED = ["repositories", "developers", "commits", "metrics", "capex", "zeroReasons", "capex/uncertainCommits"]
LISTS = [*DATED, "objectives", "issues"]


def violations(response: httpx.Response) -> dict[str, str]:
    """Field → problem of an INVALID_ARGUMENT answer."""
    assert response.status_code == 400, response.text
    assert response.headers["content-type"] == "application/json"
    body = response.json()
    assert body["code"] == 3
    assert body["message"]
    (detail,) = body["details"]
    assert detail["@type"] == "type.googleapis.com/google.rpc.BadRequest"
    return {violation["field"]: violation["description"] for violation in detail["fieldViolations"]}


@pytest.mark.parametrize("resource", LISTS)
@pytest.mark.parametrize("size", ["-1", "-9999999999999999999999", "1.5", "many", "NaN"])
def test_a_negative_or_malformed_page_size_is_an_invalid_argument(
    client: httpx.Client, resource: str, size: str
) -> None:
    assert "pageSize" in violations(client.get(f"{ROOT}/{resource}", params={"pageSize": size}))


@pytest.mark.parametrize(
    ("content", "kind", "told"),
    [
        ("{", "application/json", "not valid JSON"),
        ('{"email": 1}', "text/plain", "Content-Type"),
        ("[]", "application/json", "object"),
    ],
)
def test_a_body_must_be_a_json_object(client: httpx.Client, content: str, kind: str, told: str) -> None:
    answer = client.post("/auth/signIn", content=content, headers={"Content-Type": kind})
    assert told in violations(answer)["body"]


@pytest.mark.parametrize("resource", [*LISTS, "commits/x/files"])
def test_an_unknown_parameter_is_named(client: httpx.Client, resource: str) -> None:
    assert "unknown" in violations(client.get(f"{ROOT}/{resource}", params={"pageSiez": 1}))["pageSiez"]


@pytest.mark.parametrize(
    "path", ["/api/v1/organizations/acme", f"{ROOT}/metrics:describe", f"{ROOT}/commits/x"]
)
def test_a_path_without_parameters_refuses_all_parameters(client: httpx.Client, path: str) -> None:
    assert "pageSize" in violations(client.get(path, params={"pageSize": 1}))


@pytest.mark.parametrize("resource", LISTS)
def test_a_parameter_given_twice_is_refused_in_any_spelling(client: httpx.Client, resource: str) -> None:
    for query in ("pageSize=1&pageSize=2", "page_size=1&pageSize=2"):
        assert "pageSize" in violations(client.get(f"{ROOT}/{resource}?{query}"))


def test_every_violation_is_listed_at_once(client: httpx.Client) -> None:
    told = violations(
        client.get(f"{ROOT}/commits", params={"pageSize": -1, "startDate": "yesterday", "nope": 1})
    )
    assert told.keys() == {"pageSize", "startDate", "nope"}


@pytest.mark.parametrize("resource", DATED)
def test_parameters_are_read_in_camel_and_snake_case(client: httpx.Client, resource: str) -> None:
    camel = client.get(
        f"{ROOT}/{resource}", params={"pageSize": 2, "startDate": "2026-09-01", "endDate": "2026-10-31"}
    )
    snake = client.get(
        f"{ROOT}/{resource}", params={"page_size": 2, "start_date": "2026-09-01", "end_date": "2026-10-31"}
    )
    assert camel.status_code == 200
    assert camel.json() == snake.json()


@pytest.mark.parametrize("resource", LISTS)
def test_page_size_zero_means_the_default_and_a_huge_one_the_maximum(
    client: httpx.Client, resource: str
) -> None:
    default = client.get(f"{ROOT}/{resource}").json()
    assert client.get(f"{ROOT}/{resource}", params={"pageSize": 0}).json() == default
    assert client.get(f"{ROOT}/{resource}", params={"pageSize": 2_000_000_000}).status_code == 200


@pytest.mark.parametrize(
    "path",
    ["/api", "/api/v1/", "/api/v2/organizations", "/api/v1/nothing", f"{ROOT}/", f"{ROOT}/nothing"],
)
def test_an_unknown_path_is_not_found(client: httpx.Client, path: str) -> None:
    response = client.get(path)
    assert (response.status_code, response.json()["code"]) == (404, 5)


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
def test_a_method_that_is_not_offered_names_those_that_are(client: httpx.Client, method: str) -> None:
    response = client.request(method, f"{ROOT}/commits")
    assert (response.status_code, response.json()["code"]) == (405, 12)
    assert response.headers["allow"] == "GET"
    assert "GET" in response.json()["message"]


def test_every_path_names_all_its_methods_and_refuses_others(client: httpx.Client) -> None:
    """Paths and methods of the document, with an id instead of each parameter. Also for `…/{id}:verb`."""
    paths = client.get("/openapi.json").json()["paths"]
    # Pages for browsers are not in the document.
    named = ("resetPassword", "verifyEmail", "signIn", "signUp", "requestPasswordReset")
    pages = {f"/auth/{name}": {"GET"} for name in named}
    tried = 0
    for template, operations in paths.items():
        offered = {name.upper() for name in operations if name in METHODS} | pages.get(template, set())
        offered |= {"HEAD"} if template in WITH_HEAD else set()
        path = re.sub(r"\{\w+\}", "7", template.replace("{organization}", "acme"))
        for method in {name.upper() for name in METHODS} - offered:
            response = client.request(method, path)
            allowed = set(response.headers.get("allow", "").split(", "))
            assert (method, path, response.status_code, allowed) == (method, path, 405, offered)
            tried += 1
    assert tried > 300


@pytest.mark.parametrize(
    "path",
    [
        f"{ROOT}/repositories/nope",
        f"{ROOT}/developers/nope",
        f"{ROOT}/commits/nope",
        f"{ROOT}/commits/nope/files",
        f"{ROOT}/commits/{'0' * 40}",
        f"{ROOT}/objectives/nope",
        f"{ROOT}/issues/nope",
        f"{ROOT}/repositories/00000000-0000-0000-0000-000000000000",
    ],
)
def test_an_unknown_item_is_not_found_and_named(client: httpx.Client, path: str) -> None:
    response = client.get(path)
    assert (response.status_code, response.json()["code"]) == (404, 5)
    assert path.removesuffix("/files").rsplit("/", 1)[1] in response.json()["message"]


def test_before_the_first_publish_the_organization_has_no_day(deployment: Deployment, serve: Serve) -> None:
    with serve(deployment.data_dir) as address, client_for(address, deployment.key()) as client:
        unanalysed = client.get(ROOT)
        assert unanalysed.status_code == 200
        assert unanalysed.json()["asOf"] is None
        unknown = client.get(f"{ROOT}/repositories/x").json()
        assert unknown["code"] == 5
        assert "no published build yet" in unknown["message"]


@pytest.mark.parametrize("resource", [*LISTS, "commits?pageSize=1", ""])
def test_an_answer_names_its_build_and_is_revalidated(client: httpx.Client, resource: str) -> None:
    path = f"{ROOT}/{resource}".rstrip("/")
    first = client.get(path)
    assert first.headers["x-warehouse-build"]
    # Series are pictures for those who accept them.
    pictured = resource in ("metrics", "pullRequestMetrics")
    assert first.headers["vary"] == ("Accept, Authorization" if pictured else "Authorization")
    assert first.headers["cache-control"].startswith("private")
    etag = first.headers["etag"]
    for condition in (etag, f'"other", {etag}', f"W/{etag}", "*"):
        again = client.get(path, headers={"If-None-Match": condition})
        assert (again.status_code, again.content) == (304, b"")
        assert again.headers["etag"] == etag
    assert client.get(path, headers={"If-None-Match": '"other"'}).content == first.content


def test_the_etag_differs_by_url_and_by_build_but_not_by_key(deployment: Deployment, serve: Serve) -> None:
    deployment.publish()
    with (
        serve(deployment.data_dir) as address,
        client_for(address, deployment.key()) as one,
        client_for(address, deployment.key()) as two,
    ):
        etag = one.get(f"{ROOT}/commits").headers["etag"]
        assert two.get(f"{ROOT}/commits").headers["etag"] == etag
        assert one.get(f"{ROOT}/commits", params={"pageSize": 3}).headers["etag"] != etag
        deployment.publish()
        renewed = one.get(f"{ROOT}/commits", headers={"If-None-Match": etag})
        assert renewed.status_code == 200
        assert renewed.headers["etag"] != etag


def test_a_refused_read_is_no_match_for_any_etag(client: httpx.Client) -> None:
    assert (
        client.get(f"{ROOT}/commits", params={"pageSize": -1}, headers={"If-None-Match": "*"}).status_code
        == 400
    )


def test_health_needs_no_key(address: str) -> None:
    with client_for(address, None) as client:
        for path in ("/healthz", "/readyz"):
            response = client.get(path)
            assert (response.status_code, response.json()) == (200, {"status": "ok"})


def test_not_ready_when_the_control_database_does_not_answer(tmp_path: Path) -> None:
    with pytest.raises(Unavailable):
        ping(ControlStore(create_engine(f"sqlite:///{tmp_path}/no/such/folder/control.db")))


def test_every_operation_of_the_document_is_described(client: httpx.Client) -> None:
    document = client.get("/openapi.json").json()
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            assert operation["summary"], (method, path)
            assert operation["operationId"], (method, path)
            assert "200" in operation["responses"], (method, path)
            assert "422" not in operation["responses"], (method, path)
            for parameter in operation.get("parameters", []):
                assert parameter.get("description") or parameter["schema"].get("description"), (
                    path,
                    parameter["name"],
                )


def test_every_number_flag_and_choice_of_a_schema_is_described(client: httpx.Client) -> None:
    """Names of such fields leave open the unit, the meaning of true, or that of a value."""
    schemas = client.get("/openapi.json").json()["components"]["schemas"]
    plain = [
        f"{name}.{field}"
        for name, schema in schemas.items()
        for field, given in schema.get("properties", {}).items()
        for one in (given, *given.get("anyOf", []))
        if one.get("type") in ("number", "integer", "boolean") or "enum" in one
        if not given.get("description")
    ]
    assert plain == []


def test_the_documentation_page_is_swagger_ui_from_this_service_alone(address: str) -> None:
    with client_for(address, None) as client:
        page = client.get("/docs")
        assert page.status_code == 200
        loaded = re.findall(r'(?:src|href)="(?!data:)([^"]+)"', page.text)
        assert set(loaded) == {"docs/swagger-ui.css", "docs/swagger-ui-bundle.js", "docs/start.js"}
        answers = {file: client.get(f"/{file}") for file in loaded}
        assert {answer.status_code for answer in answers.values()} == {200}
        assert answers["docs/swagger-ui.css"].headers["content-type"].startswith("text/css")
        # Version 5 is the first that shows OpenAPI 3.1.
        assert re.search(r'PACKAGE_VERSION:"5\.', answers["docs/swagger-ui-bundle.js"].text)
        assert 'url: "openapi.json"' in answers["docs/start.js"].text
        assert "validatorUrl: null" in answers["docs/start.js"].text
    policy = dict(part.split(" ", 1) for part in page.headers["content-security-policy"].split("; "))
    assert (policy["default-src"], policy["script-src"], policy["connect-src"]) == (
        "'none'",
        "'self'",
        "'self'",
    )
    assert policy["style-src"] == "'self'"
    # Nothing in the page itself runs: the policy forbids it.
    assert not re.search(r"<script>|<style| on\w+=| style=", page.text)


def test_every_operation_stands_under_one_described_tag(client: httpx.Client) -> None:
    document = client.get("/openapi.json").json()
    described = [tag["name"] for tag in document["tags"] if tag["description"]]
    used = {
        tag
        for operations in document["paths"].values()
        for operation in operations.values()
        for [tag] in [operation["tags"]]
    }
    assert used == set(described)
    assert len(described) == len(set(described))


def test_schemas_have_plain_names(client: httpx.Client) -> None:
    """FastAPI names two shapes with the same name by their modules; client generators fail on such names."""
    names = client.get("/openapi.json").json()["components"]["schemas"]
    assert [name for name in names if not re.fullmatch(r"(?:[A-Z][a-z0-9]*)+", name)] == []


def test_the_document_says_how_to_authenticate(client: httpx.Client) -> None:
    document = client.get("/openapi.json").json()
    schemes = document["components"]["securitySchemes"]
    assert {(scheme["type"], scheme["scheme"]) for scheme in schemes.values()} == {("http", "bearer")}
    for path, operations in document["paths"].items():
        for operation in operations.values():
            secured = bool(operation.get("security"))
            assert secured == (path.startswith(("/api/v1", "/otlp/v1")) or path in OF_AN_ACCOUNT), path


@pytest.mark.parametrize(
    ("path", "name", "status"),
    [
        ("commits", "team", 404),
        ("metrics", "repository", 404),
        ("movements", "id", 404),
        ("teamMemberships", "team", 400),
        ("teamMemberships", "developer", 400),
        ("identityDecisions", "developer", 400),
        ("commitExclusions", "repository", 400),
    ],
)
def test_several_values_are_taken_where_they_mean_any_of_them(
    client: httpx.Client, path: str, name: str, status: int
) -> None:
    answer = client.get(f"{ROOT}/{path}", params={name: ["one", "other"]})
    assert answer.status_code == status, answer.text
    assert ("given more than once" in answer.json()["message"]) == (status == 400)


def test_every_number_of_commits_tells_whether_excluded_ones_are_in(client: httpx.Client) -> None:
    schemas = client.get("/openapi.json").json()["components"]["schemas"]
    ambiguous = [
        f"{name}.{field}: {given.get('description')}"
        for name, schema in schemas.items()
        for field, given in schema.get("properties", {}).items()
        if re.search(r"([cC]ommits(AfterReview)?|[cC]ommitCount|commitTotal)$", field)
        if any(one.get("type") == "integer" for one in (given, *given.get("anyOf", [])))
        if not re.search(r"\b[cC]ounted\b|\bexcluded\b", given.get("description", ""))
    ]
    assert ambiguous == []
