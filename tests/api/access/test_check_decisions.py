"""Who sees occurrences of checks, and who decides about them: leads within their teams, viewers about none."""

from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from api.access.row_access import RowAccess
from api.control.visibility import LedTeam, Visibility
from api.errors import PermissionDenied
from api.read.checks.occurrences import named_occurrence
from api.snapshot.build import Build
from tests.api.check_facts import occurrences
from tests.api.conftest import ROOT, Deployment, client_for
from tests.api.people import join, make_account, sign_in
from tests.api.published_facts import ORGANIZATION, Facts, found
from tests.api.scoped_deployment import LeadView, make_lead
from tests.api.scoped_facts import below, team_id

OURS, THEIRS = team_id("Product"), team_id("Platform")
# Repositories: our team has delivered only in the first one.
HERE, ELSEWHERE = found("repository", "here"), found("repository", "elsewhere")
# Kind of thing and team, by the id of the occurrence.
SUBJECTS = {
    "issue of ours": ("issue", OURS),
    "issue of theirs": ("issue", THEIRS),
    "issue of nobody": ("issue", None),
    "objective of ours": ("objective", OURS),
    "objective of theirs": ("objective", THEIRS),
    "objective of all": ("objective", None),
    "share of reviews": ("repository", None),
    "share of reviews elsewhere": ("repository", None),
    "busy file": ("file", None),
    "busy file elsewhere": ("file", None),
    "change of an unknown author": ("pull_request", None),
    "commit of an unknown author": ("commit", None),
    "connection": ("connection", None),
    "spend of a tool": ("ai_tool", None),
    "seat of an unknown person": ("ai_seat", None),
    "spend of a person": ("developer", OURS),
    "team of two": ("team", THEIRS),
    "team of three": ("team", OURS),
}

IDS = {name: found("occurrence", name) for name in (*SUBJECTS, "issue of somebody", "file of somebody")}
NAMES = {key: name for name, key in IDS.items()}


@pytest.fixture
def build(tmp_path: Path) -> Iterator[Build]:
    """A build with an occurrence, an episode and a measured time for each."""
    file = tmp_path / ORGANIZATION / "build.duckdb"
    file.parent.mkdir()
    with duckdb.connect(str(file)) as connection:
        connection.execute(f"create table organizations as select '{ORGANIZATION}' as organization_id")
        connection.execute(
            "create table teams as select * from (values "
            f"('{OURS}', 0, 3), ('{THEIRS}', 1, 2)) as teams (team_id, position, developer_count)"
        )
        connection.execute(
            "create table check_occurrences (occurrence_id varchar, subject_type varchar, team_id varchar, "
            "kind varchar, subject_id varchar, subject_title varchar, subject_reference varchar, "
            "ended_at timestamptz, developer_id varchar, repository_id varchar, measured_micro bigint)"
        )
        connection.executemany(
            "insert into check_occurrences values (?, ?, ?, 'past_target_date', ?, 'Title', null, null, ?, ?, null)",
            [
                (IDS[name], kind, team, team, None, ELSEWHERE if "elsewhere" in name else HERE)
                for name, (kind, team) in SUBJECTS.items()
            ]
            + [
                (IDS["issue of somebody"], "issue", THEIRS, None, "somebody", None),
                (IDS["file of somebody"], "file", None, None, "somebody", HERE),
            ],
        )
        connection.execute(
            "create table repositories as select * from (values "
            f"('{HERE}', 0), ('{ELSEWHERE}', 1)) as repositories (repository_id, position)"
        )
        connection.execute(
            "create table commit_counts as select * from (values (0, 0), (0, 1), (1, 1)) as counts "
            "(repository_number, team_number)"
        )
        for name in ("check_episodes", "check_stretches"):
            connection.execute(f"create table {name} as select * from check_occurrences")
    opened = Build("build", file, 200)
    yield opened
    opened.close()


LEAD = RowAccess(ORGANIZATION, teams=(LedTeam(OURS, None),))


