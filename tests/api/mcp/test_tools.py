"""Tools against REST: every caller gets by each tool what the same key gets by the same read."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any

import httpx
import jsonschema
import pytest
from fastapi.routing import APIRoute, iter_route_contexts

from api.app import create_app
from api.control.accounts.tokens import create_token
from api.http.media_types import JSON
from api.mcp.tool import Tool
from api.mcp.tools import TOOLS
from api.settings import ApiSettings
from tests.api.conftest import ROOT, Deployment, client_for, serving
from tests.api.mcp.asking import called, found_by, text_of
from tests.api.people import join, principal, sign_in
from tests.api.published_facts import ORGANIZATION
from tests.api.scoped_deployment import make_lead
from tests.api.summary_texts import key_of, put
from tests.suite.tiers import some

ROLES = some(("owner", "viewer", "admin", "member"), 2)
# 2,000 tokens: JSON has about three characters a token.
MAX_CHARACTERS = 6_000


@dataclass(frozen=True)
class Asked:
    """A call of a tool, and the read of REST that it stands for. Texts in angle brackets stand for ids."""

    tool: str
    path: str
    arguments: Mapping[str, Any] = field(default_factory=dict)

    def of(self, ids: Mapping[str, str]) -> "Asked":
        """With the ids of a deployment."""
        given = {
            name: ids.get(value, value) if isinstance(value, str) else value
            for name, value in self.arguments.items()
        }
        names = TOOLS[self.tool].path_arguments
        return Asked(self.tool, self.path.format(**{name: given[name] for name in names}), given)

    @property
    def params(self) -> dict[str, Any]:
        """The parameters of REST. Lists have all metrics, series those that are named."""
        tool = TOOLS[self.tool]
        asked = ({"pageSize": 10} if tool.is_paged else {}) | dict(tool.given) | dict(self.arguments)
        metrics = asked.pop("metrics", tool.metrics)
        of_query = {name: value for name, value in asked.items() if name not in tool.path_arguments}
        return of_query | ({"metrics": ",".join(metrics)} if tool.sends_metrics else {})


ASKED = (
    Asked("list_teams", "teams"),
    Asked("list_teams", "teams", {"orderBy": "name", "metrics": ["commits"]}),
    Asked("list_teams", "teams", {"filter": "etv > 1", "startDate": "2026-08-01", "endDate": "2026-10-31"}),
    Asked("list_teams", "teams", {"filter": "nonsense = 1"}),
    Asked("list_repositories", "repositories", {"metrics": ["etv", "fixesEtv", "aiCost"]}),
    Asked("list_repositories", "repositories", {"search": "no such name"}),
    Asked("list_objectives", "objectives"),
    Asked("list_objectives", "objectives", {"statusCategory": ["DOING", "DONE"], "orderBy": "etv desc"}),
    Asked("list_objectives", "objectives", {"statusCategory": ["LOST"]}),
    Asked("list_summaries", "summaries"),
    Asked("list_summaries", "summaries", {"scopeKind": ["TEAM"]}),
    Asked("get_summary", "summaries/{summary}", {"summary": "<summary>"}),
    Asked("get_summary", "summaries/{summary}", {"summary": "nothing"}),
    Asked("get_performance", "metrics"),
    Asked("get_performance", "metrics", {"groupBy": "REPOSITORY", "interval": "QUARTER"}),
    Asked("get_performance", "metrics", {"groupBy": "DEVELOPER"}),
    Asked("query_metrics", "metrics", {"metrics": ["etv", "commits", "performance"]}),
    Asked("query_metrics", "metrics", {"groupBy": "TEAM", "interval": "MONTH"}),
    Asked("query_metrics", "metrics", {"groupBy": "DEVELOPER", "interval": "MONTH"}),
    Asked("query_metrics", "metrics", {"groupBy": "CATEGORY", "interval": "QUARTER"}),
    Asked("query_metrics", "metrics", {"team": ["nothing"]}),
    Asked("query_metrics", "metrics", {"startDate": "yesterday"}),
    Asked("query_metrics", "metrics", {"interval": "DECADE"}),
    Asked("list_commits", "commits"),
    Asked("list_commits", "commits", {"aiAssisted": True, "startDate": "2026-08-01", "endDate": "2026-10-31"}),
    Asked("list_commits", "commits", {"category": ["LUNCH"]}),
    Asked("explain_commit", "commits/{commit}", {"commit": "<largest>"}),
    Asked("explain_commit", "commits/{commit}", {"commit": "<newest>"}),
    Asked("explain_commit", "commits/{commit}", {"commit": "<oldest>"}),
    Asked("explain_commit", "commits/{commit}", {"commit": "0123456789"}),
    Asked("list_check_occurrences", "checkOccurrences"),
    Asked("list_check_occurrences", "checkOccurrences", {"status": ["RESOLVED"], "orderBy": "openedAt"}),
    Asked("list_pull_requests", "pullRequests"),
    Asked("list_pull_requests", "pullRequests", {"state": ["OPEN"], "draft": False}),
    Asked("list_pull_requests", "pullRequests", {"aiAssisted": True, "search": "a"}),
    Asked("list_ai_spend", "aiSpend"),
    Asked("list_ai_spend", "aiSpend", {"groupBy": "DEVELOPER", "startDate": "2026-08-01", "endDate": "2026-10-31"}),
    Asked("list_ai_spend", "aiSpend", {"groupBy": "TEAM"}),
    Asked("list_ai_spend", "aiSpend", {"groupBy": "MONTH"}),
)  # fmt: skip


def ids_of(deployment: Deployment, address: str) -> dict[str, str]:
    """What an owner finds of each kind."""
    found = {"<summary>": put(deployment.store, key_of(start=date(2026, 10, 5)))}
    with client_for(address, deployment.key()) as client:
        for name, order in (
            ("<largest>", "etv desc"),
            ("<newest>", "deliveredAt desc"),
            ("<oldest>", "deliveredAt"),
        ):
            [commit] = client.get(f"{ROOT}/commits", params={"orderBy": order, "pageSize": 1}).json()[
                "commits"
            ]
            found[name] = commit["sha"][:12]
    return found


@pytest.fixture(scope="module")
def ids(published: Deployment, address: str) -> dict[str, str]:
    return ids_of(published, address)


@pytest.fixture(scope="module")
def moving_ids(deployed: Deployment, address_of: str) -> dict[str, str]:
    return ids_of(deployed, address_of)


def is_part(shown: Any, whole: Any) -> bool:
    """Whether a value has nothing but what the other one has, at the same place."""
    if isinstance(shown, dict):
        return isinstance(whole, dict) and all(
            name in whole and is_part(value, whole[name]) for name, value in shown.items()
        )
    if isinstance(shown, list):
        if len(shown) == len(whole):
            return all(map(is_part, shown, whole)) or all(any(is_part(a, b) for b in whole) for a in shown)
        # The largest of a long one.
        return len(shown) < len(whole) and all(any(is_part(one, other) for other in whole) for one in shown)
    return bool(shown == whole)


def compare(address: str, key: str, asked: Asked) -> httpx.Response:
    """The answer of REST, after its comparison with that of the tool."""
    tool = TOOLS[asked.tool]
    found = called(address, key, asked.tool, **asked.arguments)
    with client_for(address, key) as client:
        client.headers["Accept"] = tool.accept
        rest = client.get(f"{ROOT}/{asked.path}", params=asked.params)
        if rest.is_error:
            assert found.is_error, (asked, rest.text)
            assert text_of(found).split("; ")[0] in rest.text.replace('\\"', '"'), rest.text
            return rest
        assert not found.is_error, text_of(found)
        shown = dict(found.structured_content)
        assert json.loads(text_of(found)) == shown
        evidence = client.get(httpx.URL(shown.pop("evidence")).raw_path.decode())
        assert evidence.content == rest.content
    assert shown.pop("textsFromPeople", []) == list(tool.texts)
    whole = rest.json() if tool.accept == JSON else {"text": rest.text}
    assert is_part(shown, whole), (asked, shown, rest.text)
    jsonschema.validate(found.structured_content, tool.output_schema)
    # A field that is never there would look like one that says nothing.
    assert shown, asked
    return rest


@pytest.fixture(scope="module", params=ROLES)
def key_of_a_role(request: pytest.FixtureRequest, published: Deployment) -> str:
    account = join(published.store, ORGANIZATION, request.param)
    made = create_token(published.store, ORGANIZATION, "role", actor=principal(published.store, account))
    return made.key


@pytest.mark.parametrize("asked", ASKED, ids=str)
def test_each_role_gets_what_rest_gives(
    address: str, key_of_a_role: str, ids: dict[str, str], asked: Asked
) -> None:
    compare(address, key_of_a_role, asked.of(ids))


@pytest.fixture(scope="module", params=some([("Product",), ()], 1), ids=str)
def key_of_a_lead(request: pytest.FixtureRequest, deployed: Deployment) -> str:
    lead = make_lead(deployed, request.param)
    made = create_token(deployed.store, ORGANIZATION, "lead", actor=principal(deployed.store, lead))
    return made.key


@pytest.mark.parametrize("asked", ASKED, ids=str)
def test_a_lead_gets_what_rest_gives(
    address_of: str, key_of_a_lead: str, moving_ids: dict[str, str], asked: Asked
) -> None:
    compare(address_of, key_of_a_lead, asked.of(moving_ids))


@pytest.fixture(scope="module")
def key_with_small_groups(deployed: Deployment, address_of: str) -> Iterator[str]:
    owner = sign_in(deployed.store, join(deployed.store, ORGANIZATION, "owner"))
    with client_for(address_of, owner) as client:
        assert client.patch(f"{ROOT}/settings", json={"minimumGroupSize": 3}).status_code == 200
        yield deployed.key()
        client.patch(f"{ROOT}/settings", json={"minimumGroupSize": 0, "hasIndividualFigures": True})


@pytest.mark.parametrize("asked", ASKED, ids=str)
def test_a_minimum_group_size_hides_what_it_hides_in_rest(
    address_of: str, key_with_small_groups: str, moving_ids: dict[str, str], asked: Asked
) -> None:
    rest = compare(address_of, key_with_small_groups, asked.of(moving_ids))
    if asked.arguments.get("groupBy") == "DEVELOPER":
        assert rest.status_code == 403


def test_ids_of_another_organization_are_unknown(deployed: Deployment, address_of: str) -> None:
    other = deployed.store.ensure_organization("Their own", slug="their-own")
    foreign = create_token(deployed.store, other.id, "theirs").key
    mine = found_by(address_of, deployed.key(), "list_teams")["teams"][0]["id"]
    theirs = called(address_of, foreign, "query_metrics", team=[mine])
    unknown = called(address_of, foreign, "query_metrics", team=["unknown"])
    assert theirs.is_error == unknown.is_error
    assert text_of(theirs).replace(mine, "unknown") == text_of(unknown)


def test_pages_follow_each_other(published: Deployment, address: str) -> None:
    names: list[str] = []
    key, token = published.key(), ""
    while token or not names:
        found = found_by(address, key, "list_teams", pageSize=1, **({"pageToken": token} if token else {}))
        names += [team["name"] for team in found["teams"]]
        token = found.get("nextPageToken", "")
    whole = found_by(address, key, "list_teams")["teams"]
    assert names == [team["name"] for team in whole]
    refused = called(address, key, "list_teams", pageSize=1, pageToken="invented")
    assert refused.is_error
    assert "nextPageToken" in text_of(refused)


def test_before_the_first_build_a_list_says_what_is_missing(deployment: Deployment) -> None:
    with serving(deployment.data_dir) as address:
        key = deployment.key()
        for name, tool in TOOLS.items():
            found = called(address, key, name, **dict.fromkeys(tool.path_arguments, "0123456789"))
            if tool.path_arguments:
                assert found.is_error
                continue
            jsonschema.validate(found.structured_content, tool.output_schema)
            if name != "list_summaries":
                assert "repositor" in found.structured_content["nextStep"], name


@pytest.mark.parametrize("name", TOOLS)
def test_a_tool_has_the_shapes_of_its_route(name: str) -> None:
    """Shapes are named beside the path in the list of tools, and both must be those of one route."""
    tool: Tool = TOOLS[name]
    path = "/api/v1/organizations/{organization}/" + tool.path
    [route] = [
        one.original_route
        for one in iter_route_contexts(create_app(ApiSettings()).routes)
        if one.path == path and "GET" in (one.methods or ())
    ]
    assert isinstance(route, APIRoute)
    if tool.accept == JSON:
        assert route.response_model is tool.answer
    queries = [one.field_info.annotation for one in route.dependant.query_params]
    assert tool.query in queries
    assert set(tool.parameters) <= set(tool.query.model_json_schema()["properties"])


@pytest.mark.parametrize("name", TOOLS)
def test_an_answer_is_small_unless_more_is_asked_for(
    published: Deployment, address: str, ids: dict[str, str], name: str
) -> None:
    [given] = [dict(one.of(ids).arguments) for one in ASKED if one.tool == name][:1]
    found = called(address, published.key(), name, **{key: given[key] for key in TOOLS[name].path_arguments})
    assert not found.is_error
    assert 100 < len(text_of(found)) <= MAX_CHARACTERS


# Texts of the service: ids, addresses, words of enumerations, and what the service says itself.
OURS = {
    "id", "parentId", "scopeId", "key", "url", "sha", "commitSha", "evidence", "nextPageToken", "nextStep",
    "textsFromPeople", "categoryLabel", "kind", "subjectType", "currency", "role", "signal", "aiEvidence.tool",
    "deliverySha", "missingReason", "class",
}  # fmt: skip


def leaves(schema: Mapping[str, Any], path: tuple[str, ...] = ()) -> Iterator[str]:
    """The paths of texts of a schema that are no enumeration, day or time."""
    for one in schema.get("anyOf", ()):
        yield from leaves(one, path)
    if "items" in schema:
        yield from leaves(schema["items"], path)
    for name, below in schema.get("properties", {}).items():
        yield from leaves(below, (*path, name))
    if schema.get("type") == "string" and schema.keys().isdisjoint({"enum", "const", "format"}):
        yield ".".join(path)


@pytest.mark.parametrize("name", TOOLS)
def test_every_text_that_people_wrote_is_marked_as_data(name: str) -> None:
    found = set(leaves(TOOLS[name].output_schema))
    assert found >= set(TOOLS[name].texts), "a marked field does not exist"
    unmarked = found - set(TOOLS[name].texts)
    assert {path for path in unmarked if not {path, path.rpartition(".")[2]} & OURS} == set()


def test_the_list_of_tools_is_small() -> None:
    told = sum(len(json.dumps(tool.input_schema)) + len(tool.description) for tool in TOOLS.values())
    assert told <= 3_500 * len(TOOLS)
