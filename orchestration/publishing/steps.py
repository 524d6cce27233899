"""What follows a publish, as a list: each step may be repeated, and goes on where it stopped.

A step that fails leaves the snapshot published and fails the asset; the next attempt does all of them again.
Add: a step, in its place, with the reason for that place.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import dagster as dg

from orchestration.deployment import Deployment
from orchestration.operations import outbox
from orchestration.publishing import (
    capex_restatements,
    quota,
    removed_repositories,
    renewals,
    restated_totals,
)
from orchestration.publishing.snapshot import Published
from orchestration.runtime.run_state import BuildEntry
from orchestration.state import fingerprints


@dataclass(frozen=True, slots=True)
class Publication:
    """A snapshot that has just become current. `built_from` are the fingerprints of its inputs (`inputs`), and which
    changes that people made it includes (`seen`); `seconds` is how long publishing took."""

    deployment: Deployment
    organization_id: str
    published: Published
    built_from: Mapping[str, Any]
    instance: dg.DagsterInstance
    seconds: float


def _restate_capex(done: Publication) -> None:
    capex_restatements.note(done.deployment, done.organization_id, done.published, done.built_from)


def _restate_totals(done: Publication) -> None:
    restated_totals.note(done.deployment, done.organization_id, done.published, done.built_from)


def _renew(done: Publication) -> None:
    renewals.note(done.deployment, done.organization_id, done.published)


def _note_analysed(done: Publication) -> None:
    quota.note_analysed(done.deployment, done.organization_id)


def _record_build(done: Publication) -> None:
    at = fingerprints.now().isoformat(timespec="seconds")
    entry = BuildEntry(done.built_from["inputs"], done.published.build_id, at, done.seconds)
    done.deployment.run_state.record_build(done.organization_id, entry)


def _answer_operations(done: Publication) -> None:
    seen = outbox.read(done.built_from["seen"])
    outbox.included(done.deployment, done.organization_id, seen, done.published.build_id)


def _forget_removed(done: Publication) -> None:
    removed_repositories.forget(done.deployment, done.organization_id, done.instance, done.published.file)


STEPS: tuple[tuple[str, Callable[[Publication], None]], ...] = (
    # Both compare with the build before, which the run state names until `record the build`.
    ("restate closed months of CapEx", _restate_capex),
    ("restate totals after a change of rules", _restate_totals),
    ("record a renewal that is due", _renew),
    ("note how many commits are analysed", _note_analysed),
    ("record the build", _record_build),
    # People are told that their changes are in it only when everything above is recorded.
    ("answer waiting operations", _answer_operations),
    # Needs the new snapshot to know which of a removed repository's commits live elsewhere.
    ("forget removed repositories", _forget_removed),
)


def run(done: Publication) -> None:
    """Take every step, in order. Raises what a step raises."""
    for _, step in STEPS:
        step(done)
