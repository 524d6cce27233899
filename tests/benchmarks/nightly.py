"""A nightly update of one repository: extraction of a few new deliveries, and a build."""

import json
from collections.abc import Iterator
from pathlib import Path

from tests.benchmarks.figures import Figure, not_measured, progress
from tests.benchmarks.measuring import GIGABYTE
from tests.benchmarks.organization import build
from tests.benchmarks.reading.borrowed import Original, borrow
from tests.benchmarks.reading.extraction import ORGANIZATION_ID, extract, inner_wall

# More than on a busy day: redis, vite and pytest have three to ten deliveries a day.
NEW_DELIVERIES = 20


def figures(original: Original, data_dir: Path) -> Iterator[Figure]:
    mainline = original.mainline()
    if len(mainline) < 2:
        yield not_measured("a nightly increment", "needs two deliveries")
        return
    data_dir.mkdir()
    mirror = data_dir / "mirror.git"
    progress("yesterday's extraction and build")
    extract(borrow(original, mirror, _yesterday(original, mainline)), data_dir / "raw")
    build(data_dir, ORGANIZATION_ID, f"--register={mirror}")

    progress("tonight's")
    new = extract(borrow(original, mirror), data_dir / "raw", fresh=False)
    report = json.loads(new.output)
    note = f"{report['commits_new']} commits, {report['deliveries_new']} deliveries"
    yield Figure("extraction of a nightly increment", inner_wall(new), "s", note=note)
    built = build(data_dir, ORGANIZATION_ID, f"--register={mirror}")
    answer = json.loads(built.output)
    slowest = ", ".join(f"{name} {seconds}" for name, seconds in answer["slowest"].items())
    note = f"{answer['nodes']} nodes, load {built.load:.1f}; slowest: {slowest}"
    yield Figure("dbt build after a nightly increment", answer["wall"], "s", at_most=30, note=note)
    yield Figure("peak memory of that build", built.peak / GIGABYTE, "GB")


def _yesterday(original: Original, mainline: list[str]) -> dict[str, str]:
    """The refs before the newest deliveries, without commits that contain them."""
    tonight = mainline[-min(NEW_DELIVERIES, len(mainline) - 1) :]
    newer = (
        original.git.output("for-each-ref", "--format=%(refname)", f"--contains={tonight[0]}")
        .decode()
        .split()
    )
    older = {
        ref.name: ref.object_sha for ref in original.git.refs if not ref.target and ref.name not in newer
    }
    return older | {f"refs/heads/{original.default_branch}": mainline[-len(tonight) - 1]}
