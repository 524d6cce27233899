"""An erasure while the object store of the copies does not answer, and on a machine that only reads."""

from __future__ import annotations

from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

import pytest

from ingest.erasure.marks import Marks, Pseudonym
from ingest.lake import erased
from orchestration.commands import runs
from orchestration.deployment import LOCAL_ORGANIZATION, LOCAL_SLUG, Deployment
from orchestration.people import erased_files, erasure
from orchestration.people.erased_person import ErasureRefused
from orchestration.publishing import copies
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
