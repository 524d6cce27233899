"""Rows of connections that a build leaves out because it fails with them: one source's rows never stop the others.

A connection is held at the batch that the last published build shows, until it has a newer one. Add: which rows count.
Keep out: rows that cannot be read (`ingest.connections`), how dbt is called (dbt_build.py).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from ingest.errors import LakeCorrupt
from ingest.schemas import SYNCED
from orchestration.build.node_results import NodeResult
from orchestration.deployment import Deployment

MAX_SUSPECTS = 4
"""Connections that are tried one by one; more changed ones are held together."""


@dataclass(frozen=True)
class Counted:
    """Batches of connections by id: those of the lake, those that the last build shows, and limits of held ones."""

    present: Mapping[str, int]
    shown: Mapping[str, int]
    held: Mapping[str, int]

    @property
    def changed(self) -> list[str]:
        """Connections with batches that no build has shown and that are not held."""
        return [
            key
            for key, batch in self.present.items()
            if key not in self.held and batch != self.shown.get(key, 0)
        ]

    def holding(self, connections: Sequence[str]) -> Counted:
        """The same with these connections held at what the last build shows."""
        limits = {key: self._last(key) for key in connections}
        return replace(self, held={**self.held, **limits})

    def _last(self, key: str) -> int:
        """The batch that was shown; none if the connection was read from the start since."""
        last = self.shown.get(key, 0)
        return last if last < self.present[key] else 0

    def record(self) -> dict[str, list[int]]:
        """By connection its batch in the lake and the last one that counts, for the record of the build."""
        return {key: [batch, self.held.get(key, batch)] for key, batch in self.present.items()}


def counted(deployment: Deployment, organization_id: str) -> Counted:
    """What a build begins with: connections that were held stay so until they have other batches."""
    last = deployment.run_state.build(organization_id)
    recorded = last.connections if last is not None else {}
    present = {}
    for noun in SYNCED:
        for key in deployment.lake.sources(noun, organization_id):
            try:
                present[key] = deployment.lake.source(noun, organization_id, key).state().batch
            except LakeCorrupt:
                continue  # the build does not begin
    held = {
        key: shown for key, (seen, shown) in recorded.items() if shown < seen and present.get(key) == seen
    }
    return Counted(present, {key: shown for key, (_, shown) in recorded.items()}, held)


def passing(
    first: Counted, results: list[NodeResult], attempt: Callable[[Counted], list[NodeResult]]
) -> tuple[Counted, list[NodeResult]]:
    """A build that passes without the newest rows of some connections; the failed one where they are not the cause."""
    suspects = first.changed
    if not suspects:
        return first, results
    all_held = first.holding(suspects)
    found, passed = all_held, attempt(all_held)
    if not _passes(passed):
        return first, results
    if 1 < len(suspects) <= MAX_SUSPECTS:
        for one in suspects:
            alone = first.holding([one])
            if _passes(again := attempt(alone)):
                return alone, again
        # The tables are those of the last attempt.
        passed = attempt(all_held)
    return found, passed


def untried(first: Counted, failed: list[NodeResult]) -> list[NodeResult]:
    """A failed build on Spark, whose messages say what may help: one more attempt could take hours there."""
    if not (changed := first.changed):
        return failed
    more = f" and {len(changed) - MAX_SUSPECTS} more" if len(changed) > MAX_SUSPECTS else ""
    hint = (
        f"The cause may be new rows of a connection ({', '.join(changed[:MAX_SUSPECTS])}{more}): sync it completely,"
        " or build with EAS_WAREHOUSE_ENGINE=duckdb, which leaves out rows that fail"
    )
    return [
        replace(one, message=f"{one.message}. {hint}") if one.was_run and not one.passed else one
        for one in failed
    ]


def reason(failed: Sequence[NodeResult]) -> str:
    """Why rows are left out: the models and tests that fail with them."""
    named = [one for one in failed if one.was_run and not one.passed]
    told = "; ".join(f"{one.unique_id.split('.')[2]}: {one.message}" for one in named[:2])
    return (
        "The build fails with the newest rows of this connection, so figures show those before them."
        f" Sync it completely; if that does not help, report this: {told}"
    )[:1000]


def _passes(results: list[NodeResult]) -> bool:
    return all(one.passed for one in results)
