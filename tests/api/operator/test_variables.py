"""The list of settings against the docs, the identity providers, and the code that uses them."""

import re
from pathlib import Path

import duckdb
import pytest

import api
from api.control.identity_providers.kinds import ProviderKind
from api.operator.environment import value_in
from api.operator.settings import DeploymentKind
from api.operator.variables import LISTED, PROVIDERS, VARIABLES
from api.settings import ApiSettings
from ingest.settings import Settings
from orchestration.deployment import machine_settings

CHECKOUT = Path(api.__file__).parent.parent
# settings.py and dbt_project/profiles.yml read them.
WITHOUT_FIELD = {
    "EAS_RUN_SLOTS",
    "DISABLE_SERVICE_SUPPORT_ACCESS",
    "EAS_WAREHOUSE_THREADS",
    "EAS_DBT_THREADS",
}
HEAD = "| variable | default | meaning |\n|---|---|---|\n"
# Handed to Git by the service itself, in a closed environment.
INNER = {"EAS_REMOTE_USER", "EAS_REMOTE_SECRET"}


def test_the_table_of_the_docs_is_the_list() -> None:
    docs = (CHECKOUT / "docs" / "operations" / "settings.md").read_text()
    table = docs.partition(HEAD)[2].partition("\n\n")[0].splitlines()
    assert table == [f"| `{one.name}` | {one.default} | {one.meaning} |" for one in LISTED]


def test_every_setting_that_the_code_names_is_listed() -> None:
    named = set()
    for folder in ("api", "ingest", "orchestration", "dbt_project"):
        for file in (CHECKOUT / folder).rglob("*"):
            if file.suffix in (".py", ".yml", ".sql", ".md") and "target" not in file.parts:
                named |= set(re.findall(r"\bEAS_[A-Z]+(?:_[A-Z]+)*\b", file.read_text()))
    # `EAS_SIGN_IN_` and the like are the beginnings of names.
    unknown = {one for one in named if not any(name.startswith(one) for name in VARIABLES)}
    assert unknown == INNER
    assert len(named) > 30


def test_every_setting_of_the_api_and_of_the_machine_is_listed() -> None:
    of_api = {str(field.validation_alias) for field in ApiSettings.model_fields.values()}
    of_machine = {f"EAS_{name.upper()}" for name in Settings.model_fields if name != "reach"}
    assert (of_api | of_machine) - VARIABLES.keys() == set()


def test_the_choices_are_those_of_the_code() -> None:
    assert list(PROVIDERS) == list(ProviderKind)
    assert [value_in("EAS_DEPLOYMENT", kind) for kind in DeploymentKind] == list(DeploymentKind)


@pytest.mark.parametrize(
    "name",
    [
        one.name
        for one in LISTED
        if re.fullmatch(r"\d+|true|false", one.default) and one.name not in WITHOUT_FIELD
    ],
)
def test_a_default_of_the_docs_is_the_one_of_the_code(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    for variable in VARIABLES:
        monkeypatch.delenv(variable, raising=False)
    aliases = {
        str(field.validation_alias): field_name for field_name, field in ApiSettings.model_fields.items()
    }
    if name in aliases:
        found = getattr(ApiSettings(), aliases[name])
    else:
        found = getattr(machine_settings(), name.removeprefix("EAS_").lower())
    assert found == value_in(name, VARIABLES[name].default)


def test_an_empty_variable_counts_as_unset(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in VARIABLES:
        monkeypatch.setenv(name, " ")
    assert machine_settings() == Settings()
    assert ApiSettings().app_url == "http://127.0.0.1:8000"


def test_the_machine_has_the_settings_of_the_environment(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    given = {
        "DATA_DIR": "here",
        "WORKERS": "3",
        "GIT_TOKEN": "tok_secret",
        "PRIVATE_HOSTS": "Git.inside,10.0.0.1",
    }
    for name, value in given.items():
        monkeypatch.setenv(f"EAS_{name}", value)
    monkeypatch.setenv("RAW_DIR", "memory://bucket/raw/")
    found = machine_settings()
    assert (found.data_dir, found.raw_root, found.workers) == (tmp_path / "here", "memory://bucket/raw", 3)
    assert found.git_token is not None
    assert found.git_token.get_secret_value() == "tok_secret"
    assert found.reach.is_listed("git.inside")
    assert found.reach.is_listed("10.0.0.1")
    assert not found.reach.is_listed("10.0.0.2")
    monkeypatch.setenv("EAS_RAW_DIR", "other")
    assert machine_settings().raw_root == str(tmp_path / "other")


@pytest.mark.parametrize("amount", ["6GB", "1MB", "512 MiB", "1.5gb", "2 Tb"])
def test_an_amount_of_memory_is_one_that_the_warehouse_takes(amount: str) -> None:
    value = value_in("EAS_WAREHOUSE_MEMORY", amount)
    duckdb.connect(config={"memory_limit": value}).close()
