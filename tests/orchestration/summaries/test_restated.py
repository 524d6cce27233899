"""Which values of a text a later build has otherwise."""

from __future__ import annotations

from api.presentation.summaries.facts import Fact
from orchestration.summaries.restated import differences
from tests.api.presentation.summaries.invented_facts import fact


def objective(place: int, subject: str, value: float) -> Fact:
    return fact(f"objective.{place}", unit="ETV", value=value, subject_type="OBJECTIVE", subject_id=subject)


BEFORE = [fact("etv", unit="ETV", value=30), objective(1, "api", 10), objective(2, "web", 9)]
CITED = [("etv", "value"), ("objective.1", "value"), ("objective.2", "value")]


def test_a_fact_that_took_another_place_in_its_list_is_held_against_itself() -> None:
    after = [fact("etv", unit="ETV", value=32), objective(1, "web", 11), objective(2, "api", 10)]
    assert list(differences(CITED, BEFORE, after)) == [
        {"factId": "etv", "field": "value", "before": "30.0", "after": "32.0", "people": None},
        {"factId": "objective.2", "field": "value", "before": "9.0", "after": "11.0", "people": None},
    ]


def test_a_place_that_another_thing_took_is_not_its_value() -> None:
    after = [BEFORE[0], objective(1, "api", 10), objective(2, "cli", 9)]
    assert list(differences(CITED, BEFORE, after)) == [
        {"factId": "objective.2", "field": "value", "before": "9.0", "after": None, "people": None}
    ]


def test_the_fewest_people_behind_either_value_are_noted() -> None:
    def etv(value: float, people: int, in_range: int) -> list[Fact]:
        return [
            fact("etv", unit="ETV", value=value, low=value, high=50, people=people, usual_people=in_range)
        ]

    cited = [("etv", "value"), ("etv", "low")]
    found = {one["field"]: one["people"] for one in differences(cited, etv(30, 5, 4), etv(31, 3, 2))}
    assert found == {"value": 3, "low": 2}


def test_several_facts_about_one_thing_are_told_by_their_places() -> None:
    before = [
        fact(f"check_open.{place}", unit="COUNT", value=place, subject_id="pull request") for place in (1, 2)
    ]
    cited = [("check_open.1", "value"), ("check_open.2", "value")]
    assert list(differences(cited, before, before)) == []
