"""Verdicts, intervals, exit codes and reports of the suite, which reports every skipped claim."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from tests.validity import bootstrap, labelled_sets, suite
from tests.validity.bootstrap import Interval
from tests.validity.chart import drawn
from tests.validity.claims import Bar, Baseline, Inputs, Missing, NotMeasured, Outcome, Part, Result, failed
from tests.validity.report import shown

RESULT = Result(
    "Taste of tea",
    "share of good cups",
    "invented_cups",
    40,
    "cup",
    0.7512,
    Interval(0.6, 0.875),
    "9.9.9",
    can_show="which cups were good.",
    cannot_show="why | how.",
    bar=Bar(at_least=0.7, aim=0.9),
    baselines=(Baseline("any <water>", 0.5),),
    parts=(Part("green", 30, 0.8, baselines=(0.4,)), Part("black & strong", 10, float("nan"))),
)


@pytest.mark.parametrize(
    ("bar", "figure", "verdict"),
    [
        (Bar(at_least=0.7), 0.7, "ok"),
        (Bar(at_least=0.7), 0.6999, "MISSED"),
        (Bar(at_most=0), 0, "ok"),
        (Bar(at_most=0), 1, "MISSED"),
        (Bar(at_least=0.7), float("nan"), "MISSED"),
        (Bar(), 0.1, "informs"),
    ],
)
def test_a_figure_is_judged_by_its_bar(bar: Bar, figure: float, verdict: str) -> None:
    assert replace(RESULT, bar=bar, figure=figure).verdict == verdict


def test_an_unmeasured_claim_fails_unless_it_has_only_an_aim() -> None:
    unseen, aimed = NotMeasured("a", "b", "put x into y"), NotMeasured("a", "c", "later", has_bar=False)
    assert failed([RESULT, unseen, aimed]) == [unseen]


def test_an_interval_has_its_nominal_coverage() -> None:
    chance = np.random.default_rng(7)
    samples = [bootstrap.share(list(chance.random(80) < 0.6)) for _ in range(100)]
    assert 88 <= sum(low <= 0.6 <= high for low, high in samples) <= 99


def test_whole_groups_are_drawn() -> None:
    hits, keys = [True] * 50 + [False] * 50, ["one"] * 50 + ["other"] * 50
    assert bootstrap.share(hits, keys) == Interval(0.0, 1.0)
    low, high = bootstrap.share(hits)
    assert 0.35 < low < 0.5 < high < 0.65


def test_the_same_rows_give_the_same_interval() -> None:
    groups = bootstrap.grouped("abcabca")
    assert [list(rows) for rows in groups] == [[0, 3, 6], [1, 4], [2, 5]]
    intervals = {bootstrap.interval(groups, lambda rows: float(rows.mean())) for _ in range(3)}
    assert len(intervals) == 1


@pytest.mark.parametrize(
    ("figure", "text"),
    [(0.99996, "0.999"), (1.0, "1.000"), (0.0, "0.000"), (float("nan"), "–")],
)
def test_a_share_just_below_one_is_not_shown_as_one(figure: float, text: str) -> None:
    assert shown(figure) == text


def test_counts_are_shown_whole() -> None:
    assert [shown(count, is_count=True) for count in (0.0, 1.0, 1234.0)] == ["0", "1", "1,234"]


def test_a_run_reports_every_claim_and_names_what_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def tea(inputs: Inputs) -> Iterator[Outcome]:
        yield RESULT
        labelled_sets.rows(inputs, "cakes.csv")

    monkeypatch.setattr(suite, "CLAIMS", {"Taste of tea": tea})
    out = tmp_path / "out"
    options = ["--data", str(tmp_path), "--out", str(out), "--work", str(tmp_path / "work")]
    assert suite.main(options) == 1
    output = capsys.readouterr().out
    assert "0.751" in output
    assert f"NOT MEASURED: put cakes.csv into {tmp_path}" in output
    rows = json.loads((out / "validity.json").read_text())
    assert [row["verdict"] for row in rows] == ["ok", "NOT MEASURED"]
    assert rows[0]["parts"][1]["figure"] is None
    report = (out / "validity.md").read_text()
    assert "Can show: which cups were good." in report
    assert "| green | 30 | 0.800 | – | 0.400 |" in report
    assert "put cakes.csv into" in report
    chart = ET.parse(out / "validity-taste-of-tea.svg")
    assert "black & strong (10)" in "".join(chart.getroot().itertext())
    assert not list((tmp_path / "work").iterdir())


def test_a_chart_draws_shares_on_one_scale_and_leaves_counts_to_the_tables() -> None:
    count = replace(RESULT, name="spilled cups", figure=146.0, interval=None, parts=(), is_count=True)
    svg = ET.fromstring(drawn("Taste of tea", [RESULT, count]))
    labels = [element.text for element in svg.iter() if element.tag.endswith("text")]
    assert "share of good cups" in labels
    assert "spilled cups" not in labels
    assert "1" in labels
    dots = [
        element for element in svg.iter() if element.tag.endswith("circle") and element.get("fill") != "none"
    ]
    # 0.7512 of the way from the left edge of the scale to its right one; the part that has no figure has no dot.
    assert [float(dot.get("cx", 0)) for dot in dots] == [
        pytest.approx(768.1, abs=0.1),
        pytest.approx(792, abs=0.1),
    ]


def test_a_run_in_which_every_bar_is_reached_ends_with_0(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(suite, "CLAIMS", {"Taste of tea": lambda _: [RESULT]})
    options = ["--data", str(tmp_path), "--out", str(tmp_path / "out"), "--work", str(tmp_path / "work")]
    assert suite.main(options) == 0
    monkeypatch.setattr(suite, "CLAIMS", {"Taste of tea": lambda _: [replace(RESULT, figure=0.1)]})
    assert suite.main(options) == 1


@pytest.mark.parametrize(
    "options", [[], ["--data", "/does/not/exist"], ["--data", ".", "--only", "Nonsense"]]
)
def test_wrong_arguments_end_with_2(options: list[str]) -> None:
    status: object
    try:
        status = suite.main(options)
    except SystemExit as ended:
        status = ended.code
    assert status == 2


@pytest.mark.parametrize("folder", ["acme/tea", "acme+tea", "tea", "tea.git"])
def test_a_repository_is_found_under_any_folder_name(tmp_path: Path, folder: str) -> None:
    inputs = Inputs(tmp_path, tmp_path, tmp_path)
    with pytest.raises(Missing, match="put a clone of acme/tea into"):
        labelled_sets.repository(inputs, "acme/tea")
    (tmp_path / folder).mkdir(parents=True)
    (tmp_path / folder / "HEAD").write_text("ref: refs/heads/main\n")
    assert labelled_sets.repository(inputs, "acme/tea") == tmp_path / folder
