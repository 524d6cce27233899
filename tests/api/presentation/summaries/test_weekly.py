"""Sentences of a week as a reader meets them, with the reason why each is there."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest
import yaml

from api.presentation.summaries.composing import compose
from api.presentation.summaries.facts import Fact
from api.presentation.summaries.formats.plain_text import to_text
from tests.api.presentation.summaries.invented_facts import fact


def etv(value: float, **more: Any) -> Fact:
    """The ETV of a week, usually 10 to 20."""
    columns: dict[str, Any] = {"unit": "ETV", "value": value, "previous": 15, "low": 10, "high": 20}
    return fact("etv", **columns | more)


def text(*facts: Fact) -> str:
    """The summary on one line, without its title."""
    return " ".join(to_text(compose(facts, "scope")).partition("\n\n")[2].split())


def test_a_movement_comes_with_its_range_and_cause() -> None:
    causes = [fact("cause.changes", unit="ETV", value=14), fact("cause.size", unit="ETV", value=-4)]
    assert text(etv(25), *causes) == (
        "Delivered: 25.0 ETV, above the usual 10.0 to 20.0. The week before: 15.0; largest cause of the "
        "difference: more file changes (+14.0)."
    )


def test_a_cause_against_the_movement_is_none() -> None:
    """More changes explain no fall."""
    causes = [fact("cause.changes", unit="ETV", value=90), fact("cause.rework", unit="ETV", value=-3)]
    assert "more work taken back (−3.0)" in text(etv(5), *causes)
    assert "cause" not in text(etv(5), causes[0])


def test_a_week_within_its_ranges_is_a_usual_one() -> None:
    commits = fact("commits", unit="COUNT", value=1, low=1, high=9)
    assert text(etv(12), commits) == (
        "A usual week: 12.0 ETV from 1 commit, usually 10.0 to 20.0; the week before: 15.0."
    )


@pytest.mark.parametrize(("value", "is_told"), [(20.04, False), (20.06, True)])
def test_a_value_that_reads_as_the_end_of_its_range_did_not_move(value: float, is_told: bool) -> None:
    assert ("above the usual" in text(etv(value))) == is_told


def test_a_new_organization_has_no_usual_week() -> None:
    told = text(etv(12, low=None, high=None, previous=None))
    assert told == "Delivered: 12.0 ETV. There are too few weeks before to say what is usual."


def test_a_hidden_range_is_no_short_history() -> None:
    told = text(etv(12, low=None, high=None, previous=None, usual_people=2))
    assert told == (
        "Delivered: 12.0 ETV. The usual range is hidden, because too few people stand behind some weeks before."
    )


def test_a_week_without_work_says_so_once() -> None:
    assert text(etv(0)) == "Nothing was delivered, below the usual 10.0 to 20.0 ETV. The week before: 15.0."
    assert text(etv(0, low=0)) == "Nothing was delivered, usually 0.0 to 20.0 ETV; the week before: 15.0."


def test_a_running_week_is_compared_with_nothing() -> None:
    people = fact("people", unit="COUNT", value=0, low=5, high=9, is_draft=True)
    assert text(etv(1, is_draft=True), people).endswith("Delivered so far: 1.0 ETV.")


def test_of_the_categories_one_moved() -> None:
    shares = [
        fact(f"category_share.{name}", unit="SHARE", value=value, low=0.3, high=0.5, basis=30)
        for name, value in (("features", 0.9), ("tests", 0.1))
    ]
    told = text(etv(12), *shares)
    assert told.startswith("Delivered: 12.0 ETV, usually 10.0 to 20.0; the week before: 15.0. What moved?")
    assert "Share of features in the ETV: 90\u00a0%, above the usual 30\u00a0% to 50\u00a0%." in told.replace(
        " %", "\u00a0%"
    )
    assert "tests" not in told


def test_a_check_says_what_where_how_long_and_who() -> None:
    about = {"subject_title": "Mend the parser (#12)", "subject_reference": "#12", "note": "REVIEWER"}
    facts = [
        fact("check_open.1", unit="WORKING_HOURS", value=52, basis=4, **about),
        fact(
            "check_open_kind.1", unit="WORKING_HOURS", value=24, subject_title="Waiting for the first review"
        ),
    ]
    told = text(etv(12), *facts)
    assert (
        "Waiting for the first review: Mend the parser (#12), 52.0 working hours (limit 24.0); next: reviewer."
        in told
    )


def checks(*rows: tuple[str, str, str, float, float, str], **more: Any) -> list[Fact]:
    """Open checks: name of the kind, its label, the thing, value, limit and who acts next."""
    found = []
    for place, (name, label, thing, value, limit, actor) in enumerate(rows, 1):
        about = {"subject_type": "PULL_REQUEST", "subject_id": thing, "subject_title": thing, "note": actor}
        kind = {"subject_type": "CHECK_KIND", "subject_id": name, "subject_title": label}
        found.append(fact(f"check_open.{place}", unit="COUNT", value=value, **about | more))
        found.append(fact(f"check_open_kind.{place}", unit="COUNT", value=limit, **kind))
    return found


def test_a_thing_with_several_checks_is_told_once() -> None:
    found = checks(
        ("back_and_forth", "Back and forth", "Mend the parser", 14, 11, "REVIEWER"),
        ("large_pull_request", "Large pull request", "Mend the lexer", 1_500, 400, "AUTHOR"),
        ("large_pull_request", "Large pull request", "Mend the parser", 900, 400, "AUTHOR"),
    )
    assert text(etv(12), *found).endswith(
        "What needs a hand? - Back and forth: Mend the parser, 14 rounds (limit 11); next: reviewer. Large pull "
        "request: 900 lines (limit 400); next: author. - Large pull request: Mend the lexer, 1,500 lines."
    )


def test_an_event_of_an_earlier_week_is_counted_and_told_no_more() -> None:
    row = ("value_in_a_day", "Much value in a day", "Import the docs", 90, 24, "ADMINISTRATOR")
    counts = [fact(f"checks_{name}", unit="COUNT", value=1) for name in ("open", "opened", "ended")]
    past, present = (checks(row, on_date=date(2026, 8, day)) for day in (16, 17))
    assert "Import the docs, 90" in text(etv(12), *present, *counts)
    told = text(etv(12), *past, *counts)
    assert "Import" not in told
    assert "What needs a hand? Findings of checks that last, settled ones too: 1." in told


@pytest.mark.parametrize(
    ("title", "reference", "read"),
    [
        ("Mend the parser (#12)", "acme/web#12", "Mend the parser (acme/web#12)"),
        ("Mend the parser (#123)", "acme/web#12", "Mend the parser (#123) (acme/web#12)"),
        ("Mend the parser", "acme/web!12", "Mend the parser (acme/web!12)"),
        ("Mend the parser (WEB-7)", "WEB-7", "Mend the parser (WEB-7)"),
        ("Mend the parser (#12)", "acme/web@0a1b2c3d4e", "Mend the parser (#12) (acme/web@0a1b2c3d4e)"),
    ],
)
def test_a_title_has_its_reference_once(title: str, reference: str, read: str) -> None:
    delivery = fact("delivery.1", unit="ETV", value=8, subject_title=title, subject_reference=reference)
    # The word joiner keeps mail programs from making addresses.
    assert f"{read}: 8.0 ETV." in text(etv(12), delivery).replace("\u2060", "")


def test_a_delivery_that_reads_as_nothing_is_left_out() -> None:
    small = fact("delivery.1", unit="ETV", value=0.04, subject_title="Fix a comma")
    large = fact("delivery.2", unit="ETV", value=0.06, subject_title="Fix a name")
    told = text(etv(12), small, large)
    assert "Fix a name: 0.1 ETV." in told
    assert "Fix a comma" not in told


def test_shares_of_too_few_commits_are_missed_and_not_only_left_out() -> None:
    shares = [
        fact("category_share.features", "month", unit="SHARE", value=0.5, basis=9),
        fact("three_months.category_share.features", "month", unit="SHARE", value=0.4, basis=30),
    ]
    assert (
        "There are too few commits for shares of the categories. "
        "- On average in the three months before: features 40 %."
        in text(fact("etv", "month", unit="ETV", value=12), *shares).replace("\u00a0", " ")
    )


def test_what_was_delivered_is_told_by_objective_or_else_by_delivery() -> None:
    delivery = fact("delivery.1", unit="ETV", value=8, subject_title="Show who acts next")
    assert "Show who acts next: 8.0 ETV." in text(etv(12), delivery)
    objective = fact(
        "objective.1", unit="ETV", value=9, subject_title="Faster imports", subject_reference="A-B"
    )
    progress = fact("objective_progress.1", unit="COUNT", value=3, basis=7)
    told = text(etv(12), delivery, objective, progress, fact("unaligned", unit="ETV", value=3))
    assert "Faster imports (A-B): 9.0 ETV; 3 of 7 issues done." in told
    assert "Without an objective: 3.0 ETV." in told
    assert "Show who acts next" not in told


def test_a_lower_bound_is_not_held_against_a_usual_range() -> None:
    ai = fact("ai_share", unit="SHARE", value=0.04, previous=0.01, low=0.05, high=0.7, basis=30)
    told = text(etv(12), ai).replace("\u00a0", " ")
    assert "AI: ≥ 4 % of the ETV, by signs in commits; the week before: ≥ 1 %." in told


def test_parts_that_are_small_beside_others_are_no_news() -> None:
    parts = {"changes": 60, "size": -10, "rework": -0.6}
    causes = [fact(f"cause.{name}", "month", unit="ETV", value=value) for name, value in parts.items()]
    told = text(fact("etv", "month", unit="ETV", value=90, previous=40), *causes)
    assert (
        "Parts of the difference of the ETV from the month before: more file changes (+60.0) and smaller"
        in told
    )
    moved = fact("etv", "month", unit="ETV", value=90, previous=40, low=10, high=50)
    assert (
        "Another part of the difference of the ETV from the month before: smaller changes (−10.0)."
        in text(moved, *causes)
    )
    # Against a month without work all of it is more, and a small difference is what every month has.
    for previous in (0, 85):
        assert "Parts" not in text(fact("etv", "month", unit="ETV", value=90, previous=previous), *causes)


def test_two_new_people_of_one_name_are_named_once_and_counted_twice() -> None:
    names = ("Ada", "Grace K.", "Ada")
    people = [
        fact(f"joined.{place}", unit="DATE", on_date=date(2026, 8, 18), subject_title=name, basis=3)
        for place, name in enumerate(names, 1)
    ]
    assert "New people: Ada and Grace K. (3 in all)." in text(etv(12), *people)
    whole = [replace(one, basis=2) for one in people[:2]]
    assert text(etv(12), *whole).endswith("New people: Ada and Grace K.")


@pytest.mark.parametrize(("count", "is_told"), [(4, False), (5, True)])
def test_a_median_of_few_is_no_movement(count: int, is_told: bool) -> None:
    wait = fact("pickup_hours", unit="WORKING_HOURS", value=9, low=1, high=3, basis=count)
    assert ("Median wait" in text(etv(12), wait)) == is_told


def test_what_is_zero_and_was_zero_is_no_news() -> None:
    for previous, is_told in ((0, False), (0.2, True)):
        share = fact("rework_share", "month", unit="SHARE", value=0, previous=previous, basis=30)
        hours = fact("capex_hours", "month", unit="HOURS", value=0, previous=previous)
        told = text(fact("etv", "month", unit="ETV", value=90), share, hours)
        assert ("taken back" in told) == ("capitalized" in told) == is_told


def test_without_objectives_nothing_is_said_of_them() -> None:
    missing = fact("alignment", "month", unit="SHARE", note="NO_OBJECTIVES")
    assert "objective" not in text(fact("etv", "month", unit="ETV", value=90), missing)


def test_an_objective_that_reads_as_nothing_is_left_out_of_weeks_and_months() -> None:
    for period, is_told in (("week", False), ("month", False), ("quarter", True)):
        small = fact("objective.1", period, unit="ETV", value=0.01, subject_title="Faster imports")
        assert ("Faster imports" in text(fact("etv", period, unit="ETV", value=90), small)) == is_told


def test_no_recorded_use_of_ai_is_not_zero() -> None:
    assert "AI: no use is recorded." in text(etv(12), fact("ai_share", unit="SHARE", note="NO_RECORDED_USE"))
    assert "AI" not in text(etv(0), fact("ai_share", unit="SHARE", note="NO_OUTPUT"))


def test_what_may_change_is_told_without_the_same_number_again() -> None:
    until = date(2026, 9, 4)
    everything = text(etv(12), fact("uncounted.provisional", unit="ETV", value=12, on_date=until))
    assert "All of the ETV may change until 4 Sep 2026" in everything
    assert "7.0 ETV may change until 4 Sep 2026" in text(
        etv(12), fact("uncounted.provisional", unit="ETV", value=7, on_date=until)
    )


def test_every_reason_of_uncounted_commits_has_words() -> None:
    variables = yaml.safe_load(Path("dbt_project/dbt_project.yml").read_text())["vars"]
    for key in variables["summary_uncounted_reasons"].values():
        told = text(etv(12), fact(f"uncounted.{key}", unit="COUNT", value=1))
        assert "What is missing, or may change? 1 commit " in told


def test_no_sign_of_ai_is_said_in_words() -> None:
    told = text(etv(12), fact("ai_share", unit="SHARE", value=0, previous=0.01))
    assert "AI: no commit has a sign of it; the week before: ≥ 1 %." in told
    assert "≥ 0 %" not in told
