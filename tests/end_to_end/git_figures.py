"""The figures of a history from Git itself: one `git log` and plain loops over its output.

The module uses nothing of the product, because it is the oracle for its answers.
"""

import re
import subprocess
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

HEADER = "\x01%H%x00%P%x00%an%x00%ae%x00%at%x00%ct%x00%s"
TURNED = re.compile(r"Merge (remote-tracking )?branch '(origin/)?main' into (?!main\b)")
NUMBERS = re.compile(r"(\d+|-)\t(\d+|-)\t")


@dataclass
class GitCommit:
    """A commit with its difference to its first parent; of a merge only files that differ from every parent."""

    sha: str
    parents: list[str]
    author_name: str
    author_email: str
    authored_at: datetime
    committed_at: datetime
    subject: str
    files: int = 0
    added: int = 0
    deleted: int = 0
    paths: set[str] = field(default_factory=set)
    # The step of the mainline that brought it, and when; None while undelivered.
    delivery: str | None = None
    delivered_at: datetime | None = None


@dataclass(frozen=True)
class GitHistory:
    """A repository as Git shows it."""

    name: str
    path: Path
    branch: str
    commits: dict[str, GitCommit]

    @property
    def delivered(self) -> list[GitCommit]:
        """Commits of the default branch."""
        return [commit for commit in self.commits.values() if commit.delivery is not None]


def read_history(path: Path, branch: str = "main") -> GitHistory:
    """Everything that branches and tags reach."""
    shown = _git(
        path, "log", "--branches", "--tags", "--topo-order", "-M", "--raw", "--numstat", f"--format={HEADER}"
    )
    commits = {}
    for block in shown.split("\x01")[1:]:
        commit = _commit(block)
        commits[commit.sha] = commit
    for commit in commits.values():
        if len(commit.parents) > 1:
            _add_own_changes(path, commit)
    _deliver(commits, _git(path, "rev-parse", f"refs/heads/{branch}").strip())
    return GitHistory(path.name.removesuffix(".git"), path, branch, commits)


def _commit(block: str) -> GitCommit:
    header, *lines = block.split("\n")
    # Text that is not UTF-8 is shown with a sign for each odd byte; of a path the bytes can be read.
    header = _bytes(header).decode("utf-8", "replace")
    sha, parents, name, email, authored, committed, subject = header.split("\0")
    commit = GitCommit(sha, parents.split(), name, email, _instant(authored), _instant(committed), subject)
    for line in lines:
        _add(commit, line)
    return commit


def _add(commit: GitCommit, line: str) -> None:
    """Add a line of `--raw` or `--numstat`; Git shows one of each for a file."""
    numbers = NUMBERS.match(line)
    if line.startswith(":"):
        commit.files += 1
        commit.paths.add(_bytes(line.rsplit("\t", maxsplit=1)[-1]).decode("utf-8", "backslashreplace"))
    elif numbers:
        # Git writes a dash for a binary file.
        commit.added += int(numbers[1].replace("-", "0"))
        commit.deleted += int(numbers[2].replace("-", "0"))


def _add_own_changes(path: Path, merge: GitCommit) -> None:
    own = _git(path, "diff-tree", "-c", "-r", "--no-commit-id", "--name-only", merge.sha).splitlines()
    if own:
        sides = (merge.parents[0], merge.sha)
        renamed = (
            line.split("\t") for line in _git(path, "diff-tree", "-r", "-M", "--raw", *sides).splitlines()
        )
        # Git pairs a renamed file only where both of its paths are asked for.
        sources = [row[1] for row in renamed if len(row) > 2 and row[2] in own]
        options = ("-r", "-M", "--raw", "--numstat")
        for line in _git(path, "diff-tree", *options, *sides, "--", *own, *sources).splitlines():
            _add(merge, line)


def _deliver(commits: dict[str, GitCommit], head: str) -> None:
    """Give each commit the first step of the mainline that reaches it, and the latest committer time until then.

    A branch that merged `main` into itself and was taken over by a fast-forward is no mainline: `main` goes on behind
    the second parent of that merge.
    """
    mainline = [head]
    while parents := commits[mainline[-1]].parents:
        is_turned = len(parents) == 2 and TURNED.match(commits[mainline[-1]].subject)
        mainline.append(parents[1 if is_turned else 0])
    latest = datetime.min.replace(tzinfo=UTC)
    for step in reversed(mainline):
        latest = max(latest, commits[step].committed_at)
        due = [step]
        while due:
            commit = commits[due.pop()]
            if commit.delivery is None:
                commit.delivery, commit.delivered_at = step, latest
                due += commit.parents


def _instant(seconds: str) -> datetime:
    return datetime.fromtimestamp(int(seconds), UTC)


def _git(path: Path, *arguments: str) -> str:
    command = ["git", "-C", str(path), "-c", "core.quotePath=false", "-c", "diff.renameLimit=0", *arguments]
    return subprocess.run(command, check=True, capture_output=True).stdout.decode("utf-8", "surrogateescape")


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
