"""Each published table declares its row access in the yml of its model, and one that declares nothing is closed."""

from dataclasses import replace
from typing import cast

import pytest

from api.access import declared_access
from api.access.row_access import RowAccess
from api.control.visibility import Visibility
from api.errors import PermissionDenied
from api.snapshot.build import Build
from api.snapshot.empty_build import declared_tables
from dbt_project import dictionary, row_access
from tests.api.published_facts import ORGANIZATION

CALLERS = {
    "administrator": RowAccess(ORGANIZATION, sees_exclusions=True, sees_suggestions=True),
    "lead": RowAccess(ORGANIZATION, teams=()),
    "self": RowAccess(ORGANIZATION, own=""),
    "small group": RowAccess.of(ORGANIZATION, Visibility(minimum_group_size=3)),
}


class NoTeams:
    """A build whose teams nobody asks for."""

    def remembered(self, *_: object) -> dict[str, int]:
        return {}


BUILD = cast(Build, NoTeams())


def test_the_file_has_what_the_models_declare() -> None:
    assert row_access.FILE == declared_access.FILE
    assert row_access.FILE.read_text() == row_access.text(), "run `make docs`"
    assert row_access.main(["--check"]) == 0


def test_every_published_table_declares_its_access() -> None:
    assert declared_access.declared().keys() == declared_tables().keys()


@pytest.mark.parametrize("caller", CALLERS)
def test_a_table_that_declares_nothing_is_closed(caller: str, monkeypatch: pytest.MonkeyPatch) -> None:
    models = dictionary.models(dictionary.API)
    silent = [replace(model, access={}) if "daily" in model.tables else model for model in models]
    declarations = declared_access.parsed(row_access.declared(silent))
    assert "daily" not in declarations
    monkeypatch.setattr(declared_access, "declared", lambda: declarations)
    with pytest.raises(LookupError, match="daily declares no access"):
        CALLERS[caller].table(BUILD, "daily")
    # A table that declares its access is still read.
    assert CALLERS[caller].table(BUILD, "line_kinds") == "line_kinds"


def test_a_rule_that_a_table_leaves_out_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    declarations = declared_access.parsed({"line_kinds": {"lead": "open"}})
    monkeypatch.setattr(declared_access, "declared", lambda: declarations)
    assert CALLERS["lead"].table(BUILD, "line_kinds") == "line_kinds"
    assert CALLERS["self"].table(BUILD, "line_kinds") == "(select * from line_kinds where false)"
    with pytest.raises(PermissionDenied, match="hides figures of single developers"):
        CALLERS["small group"].table(BUILD, "line_kinds")


def test_a_rule_that_nothing_knows_is_refused() -> None:
    with pytest.raises(ValueError, match="daily: no rule 'everything'; there are closed, commit"):
        declared_access.parsed({"daily": {"lead": "everything", "self": "open", "group": "open"}})


def test_a_table_in_another_order_can_declare_rules_of_its_own() -> None:
    own = {name: declared_access.of_table(name).own for name in ("commits_by_time", "commits_by_repository")}
    assert own["commits_by_time"].table == "commits_by_time"
    assert own["commits_by_repository"].table == "commits_by_developer"
