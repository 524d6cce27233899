"""`eas doctor` says whether the object store has the newest build, and whether it keeps builds that were deleted."""

from __future__ import annotations

import os
import time

import pytest

from orchestration.deployment import LOCAL_ORGANIZATION, Deployment
from orchestration.doctor.findings import Finding
from orchestration.doctor.state import SECONDS_TO_DELETE_COPIES, published_builds
from orchestration.publishing import copies, snapshot
from tests.object_store import store, store_address
from tests.orchestration.published_stub import publish_stub
from tests.orchestration.publishing.test_copies import file_system, target

__all__ = ["store", "store_address", "target"]


def finding(deployment: Deployment) -> Finding:
    [found] = [one for one in published_builds(deployment) if one.subject.startswith("Copy for other")]
    return found


def test_the_store_has_the_newest_build_or_an_older_one(target: str, deployment: Deployment) -> None:
    publish_stub(deployment, "b1")
    copies.mirror(deployment.settings.published_dir, LOCAL_ORGANIZATION)
    assert finding(deployment).passed
    publish_stub(deployment, "b2")
    assert finding(deployment).passed is False
    assert finding(deployment).detail == "is of an older build; `eas doctor --fix` copies this one"


def test_a_deleted_build_that_the_store_keeps_is_named(
    target: str, deployment: Deployment, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The key of the store may write objects and not delete them."""
    published = deployment.settings.published_dir
    for build_id in ("b1", "b2"):
        publish_stub(deployment, build_id)
        copies.mirror(published, LOCAL_ORGANIZATION)
    snapshot.remove_replaced(published, LOCAL_ORGANIZATION)
    told = "is of this build; the store still has builds that were deleted here: b1. "
    assert finding(deployment).passed is None
    assert finding(deployment).detail == f"{told}The next copy deletes them"

    def refused(_: str) -> None:
        raise PermissionError("AccessDenied")

    monkeypatch.setattr(file_system(target), "rm_file", refused)
    with pytest.raises(copies.CopyFailed):
        copies.mirror(published, LOCAL_ORGANIZATION)
    before = time.time() - SECONDS_TO_DELETE_COPIES
    os.utime(published / LOCAL_ORGANIZATION, (before, before))
    found = finding(deployment)
    assert found.passed is False
    assert found.detail == (
        f"{told}`eas doctor --fix` deletes them; where it cannot, let the store's key delete objects"
    )
