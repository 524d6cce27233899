"""Sub-teams of a team, also of one that is in no build."""

from collections.abc import Iterator
from contextlib import closing

import pytest

from api.access.row_access import RowAccess
from api.control.ids import new_id
from api.query.conditions import selected
from api.read.ids import with_sub_teams
from api.snapshot.build import Build
from tests.api.conftest import Deployment
from tests.api.published_facts import ORGANIZATION, Facts
from tests.api.scoped_facts import below, team_id

SCOPE = RowAccess(ORGANIZATION)


@pytest.fixture(scope="module")
def build(deployed: Deployment) -> Iterator[Build]:
    [path] = deployed.data_dir.glob("published/*/*.duckdb")
    with closing(Build("newest", path, 64)) as opened:
        yield opened


def commits_of(build: Build, teams: tuple[str, ...]) -> int:
    return build.count(f"select count(*) from commits_by_time where {selected('team_id', teams).sql}", ())


def test_below_a_team_are_its_sub_teams(build: Build, moving: Facts) -> None:
    for name in ("Product", "Web", "Empty"):
        assert set(with_sub_teams(build, SCOPE, [team_id(name)])) == below(moving, name)


def test_a_team_that_the_build_does_not_have_stands_for_no_commits_and_not_for_all(
    build: Build, moving: Facts
) -> None:
    unbuilt = new_id()
    assert with_sub_teams(build, SCOPE, [unbuilt]) == (unbuilt,)
    assert commits_of(build, with_sub_teams(build, SCOPE, [unbuilt])) == 0
    both = with_sub_teams(build, SCOPE, [unbuilt, team_id("Product")])
    assert set(both) == {unbuilt, *below(moving, "Product")}
    assert 0 < commits_of(build, both) < commits_of(build, ())
