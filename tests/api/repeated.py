"""Which tests of the API run once more on PostgreSQL: those that depend on what the control database does.

It leaves out tests that ask only for the caller and the caller's rights. These statements are the same for every
read of a build: callers/test_access.py repeats them for every route and kind of caller, and the kept tests of
access/test_team_lead.py for every kind of lead. On SQLite every test runs.
"""

from pathlib import Path
from typing import get_args

import pytest
from fastapi import FastAPI
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute, iter_route_contexts

from api.callers.dependencies import OwnRowAccess, Viewer

HERE = Path(__file__).parent
# Files that are left out, except these tests of them.
LEFT_OUT: dict[str, frozenset[str]] = {
    # Rows of builds, for callers with different rights.
    "access/test_group_privacy.py": frozenset(
        {"test_a_setting_acts_on_the_next_request_and_a_cached_answer_is_no_longer_valid"}
    ),
    "access/test_plans.py": frozenset(),
    "access/test_self.py": frozenset(
        {
            "test_a_caller_without_a_developer_gets_the_remedy",
            "test_an_unverified_address_identifies_no_developer",
            "test_before_the_first_build_role_and_teams_are_known",
        }
    ),
    "access/test_splits.py": frozenset(),
    "access/test_team_lead.py": frozenset(
        {"test_a_lead_sees_the_led_teams_and_below_with_the_work_written_in_them"}
    ),
    "access/test_team_lead_leaks.py": frozenset(
        {
            "test_a_lead_s_key_sees_what_the_lead_sees",
            "test_a_lead_that_is_taken_away_closes_at_once",
        }
    ),
    "access/test_visible_ids.py": frozenset(
        {
            "test_a_decision_about_a_former_id_applies_to_the_merged_developer",
            "test_a_lead_sees_the_memberships_in_the_led_teams",
            "test_a_list_of_decisions_about_an_unknown_object_is_not_found",
            "test_an_id_that_the_log_does_not_have_has_no_entries",
            "test_before_the_first_build_only_control_data_is_found",
            "test_decisions_about_a_developer_are_found_by_each_id",
        }
    ),
    # Answers of a provider that are refused before they reach the database, and scripts of pages.
    "auth/test_forged_answers.py": frozenset({"test_an_address_that_is_none_joins_nothing"}),
    "auth/test_pages.py": frozenset(),
    "read/figures/test_ranges.py": frozenset(),
    "read/test_teams.py": frozenset(),
    "v1/alignment/test_objectives.py": frozenset(),
    "v1/pull_requests/test_metrics.py": frozenset(),
    # Files of builds: leased, replaced, damaged.
    "snapshot/test_builds.py": frozenset(),
    "snapshot/test_republishing.py": frozenset(),
    # The API refuses malformed requests before any statement. The kept tests and v1/test_odd_text.py send texts that
    # reach a statement.
    "http/test_bodies.py": frozenset({"test_a_text_as_long_as_documented_is_not_too_long"}),
    "http/test_schemathesis.py": frozenset({"test_requests_within_the_document_get_documented_answers"}),
    # Processes with an SQLite database of their own in every run.
    "auth/test_root_secrets.py": frozenset(),
    "test_serve.py": frozenset({"test_every_process_refuses_a_revoked_key"}),
}
# What a route depends on that reads a build.
READS = {get_args(alias)[1].dependency for alias in (Viewer, OwnRowAccess)}


def is_left_out(item: pytest.Function) -> bool:
    kept = LEFT_OUT.get(item.path.relative_to(HERE).as_posix())
    return kept is not None and item.originalname not in kept


def reads_of_builds(app: FastAPI) -> set[tuple[str, str]]:
    """Method and path of every route that reads a build and no more: the values of a request reach no statement."""
    return {
        (method.lower(), str(route.path))
        for route in iter_route_contexts(app.routes)
        if isinstance(route.original_route, APIRoute) and not READS.isdisjoint(_called(route.dependant))
        for method in route.methods or ()
        if method == "GET"
    }


def _called(dependant: Dependant) -> set[object]:
    return {dependant.call}.union(*map(_called, dependant.dependencies))
