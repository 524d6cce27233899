"""The data dictionary has every published table and mart with all columns, and says when it is out of date."""

from pathlib import Path

import pytest
import yaml

from dbt_project import dictionary
from ingest.settings import CHECKOUT
from tests.published_tables import compiled, contract

PAGE = dictionary.FILE.read_text()


def section(name: str) -> str:
    """The part of the page about a model, without its heading."""
    _, found, rest = PAGE.partition(f" {name}\n\n")
    assert found, f"{name} is missing"
    return rest.partition("\n#")[0]


def columns(name: str) -> list[str]:
    return [line.split("`")[1] for line in section(name).splitlines() if line.startswith("| `")]


def test_the_page_has_the_descriptions_of_the_models() -> None:
    assert dictionary.dictionary() == PAGE, "run `make docs`"


def test_every_model_of_the_marts_has_a_section() -> None:
    models = [file.stem for file in (CHECKOUT / "dbt_project" / "models" / "marts").rglob("*.sql")]
    assert len(models) > 70
    for name in models:
        assert section(name).strip()


def test_a_published_mart_has_the_columns_of_its_contract_and_its_order() -> None:
    assert columns("commits_by_time") == ["position", *contract("api_v1__commits")]
    assert "Sorted by delivered_at desc nulls last, commit_id." in section("commits_by_time")
    assert "[commits_by_time](#commits_by_time)" in section("api_v1__commits")


def test_a_mart_in_another_order_names_the_first_one() -> None:
    told = "The rows of [commits_by_time](#commits_by_time) in another order, without `explanation`."
    assert told in section("commits_by_developer")


def test_a_table_that_adds_to_a_mart_names_it() -> None:
    assert "Columns as in [api_v1__capex](#api_v1__capex)." in section("capex")
    assert columns("api_v1__capex") == list(contract("api_v1__capex"))


def test_published_tables_of_their_own_have_the_columns_of_their_contract() -> None:
    own = [model for model in compiled() if model.is_published and model.columns]
    assert own
    for model in own:
        assert columns(model.name) == list(model.columns)


def test_a_changed_description_makes_the_page_out_of_date(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    project = tmp_path / "dbt_project"
    for part in ("models/marts/**/*.*", "tests/*.*", "dbt_project.yml"):
        for file in (CHECKOUT / "dbt_project").glob(part):
            target = project / file.relative_to(CHECKOUT / "dbt_project")
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(file.read_bytes())
    monkeypatch.setattr(dictionary, "PROJECT", project)
    monkeypatch.setattr(dictionary, "FILE", tmp_path / "page.md")
    assert dictionary.main([]) == 0
    assert dictionary.main(["--check"]) == 0
    file = project / "models/marts/api/entities/api_v1__teams.yml"
    described = yaml.safe_load(file.read_text())
    described["models"][0]["columns"][0]["description"] = "Another meaning."
    file.write_text(yaml.safe_dump(described))
    assert dictionary.main(["--check"]) == 1
    assert "run `make docs`" in capsys.readouterr().err
