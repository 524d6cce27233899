"""`eas engine` chooses the engine that builds an organization."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from orchestration.build import spark_session
from orchestration.cli import app
from orchestration.deployment import LOCAL_ORGANIZATION, Deployment

LACK = "Spark needs Java"


def engine(*arguments: str) -> tuple[int, str]:
    """The exit code of `eas engine`, and what it prints."""
    answer = CliRunner().invoke(app, ["engine", *arguments])
    return answer.exit_code, answer.output


def test_an_organization_gets_an_engine_of_its_own_and_back(
    deployment: Deployment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spark_session, "missing", lambda: None)
    of_deployment = "The next build of local runs on duckdb, the choice of the deployment.\n"
    own = "The next build of local runs on spark, its own choice.\n"
    assert engine("local") == (0, of_deployment)
    assert engine("local", "spark") == (0, own)
    assert engine(LOCAL_ORGANIZATION) == (0, own)
    assert deployment.engine_of(LOCAL_ORGANIZATION) == "spark"
    assert engine("local", "default") == (0, of_deployment)
    assert deployment.engine_of(LOCAL_ORGANIZATION) == "duckdb"


def test_the_command_warns_of_what_the_machine_lacks(
    deployment: Deployment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spark_session, "missing", lambda: LACK)
    assert LACK not in engine("local")[1]
    assert f"Warning: {LACK}." in engine("local", "spark")[1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("local", "hive"), "'hive' is no engine: use one of duckdb, spark, default"),
        (("nowhere", "spark"), "no organization has the id or slug 'nowhere'"),
    ],
)
def test_a_wrong_name_changes_nothing(
    deployment: Deployment, arguments: tuple[str, ...], message: str
) -> None:
    code, said = engine(*arguments)
    assert (code, message in said) == (2, True)
    assert deployment.engine_of(LOCAL_ORGANIZATION) == "duckdb"
