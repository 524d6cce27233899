"""The order in which a person is erased. Each step may be repeated, so a killed erasure is finished by the next one.

    marks remembered ─► decisions ─► facts ─► build without the person ─► older builds, records, pages, copies deleted

From the first step on no writer stores the person again. Keep out: arguments (cli/erasures.py).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path

from api.control.errors import ControlError
from ingest.erasure.marks import Marks, Pseudonym
from ingest.errors import LakeCorrupt, SourceBusy
from ingest.lake import erased
from orchestration.commands import runs
from orchestration.deployment import Deployment
from orchestration.people import erased_decisions, erased_files, rows
from orchestration.people.erased_person import Erasing, ErasureRefused, erasing
from orchestration.people.marks import Marks as Expressions
from orchestration.people.person import UnknownPerson, find_person
from orchestration.publishing import copies
from orchestration.publishing.snapshot import PublishRefused
from orchestration.reading.readings import Readings
from orchestration.report import snapshot
from orchestration.runtime.progress import Progress
from orchestration.state import build_lock


@dataclass(frozen=True)
class Plan:
    """What an erasure will do. `person` is None where an earlier one erased the decisions, and only has to be ended."""

    organization_id: str
    organization_slug: str
    person: Erasing | None
    pseudonym: Pseudonym
    marks: Marks
    rows: dict[str, int] = field(default_factory=dict)
    """Rows of theirs by kind: decisions, figures and facts."""


@dataclass
class Erased:
    """The end of an erasure: reasons of a failed build or copy, and files in which names still stand."""

    failures: list[str]
    naming: list[Path] = field(default_factory=list)


def plan(deployment: Deployment, organization: str, given: str) -> Plan:
    """Find the person with an address or developer id, and count their rows. Changes nothing.

    Raises ErasureRefused.
    """
    try:
        copies.refuse_reader()
        with deployment.control() as control:
            owner = control.organization(organization)
            known = erased.read(deployment.lake, owner.id)
            with _published(deployment, owner.id) as published:
                address = _address(published, given)
                try:
                    person = find_person(control, published, owner.id, address)
                except UnknownPerson:
                    pseudonym = known.find("address", address) if known else None
                    if pseudonym is None:
                        raise
                    return Plan(owner.id, owner.slug, None, Pseudonym(pseudonym.token), known)
                one = erasing(control, published, known, person)
                marked = Expressions(person)
                counts = {"decisions": sum(len(found.values) for found in rows.decisions(control, marked))}
                if published is not None:
                    counts["figures"] = sum(len(found.values) for found in rows.figures(published, marked))
                with deployment.lake.reading(owner.id):
                    counts["facts"] = sum(len(found.values) for found in rows.facts(deployment.lake, marked))
                return Plan(owner.id, owner.slug, one, one.pseudonym, one.marks, counts)
    except (ControlError, UnknownPerson, PublishRefused) as error:
        raise ErasureRefused(str(error)) from error
    except LakeCorrupt as error:
        raise ErasureRefused(f"{error}; run `eas doctor --fix`") from error


def erase(
    deployment: Deployment, planned: Plan, reason: str, progress: Progress, on_wait: Callable[[], None]
) -> Erased:
    """Erase a person. It cannot be undone. Raises ErasureRefused while another process reads a source."""
    started = time.time()
    try:
        with build_lock.held(deployment, planned.organization_id, on_wait):
            _refuse_busy(deployment, planned.organization_id)
            erased.write(deployment.lake, planned.organization_id, planned.marks)
            if planned.person is not None:
                with deployment.control() as control:
                    erased_decisions.erase(control, planned.person, reason)
            erased_files.erase_facts(deployment, planned.organization_id, planned.marks)
            erased_files.erase_builds(deployment, planned.organization_id)
    except SourceBusy as error:
        raise ErasureRefused(f"{error} Then run the command again to finish.") from error
    with runs.open_runs(deployment, Readings(), progress) as jobs:
        built = jobs.build(planned.organization_id, planned.organization_slug)
    if built.failures:
        return Erased(built.failures)
    with runs.open_instance(deployment.settings) as instance:
        erased_files.erase_leftovers(deployment, planned.organization_id, planned.marks, instance, started)
    erased_files.compact(deployment)
    failures = []
    try:
        # Last: a store that does not answer keeps nothing of the person on this machine.
        copies.mirror(deployment.settings.published_dir, planned.organization_id)
    except copies.CopyFailed as error:
        failures.append(str(error))
    words = set() if planned.person is None else planned.person.searched
    return Erased(failures, erased_files.naming(deployment, words))


def _refuse_busy(deployment: Deployment, organization_id: str) -> None:
    """Refuse before the first change, so that a refusal leaves everything as it was."""
    for source in erased_files.sources(deployment, organization_id):
        if source.is_busy():
            raise SourceBusy(
                f"Another process is extracting {source.noun} source {source.source_id}; wait until it ends."
            )


def _published(
    deployment: Deployment, organization_id: str
) -> AbstractContextManager[snapshot.Snapshot | None]:
    folder = deployment.settings.published_dir
    if (folder / organization_id / "current.json").exists():
        return snapshot.opened(folder, organization_id)
    return nullcontext()


def _address(published: snapshot.Snapshot | None, given: str) -> str:
    """The address that is given, or one of the developer whose id is given."""
    given = given.strip().lower()
    if "@" in given or published is None:
        return given
    found = published.rows(
        "select addresses from developers where list_contains(known_ids, ?) or developer_id = ?", given, given
    )
    emails = sorted(one["email"].lower() for (listed,) in found for one in listed or () if one["email"])
    return emails[0] if emails else given
