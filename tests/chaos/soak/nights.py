"""The accidents of a night. Each ends with a message or a result, and the run after all of them repairs everything.

Add: a kind of accident that a living deployment meets. Keep out: damage of files (tests/chaos/damages).
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from tests.chaos import clock, verdicts
from tests.chaos.runs import Interference, Run, Surroundings
from tests.chaos.soak.deployment import Deployment

MAX_ROOM = 20_000_000
MAX_FILE_BYTES = 2_000_000
Accident = Callable[[Deployment, float], tuple[str, list[Run]]]


def kill_runs(deployment: Deployment, seconds: float) -> tuple[str, list[Run]]:
    """Kill one to three runs, one after the other."""
    times = [deployment.chance.uniform(0, seconds) for _ in range(deployment.chance.randrange(1, 4))]
    killed = [deployment.analyze(interference=Interference(after, kills=True)) for after in times]
    return f"kill after {', '.join(f'{after:.1f}' for after in times)} s", killed


def kill_api(deployment: Deployment, seconds: float) -> tuple[str, list[Run]]:
    """Kill the API while a run publishes; it starts again."""
    after = deployment.chance.uniform(0, seconds)
    return f"kill of the API after {after:.1f} s", [
        deployment.analyze(interference=Interference(after, act=deployment.kill_api))
    ]


def fill_disk(deployment: Deployment, seconds: float) -> tuple[str, list[Run]]:
    """Run with little room."""
    has_disk = deployment.has_own_disk
    room = deployment.chance.choice([0, 4096, 500_000, deployment.chance.randrange(MAX_ROOM)])
    with deployment.little_room(room if has_disk else min(room, MAX_FILE_BYTES)) as surroundings:
        return f"{room:,} bytes left", [deployment.analyze(surroundings=surroundings)]


def lose_network(deployment: Deployment, seconds: float) -> tuple[str, list[Run]]:
    """Run while the other machine cannot be reached."""
    return "no network", [deployment.analyze(surroundings=Surroundings(is_offline=True))]


def move_clock(deployment: Deployment, seconds: float) -> tuple[str, list[Run]]:
    """Run with a clock that jumped."""
    jump = deployment.chance.choice(clock.JUMPS)
    done = deployment.analyze(surroundings=Surroundings(clock_offset=jump))
    return f"clock {jump / clock.HOUR:+.0f} h", [done]


ACCIDENTS: tuple[Accident, ...] = (kill_runs, kill_api, fill_disk, lose_network, move_clock)


def plan(days: int, chance: Random) -> list[list[Accident]]:
    """The accidents of each day: every kind in turn, in another order each time, and a second one now and then."""
    turns: list[Accident] = []
    while len(turns) < 2 * days:
        turns += chance.sample(ACCIDENTS, len(ACCIDENTS))
    return [[turns.pop(0) for _ in range(chance.choice([1, 1, 2]))] for _ in range(days)]


def failure_of(disturbed: Run) -> str | None:
    """What a disturbed run did that it must not."""
    if disturbed.has_traceback:
        return f"traceback: {disturbed.output}"
    if disturbed.code and not any(one in disturbed.output for one in verdicts.MESSAGES):
        return f"failed without a message: {disturbed.output}"
    return None
