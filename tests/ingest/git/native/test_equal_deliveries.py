"""The compiled delivery side finds exactly what Python finds, and survives damaged columns."""

from __future__ import annotations

from array import array
from itertools import accumulate
from random import Random
from types import ModuleType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.git import native
from ingest.git.blame.line_edits import CompiledLineEdits, LineEdits
from ingest.git.changes.native_reading import NativeReader
from ingest.git.classify import block_index, classifier
from ingest.git.classify.classifier import Classifier
from ingest.git.classify.compiled import CompiledClassifier
from ingest.git.rows.histograms import tally_plainly
from tests.ingest.git.native.deliveries import Deliveries, Replay, results_of
from tests.ingest.git.native.delivery_fuzzer import DeliveryFuzzer

NUMBERS = st.integers(-1, 3)
BYTES = st.integers(0, 255)


@pytest.fixture(scope="module")
def kernel(reader: NativeReader) -> ModuleType:
    found = native.load("_delivery")
    assert found is not None
    return found


@pytest.mark.parametrize("seed", range(60))
def test_deliveries_are_classified_alike_and_each_engine_continues_the_other(
    kernel: ModuleType, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Small limits make the index merge and the classifier forget. Both save the same memory."""
    monkeypatch.setattr(block_index, "_MERGE_ABOVE", 20)
    monkeypatch.setattr(classifier, "_FORGET_ABOVE", 20)
    history = Deliveries(Random(seed))
    engines: list[type[Classifier]] = [Classifier, CompiledClassifier]
    plain, compiled = map(Replay, engines)
    for step in range(40):
        delivery = history.next()
        expected, found = plain.settle(delivery), compiled.settle(delivery)
        assert results_of(found) == results_of(expected), (seed, step)
        if step % 13 == 12:
            payload = plain.save()
            assert compiled.save() == payload
            engines.reverse()
            plain.resume(payload, engines[0])
            compiled.resume(payload, engines[1])


def test_the_random_deliveries_have_every_class_and_mark(kernel: ModuleType) -> None:
    """Without examples of every rule the agreement above would prove little."""
    classes: set[int] = set()
    marks = {"alive": 0, "fresh": 0, "replaced": 0, "recounted": 0, "placed": 0}
    for seed in range(20):
        history, compiled = Deliveries(Random(seed)), Replay(CompiledClassifier)
        for _ in range(40):
            lines = compiled.settle(history.next())
            classes.update(lines.classes)
            marks["alive"] += lines.removed_alive.count(1)
            marks["fresh"] += lines.removed_fresh.count(1)
            marks["replaced"] += lines.removed_replaced.count(1)
            marks["recounted"] += lines.own_tokens != lines.tokens
            marks["placed"] += sum(place >= 0 for place in lines.copied_from)
    assert classes == set(range(7))
    assert min(marks.values()) > 30, marks


@st.composite
def hunk_lists(draw: st.DrawFn) -> list[tuple[int, int, int, int]]:
    hunks, old, new = [], 0, 0
    for unchanged, removed, added in draw(
        st.lists(st.tuples(st.integers(0, 4), st.integers(0, 3), st.integers(0, 3)), max_size=4)
    ):
        old, new = old + unchanged, new + unchanged
        if removed or added:
            hunks.append((old + bool(removed), removed, new + bool(added), added))
        old, new = old + removed, new + added
    return hunks


@given(hunk_lists(), st.integers(0, 30), st.integers(0, 1 << 30))
def test_versions_are_edited_alike_even_if_the_hunks_reach_beyond_them(
    kernel: ModuleType, hunks: list[tuple[int, int, int, int]], lines: int, first: int
) -> None:
    old = np.arange(lines, dtype=np.int32) * 7
    plain, compiled = LineEdits(), CompiledLineEdits(kernel)
    expected, found = plain.edit(old, hunks, first), compiled.edit(old, hunks, first)
    assert [ids.tolist() for ids in found] == [ids.tolist() for ids in expected]


@given(hunk_lists(), st.integers(0, 30))
def test_ids_are_picked_alike_and_hunks_beyond_the_version_are_refused(
    kernel: ModuleType, hunks: list[tuple[int, int, int, int]], lines: int
) -> None:
    ids = np.arange(lines, dtype=np.int32) * 7
    plain, compiled = LineEdits(), CompiledLineEdits(kernel)
    sides = ((plain.pick_removed, compiled.pick_removed, 0), (plain.pick_added, compiled.pick_added, 2))
    for expected, found, side in sides:
        if all(hunk[side] - bool(hunk[side + 1]) + hunk[side + 1] <= lines for hunk in hunks):
            assert found(ids, hunks).tolist() == expected(ids, hunks).tolist()
        else:
            with pytest.raises(ValueError, match="do not fit"):
                found(ids, hunks)


@given(st.lists(st.lists(st.tuples(NUMBERS, NUMBERS, BYTES, st.integers(0, 1)), max_size=9), max_size=4))
def test_histograms_are_counted_alike(
    kernel: ModuleType, files: list[list[tuple[int, int, int, int]]]
) -> None:
    lines = [line for file in files for line in file]
    names = [array("i", [line[k] for line in lines]) for k in (0, 1)]
    facts = [bytes(line[k] for line in lines) for k in (2, 3)]
    labels = [None, {0: "no", 1: "yes"}]
    starts = array("i", accumulate(map(len, files), initial=0))
    assert kernel.tally(names, facts, labels, starts) == tally_plainly(names, facts, labels, starts)


def test_damaged_columns_raise_value_error_and_trees_are_read_alike(kernel: ModuleType) -> None:
    fuzzer = DeliveryFuzzer()
    for seed in range(100):
        fuzzer.try_one(seed)
    assert fuzzer.refused > 30
    assert fuzzer.parsed > 300
