"""The OpenAPI document: fields, statuses, headers, examples and addresses."""

import copy
from typing import Any

import httpx
import pytest
from jsonschema import Draft202012Validator

from api.app import create_app
from api.http.openapi.fields import TEXTS
from api.http.pictures import SVG
from api.settings import ApiSettings
from tests.api.examples.choice import HOST, shortened
from tests.api.presentation.charts.drawn import read

DOCUMENT: dict[str, Any] = create_app(ApiSettings()).openapi()
OPERATIONS = {
    operation["operationId"]: (method, path, operation)
    for path, methods in DOCUMENT["paths"].items()
    for method, operation in methods.items()
}
OF_AN_ORGANIZATION = "/api/v1/organizations/{organization}"
# These change an organization that is in the body or in an invitation.
JOINING = ("/billing/events", "/auth/acceptInvitation", "/auth/signIn", "/auth/completeSignIn")
SHORTEST_DESCRIPTION = 8


def test_every_field_is_described() -> None:
    schemas = DOCUMENT["components"]["schemas"]
    undescribed = [
        f"{name}.{field}"
        for name, schema in schemas.items()
        for field, shape in schema.get("properties", {}).items()
        if len(shape.get("description", "")) < SHORTEST_DESCRIPTION
    ]
    assert undescribed == []


def test_a_description_speaks_of_null_only_where_a_field_can_be_null() -> None:
    """A general text of a name must be true of every field of this name."""
    wrong = [
        f"{name}.{field}: {shape['description']}"
        for name, schema in DOCUMENT["components"]["schemas"].items()
        for field, shape in schema.get("properties", {}).items()
        if shape["description"] in TEXTS.values() and "; null" in shape["description"]
        if "type" in shape and shape["type"] != "null"
    ]
    assert wrong == []


@pytest.fixture(scope="module")
def closed() -> dict[str, Any]:
    """The schemas, in which a field that they do not name is an error."""
    components: dict[str, Any] = copy.deepcopy(DOCUMENT["components"])
    for schema in components["schemas"].values():
        if "properties" in schema:
            schema.setdefault("additionalProperties", False)
    return components


@pytest.mark.parametrize("name", OPERATIONS)
def test_every_operation_has_an_example_of_its_schema(name: str, closed: dict[str, Any]) -> None:
    _, _, operation = OPERATIONS[name]
    content = operation["responses"]["200"]["content"]["application/json"]
    assert "example" in content, "record the examples again: python -m tests.api.examples"
    schema = content["schema"] | {"components": closed}
    errors = Draft202012Validator(schema).iter_errors(content["example"])
    assert [f"{error.json_path}: {error.message[:200]}" for error in errors] == []
    # No address, path or secret of the machine that recorded it.
    assert shortened(content["example"]) == content["example"]


def test_every_picture_has_an_example() -> None:
    pictured = [
        content["example"]
        for _, _, operation in OPERATIONS.values()
        for media_type, content in operation["responses"]["200"].get("content", {}).items()
        if media_type == SVG
    ]
    assert len(pictured) == 2
    assert all(read(picture).marks for picture in pictured)


def test_an_example_of_a_list_has_an_item() -> None:
    empty = []
    for name, (_, _, operation) in OPERATIONS.items():
        example = operation["responses"]["200"]["content"]["application/json"]["example"]
        if isinstance(example, dict) and "nextPageToken" in example:
            items = next(value for value in example.values() if isinstance(value, list))
            empty += [] if items else [name]
    assert empty == []


def test_secrets_addresses_and_paths_leave_an_example() -> None:
    given = {
        "key": "service_" + "a1B2" * 8,
        "link": "http://127.0.0.1:4711/auth/verifyEmail?token=x",
        "path": "/tmp/pytest-of-root/pytest-3/house",
        "items": [1, 2, 3],
    }
    assert shortened(given) == {
        "key": "service_EXAMPLE",
        "link": f"{HOST}/auth/verifyEmail?token=x",
        "path": "/srv/git/house",
        "items": [1, 2],
    }


def test_statuses_follow_from_the_operation() -> None:
    for name, (method, path, operation) in OPERATIONS.items():
        answers = operation["responses"]
        assert "default" not in answers, name
        assert {"200", "400", "500", "503"} <= answers.keys(), name
        assert ("413" in answers) == ("requestBody" in operation), name
        if operation.get("security"):
            assert {"401", "403"} <= answers.keys(), name
        if "{" in path:
            assert "404" in answers, name
        if method != "get":
            assert {"409", "429"} <= answers.keys(), name
        for status, answer in answers.items():
            assert answer["description"], (name, status)
            if status in ("429", "503"):
                assert answer["headers"]["Retry-After"]["schema"]["type"] == "integer", (name, status)
            if status >= "400":
                reference = answer["content"]["application/json"]["schema"]["$ref"]
                assert reference.endswith("/Status"), (name, status)


def test_headers_of_builds_stand_where_answers_have_them(client: httpx.Client) -> None:
    tried = 0
    for name, (method, path, operation) in OPERATIONS.items():
        if method != "get" or not path.startswith(OF_AN_ORGANIZATION) or path.count("{") > 1:
            continue
        answer = client.get(path.format(organization="acme"))
        # Some are not for API keys, and one asks a Git host.
        if answer.status_code == 200:
            headers = operation["responses"]["200"].get("headers", {})
            assert ("X-Warehouse-Build" in headers) == ("x-warehouse-build" in answer.headers), name
            assert ("ETag" in headers) == ("etag" in answer.headers), name
            tried += 1
    assert tried > 30


def test_the_document_names_the_address_of_the_deployment() -> None:
    document = create_app(ApiSettings(EAS_APP_URL="https://figures.example.org/eas/")).openapi()
    assert document["servers"][0]["url"] == "https://figures.example.org/eas"


def test_the_scheme_lists_every_kind_of_token() -> None:
    scheme = DOCUMENT["components"]["securitySchemes"]["bearer"]
    for prefix in ("service_", "session_", "root_"):
        assert prefix in scheme["bearerFormat"]
        assert f"`{prefix}…`" in scheme["description"]


def test_changes_of_an_organization_document_the_header_of_operations() -> None:
    for name, (method, path, operation) in OPERATIONS.items():
        headers = operation["responses"]["200"].get("headers", {})
        changes = method != "get" and path.startswith((OF_AN_ORGANIZATION, *JOINING))
        assert ("X-Operation" in headers) == changes, name
