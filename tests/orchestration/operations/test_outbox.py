"""A change ends with the build that includes it, or with the reason of a failed run."""

import pytest

from api.control.list_pages import ListQuery
from api.control.operations import operations
from api.control.principals import OPERATOR
from api.control.teams import teams
from orchestration.build import settings_snapshot
from orchestration.deployment import LOCAL_ORGANIZATION, Deployment
from orchestration.operations import outbox


def changed(deployment: Deployment, name: str) -> None:
    with deployment.control() as control:
        teams.create_team(control, OPERATOR, LOCAL_ORGANIZATION, name)


def pending(deployment: Deployment) -> list[tuple[str, str | None]]:
    with deployment.control() as control:
        return [(one.target_name, one.error) for one in operations.pending(control, LOCAL_ORGANIZATION)]


def test_a_build_includes_changes_from_before_its_settings_were_copied(deployment: Deployment) -> None:
    changed(deployment, "before")
    settings_snapshot.write(deployment, LOCAL_ORGANIZATION)
    changed(deployment, "after")
    outbox.mark_included(
        deployment, LOCAL_ORGANIZATION, outbox.saved_watermark(deployment, LOCAL_ORGANIZATION), "b1"
    )
    assert pending(deployment) == [("after", None)]


def test_the_copy_holds_every_change_up_to_its_watermark(deployment: Deployment) -> None:
    changed(deployment, "Web")
    settings_snapshot.write(deployment, LOCAL_ORGANIZATION)
    watermark = outbox.saved_watermark(deployment, LOCAL_ORGANIZATION)
    assert watermark is not None
    assert watermark.position == 1
    assert settings_snapshot.lake_settings(deployment, LOCAL_ORGANIZATION)["teams"]["name"].to_pylist() == [
        "Web"
    ]
    assert outbox.from_json(outbox.to_json(watermark)) == watermark


def test_a_truncated_watermark_counts_as_none(deployment: Deployment) -> None:
    settings_snapshot.write(deployment, LOCAL_ORGANIZATION)
    file = deployment.settings.warehouse_file(LOCAL_ORGANIZATION).with_suffix(".watermark.json")
    file.write_text(file.read_text()[:10])
    assert outbox.saved_watermark(deployment, LOCAL_ORGANIZATION) is None


def test_a_failed_run_records_the_reason_and_a_later_run_includes_the_change(deployment: Deployment) -> None:
    changed(deployment, "Web")
    with pytest.raises(RuntimeError), outbox.recording_failure(deployment, LOCAL_ORGANIZATION):
        raise RuntimeError("disk full")
    assert pending(deployment) == [("Web", "disk full")]
    watermark = outbox.current_watermark(deployment, LOCAL_ORGANIZATION)
    outbox.mark_included(deployment, LOCAL_ORGANIZATION, watermark, "b2")
    with deployment.control() as control:
        [done] = operations.list_operations(
            control, LOCAL_ORGANIZATION, ListQuery(10), state=operations.OperationState.DONE
        ).items
    assert (done.build_id, done.error) == ("b2", None)
