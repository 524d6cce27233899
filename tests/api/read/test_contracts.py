"""Every column that the API reads exists in the mart of its list, with a type that fits its kind."""

import importlib
import pkgutil
import re
from collections.abc import Iterator, Mapping
from typing import Annotated

import pytest
import yaml

import api.access
import api.read
from api.presentation.metrics import MEASURES, METRICS, Metric
from api.query.columns import Column, Kind
from api.query.fields import Id, Micro, Stored, columns_of
from api.read.alignment import objectives
from api.read.checks import occurrences
from api.read.commits.shapes import Commit
from api.read.figures import movements
from api.read.figures.shapes import FIGURES, Figures
from api.read.lists import Listing
from ingest.settings import CHECKOUT
from tests import published_tables

# The marts of each list of columns: the first that has a column tells its type.
MARTS = {
    "api.access.self_identity.TEAMS": ["team_members", "teams"],
    "api.read.alignment.issues.COLUMNS": ["issues"],
    "api.read.alignment.objectives.COLUMNS": ["objectives"],
    "api.read.alignment.objectives.TREE": ["objectives"],
    "api.read.capex.report.COLUMNS": ["capex"],
    "api.read.capex.uncertain_commits.COLUMNS": ["uncertain_commits"],
    "api.read.checks.backtests.COLUMNS": ["check_occurrences"],
    "api.read.checks.occurrences.COLUMNS": ["check_occurrences"],
    "api.read.checks.occurrences.EPISODES": ["check_episodes"],
    "api.read.commits.commits.COLUMNS": ["commits"],
    "api.read.commits.explanation.FILE_COLUMNS": ["commit_files"],
    "api.read.commits.explanation._CREDITS": ["commit_credits"],
    "api.read.commits.explanation._EVIDENCE": ["commit_ai_evidence"],
    "api.read.commits.explanation._EXPLAINED": ["commits"],
    "api.read.commits.explanation._ISSUES": ["commit_issues"],
    "api.read.commits.explanation._KINDS": ["line_kinds"],
    "api.read.commits.explanation._ORIGINS": ["commit_origins"],
    "api.read.commits.import_bursts.COLUMNS": ["import_bursts"],
    "api.read.developers.COLUMNS": ["developers"],
    "api.read.developers.WITH_IDENTITY": ["developers"],
    # The name comes from the table of the entity.
    "api.read.figures.movements.COLUMNS": ["movements", "organizations"],
    "api.read.identities.COLUMNS": ["merge_suggestions"],
    "api.read.organizations.COLUMNS": ["organizations"],
    "api.read.pull_requests.explanation._COMMITS": ["commits"],
    "api.read.pull_requests.explanation._HOW": ["pull_request_commits"],
    "api.read.pull_requests.explanation._ISSUES": ["pull_request_issues"],
    "api.read.pull_requests.explanation._PHASES": ["pull_request_times"],
    "api.read.pull_requests.explanation._REVIEWS": ["reviews"],
    "api.read.pull_requests.pull_requests.COLUMNS": ["pull_requests"],
    "api.read.repositories.COLUMNS": ["repositories"],
    "api.read.teams.COLUMNS": ["teams"],
}
# Columns that the query of a list adds to those of its mart.
ADDED = {
    "api.read.alignment.objectives.COLUMNS": objectives.COMPUTED,
    "api.read.checks.backtests.COLUMNS": occurrences.COMPUTED,
    "api.read.checks.occurrences.COLUMNS": occurrences.COMPUTED,
    "api.read.figures.movements.COLUMNS": movements.COMPUTED,
}
# Formulas over daily rows, merged pull requests and reviews give these.
COMPUTED = {
    "api.read.figures.shapes.FIGURES",
    "api.read.figures.shapes.PULL_REQUEST_FIGURES",
    "api.read.figures.shapes.TOTALS",
    "api.read.pull_requests.reviewers.REVIEWERS",
    "api.read.ai_usage.reconciliation.RECONCILIATION",
    "api.read.ai_usage.adoption.POINT_COLUMNS",
    "api.read.ai_usage.work.WORK",
    "api.read.ai_usage.spend.SPEND",
}
TYPES = {
    Kind.TEXT: r"varchar",
    Kind.ID: r"varchar",
    Kind.ENUM: r"varchar",
    Kind.INTEGER: r"(small|big)?int(eger)?",
    Kind.NUMBER: r"double|decimal\(\d+,\s*\d+\)",
    Kind.MICRO: r"bigint|integer",
    Kind.FLAG: r"boolean",
    Kind.INSTANT: r"timestamptz",
    Kind.DATE: r"date",
    Kind.LIST: r".*\[\]",
}


