"""Credit on branches: the share of each author of a merged branch beside the same commits delivered one by one.

The branches are invented (`tests.branch_work`): people write functions, and then format, sort, rename, move, or remove
and bring back the functions of all, and add lines to them. Everything runs through the product.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

from tests.branch_work import BranchWork, deliver
from tests.git_repository import GitRepository
from tests.validity import bootstrap
from tests.validity.analysed import Analysed, analyse
from tests.validity.claims import Bar, Inputs, Outcome, Part, Result

CLAIM = "credit on branches"
BRANCHES = 24
_EARNED = """
    select commits.repository_id, developers.name, sum(commits.etv_micro) as etv_micro
    from fct_commits as commits
    join dim_developers as developers on commits.developer_id = developers.developer_id
    where not exists (
        select 1 from int_commits as roots where roots.commit_sha = commits.commit_sha and roots.is_root
    )
    group by commits.repository_id, developers.name
"""
Shares = dict[str, float]


def results(inputs: Inputs) -> Iterator[Outcome]:
    """One line: the largest difference of an author's share, over all branches."""
    works = [BranchWork(seed) for seed in range(BRANCHES)]
    found = {how: _deliver(works, inputs.work / how, how) for how in ("merge", "each")}
    merged, alone = (_shares(one) for one in found.values())
    differences = [_difference(merged[name], alone[name]) for name in merged]

    def largest(picks: bootstrap.Rows) -> float:
        return max(differences[int(pick)] for pick in picks)

    every = bootstrap.grouped(range(len(differences)))
    yield Result(
        CLAIM,
        "largest difference of an author's share of a merged branch",
        "generated branches",
        len(differences),
        "branch",
        max(differences),
        bootstrap.interval(every, largest),
        found["merge"].calculation_version,
        can_show="whether those who format, sort, rename, move or bring back the lines of others take their credit.",
        cannot_show="edits that replace lines of others on the branch: their last author has the credit.",
        bar=Bar(at_most=0.05, aim=0.02),
        parts=tuple(
            _part(kind, works, differences) for kind in sorted({s.kind for w in works for s in w.steps})
        ),
        notes=(f"mean of the branches: {bootstrap.mean(differences):.3f}",),
    )


def _deliver(works: list[BranchWork], folder: Path, how: str) -> Analysed:
    """The branches in an organization of their own: the same work in two repositories counts once."""
    repositories = {}
    folder.mkdir(parents=True)
    for number, work in enumerate(works):
        repository = GitRepository(folder / f"branch-{number}")
        # Apart in time, or the histories would look like copies of one repository.
        repository.clock += number * 7
        deliver(work, repository, how)
        repositories[str(number)] = repository.path
    return analyse(repositories, folder / "data", select=["+fct_commits", "+dim_developers"])


def _shares(found: Analysed) -> Mapping[str, Shares]:
    earned: dict[str, Shares] = defaultdict(dict)
    names = {identifier: name for name, identifier in found.repository_ids.items()}
    for row in found.rows(_EARNED):
        earned[names[str(row["repository_id"])]][row["name"]] = float(row["etv_micro"])
    return {
        name: {person: value / sum(people.values()) for person, value in people.items()}
        for name, people in sorted(earned.items(), key=lambda entry: int(entry[0]))
    }


def _difference(one: Shares, other: Shares) -> float:
    return max(abs(one.get(person, 0.0) - other.get(person, 0.0)) for person in {*one, *other})


def _part(kind: str, works: list[BranchWork], differences: list[float]) -> Part:
    own = [d for work, d in zip(works, differences, strict=True) if any(s.kind == kind for s in work.steps)]
    return Part(f"branches with {kind}", len(own), max(own))
