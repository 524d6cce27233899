"""Days of a deployment, one after the other, with the verdicts of each.

Keep out: what happens on a day (the other modules).
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import timedelta
from pathlib import Path
from random import Random

from tests.chaos import clock, disk, runs
from tests.chaos.soak import asking, footprint, nights, oracle
from tests.chaos.soak.decisions import Decisions
from tests.chaos.soak.deployment import Deployment
from tests.chaos.soak.footprint import Footprint
from tests.end_to_end.eas import Eas
from tests.ingest.git.remote.http_remote import HttpRemote


def live(folder: Path, days: int, seed: int) -> list[str]:
    """Live through the days, print each, and return all problems."""
    if not clock.prepare(folder):
        raise SystemExit("a soak moves the clock, which needs a C compiler on Linux; install one")
    (folder / "remote").mkdir()
    chance = Random(seed)
    problems: list[str] = []
    footprints: list[Footprint] = []
    with ExitStack() as stack:
        has_disk = disk.can_mount(folder / "data")
        if has_disk:
            stack.enter_context(disk.mounted(folder / "data"))
        remote = stack.enter_context(HttpRemote(folder / "remote"))
        deployment = Deployment(folder, remote, chance, has_own_disk=has_disk)
        stack.callback(deployment.close)
        # A day takes a dozen such runs, so this says when the first line of a day is to be expected.
        print(f"first analysis in {deployment.seconds:.0f} s", flush=True)
        decisions = Decisions(deployment)
        for number, accidents in enumerate(nights.plan(days, chance), 1):
            started = time.monotonic()
            told, found = _day(deployment, decisions, accidents)
            footprints.append(footprint.measure(deployment.data, deployment.served.process.pid))
            print(f"day {number} in {time.monotonic() - started:.0f} s: {told}; {footprints[-1]}", flush=True)
            for problem in found:
                print(f"day {number} PROBLEM: {problem}", flush=True)
            problems += found
        if footprints:
            biggest = footprints[-1].parts.most_common(6)
            print(
                "on the disk: " + ", ".join(f"{part} {size / footprint.MB:.1f} MB" for part, size in biggest)
            )
        piled = list(footprint.growth(footprints))
        for problem in piled:
            print(f"PROBLEM: {problem}", flush=True)
        return problems + piled


def _day(
    deployment: Deployment, decisions: Decisions, accidents: list[nights.Accident]
) -> tuple[str, list[str]]:
    """What happened on a day, and its problems."""
    morning = deployment.begin_next_day()
    days = {"startDate": str(morning.date() - timedelta(days=20)), "endDate": str(morning.date())}
    problems: list[str] = []
    told = []
    with asking.readers(deployment, days) as asked:
        deployment.deliveries.of_day(deployment.clock.now())
        decisions.of_day(morning)
        for accident in accidents:
            text, disturbed = accident(deployment, deployment.seconds)
            told.append(text)
            problems += [failure for one in disturbed if (failure := nights.failure_of(one)) is not None]
            decisions.of_day(morning, count=1)
        problems += _settled(deployment)
    problems += sorted(asked.problems)
    problems += decisions.problems
    decisions.problems = []
    problems += [f"lost: {one}" for one in decisions.lost()]
    published = {sha for (sha,) in Eas(deployment.data).rows("select commit_sha from commits_by_time")}
    if missing := deployment.deliveries.shas() ^ published:
        problems.append(f"{len(missing)} commits are in the repositories or in the figures alone")
    problems += oracle.differences(deployment)
    examined = runs.eas(deployment.data, "doctor")
    if examined.code != 0:
        problems.append(f"`eas doctor` finds: {examined.output}")
    if "Traceback" in (said := runs.log_file("api").read_text(errors="replace")):
        problems.append(f"the server's log: {said[said.index('Traceback') - 500 :][:3000]}")
    return f"{', '.join(told)}; {asked.lists} lists, {asked.refused} refused", problems


def _settled(deployment: Deployment) -> Iterator[str]:
    """Run until all is published; a message may ask for a second run."""
    started = time.monotonic()
    done = deployment.analyze()
    deployment.seconds = time.monotonic() - started
    if done.code != 0:
        if failure := nights.failure_of(done):
            yield failure
        again = deployment.analyze()
        if again.code != 0:
            yield f"two runs after the accidents failed: {done.output}\n{again.output}"
