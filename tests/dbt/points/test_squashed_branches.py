"""A branch that is squashed to the mainline and merged later: its authors keep their work."""

from __future__ import annotations

import pytest

from tests.branch_work import BranchWork
from tests.git_repository import GitRepository
from tests.validity.analysed import Analysed, analyse

WRITER = "Wendy Writer <wendy@example.org>"
MIA = "Mia Manager <mia@example.org>"
SHARES = (
    "select developers.name, sum(commits.etv_micro * credits.share_micro) as amount "
    "from fct_commits as commits join int_commit_credits as credits using (commit_sha) "
    "join dim_developers as developers on credits.developer_id = developers.developer_id "
    "where not commits.is_merge and commits.commit_sha <> ? group by developers.name"
)


FORMATTER = "Finn Format <finn@example.org>"


def formatted(repository: GitRepository) -> None:
    """One developer writes 25 functions, another formats and sorts them, and a third squashes the branch."""
    repository.commit({"README": "A service.\n"}, author=WRITER)
    repository.clock += 30 * 86_400
    repository.branch("develop")
    text = max(
        (text or "" for text in BranchWork(5, functions=25, changes=0).steps[0].files.values()), key=len
    )
    functions = text.rstrip("\n").replace("\n\n\n", "\n\n").split("\n\n")
    turned = "\n\n".join(reversed(functions)).replace("    ", "\t") + "\n"
    repository.commit({"app/written.py": text}, "Write", branch="develop", author=WRITER)
    repository.commit({"app/written.py": turned}, "Format and sort", branch="develop", author=FORMATTER)
    repository.commit({"app/written.py": turned}, "Add the accounts", author=MIA)
    repository.commit({"CHANGES.md": "One release.\n"}, branch="develop", author=WRITER)
    repository.merge("develop", author=MIA)


def squashed(repository: GitRepository, work: BranchWork, releases: set[int]) -> str:
    """Commit the steps to `develop`, squash it after those of these numbers, and merge it. Returns the first commit."""
    first = repository.commit(work.before)
    repository.clock += 30 * 86_400
    repository.branch("develop")
    for number, step in enumerate(work.steps):
        repository.commit(step.files, step.kind, branch="develop", author=step.author)
        if number in releases:
            kept = repository.commits[repository.heads["develop"]].tree
            files = {path.decode(): repository.read(path.decode(), "develop") for path in kept}
            gone = [p.decode() for p in repository.commits[repository.heads["main"]].tree if p not in kept]
            repository.commit(files | dict.fromkeys(gone), "Release", author=MIA)
    repository.commit({"CHANGES.md": "Two releases.\n"}, branch="develop")
    repository.merge("develop", author=MIA)
    return first


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> tuple[Analysed, str]:
    folder = tmp_path_factory.mktemp("released")
    repository = GitRepository(folder / "repository")
    first = squashed(repository, BranchWork(3, changes=0), {0, 1})
    other = GitRepository(folder / "formatted")
    formatted(other)
    selected = ["+fct_commits", "+dim_developers"]
    paths = {"released": repository.path, "formatted": other.path}
    return analyse(paths, folder / "data", select=selected), first


def test_whoever_squashes_a_branch_takes_no_credit(released: tuple[Analysed, str]) -> None:
    warehouse, first = released
    amounts = {row["name"]: row["amount"] for row in warehouse.rows(SHARES, [first])}
    assert amounts.pop("Mia Manager", 0) == 0
    authors = {
        author.partition(" <")[0] for author in (step.author for step in BranchWork(3, changes=0).steps)
    }
    assert {name for name, amount in amounts.items() if amount} >= authors
    total = sum(amount for name, amount in amounts.items() if name not in ("Wendy Writer", "Finn Format"))
    assert all(amounts[name] > 0.25 * total for name in authors)


def test_delivered_work_is_not_called_gone(released: tuple[Analysed, str]) -> None:
    warehouse, _ = released
    rows = warehouse.rows(
        "select zero_reason, duplicate_of_sha from fct_commits where zero_reason is not null"
    )
    assert "NOT_IN_DELIVERY" not in {row["zero_reason"] for row in rows}
    assert sum(row["zero_reason"] == "DUPLICATE" and row["duplicate_of_sha"] is not None for row in rows) >= 2


def test_who_formats_and_sorts_a_squashed_branch_earns_next_to_nothing(
    released: tuple[Analysed, str],
) -> None:
    warehouse, first = released
    amounts = {row["name"]: row["amount"] for row in warehouse.rows(SHARES, [first])}
    assert amounts["Wendy Writer"] > 0
    assert amounts.get("Finn Format", 0) <= 0.05 * amounts["Wendy Writer"]
