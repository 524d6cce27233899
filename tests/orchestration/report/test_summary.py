"""Summaries that the command prints: which scope a name means."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

import duckdb
import pytest
from sqlalchemy import update

from api.control.models import Organization
from api.control.summaries.kinds import Period, ScopeKind
from api.presentation.summaries.visibility import HIDDEN
from orchestration.deployment import LOCAL_ORGANIZATION, Deployment
from orchestration.report import summary
from orchestration.summaries import writing
from tests.orchestration.summaries.fact_builds import REPOSITORY, built

TODAY = date(2026, 3, 5)


def publish(deployment: Deployment, folder: Path, names: list[str]) -> None:
    """A published build with repositories of these names besides `web`."""
    file = built(folder, TODAY)
    with duckdb.connect(str(file)) as connection:
        connection.executemany("insert into repositories values (?, ?)", [[f"r{n}", n] for n in names])
    root = deployment.settings.published_dir / LOCAL_ORGANIZATION
    root.mkdir(parents=True)
    file.rename(root / "b1.duckdb")
    (root / "current.json").write_text(json.dumps({"build_id": "b1", "file": "b1.duckdb"}))


def refused(deployment: Deployment, name: str) -> str:
    with pytest.raises(summary.NoSummary) as error:
        summary.find(deployment, LOCAL_ORGANIZATION, ScopeKind.REPOSITORY, name, Period.WEEK)
    return str(error.value)


def test_an_unknown_name_is_answered_with_near_names_or_the_first_ten(
    deployment: Deployment, tmp_path: Path
) -> None:
    names = [f"service {chr(97 + place)}" for place in range(26)]
    publish(deployment, tmp_path, names)
    assert refused(deployment, "wep") == "no repository is called 'wep'; near names are web"
    told = refused(deployment, "9999")
    assert told == f"no repository is called '9999'; there are {', '.join(names[:10])} and 17 more"
    for name in ("web", REPOSITORY):
        found = summary.find(deployment, LOCAL_ORGANIZATION, ScopeKind.REPOSITORY, name, Period.WEEK)
        assert found.title == "web"


def test_a_name_of_several_repositories_asks_for_an_id(deployment: Deployment, tmp_path: Path) -> None:
    publish(deployment, tmp_path, ["web"])
    assert refused(deployment, "web") == (
        f"more than one repository is called 'web'; use an id: {', '.join(sorted([REPOSITORY, 'rweb']))}"
    )


@pytest.mark.parametrize("is_stored", [False, True])
def test_figures_of_few_people_are_hidden(deployment: Deployment, tmp_path: Path, is_stored: bool) -> None:
    """Stored texts keep all sentences, because the setting may change."""
    publish(deployment, tmp_path, ["api"])
    file = deployment.settings.published_dir / LOCAL_ORGANIZATION / "b1.duckdb"
    with duckdb.connect(str(file)) as connection:
        connection.execute("update summary_facts set people = 2 where fact_id = 'etv'")
    if is_stored:
        assert writing.write_due(deployment, file, "b1").written

    def told() -> str:
        found = summary.find(deployment, LOCAL_ORGANIZATION, ScopeKind.ORGANIZATION, None, Period.WEEK)
        return summary.printed(found, "text").decode()

    assert "10.0 ETV" in told()
    with deployment.control() as control, control.session() as session:
        session.execute(update(Organization).values(minimum_group_size=3))
        session.commit()
    assert "ETV" not in told()
    assert HIDDEN in " ".join(told().split())
