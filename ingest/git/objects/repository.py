"""Open repositories on this disk, read-only and in place.

Add: odd shapes of repositories. Keep out: remotes (`remote`) and history (`commit_graph`). Nothing here starts a
Git process, so no hook, filter or alias from the repository's own configuration can run.
"""

import re
import stat
from collections.abc import Iterable
from pathlib import Path

import pygit2
from pygit2.enums import Option, SortMode

from ingest.errors import ForeignOwner, NotARepository, Permanent, UnsupportedTarget
from ingest.git.objects import commit_graph
from ingest.git.objects.loose_objects import open_git_dir

_READ_FILES = (
    "HEAD", "config", "config.worktree", "commondir", "packed-refs", "shallow", "objects/info/alternates",
)  # fmt: skip
"""Files of a git directory that are read to open it."""


def permit_extensions() -> None:
    """Let this process open clones that older versions of Git marked as partial; libgit2 refuses them by default."""
    pygit2.option(Option.SET_EXTENSIONS, ["partialclone"], 1)


def open_repository(path: Path) -> pygit2.Repository:
    """The repository at `path` or around it; for a linked work tree its main repository.

    Raises NotARepository, ForeignOwner, and UnsupportedTarget for formats that libgit2 cannot read.
    """
    if not path.exists():
        raise NotARepository(
            f"{path} does not exist: give the path of a Git repository, or its https or ssh URL."
        )
    permit_extensions()
    try:
        _refuse_special_files([folder / ".git" for folder in (path, *path.absolute().parents)])
        found = pygit2.discover_repository(str(path))
        if found is None:
            raise NotARepository(
                f"{path} is not (in) a Git repository: give its top folder, or run `git init`."
            )
        git_dir = _common_dir(Path(found))
        for folder in {Path(found), git_dir}:
            _refuse_special_files([folder / name for name in _READ_FILES])
        _refuse_special_files(
            file for kind in ("heads", "tags", "remotes") for file in (git_dir / "refs" / kind).rglob("*")
        )
        return open_git_dir(git_dir)
    except pygit2.GitError as error:
        raise _translated(path, error) from error


def _refuse_special_files(files: Iterable[Path]) -> None:
    """Raise NotARepository for pipes, sockets and devices, of which reading may never return."""
    for file in files:
        try:
            mode = file.stat().st_mode
        except OSError:
            continue  # missing, or libgit2 says what is wrong
        if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
            raise NotARepository(f"{file} is no regular file (a pipe, socket or device): remove it.")


def _common_dir(git_dir: Path) -> Path:
    """The main repository's directory: a linked work tree has a HEAD of its own, but shares all facts."""
    link = git_dir / "commondir"
    return (git_dir / link.read_text().strip()).resolve() if link.is_file() else git_dir


def _translated(path: Path, error: pygit2.GitError) -> NotARepository | ForeignOwner | UnsupportedTarget:
    message = str(error)
    if "not owned by current user" in message:
        owned = re.search(r"repository path '(.+)' is not owned", message)
        return ForeignOwner(owned[1] if owned else str(path))
    if "unsupported extension" in message or "object format" in message or "repository version" in message:
        return UnsupportedTarget(
            f"{path} uses a repository format that is not supported yet ({message.rpartition(': ')[2]}):"
            " clone it with the default format (sha1, files) and analyse the clone."
        )
    return NotARepository(
        f"{path} cannot be opened as a Git repository: {message}. Try `git -C {path} fsck`."
    )


def is_partial(repository: pygit2.Repository) -> bool:
    """Whether blobs may be missing because the clone was made with a filter."""
    return "extensions.partialclone" in repository.config or any(
        entry.name.startswith("remote.") and entry.name.endswith((".promisor", ".partialclonefilter"))
        for entry in repository.config
    )


def root_shas(repository: pygit2.Repository, head_sha: str) -> list[str]:
    """Root commits of a head's history (in a shallow clone the commits at its boundary)."""
    try:
        walk = repository.walk(head_sha, SortMode.NONE)
        return sorted(str(commit.id) for commit in walk if not commit.parent_ids)
    except (KeyError, pygit2.GitError):
        pass  # libgit2 refuses commits with a malformed line, of which a root needs the parents alone
    try:
        return commit_graph.root_shas(repository, head_sha)
    except Permanent as error:
        raise NotARepository(
            f"{repository.path}: its history cannot be read ({error})."
            " Run `git fsck` there to see what is missing, and fetch or clone again."
        ) from error


def is_ancestor(repository: pygit2.Repository, ancestor: str, head_sha: str) -> bool:
    """Whether `ancestor` is `head_sha` or one of its ancestors. Raises Permanent for an unreadable commit."""
    try:
        return ancestor == head_sha or repository.descendant_of(head_sha, ancestor)
    except (KeyError, pygit2.GitError):
        return commit_graph.is_ancestor(repository, ancestor, head_sha)
