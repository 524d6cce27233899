"""An erasure while the object store of the copies does not answer, and on a machine that only reads."""

from __future__ import annotations

import time
from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

import dagster as dg
import pytest

from ingest.erasure.marks import Marks, Pseudonym
from ingest.lake import erased
from orchestration.commands import runs
from orchestration.deployment import LOCAL_ORGANIZATION, LOCAL_SLUG, Deployment
from orchestration.graph.copied_builds import copy_build_job
from orchestration.people import erased_files, erasure
from orchestration.people.erased_person import ErasureRefused
from orchestration.publishing import copies
from orchestration.runtime.partitions import COPY_TAG
from orchestration.runtime.progress import Progress


def test_a_store_that_does_not_answer_keeps_nothing_on_this_machine(
    deployment: Deployment, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    built: Any = SimpleNamespace(failures=[])

    def failing(*_: object) -> None:
        raise copies.CopyFailed("the store is away")

    for name in ("erase_facts", "erase_builds", "erase_leftovers", "compact"):
        monkeypatch.setattr(erased_files, name, lambda *_, _name=name: done.append(_name))
    monkeypatch.setattr(erased, "write", lambda *_: None)
    monkeypatch.setattr(runs, "open_runs", lambda *_: nullcontext(SimpleNamespace(build=lambda *_: built)))
    monkeypatch.setattr(runs, "open_instance", lambda _: nullcontext())
    monkeypatch.setattr(copies, "mirror", failing)
    planned = erasure.Plan(LOCAL_ORGANIZATION, LOCAL_SLUG, None, Pseudonym("a"), Marks())
    ended = erasure.erase(deployment, planned, "asked", Progress(), lambda: None)
    assert ended.failures == ["the store is away"]
    assert done == ["erase_facts", "erase_builds", "erase_leftovers", "compact"]


def test_a_machine_that_fetches_its_builds_erases_nobody(
    deployment: Deployment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(copies.SOURCE, "s3://bucket/published")
    with pytest.raises(ErasureRefused, match="unset EAS_PUBLISHED_FROM here"):
        erasure.plan(deployment, LOCAL_ORGANIZATION, "ada@lovelace.example")


def test_records_of_copies_are_deleted(deployment: Deployment, stored_instance: dg.DagsterInstance) -> None:
    for organization_id in (LOCAL_ORGANIZATION, "other"):
        stored_instance.create_run_for_job(
            copy_build_job, tags={COPY_TAG: organization_id}, status=dg.DagsterRunStatus.SUCCESS
        )
    erased_files.erase_leftovers(deployment, LOCAL_ORGANIZATION, Marks(), stored_instance, time.time() + 60)
    assert [run.tags[COPY_TAG] for run in stored_instance.get_runs()] == ["other"]
