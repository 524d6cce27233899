"""`make validity`: every claim in one line of figure, interval, bar and verdict, and a report in a folder.

Exits with 1 if a bar is missed or was not measured, with 2 for wrong arguments. A claim is a module with a function
`results(inputs)`, listed in `CLAIMS`.
"""

import argparse
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.validity import bug_origins, identity, ignored_commits, inline_tests, issue_links, report, robots
from tests.validity.ai import ai_evidence
from tests.validity.arrivals import foreign_files, imports
from tests.validity.categories import declared_types, kind_of_change, project_commits
from tests.validity.claims import Inputs, Measurement, Missing, NotMeasured, Outcome, failed
from tests.validity.effort import branch_credit, effort
from tests.validity.machine_text import machine_files

CLAIMS: dict[str, Measurement] = {
    effort.CLAIM: effort.results,
    ignored_commits.CLAIM: ignored_commits.results,
    branch_credit.CLAIM: branch_credit.results,
    ai_evidence.CLAIM: ai_evidence.results,
    inline_tests.CLAIM: inline_tests.results,
    bug_origins.CLAIM: bug_origins.results,
    identity.CLAIM: identity.results,
    robots.CLAIM: robots.results,
    imports.CLAIM: imports.results,
    foreign_files.CLAIM: foreign_files.results,
    machine_files.CLAIM: machine_files.results,
    issue_links.CLAIM: issue_links.results,
    kind_of_change.CLAIM: kind_of_change.results,
    project_commits.CLAIM: project_commits.results,
    declared_types.CLAIM: declared_types.results,
}


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    for folder in (options.data, options.repositories):
        if folder is not None and not folder.is_dir():
            print(f"{folder} is no folder", file=sys.stderr)
            return 2
    outcomes: list[Outcome] = []
    options.work.mkdir(parents=True, exist_ok=True)
    for name in options.only or CLAIMS:
        with tempfile.TemporaryDirectory(prefix="validity-", dir=options.work) as work:
            inputs = Inputs(
                options.data.absolute(), options.repositories, Path(work), options.work / "validity"
            )
            for outcome in measured(name, CLAIMS[name], inputs):
                print(report.line(outcome), flush=True)
                outcomes.append(outcome)
    report.write(outcomes, options.out)
    missed = failed(outcomes)
    print(
        f"\n{len(outcomes)} figures, {len(missed)} missed or not measured; report: {options.out / 'validity.md'}"
    )
    return 1 if missed else 0


def measured(name: str, measure: Measurement, inputs: Inputs) -> Iterator[Outcome]:
    """The outcomes of a claim. A missing input ends the claim with a NotMeasured."""
    try:
        yield from measure(inputs)
    except Missing as missing:
        yield NotMeasured(name, "the rest of this claim", str(missing))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="validity", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of the labelled sets")
    parser.add_argument(
        "--repositories", type=Path, help="folder of clones or bare mirrors that the sets name"
    )
    parser.add_argument("--only", nargs="+", choices=list(CLAIMS), help="claims to measure (default: all)")
    parser.add_argument("--out", type=Path, default=Path("data/validity"), help="folder of the report")
    parser.add_argument("--work", type=Path, default=Path("data"), help="folder for temporary files")
    return parser


if __name__ == "__main__":
    sys.exit(main())
