"""A limit of commits and an open payment: commits beyond them wait, are counted, and enter the figures later."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from api.control.operations import operations
from api.control.payments import EventKind
from api.control.plans.billing import apply_event, request_upgrade
from api.control.plans.plans import change_plan, plan
from api.control.principals import OPERATOR
from api.control.store import open_store
from orchestration.deployment import LOCAL_ORGANIZATION
from tests.api.control.plans.events import event
from tests.end_to_end.eas import Eas
from tests.git_repository import GitRepository

COMMITS = "select subject, zero_reason, etv_micro > 0 from commits_by_time order by delivered_at, subject"


def test_commits_over_the_limit_wait_until_it_rises_and_those_of_a_mirror_count_once(
    fresh_eas: Eas, repository: GitRepository, tmp_path: Path
) -> None:
    subjects = [f"Add part {number}" for number in range(4)]
    for number, subject in enumerate(subjects):
        more = "".join(f" + b[{n}]" for n in range(number))
        code = f"def part_{number}(a, b):\n    return a.part_{number}(b){more}\n"
        repository.commit({f"src/{number}.py": code}, message=subject)
    mirror = tmp_path / "mirror"
    repository.git("clone", "-q", str(repository.path), str(mirror))
    repository.git("-C", str(mirror), "remote", "set-url", "origin", "https://git.example.org/acme/mirror")
    store = open_store(fresh_eas.data)
    store.ensure_organization("Local", organization_id=LOCAL_ORGANIZATION, slug="local")
    change_plan(store, OPERATOR, LOCAL_ORGANIZATION, plan="paid", commit_limit=2)
    assert fresh_eas.run_here("analyze", repository.path, mirror).returncode == 0
    everything = int(repository.git("rev-list", "--count", "main"))
    found = {subject: (reason, counts) for subject, reason, counts in fresh_eas.rows(COMMITS)}
    assert {subject for subject, (reason, _) in found.items() if reason != "WAITING"} == set(subjects[-2:])
    assert all(found[subject] == (None, True) for subject in subjects[-2:])
    assert fresh_eas.rows("select waiting_commits from organizations") == [(everything - 2,)]
    assert fresh_eas.rows("select sum(commits)::int from daily") == [(2,)]
    assert plan(store, LOCAL_ORGANIZATION).analysed == 2

    change_plan(store, OPERATOR, LOCAL_ORGANIZATION, commit_limit=everything)
    assert fresh_eas.run_here("analyze", repository.path, mirror).returncode == 0
    found = {subject: (reason, counts) for subject, reason, counts in fresh_eas.rows(COMMITS)}
    assert all(found[subject] == (None, True) for subject in subjects)
    assert fresh_eas.rows("select waiting_commits from organizations") == [(0,)]
    assert plan(store, LOCAL_ORGANIZATION).analysed == everything


# The same wait as above for another reason, which tests/api/control/plans tries in seconds.
@pytest.mark.release
def test_commits_after_a_trial_say_that_it_ended_and_what_to_do(
    fresh_eas: Eas, repository: GitRepository
) -> None:
    store = open_store(fresh_eas.data)
    store.ensure_organization("Local", organization_id=LOCAL_ORGANIZATION, slug="local")
    change_plan(
        store, OPERATOR, LOCAL_ORGANIZATION,
        plan="trial", commit_limit=100_000, trial_ends_at=datetime(2026, 11, 1, 12, tzinfo=UTC),
    )  # fmt: skip
    repository.commit({"src/a.py": "def part(a, b):\n    return a.part(b)\n"}, message="Add a")
    done = fresh_eas.run_here("analyze", repository.path)
    assert done.returncode == 0
    first, second = done.stdout.index("Plan of local: the free trial ended on"), done.stdout.index("Reason")
    assert first < second
    assert "1 commit is waiting after the trial. The free trial ended on 2026-11-01." in (
        " ".join(done.stdout.split())
    )
    assert "Nothing has been delivered" not in done.stdout
    doctor = fresh_eas.run_here("doctor").stdout
    for text in (done.stdout, doctor):
        assert "the free trial ended on 2026-11-01" in text
        assert "a platform administrator changes the plan (PATCH …/plan)" in text
        assert "limit" not in text
    title = "select title, description like '%ended on 2026-11-01.%' from zero_reasons where zero_reason = 'WAITING'"
    assert fresh_eas.rows(title) == [("Waiting after the trial", True)]


# The same wait as above for another reason, which tests/api/control/plans tries in seconds.
@pytest.mark.release
def test_commits_wait_while_a_payment_is_past_due(
    fresh_eas: Eas, repository: GitRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EAS_DEPLOYMENT", "cloud")
    store = open_store(fresh_eas.data)
    store.ensure_organization("Local", organization_id=LOCAL_ORGANIZATION, slug="local")
    reference = request_upgrade(store, OPERATOR, LOCAL_ORGANIZATION).reference
    start = datetime.now(UTC) - timedelta(days=20)

    def told(name: str, kind: EventKind, day: int, **facts: object) -> None:
        apply_event(store, event(name, kind, start + timedelta(days=day), reference, **facts))

    told("e1", EventKind.SUBSCRIPTION_ACTIVATED, 0, commit_limit=None, renews_on=None)
    repository.commit({"src/a.py": "def part(a, b):\n    return a.part(b)\n"}, message="Add a")
    assert fresh_eas.run_here("analyze", repository.path).returncode == 0
    assert {reason for _, reason, _ in fresh_eas.rows(COMMITS)} == {None}

    told("e2", EventKind.PAYMENT_FAILED, 1, grace_ends_at=start + timedelta(days=10))
    repository.commit({"src/b.py": "def other(c, d):\n    return c.other(d)\n"}, message="Add b")
    done = fresh_eas.run_here("analyze", repository.path)
    assert done.returncode == 0
    assert "Payment of local: the payment of" in done.stdout
    assert "Waiting for the payment" in done.stdout
    assert [subject for subject, reason, _ in fresh_eas.rows(COMMITS) if reason == "WAITING"] == ["Add b"]
    # A published build stays.
    assert ("Add a", None, True) in fresh_eas.rows(COMMITS)

    told("e3", EventKind.PAYMENT_SUCCEEDED, 19)
    assert [one.action for one in operations.pending(store, LOCAL_ORGANIZATION)] == ["plan.paymentSucceeded"]
    done = fresh_eas.run_here("analyze", repository.path)
    assert "Payment" not in done.stdout
    assert {reason for _, reason, _ in fresh_eas.rows(COMMITS)} == {None}
    assert operations.pending(store, LOCAL_ORGANIZATION) == []


# The same wait as above for another reason, which tests/api/control/plans tries in seconds.
@pytest.mark.release
def test_commits_that_wait_for_the_license_say_so_in_the_report_the_doctor_and_the_build(
    fresh_eas: Eas, repository: GitRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EAS_DEPLOYMENT", "self_hosted")
    repository.commit({"src/a.py": "def part(a, b):\n    return a.part(b)\n"}, message="Add a")
    done = fresh_eas.run_here("analyze", repository.path)
    assert {reason for _, reason, _ in fresh_eas.rows(COMMITS)} == {"WAITING"}
    assert "Waiting for the license" in done.stdout, done.stdout
    assert "Nothing has been delivered" not in done.stdout
    assert "waiting for the license. This deployment has no valid license. New commits wait" in (
        " ".join(done.stdout.split())
    )
    assert done.stdout.index("License: this") < done.stdout.index("Work without ETV")
    assert "License: this self-hosted deployment has no license" in done.stdout
    doctor = fresh_eas.run_here("doctor").stdout
    assert "waiting for the license. This deployment has no valid license." in doctor, doctor
    for text in (done.stdout, doctor):
        assert "for the plan" not in text
        assert "limit" not in text
    # `GET …/zeroReasons` reads this table.
    title = "select title from zero_reasons where zero_reason = 'WAITING'"
    assert fresh_eas.rows(title) == [("Waiting for the license",)]

    monkeypatch.setenv("EAS_DEPLOYMENT", "local")
    assert fresh_eas.run_here("analyze", repository.path).returncode == 0
    assert {reason for _, reason, _ in fresh_eas.rows(COMMITS)} == {None}
    assert fresh_eas.rows(title) == [("Waiting for the plan",)]