def misfits(columns: Mapping[str, Column], contract: Mapping[str, str]) -> list[str]:
    """The defects of columns under a contract, one sentence each. Figures have no column of their own."""
    wrong = []
    for column in (one for one in columns.values() if one != FIGURES.get(one.field)):
        stored = _stored(column)
        if stored not in contract:
            wrong.append(f"{column.field}: no column {stored!r} in the contract")
        elif not re.fullmatch(TYPES[column.kind], contract[stored].lower()):
            wrong.append(f"{column.field}: {contract[stored]} does not hold the kind {column.kind}")
    return wrong


def _stored(column: Column) -> str:
    """The stored column in the SQL of a column, without the prefix of a join or an expression around it."""
    qualified = re.search(r"\b(?:members|teams)\.(\w+)", column.sql)
    return qualified[1] if qualified else column.sql


def declared() -> Iterator[tuple[str, dict[str, Column]]]:
    """The columns that the modules of the API declare or import."""
    for package in (api.access, api.read):
        for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            for name, one in vars(importlib.import_module(found.name)).items():
                value = one.columns if isinstance(one, Listing) else one
                if isinstance(value, dict) and any(isinstance(one, Column) for one in value.values()):
                    yield f"{found.name}.{name}", value


LISTS = dict(declared())


@pytest.mark.parametrize("name", MARTS)
def test_every_column_is_in_the_contract_of_its_mart(name: str) -> None:
    contract: dict[str, str] = {}
    for mart in MARTS[name]:
        contract = published_tables.contract(f"api_v1__{mart}") | contract
    stored = {field: one for field, one in LISTS[name].items() if one.sql not in ADDED.get(name, ())}
    assert misfits(stored, contract) == []


def test_every_list_of_columns_has_a_mart() -> None:
    known = {id(LISTS[name]) for name in (*MARTS, *COMPUTED)}
    assert [name for name, columns in LISTS.items() if id(columns) not in known] == []


def test_a_field_without_a_column_and_one_of_another_type_are_named() -> None:
    class Odd(Commit):
        colour: str
        points: Annotated[Micro, Stored("points")]
        is_merge: int  # type: ignore[assignment]  # another type than the field of Commit, on purpose
        commit_sha: Annotated[Id, Kind.DATE]

    assert misfits(columns_of(Odd), published_tables.contract("api_v1__commits")) == [
        "isMerge: boolean does not hold the kind integer",
        "points: no column 'points' in the contract",
        "colour: no column 'colour' in the contract",
        "commitSha: varchar does not hold the kind date",
    ]


def test_figures_are_the_metrics_over_columns_of_daily_rows() -> None:
    shown = {column.field: (column.sql, column.kind) for column in columns_of(Figures).values()}
    assert shown.pop("suppressedReason") == ("suppressed_reason", Kind.ENUM)
    assert shown.pop("performanceMissingReason") == ("performance_missing_reason", Kind.ENUM)
    assert shown == {field: (metric.name, metric.kind) for field, metric in METRICS.items()}
    summed = {name for sql in MEASURES.values() for name in re.findall(r"(?:sum\(|where )(\w+)", sql)}
    assert {"etv_micro", "category"} <= summed <= published_tables.contract("api_v1__daily").keys()


def test_formulas_name_measures_of_the_list_that_models_sum() -> None:
    listed = yaml.safe_load((CHECKOUT / "dbt_project" / "dbt_project.yml").read_text())["vars"]
    of_categories = {measure["name"] for measure in listed["measures_of_categories"]}
    assert MEASURES.keys() == {measure["name"] for measure in listed["measures"]} | of_categories


def test_a_metric_is_a_formula_over_sums_wherever_they_are() -> None:
    metric = Metric("half", "Half", "ETV", "Half.", Kind.NUMBER, "{new_micro} / nullif({fixes_etv_micro}, 0)")
    assert metric.measures == ["new_micro", "fixes_etv_micro"]
    assert metric.of_sums == "new_micro / nullif(fixes_etv_micro, 0)"
    assert metric.expression == (
        "coalesce(sum(new_micro), 0)::bigint / "
        "nullif(coalesce(sum(etv_micro) filter (where category = 'fixes'), 0)::bigint, 0)"
    )
