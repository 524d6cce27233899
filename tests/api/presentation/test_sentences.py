"""Sentences about figures that the tables of the report do not show."""

from datetime import date

from api.presentation import sentences


def test_a_movement_without_a_part_that_shows_names_none() -> None:
    told = sentences.movement(date(2024, 4, 1), 4.0, 4.0, {"changes": 0.04, "size": -0.04})
    assert told == "2024-04: 4.0 ETV, 4.0 in the month before."


def test_alignment_without_etv_has_no_share() -> None:
    assert sentences.alignment(None, None, 0.0) == "Alignment: these weeks have no ETV."


def test_a_share_that_rounds_to_nothing_is_left_out() -> None:
    told = sentences.without_etv("Imported code", "Why.", line_share=0.4, commit_share=0.004)
    assert told == "40 % of the new lines have no ETV: imported code. Why."


def test_one_commit_is_not_commits() -> None:
    assert sentences.to_confirm(1).startswith("1 commit causes half")
    assert sentences.to_confirm(1202).startswith("1,202 commits cause half")
    assert sentences.agents([("bot", 1)]).startswith("1 commit is by an account of an AI agent (bot 1).")
