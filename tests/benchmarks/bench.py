"""`make bench`: every promise about speed, memory and agreement with Git, one line each.

Prints name, figure, bar and verdict. Exits with 1 if a bar is missed or was not measured. Everything runs on two
cores; figures are medians of several runs, alternating with the peers. The bench does not write to the measured
repository.
"""

import argparse
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.benchmarks import machine_speed, many_repositories, nightly, organization
from tests.benchmarks.connections import connected
from tests.benchmarks.figures import Figure, Report, not_measured
from tests.benchmarks.latency import api_latency, list_latency
from tests.benchmarks.measuring import CommandError, pin
from tests.benchmarks.reading import agreement, engines, extraction, peers
from tests.benchmarks.reading.borrowed import Original, find
from tests.benchmarks.reading.reference_git import ReferenceGit

OF_REPOSITORY = ("extraction", "engines", "peers", "agreement", "nightly")
OF_ORGANIZATION = ("organization", "api")
OF_LISTS = "lists"
OF_MANY = "many"
OF_CONNECTIONS = "connections"
SECTIONS = [*OF_REPOSITORY, *OF_ORGANIZATION, OF_LISTS, OF_MANY, OF_CONNECTIONS]
SMALL_REPOSITORIES = 200


def main(arguments: list[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    chosen = options.only or SECTIONS
    try:
        paths = [*options.repository, *options.repo] or [Path()]
        originals = [find(path) for path in paths] if set(chosen) & set(OF_REPOSITORY) else []
        clone = machine_speed.find_clone(options.pytest, paths)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    cores = pin()
    load = os.getloadavg()[0]
    state = "busy: read ratios, not seconds" if load > 0.5 else "quiet"
    print(f"{cores} cores, load average {load:.2f} ({state})")
    if cores < 2:
        print("the bars are meant for two cores")
    report = Report(_quiet_factor(clone))
    options.work.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="bench-", dir=options.work) as folder:
        for number, original in enumerate(originals):
            _measure_repository(report, original, Path(folder) / str(number), chosen, options)
        if OF_MANY in chosen:
            small = Path(folder) / "small"
            report.show(
                "many repositories", _guarded(lambda: many_repositories.figures(small, SMALL_REPOSITORIES))
            )
        if set(chosen) & set(OF_ORGANIZATION):
            _measure_organization(report, Path(folder) / "organization", chosen, options.commits)
        if OF_CONNECTIONS in chosen:
            made = connected.prepare(Path(folder) / "connections", min(options.commits, connected.COMMITS))
            report.show("connections", _guarded(lambda: connected.figures(made, options.repeat)))
            served = Path(folder) / "connected"
            report.show("API of connections", _guarded(lambda: list_latency.connected_figures(served)))
        if OF_LISTS in chosen:
            # Kept for the next run, because making it takes longer than measuring.
            work = options.work / "bench-lists"
            report.show("lists", _guarded(lambda: list_latency.figures(work, options.commits)))
            report.show("pages", _guarded(lambda: list_latency.page_figures(work, options.commits)))
    if options.json:
        report.save(options.json)
    failures = report.failures
    print(f"\n{len(report.figures)} figures, {len(failures)} missed or not measured")
    return 1 if failures else 0


def _quiet_factor(clone: ReferenceGit | None) -> float:
    """Measure and print the factor by which times are normalized."""
    if clone is None:
        print("seconds are not normalized: there is no clone of pytest-dev/pytest; give one by --pytest")
        return 1.0
    factor, runs = machine_speed.quiet_factor(clone)
    took = ", ".join(f"{run.wall:.2f}" for run in runs)
    print(
        f"git log --no-merges --numstat -M over pytest took {took} s, {machine_speed.QUIET_SECONDS} s on the quiet "
        f"machine: bars in seconds are about seconds × {factor:.3f}, shown in brackets"
    )
    return factor


def _measure_repository(
    report: Report, original: Original, work: Path, chosen: list[str], options: argparse.Namespace
) -> None:
    work.mkdir()
    extracted = extraction.prepare(original, work)
    sections: dict[str, Callable[[], Iterator[Figure]]] = {
        "extraction": lambda: extraction.figures(original, extracted, options.repeat),
        "engines": lambda: engines.figures(original, extracted),
        "peers": lambda: peers.figures(extracted, options.repeat),
        "agreement": lambda: agreement.figures(extracted, options.lines),
        "nightly": lambda: nightly.figures(original, work / "nightly"),
    }
    for name, figures in sections.items():
        if name in chosen:
            report.show(f"{name} of {original.name}", _guarded(figures))


def _measure_organization(report: Report, data_dir: Path, chosen: list[str], commits: int) -> None:
    made = organization.prepare(data_dir, commits)
    if "organization" in chosen:
        report.show("synthetic organization", _guarded(lambda: organization.figures(made)))
    if "api" in chosen:
        report.show("API", _guarded(lambda: api_latency.figures(made, data_dir / "api")))


def _guarded(figures: Callable[[], Iterator[Figure]]) -> Iterator[Figure]:
    """Report the failure of a section and continue with the others."""
    try:
        yield from figures()
    except (CommandError, AssertionError) as error:
        yield not_measured("the rest of this section", str(error))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="bench", description=__doc__)
    parser.add_argument("repository", nargs="*", type=Path, help="default: the repository around here")
    parser.add_argument(
        "--repo", action="extend", nargs="+", type=Path, default=[], metavar="PATH", help="the same"
    )
    parser.add_argument("--only", nargs="+", choices=SECTIONS, help="sections to run (default: all)")
    parser.add_argument("--repeat", type=int, default=3, help="runs per figure; medians are shown")
    parser.add_argument("--lines", type=int, default=500, help="deleted lines to ask git blame about")
    parser.add_argument("--commits", type=int, default=1_000_000, help="size of the synthetic organization")
    parser.add_argument("--work", type=Path, default=Path("data"), help="folder for temporary files")
    parser.add_argument(
        "--pytest",
        type=Path,
        help="clone of pytest-dev/pytest by which seconds are normalized (default: one among or beside the others)",
    )
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    return parser


if __name__ == "__main__":
    sys.exit(main())
