"""A repository with pull requests that were merged in random ways, some of them stacked or kept up to date."""

from __future__ import annotations

import random
from pathlib import Path

from tests.dbt.pull_requests.reviewed_branches import ADA, GRACE, KEN, LINUS, Reviewed, lines

PULL_REQUESTS = 14
PEOPLE = (ADA, GRACE, LINUS, KEN)


def random_history(folder: Path, seed: int) -> Reviewed:
    """Branches of one to four commits, merged in any way, between direct commits."""
    dice = random.Random(seed)
    one = Reviewed(f"acme/random{seed}", folder)
    for number in range(1, PULL_REQUESTS + 1):
        one.git("checkout", "-q", "main")
        while dice.random() < 0.5:
            at = dice.randrange(10**6)
            named = dice.choice(("", f" (#{number})", f" for acme/other#{number}"))
            one.commit(
                {f"direct/{at}.py": lines("direct", one.name, 2, at)},
                f"Direct change{named}",
                dice.choice(PEOPLE),
            )
        branch = f"topic/{number}"
        one.start(branch)
        way = dice.choice(("merge", "squash", "rebase", "fast_forward"))
        for part in range(dice.randrange(1, 5)):
            text = lines("part", one.name, dice.randrange(2, 9), number * 1000 + part * 100)
            one.commit({f"src/{number}_{part}.py": text}, f"Part {part} of {number}", dice.choice(PEOPLE))
        if way != "fast_forward" and dice.random() < 0.6:
            one.git("checkout", "-q", "main")
            one.commit(
                {f"mid/{number}.py": lines("mid", one.name, 2, number * 100)}, "Go on", dice.choice(PEOPLE)
            )
            if way in ("merge", "squash") and dice.random() < 0.5:
                one.git("checkout", "-q", branch)
                one.tick()
                one.git("merge", "-q", "--no-edit", "-m", f"Merge branch 'main' into {branch}", "main")
        one.deliver(way, branch, number, f"Change {number}")
    return one
