"""A limit of commits: commits above it wait, are counted, and enter the figures when the limit rises."""

from api.control.plans.plans import change_plan, plan
from api.control.principals import OPERATOR
from api.control.store import open_store
from orchestration.deployment import LOCAL_ORGANIZATION
from tests.end_to_end.eas import Eas
from tests.git_repository import GitRepository

COMMITS = "select subject, zero_reason, etv_micro > 0 from commits_by_time order by delivered_at, subject"


def test_commits_over_the_limit_wait_until_it_rises(fresh_eas: Eas, repository: GitRepository) -> None:
    subjects = [f"Add part {number}" for number in range(4)]
    for number, subject in enumerate(subjects):
        more = "".join(f" + b[{n}]" for n in range(number))
        code = f"def part_{number}(a, b):\n    return a.part_{number}(b){more}\n"
        repository.commit({f"src/{number}.py": code}, message=subject)
    store = open_store(fresh_eas.data)
    store.ensure_organization("Local", organization_id=LOCAL_ORGANIZATION, slug="local")
    change_plan(store, OPERATOR, LOCAL_ORGANIZATION, plan="paid", commit_limit=2)
    assert fresh_eas.run_here("analyze", repository.path).returncode == 0
    everything = int(repository.git("rev-list", "--count", "main"))
    found = {subject: (reason, counts) for subject, reason, counts in fresh_eas.rows(COMMITS)}
    assert {subject for subject, (reason, _) in found.items() if reason != "WAITING"} == set(subjects[-2:])
    assert all(found[subject] == (None, True) for subject in subjects[-2:])
    assert fresh_eas.rows("select waiting_commits from organizations") == [(everything - 2,)]
    assert fresh_eas.rows("select sum(commits)::int from daily") == [(2,)]
    assert plan(store, LOCAL_ORGANIZATION).analysed == 2

    change_plan(store, OPERATOR, LOCAL_ORGANIZATION, commit_limit=everything)
    assert fresh_eas.run_here("analyze", repository.path).returncode == 0
    found = {subject: (reason, counts) for subject, reason, counts in fresh_eas.rows(COMMITS)}
    assert all(found[subject] == (None, True) for subject in subjects)
    assert fresh_eas.rows("select waiting_commits from organizations") == [(0,)]
    assert plan(store, LOCAL_ORGANIZATION).analysed == everything
