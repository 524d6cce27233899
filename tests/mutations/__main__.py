"""Runs the tests on each mutation: `python -m tests.mutations [--only WORDS] [--suite FOLDER] [--write]`."""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from queue import SimpleQueue

from tests.mutations import results
from tests.mutations.mutation import ROOT, Mutation, mutations
from tests.mutations.runs import CannotRun, Copy, Result, commit_of, copy_of


def main() -> int:
    """Exit with 1 if no test found a mutation, and with 2 if tests did not run."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    options = _options()
    chosen = [
        one for one in mutations() if not options.only or any(word in one.name for word in options.only)
    ]
    if options.left_over:
        known = results.stored()
        chosen = [one for one in chosen if options.write not in known.get(one.name, {})]
    missed = broken = 0
    for result in _results(chosen, options.suite, options.at_once):
        if isinstance(result, str):
            broken += 1
            print(result, file=sys.stderr, flush=True)
            continue
        missed += result.found_by is None
        by = f"found by {result.found_by}" if result.found_by else "NOT FOUND"
        print(f"{result.name}: {by} ({result.seconds:.0f} s)", flush=True)
        if options.write:
            day = f"{datetime.now(UTC):%Y-%m-%d}"
            names = [one.name for one in mutations()]
            results.store(options.write, commit_of(options.suite), day, {result.name: result.found_by}, names)
    print(
        f"{len(chosen)} mutations: {len(chosen) - missed - broken} found, {missed} not found, {broken} not tried"
    )
    if options.write:
        results.PAGE.write_text(results.page_with(mutations(), results.stored()))
    return 2 if broken else int(missed > 0)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.mutations", description=__doc__)
    parser.add_argument(
        "--only", action="append", metavar="WORDS", help="mutations with these words in their name"
    )
    parser.add_argument(
        "--suite", type=Path, default=ROOT, help="a checkout whose commit is tried (default: this one)"
    )
    parser.add_argument("--at-once", type=int, default=1, metavar="NUMBER", help="copies that run at once")
    parser.add_argument(
        "--write",
        nargs="?",
        const="now",
        choices=results.COLUMNS,
        help="store the results, and show them in the docs",
    )
    parser.add_argument(
        "--left-over", action="store_true", help="only mutations without a stored result (--write)"
    )
    return parser.parse_args()


def _results(chosen: Sequence[Mutation], suite: Path, at_once: int) -> Iterator[Result | str]:
    """A result per mutation as it is known; a sentence where the tests did not run."""
    free: SimpleQueue[Copy] = SimpleQueue()

    def tried(mutation: Mutation) -> Result | str:
        copy = free.get()
        try:
            return copy.try_on(mutation)
        except (CannotRun, ValueError) as error:
            return f"{mutation.name}: {error}"
        finally:
            free.put(copy)

    with ExitStack() as stack:
        for copy in [stack.enter_context(copy_of(suite)) for _ in range(min(at_once, len(chosen)))]:
            free.put(copy)
        pool = ThreadPoolExecutor(at_once)
        try:
            for one in as_completed([pool.submit(tried, mutation) for mutation in chosen]):
                yield one.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


if __name__ == "__main__":
    sys.exit(main())
