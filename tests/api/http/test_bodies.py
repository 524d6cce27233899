"""Request bodies follow the OpenAPI document: types and lengths of text. The cases come from the document."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import httpx
import pytest

from api.app import create_app
from api.control.principals import OPERATOR
from api.control.teams import teams
from api.settings import ApiSettings
from tests.api.conftest import Deployment, client_for, deploy, serving
from tests.api.people import join, make_account, sign_in
from tests.api.published_facts import ORGANIZATION, Facts

DOCUMENT = create_app(ApiSettings()).openapi()
VALUES: dict[str, list[Any]] = {
    "null": [None],
    "boolean": [True, False],
    "number": [0, 1, -1, 8, 1.5],
    "string": ["8", "8.0", "true", "1", "x"],
    "array": [[], ["x"]],
    "object": [{}, {"x": 1}],
}
# Of the library that checks, not of the service.
FOREIGN = re.compile(
    r"value error|assertion|input should|string should|valid |instance of|list should|pars", re.IGNORECASE
)
TOO_LONG = re.compile(r"longer than|at most \d+ characters|to \d+ characters")


def resolved(schema: dict[str, Any]) -> dict[str, Any]:
    while "$ref" in schema:
        schema = DOCUMENT["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    return schema


def alternatives(schema: dict[str, Any]) -> list[dict[str, Any]]:
    schema = resolved(schema)
    return (
        [inner for one in schema["anyOf"] for inner in alternatives(one)] if "anyOf" in schema else [schema]
    )


@dataclass(frozen=True)
class Text:
    """A text in a body, by its path of field names; "[]" stands for an item of a list."""

    method: str
    path: str
    names: tuple[str, ...]
    longest: int | None

    def __str__(self) -> str:
        return f"{self.method} {self.path} {'.'.join(self.names)}"


def texts(
    schema: dict[str, Any], names: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], dict[str, Any]]]:
    for one in alternatives(schema):
        if (
            one.get("type") == "string"
            and "enum" not in one
            and one.get("format") not in ("date", "date-time")
        ):
            yield names, one
        if one.get("type") == "array":
            yield from texts(one["items"], (*names, "[]"))
        for name, inner in one.get("properties", {}).items():
            yield from texts(inner, (*names, name))


BODIES = {
    (method, path): operation["requestBody"]["content"]["application/json"]["schema"]
    for path, methods in DOCUMENT["paths"].items()
    for method, operation in methods.items()
    if "application/json" in operation.get("requestBody", {}).get("content", {})
}
TEXTS = [
    Text(method, path, names, found.get("maxLength"))
    for (method, path), schema in BODIES.items()
    for names, found in texts(schema)
]
FIELDS = [
    (method, path, name)
    for (method, path), schema in BODIES.items()
    for name in resolved(schema).get("properties", {})
]


@pytest.fixture(scope="module")
def deployed(
    tmp_path_factory: pytest.TempPathFactory, facts: Facts, warehouse: Any, database: str
) -> Deployment:
    deployment = deploy(tmp_path_factory.mktemp("bodies") / "data", facts, warehouse)
    for key, name in facts.repositories.items():
        deployment.store.upsert_repository(ORGANIZATION, key, name=name, origin=f"git.example/{name}")
    deployment.publish()
    return deployment


@pytest.fixture(scope="module")
def client(deployed: Deployment) -> Iterator[httpx.Client]:
    """An owner with a developer record, who is also a platform administrator."""
    store = deployed.store
    email = f"{next(iter(deployed.facts.developers.values())).lower()}@acme.example"
    account = join(store, ORGANIZATION, "owner", make_account(store, email, administrator=True))
    with serving(deployed.data_dir) as address, client_for(address, sign_in(store, account)) as made:
        yield made


@pytest.fixture(scope="module")
def places(deployed: Deployment, facts: Facts) -> dict[str, str]:
    """An existing item for every path parameter that has one."""
    commit = next(one for one in facts.commits if one.changes)
    return {
        "organization": "acme",
        "team": teams.create_team(deployed.store, OPERATOR, ORGANIZATION, "Web").id,
        "repository": next(iter(facts.repositories)),
        "developer": next(iter(facts.developers)),
        "commit": commit.id,
        "month": "2026-09-01",
    }


def send(client: httpx.Client, method: str, path: str, body: Any, places: dict[str, str]) -> httpx.Response:
    return client.request(
        method, re.sub(r"\{(\w+)\}", lambda found: places.get(found[1], "nothing"), path), json=body
    )


def violations(answer: httpx.Response) -> list[tuple[str, str]]:
    if answer.status_code != 400 or not answer.json()["details"]:
        return []
    return [(one["field"], one["description"]) for one in answer.json()["details"][0]["fieldViolations"]]


def nested(names: tuple[str, ...], value: Any) -> Any:
    for name in reversed(names):
        value = [value] if name == "[]" else {name: value}
    return value


@pytest.mark.parametrize(("method", "path", "name"), FIELDS)
def test_a_value_of_another_type_is_refused_in_plain_words(
    client: httpx.Client, method: str, path: str, name: str
) -> None:
    schemas = alternatives(resolved(BODIES[method, path])["properties"][name])
    allowed = {"number" if one["type"] == "integer" else one["type"] for one in schemas if "type" in one}
    assert allowed
    for kind in VALUES.keys() - allowed:
        for value in VALUES[kind]:
            found = violations(send(client, method, path, {name: value}, {"organization": "acme"}))
            own = [problem for field, problem in found if field.partition(".")[0] == name]
            assert own, f"{value!r} is taken for {allowed}"
            assert not FOREIGN.search(str(found)), found


@pytest.mark.parametrize("text", TEXTS, ids=str)
def test_a_text_that_is_longer_than_documented_is_refused(client: httpx.Client, text: Text) -> None:
    assert text.longest is not None, "nothing says how long it may be"
    body = nested(text.names, "x" * (text.longest + 1))
    answer = send(client, text.method, text.path, body, {"organization": "acme"})
    if text.path.endswith(":batchCreate"):
        # Each item is judged by itself.
        answer = httpx.Response(400, json=answer.json()["results"][0]["status"])
        told = violations(answer)
        assert [problem for field, problem in told if field.startswith(text.names[2])] == [
            f"use at most {text.longest} characters"
        ]
        return
    field = ".".join("0" if name == "[]" else name for name in text.names)
    assert (field, f"use at most {text.longest} characters") in violations(answer)


def example(schema: dict[str, Any]) -> Any:
    """A valid value of a schema, from its examples."""
    one = alternatives(schema)[0]
    for found in (*schema.get("examples", ()), *one.get("examples", ()), *one.get("enum", ())):
        if found is not None:
            return found
    match one["type"]:
        case "object":
            return {name: example(one["properties"][name]) for name in one.get("required", ())}
        case "array":
            return [example(one["items"]) for _ in range(max(1, one.get("minItems", 1)))]
        case "string":
            return {"date": "2026-09-01", "date-time": "2026-09-01T00:00:00Z"}.get(one.get("format", ""), "x")
    return 1


def placed(value: Any, names: tuple[str, ...], text: str) -> Any:
    """The value with a text at this path."""
    if not names:
        return text
    if names[0] == "[]":
        return [placed(value[0] if value else {}, names[1:], text)]
    return value | {names[0]: placed(value.get(names[0], {}), names[1:], text)}


@pytest.mark.both_databases
@pytest.mark.parametrize("text", TEXTS, ids=str)
def test_a_text_as_long_as_documented_is_not_too_long(
    client: httpx.Client, places: dict[str, str], text: Text
) -> None:
    assert text.longest is not None
    body = placed(example(BODIES[text.method, text.path]), text.names, "ä" * text.longest)
    answer = send(client, text.method, text.path, body, places)
    assert answer.status_code < 500
    assert not TOO_LONG.search(answer.text), answer.text
    if (text.names[-1] in ("note", "tags", "answer") and "capexLocks" not in text.path) or (
        text.names == ("name",) and "{repo" in text.path
    ):
        assert answer.status_code in (200, 404), answer.text
