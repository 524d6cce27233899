"""Commits without a change of meaning, which projects list for `git blame` to ignore, earn little."""

import re
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.validity import bootstrap, labelled_sets
from tests.validity.analysed import Analysed, analyse
from tests.validity.claims import NO_BAR, Baseline, Inputs, Missing, NotMeasured, Outcome, Part, Result

CLAIM = "ETV cannot be farmed"
LISTED_IN = ".git-blame-ignore-revs"
PROJECTS = ("PyGithub/PyGithub", "pydata/xarray", "pytest-dev/pytest", "vitejs/vite")
_EARNED = """
    select repository_id, commit_sha, sum(lines_added + lines_deleted) as lines, sum(points_micro) as points_micro
    from fct_commit_files group by repository_id, commit_sha
"""


@dataclass(frozen=True)
class _Commit:
    project: str
    is_ignored: bool
    lines: int
    points: float


def results(inputs: Inputs) -> Iterator[Outcome]:
    """One line: points per changed line beside those of all other commits."""
    clones: dict[str, Path] = {}
    for project in PROJECTS:
        try:
            clones[project] = labelled_sets.repository(inputs, project)
        except Missing as error:
            yield NotMeasured(CLAIM, project, str(error), has_bar=False)
    if clones:
        found = analyse(clones, inputs.work / "ignored", select=["+fct_commit_files"])
        yield _result(_commits(found, clones), found.calculation_version)


def listed(clone: Path) -> set[str]:
    """Ids of the listed commits; empty if the project has no list."""
    command = ["git", "-c", "safe.directory=*", "-C", str(clone), "show", f"HEAD:{LISTED_IN}"]
    answer = subprocess.run(command, capture_output=True, check=False, text=True)
    return set(re.findall(r"^[0-9a-f]{40}", answer.stdout, re.MULTILINE))


def _commits(found: Analysed, clones: dict[str, Path]) -> list[_Commit]:
    names = {found.repository_ids[project]: project for project in clones}
    ignored = {project: listed(clone) for project, clone in clones.items()}
    commits = []
    for row in found.rows(_EARNED):
        project = names[str(row["repository_id"])]
        is_ignored = row["commit_sha"] in ignored[project]
        commits.append(_Commit(project, is_ignored, int(row["lines"]), int(row["points_micro"]) / 1e6))
    return commits


def _result(commits: Sequence[_Commit], version: str) -> Result:
    ignored = [commit for commit in commits if commit.is_ignored]
    others = {
        project: _per_line([c for c in commits if c.project == project and not c.is_ignored])
        for project in PROJECTS
    }

    def ratio(picks: Iterable[int]) -> float:
        """ETV of the commits divided by the ETV of as many lines in other commits of the same project."""
        chosen = [ignored[pick] for pick in picks]
        usual = sum(commit.lines * others[commit.project] for commit in chosen)
        return sum(commit.points for commit in chosen) / usual if usual else float("nan")

    every = range(len(ignored))
    return Result(
        CLAIM,
        "commits that projects tell blame to pass over, points per line beside other commits",
        LISTED_IN,
        len(ignored),
        "commit",
        ratio(every),
        bootstrap.interval(bootstrap.grouped(every), ratio, draws=300),
        version,
        can_show="whether real reformatting of real code earns next to nothing.",
        cannot_show="layout alone: projects list automatic modernizing and moved code too, which changes tokens.",
        bar=NO_BAR,
        baselines=(Baseline("churn", 1.0),),
        parts=tuple(
            Part(project, len(own), ratio(own), baselines=(1.0,))
            for project in PROJECTS
            if (own := [at for at in every if ignored[at].project == project])
        ),
    )


def _per_line(commits: Sequence[_Commit]) -> float:
    lines = sum(commit.lines for commit in commits)
    return sum(commit.points for commit in commits) / lines if lines else 0.0
