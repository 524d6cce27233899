"""Lists and pages of an organization of the promised size under load."""

from collections.abc import Iterator
from pathlib import Path

from tests.benchmarks.figures import Figure, progress
from tests.benchmarks.latency import bench_connected, bench_lists, bench_pages

SECONDS = 15


def figures(work: Path, commits: int) -> Iterator[Figure]:
    """Read the lists of an organization of this many commits; create it in the folder if it is missing."""
    progress(f"writing and publishing an organization of {commits:,} commits for its lists")
    is_promised = commits >= bench_lists.COMMITS
    for figure in bench_lists.measure(work, commits, SECONDS):
        bar = figure.bar if is_promised else None
        at_least, at_most = (bar, None) if figure.at_least else (None, bar)
        yield Figure(figure.name, figure.value, figure.unit, at_most, at_least)


def connected_figures(work: Path) -> Iterator[Figure]:
    """Read pull requests, issues and objectives of an organization that is written to the folder."""
    work.mkdir()
    progress(f"writing {bench_connected.ISSUES:,} issues and {bench_connected.PULL_REQUESTS:,} pull requests")
    for figure in bench_connected.measure(work, bench_connected.COMMITS, SECONDS):
        yield Figure(figure.name, figure.value, figure.unit, figure.bar, None)


def page_figures(work: Path, commits: int) -> Iterator[Figure]:
    """Open the pages of the dashboard over the organization that the lists have in the folder."""
    progress("opening every page of the dashboard")
    is_promised = commits >= bench_lists.COMMITS
    for figure in bench_pages.measure(work, commits, bench_pages.SECONDS):
        bar = figure.bar if is_promised or figure.unit != "ms" else None
        at_least, at_most = (bar, None) if figure.at_least else (None, bar)
        yield Figure(figure.name, figure.value, figure.unit, at_most, at_least)
