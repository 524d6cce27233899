"""The kinds of accidents. Each plays one on a copy of the deployment and returns what it did and the verdict.

Add: a kind, with its weight. Keep out: damage of single files (`damages`), the judgement (`verdicts`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random

from tests.chaos import clock, disk, runs, serving, verdicts
from tests.chaos.damages import Damage, damage
from tests.chaos.runs import Interference, Surroundings
from tests.chaos.stage import AFTER, BASE, Stage, figures
from tests.chaos.verdicts import Verdict

MAX_ROOM = 60_000_000
"""Bytes that are left on a disk which is about to be full. A build of the deployment needs less."""
MAX_FILE_BYTES = 4_000_000


@dataclass(frozen=True)
class Played:
    """A round: what was done, and its verdict."""

    text: str
    verdict: Verdict


def play_damage(stage: Stage, chance: Random) -> Played:
    """Damage one to three files."""
    data = stage.copy()
    number = chance.choice([BASE, AFTER])
    done = _damages(stage, data, chance, chance.choice([1, 1, 1, 2, 3]))
    text = _text(done) + (", then a new commit" if number == AFTER else "")
    return Played(text, _settle(stage, data, number, chance, done))


def play_kill(stage: Stage, chance: Random) -> Played:
    """Kill a run; sometimes damage a file afterwards."""
    data = stage.copy()
    stage.show(AFTER)
    after = chance.uniform(0, stage.seconds * 1.1)
    killed = runs.analyze(data, stage.repositories, interference=Interference(after, kills=True))
    done = _damages(stage, data, chance, 1) if chance.random() < 0.3 else []
    text = f"kill after {after:.1f} s" + (f", then {_text(done)}" if done else "")
    failure = verdicts.of_disturbed(stage, data, killed)
    return Played(text, failure or _settle(stage, data, AFTER, chance, done))


def play_damage_meanwhile(stage: Stage, chance: Random) -> Played:
    """Damage files while a run goes on."""
    data = stage.copy()
    stage.show(AFTER)
    done: list[Damage] = []
    after = chance.uniform(0, stage.seconds)
    act = partial(_damage_now, stage, data, chance, done)
    disturbed = runs.analyze(data, stage.repositories, interference=Interference(after, act=act))
    text = f"{_text(done)} {after:.1f} s after the start of a run"
    failure = verdicts.of_disturbed(stage, data, disturbed)
    return Played(text, failure or _settle(stage, data, AFTER, chance, done))


def play_clock(stage: Stage, chance: Random) -> Played:
    """Run with a clock that jumped, up to twice, then with the right one."""
    data = stage.copy()
    number = chance.choice([BASE, AFTER])
    jumps = [chance.choice(clock.JUMPS) for _ in range(chance.choice([1, 2]))]
    text = "clock " + ", ".join(f"{jump / clock.HOUR:+.0f} h" for jump in jumps)
    for jump in jumps:
        stage.show(number)
        done = runs.analyze(data, stage.repositories, surroundings=Surroundings(clock_offset=jump))
        if done.has_traceback or done.code != 0:
            return Played(text, Verdict(verdicts.TRACEBACK if done.has_traceback else "STUCK", done.output))
        # The days that count as past differ with the clock, so these figures are compared only at the end.
    return Played(text, _settle(stage, data, number, chance, []))


def play_full_disk(stage: Stage, chance: Random) -> Played:
    """Run on a disk with little room, then with enough."""
    stage.show(AFTER)
    if not disk.can_mount(stage.folder / "disk"):
        data, limit = stage.copy(), chance.randrange(MAX_FILE_BYTES)
        done = runs.analyze(data, stage.repositories, surroundings=Surroundings(max_file_bytes=limit))
        failure = _failure_without_room(stage, data, done)
        return Played(
            f"no file above {limit:,} bytes", failure or _settle(stage, data, AFTER, chance, [], True)
        )
    room = chance.choice([0, 4096, chance.randrange(1_000_000), chance.randrange(MAX_ROOM)])
    with disk.small(stage.round, stage.data[BASE], room) as data:
        done = runs.analyze(data, stage.repositories)
        text = f"disk with {room:,} bytes left"
        if (failure := _failure_without_room(stage, data, done)) is not None:
            return Played(text, failure)
        disk.resize(data, disk.PLENTY)
        return Played(text, _settle(stage, data, AFTER, chance, [], True))


def play_doctor(stage: Stage, chance: Random) -> Played:
    """Damage a file, and kill `eas doctor --fix` while it repairs."""
    data = stage.copy()
    done = _damages(stage, data, chance, 1)
    stage.show(BASE)
    after = chance.uniform(0, stage.seconds)
    killed = runs.eas(data, "doctor", "--fix", interference=Interference(after, kills=True))
    text = f"{_text(done)}, then kill of `doctor --fix` after {after:.1f} s"
    failure = verdicts.of_disturbed(stage, data, killed)
    return Played(text, failure or _settle(stage, data, BASE, chance, done))


def play_serve(stage: Stage, chance: Random) -> Played:
    """Damage a file or kill a run while the API answers readers."""
    data = stage.copy()
    stage.show(AFTER)
    done: list[Damage] = []
    kills = chance.random() < 0.3
    after = chance.uniform(0, stage.seconds)
    act = None if kills else partial(_damage_now, stage, data, chance, done)
    with serving.readers(stage, data) as read:
        if not kills and chance.random() < 0.5:
            done += _damages(stage, data, chance, 1)
        disturbed = runs.analyze(
            data, stage.repositories, interference=Interference(after, kills=kills, act=act)
        )
        failure = verdicts.of_disturbed(stage, data, disturbed)
        verdict = failure or _settle(stage, data, AFTER, chance, done)
    text = f"readers, {f'kill after {after:.1f} s' if kills else _text(done)}"
    if not verdict.is_failure and read.problems:
        verdict = Verdict(verdicts.READERS, "\n".join(sorted(read.problems)[:5]))
    return Played(f"{text} ({read.answers} answers, {read.refused} refused)", verdict)


def _damages(stage: Stage, data: Path, chance: Random, count: int) -> list[Damage]:
    return [damage(stage.site(data), chance) for _ in range(count)]


def _damage_now(stage: Stage, data: Path, chance: Random, done: list[Damage]) -> None:
    try:
        done.append(damage(stage.site(data), chance, is_in_use=True))
    except OSError as error:  # the run replaced the file at this moment
        done.append(Damage(f"nothing ({error})", ""))


def _failure_without_room(stage: Stage, data: Path, done: runs.Run) -> Verdict | None:
    failure = verdicts.of_disturbed(stage, data, done)
    if failure is None and not figures(data):
        return Verdict(verdicts.UNREADABLE, done.output)
    if failure is None and done.code and not any(one in done.output for one in verdicts.MESSAGES):
        return Verdict(verdicts.SILENT, done.output)
    return failure


def _settle(
    stage: Stage, data: Path, number: int, chance: Random, done: list[Damage], at_once: bool = False
) -> Verdict:
    verdict = verdicts.settle(stage, data, number, chance.randrange(1, 3), {one.part for one in done})
    if at_once and verdict.name != "equal" and not verdict.is_failure:
        return Verdict(verdicts.STUCK, verdict.output)
    return verdict


def _text(done: list[Damage]) -> str:
    return " and ".join(map(str, done)) or "nothing"


KINDS: dict[str, tuple[float, Callable[[Stage, Random], Played]]] = {
    "damage": (0.44, play_damage),
    "kill": (0.2, play_kill),
    "meanwhile": (0.12, play_damage_meanwhile),
    "disk": (0.07, play_full_disk),
    "serve": (0.06, play_serve),
    "doctor": (0.06, play_doctor),
    "clock": (0.05, play_clock),
}
"""By name the share of rounds, and the accident."""
