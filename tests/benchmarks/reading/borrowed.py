"""Bare repositories that share the objects of another one: the same history, or its past, without a copy.

They replace the service's clones in the bench, which does not change the measured repository.
"""

import subprocess
from dataclasses import dataclass
from pathlib import Path

from tests.benchmarks.reading.reference_git import ReferenceGit, environment


@dataclass(frozen=True)
class Original:
    """The measured repository: its Git directory, and the short name of its default branch."""

    git: ReferenceGit
    objects: Path
    default_branch: str
    name: str

    @property
    def default_head(self) -> str:
        return self.git.default_head(self.default_branch)

    def mainline(self) -> list[str]:
        """First parents of the default branch, oldest first."""
        listing = self.git.output("rev-list", "--first-parent", "--reverse", self.default_head)
        return listing.decode().split()


def find(path: Path) -> Original:
    """Find the repository at `path` or above it. Raises ValueError with the remedy."""
    asked = ["git", "-C", str(path), "-c", "safe.directory=*", "rev-parse", "--path-format=absolute"]
    done = subprocess.run([*asked, "--git-common-dir"], capture_output=True, text=True, env=environment())
    if done.returncode:
        reason = done.stderr.strip()
        raise ValueError(f"{path} is not (in) a Git repository: give the path of a clone. {reason}")
    git_dir = Path(done.stdout.strip())
    git = ReferenceGit(git_dir)
    if not git.refs:
        raise ValueError(f"{path} has no commits: there is nothing to measure.")
    name = (git_dir.parent if git_dir.name in (".git", "repo") else git_dir).name
    return Original(git, git_dir / "objects", _default_branch(git), name)


def borrow(original: Original, target: Path, heads: dict[str, str] | None = None) -> ReferenceGit:
    """A bare repository at `target` with the original's refs, or only with these (full name → object)."""
    subprocess.run(["git", "init", "-q", "--bare", str(target)], check=True, env=environment())
    (target / "objects/info").mkdir(exist_ok=True)
    (target / "objects/info/alternates").write_text(f"{original.objects}\n")
    shallow = original.git.git_dir / "shallow"
    if shallow.exists():
        (target / "shallow").write_text(shallow.read_text())
    refs = (
        heads
        if heads is not None
        else {ref.name: ref.object_sha for ref in original.git.refs if not ref.target}
    )
    lines = [f"{sha} {name}\n" for name, sha in sorted(refs.items())]
    (target / "packed-refs").write_text("".join(lines))
    (target / "HEAD").write_text(f"ref: refs/heads/{original.default_branch}\n")
    return ReferenceGit(target)


def borrow_past(original: Original, target: Path, commit: str) -> ReferenceGit:
    """A bare repository whose only branch, the default one, ends at `commit`."""
    return borrow(original, target, {f"refs/heads/{original.default_branch}": commit})


def _default_branch(git: ReferenceGit) -> str:
    names = [ref.name for ref in git.refs if ref.kind != "tag"]
    published = next((ref.target for ref in git.refs if ref.name == "refs/remotes/origin/HEAD"), "")
    own = (git.git_dir / "HEAD").read_text().strip().removeprefix("ref: ")
    candidates = [published, own, "refs/heads/main", "refs/heads/master", *names]
    chosen = next(name for name in candidates if name in names)
    return chosen.removeprefix("refs/heads/").removeprefix("refs/remotes/origin/")