@pytest.mark.parametrize("table", ["check_occurrences", "check_episodes", "check_stretches"])
def test_a_lead_sees_what_is_of_the_teams_of_all_and_of_their_repositories(build: Build, table: str) -> None:
    seen = {NAMES[row["occurrence_id"]] for row in build.rows(f"select * from {LEAD.table(build, table)}")}
    assert seen == {
        "issue of ours", "objective of ours", "objective of all", "team of three", "share of reviews", "busy file",
        "spend of a person",
    }  # fmt: skip


@pytest.mark.parametrize("table", ["check_occurrences", "check_episodes", "check_stretches"])
def test_the_switch_of_ai_columns_hides_the_ai_usage_of_people(build: Build, table: str) -> None:
    def seen(without: frozenset[str]) -> set[str]:
        access = RowAccess(ORGANIZATION, without_ai=without)
        return {
            NAMES[row["occurrence_id"]] for row in build.rows(f"select * from {access.table(build, table)}")
        }

    hidden = seen(frozenset()) - seen(frozenset({"developer"}))
    assert hidden == {"spend of a person", "seat of an unknown person"}
    assert seen(frozenset({"team"})) == seen(frozenset())


@pytest.mark.parametrize("table", ["check_occurrences", "check_episodes", "check_stretches"])
def test_few_people_are_behind_no_occurrence_where_figures_of_few_are_hidden(
    build: Build, table: str
) -> None:
    hiding = RowAccess.of(ORGANIZATION, Visibility(minimum_group_size=3))
    seen = {NAMES[row["occurrence_id"]] for row in build.rows(f"select * from {hiding.table(build, table)}")}
    assert seen == {
        "issue of ours", "issue of theirs", "issue of nobody", "objective of ours", "objective of theirs",
        "objective of all", "team of three", "connection",
    }  # fmt: skip


def test_a_lead_decides_about_no_objective_of_the_whole_organization(build: Build) -> None:
    assert named_occurrence(build, LEAD, IDS["objective of ours"]).title == "Title"
    assert named_occurrence(build, RowAccess(ORGANIZATION), IDS["objective of all"]).title == "Title"
    for key in ("objective of all", "issue of theirs", "share of reviews"):
        with pytest.raises(PermissionDenied):
            named_occurrence(build, LEAD, IDS[key])


def test_the_list_of_a_lead_has_what_is_theirs_and_nothing_else(lead: LeadView) -> None:
    listed = lead.client.get(f"{ROOT}/checkOccurrences", params={"pageSize": "1000"}).json()
    expected = [one for one in occurrences(lead.facts) if lead.sees(one)]
    assert {row["id"] for row in listed["checkOccurrences"]} == {one.id for one in expected}
    shown = lead.client.get(f"{ROOT}/repositories", params={"startDate": "2026-04-01"}).json()
    of_files = {row["repositoryId"] for row in listed["checkOccurrences"] if row["subjectType"] == "FILE"}
    assert of_files <= {row["id"] for row in shown["repositories"]}


def test_leads_decide_within_their_teams_and_viewers_only_read(
    deployed: Deployment, moving: Facts, address_of: str
) -> None:
    lasting = [one for one in occurrences(moving) if one.ended_at is None]
    session = sign_in(deployed.store, make_lead(deployed, ("Product",)))
    with client_for(address_of, session) as client:
        led = {one.id for one in LeadView(client, moving, below(moving, "Product")).pull_requests}
        answers = {
            one.id: client.post(
                f"{ROOT}/checkOccurrences/{one.id}:resolve", json={"note": "Agreed"}
            ).status_code
            for one in lasting
        }
    assert answers == {one.id: 200 if one.of.id in led else 403 for one in lasting}
    assert set(answers.values()) == {200, 403}
    viewer = join(deployed.store, ORGANIZATION, "viewer", make_account(deployed.store))
    with client_for(address_of, sign_in(deployed.store, viewer)) as client:
        path = f"{ROOT}/checkOccurrences/{lasting[0].id}"
        assert client.get(path).status_code == 200
        assert client.post(f"{path}:reopen").status_code == 403
