"""The figures of a fresh analysis of the same repositories, with the decisions and telemetry of the living deployment.

They come by `eas backup` and `eas restore`, without any fact of Git, without warehouse and published builds.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator

from tests.chaos import runs
from tests.chaos.soak.deployment import Deployment
from tests.end_to_end.eas import Eas

FORGOTTEN = ("raw/git", "raw/_state/git", "run_state", "published")


def differences(deployment: Deployment) -> Iterator[str]:
    """The tables by which the published build differs from that of a fresh analysis, and what failed on the way."""
    backup, fresh = deployment.folder / "backup", deployment.folder / "fresh"
    for folder in (backup, fresh):
        shutil.rmtree(folder, ignore_errors=True)
    taken = runs.eas(deployment.data, "backup", str(backup))
    restored = runs.eas(fresh, "restore", str(backup))
    for name, done in (("backup", taken), ("restore", restored)):
        if done.code != 0:
            yield f"{name} failed: {done.output}"
            return
    for name in FORGOTTEN:
        shutil.rmtree(fresh / name, ignore_errors=True)
    done = runs.analyze(fresh, deployment.sources)
    if done.code != 0:
        yield f"the fresh analysis failed: {done.output}"
        return
    here, there = Eas(deployment.data).everything(), Eas(fresh).everything()
    for table in sorted(here.keys() | there.keys()):
        mine, its = set(here.get(table, [])), set(there.get(table, []))
        if mine != its or len(here.get(table, [])) != len(there.get(table, [])):
            example = next(iter(sorted(mine - its) or sorted(its - mine)), "a row more often")
            yield f"{table}: {len(mine - its)} rows here alone, {len(its - mine)} there alone: {example[:300]}"
