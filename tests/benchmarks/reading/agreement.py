"""Agreement of the extracted facts with Git."""

from collections.abc import Iterator

from tests.benchmarks.figures import Figure, progress
from tests.benchmarks.reading.blame_oracle import blame_agreement
from tests.benchmarks.reading.extraction import Extracted, extract
from tests.benchmarks.reading.oracles import (
    Agreement,
    delivery_agreement,
    merge_agreement,
    numstat_agreement,
    reachability_agreement,
)

_SHOWN = 2


def figures(extracted: Extracted, sampled_lines: int) -> Iterator[Figure]:
    if not extracted.runs:
        extracted.runs = [extract(extracted.git, extracted.raw)]
    facts, git = extracted.facts, extracted.git
    progress("git log --numstat -M, row by row")
    yield _figure(numstat_agreement(facts, git), 99.5)
    yield _figure(merge_agreement(facts, git), 99.5)
    yield _figure(reachability_agreement(facts, git), 100)
    yield _figure(delivery_agreement(facts, git), 100)
    progress(f"git blame of {sampled_lines} lines")
    for agreement in blame_agreement(facts, git, sampled_lines):
        yield _figure(agreement, 97)


def _figure(agreement: Agreement, at_least: float) -> Figure:
    note = ", ".join(filter(None, [f"of {agreement.total:,}", agreement.detail]))
    if agreement.differences:
        note += "".join(f"\n      {text[:240]}" for text in agreement.differences[:_SHOWN])
    # Truncated, because rounding would show 99.996 as 100.
    percent = int(agreement.share * 100_000) / 1000
    return Figure(agreement.name, percent, "%", at_least=at_least, note=note)
