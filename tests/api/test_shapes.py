"""Answers have exactly the documented fields with the documented types."""

import json
from typing import Any

import httpx
import pytest
from pydantic import BaseModel

from api.presentation.metrics import METRICS
from api.read.alignment.issue_shapes import ExplainedIssue
from api.read.alignment.shapes import ExplainedObjective
from api.read.commits.shapes import ExplainedCommit
from api.read.developers import Developer
from api.read.figures.shapes import Figures
from api.read.organizations import Organization
from api.read.repositories import ExplainedRepository
from api.v1.alignment.issues import IssuePage
from api.v1.alignment.objectives import ObjectivePage, ObjectiveTree
from api.v1.capex.report import CapexPage
from api.v1.capex.uncertain_commits import UncertainCommitPage
from api.v1.commits.commits import CommitPage, FilePage
from api.v1.developers.developers import DeveloperPage
from api.v1.metrics.metrics import SeriesPage
from api.v1.metrics.shapes import Descriptions
from api.v1.metrics.zero_reasons import ZeroReasonPage
from api.v1.organizations.organizations import OrganizationPage
from api.v1.repositories.repositories import RepositoryPage
from tests.api.conftest import ROOT
from tests.api.published_facts import Facts
from tests.api.published_plans import make_plan

ANSWERS: list[tuple[str, type[BaseModel]]] = [
    ("/api/v1/organizations", OrganizationPage),
    (ROOT, Organization),
    (f"{ROOT}/repositories", RepositoryPage),
    (f"{ROOT}/repositories/{{repository}}", ExplainedRepository),
    (f"{ROOT}/developers", DeveloperPage),
    (f"{ROOT}/developers/{{developer}}", Developer),
    (f"{ROOT}/commits?pageSize=1000", CommitPage),
    (f"{ROOT}/commits/{{commit}}", ExplainedCommit),
    (f"{ROOT}/commits/{{commit}}/files", FilePage),
    (f"{ROOT}/objectives", ObjectivePage),
    (f"{ROOT}/objectives:tree", ObjectiveTree),
    (f"{ROOT}/objectives/{{objective}}", ExplainedObjective),
    (f"{ROOT}/issues", IssuePage),
    (f"{ROOT}/issues/{{issue}}", ExplainedIssue),
    (f"{ROOT}/metrics?groupBy=DEVELOPER", SeriesPage),
    (f"{ROOT}/metrics?interval=DAY&startDate=2026-11-01", SeriesPage),
    (f"{ROOT}/metrics:describe", Descriptions),
    (f"{ROOT}/capex?includeDrafts=true", CapexPage),
    (f"{ROOT}/zeroReasons", ZeroReasonPage),
    (f"{ROOT}/capex/uncertainCommits?includeDrafts=true", UncertainCommitPage),
]


@pytest.mark.parametrize(("path", "shape"), ANSWERS, ids=[path for path, _ in ANSWERS])
def test_answers_have_the_documented_shape(
    client: httpx.Client, facts: Facts, path: str, shape: type[BaseModel]
) -> None:
    commit = max(facts.commits, key=lambda c: len(c.changes))
    names = {"repository": commit.repository, "developer": commit.developer, "commit": commit.id}
    plan = make_plan(facts)
    reached = next(link.item for link in plan.links if link.item.level == "issue" and link.item.parent)
    names |= {"issue": reached.id, "objective": reached.line[-1].id}
    body = client.get(path.format(**names)).text
    shown = shape.model_validate_json(body, strict=True)
    # Nothing documented is missing: what the shape writes back has the keys of what came.
    optional = path.startswith(f"{ROOT}/metrics?")
    written = json.loads(shown.model_dump_json(by_alias=True, exclude_unset=optional))
    # A list that has items may leave out what to do where there are none.
    if "nextStep" not in json.loads(body):
        written.pop("nextStep", None)
    assert keys(written) == keys(json.loads(body))


def keys(value: Any) -> Any:
    """The structure of JSON without its values."""
    if isinstance(value, dict):
        return {name: keys(item) for name, item in value.items()}
    return [keys(item) for item in value] if isinstance(value, list) else None


def test_instants_are_utc_and_say_so(client: httpx.Client) -> None:
    row = client.get(f"{ROOT}/commits").json()["commits"][0]
    assert row["deliveredAt"].endswith("Z")
    assert row["authoredAt"].endswith("Z")


def test_every_metric_is_documented(client: httpx.Client) -> None:
    described = {entry["name"]: entry for entry in client.get(f"{ROOT}/metrics:describe").json()["metrics"]}
    assert described.keys() == METRICS.keys()
    for name, metric in METRICS.items():
        assert described[name]["description"]
        assert described[name]["unit"]
        documented = Figures.model_fields[metric.name]
        assert metric.description in (documented.description or "")
        assert described[name]["nullable"] == metric.nullable
        # Where too few people made it, any is null.
        assert type(None) in getattr(documented.annotation, "__args__", ())
