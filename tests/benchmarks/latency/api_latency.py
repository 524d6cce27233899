"""Latency of reads of the synthetic organization, with and without publishing in a loop."""

from collections.abc import Iterator
from pathlib import Path

from tests.benchmarks.figures import Figure, progress
from tests.benchmarks.latency import bench_api
from tests.benchmarks.organization import PROMISED_COMMITS, Organization, build_organization

SECONDS = 15


def figures(made: Organization, work: Path) -> Iterator[Figure]:
    """Build the warehouse unless it exists, publish it and read it under load."""
    if not made.warehouse.exists():
        progress("dbt build")
        build_organization(made)
    work.mkdir()
    # The bench looks for a warehouse here before it builds one.
    (work / f"synthetic-{made.plan.commits}.duckdb").hardlink_to(made.warehouse)
    is_promised = made.plan.commits >= PROMISED_COMMITS
    for figure in bench_api.measure(work, made.plan.commits, SECONDS):
        bar = figure.bar if is_promised else None
        at_least, at_most = (bar, None) if figure.at_least else (None, bar)
        yield Figure(figure.name, figure.value, figure.unit, at_most, at_least)
