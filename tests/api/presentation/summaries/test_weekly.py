"""Sentences of a week as a reader meets them, with the reason why each is there."""

from __future__ import annotations

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


def test_a_week_without_work_says_so_once() -> None:
    assert text(etv(0)) == "Nothing was delivered, below the usual 10.0 to 20.0 ETV. The week before: 15.0."
    assert text(etv(0, low=0)) == "Nothing was delivered, usually 0.0 to 20.0; the week before: 15.0."


def test_a_running_week_is_compared_with_nothing() -> None:
    people = fact("people", unit="COUNT", value=0, low=5, high=9, is_draft=True)
    assert text(etv(1, is_draft=True), people).endswith("Delivered so far: 1.0 ETV.")


def test_of_the_categories_one_moved() -> None:
    shares = [
        fact(f"category_share.{name}", unit="SHARE", value=value, low=0.3, high=0.5, basis=30)
        for name, value in (("features", 0.9), ("tests", 0.1))
    ]
    told = text(etv(12), *shares)
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
        "There are too few commits for shares of the categories. - The three months before: features 40 %."
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
