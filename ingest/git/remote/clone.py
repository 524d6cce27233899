"""Bare clones of remote repositories: cloned once, then fetched, by one process at a time.

Add: measures that keep a clone complete and small. Keep out: choosing the repository (`repository_source`), running
Git (`command`). A clone appears under its name only when complete, and a killed run leaves nothing that blocks the
next one.
"""

import contextlib
import logging
import os
import shutil
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pygit2

from ingest.errors import EmptyRepository, MirrorFailed, NotARepository, SourceBusy, Transient
from ingest.git.limits import DEFAULT_LIMITS, Limits
from ingest.git.objects.refs import HEADS, REVIEWS, TAGS, UPSTREAM, USUAL_NAMES
from ingest.git.objects.repository import open_repository
from ingest.git.remote.command import Git, Progress, end
from ingest.git.remote.url import Address
from ingest.locks import locked

logger = logging.getLogger(__name__)

REFSPECS = (f"+{HEADS}*:{HEADS}*", f"+{TAGS}*:{TAGS}*")
MAX_REVIEWS = 5_000
"""Pull requests of a repository of which heads are fetched; the newest ones count."""
REVIEWS_PER_FETCH = 500
"""Refspecs are arguments, which the system limits."""
# Each fetch adds a pack, and looking up an object searches the packs one by one.
PACKS_BEFORE_COMPACTION = 20
LEFTOVERS = ("**/*.lock", "objects/**/tmp_*", "objects/incoming-*")


@dataclass
class _Listing:
    """The branches and tags of a remote, its wanted heads of pull requests, and the target of its HEAD."""

    refs: dict[str, str] = field(default_factory=dict)
    reviews: dict[str, str] = field(default_factory=dict)
    head_name: str | None = None
    head_sha: str | None = None

    def default_ref(self) -> str | None:
        """The branch that HEAD names. Very old servers do not name it; then a branch with the same commit."""
        if self.head_name or self.head_sha is None:
            return self.head_name
        same = [n for n, sha in sorted(self.refs.items()) if sha == self.head_sha and n.startswith(HEADS)]
        usual = [f"{HEADS}{name}" for name in USUAL_NAMES if f"{HEADS}{name}" in same]
        return next(iter(usual + same), None)


def synchronize(
    mirror: Path,
    git: Git,
    on_progress: Progress | None = None,
    limits: Limits = DEFAULT_LIMITS,
    reviews: Mapping[int, str] | None = None,
    parent: Address | None = None,
) -> None:
    """Make or update the clone at `mirror` of the remote of `git`: its branches, tags and HEAD.

    `reviews` are refs of the remote by the number of a merged pull request; those that exist are kept as `REVIEWS` for
    good, because the branch of a squash is deleted. `parent` is the repository of which the remote is a fork; if it is
    on the same host, its branches are kept as `UPSTREAM`.

    Branches and tags that the remote deleted are removed, but their commits stay. A remote without refs raises
    EmptyRepository and changes nothing. A damaged clone is replaced by a new one. Raises SourceBusy while another
    process fetches, LimitExceeded for too many refs, and the errors of `Git`.
    """
    assert git.address
    staging = mirror.with_suffix(".staging")
    with _alone(mirror, git.name) as git.on_start:
        shutil.rmtree(staging, ignore_errors=True)
        wanted = dict(sorted((reviews or {}).items())[-MAX_REVIEWS:])
        listing = _list(git, limits, frozenset(wanted.values()))
        if not listing.refs:
            kept = " The copy of the last run is kept." if mirror.exists() else ""
            raise EmptyRepository(f"{git.name} has no branch and no tag: push something first.{kept}")
        if mirror.exists():
            try:
                _update(mirror, listing, git, on_progress)
                _add_reviews(mirror, listing, git, wanted)
                _add_upstream(mirror, git, parent)
                return
            except (KeyError, OSError, pygit2.GitError, NotARepository, MirrorFailed) as error:
                # Most likely damage. If it is the host, the new clone fails as well and the old one stays.
                logger.warning("%s cannot be updated (%s); it is cloned anew", mirror, error)
        pygit2.init_repository(str(staging), bare=True)
        _update(staging, listing, git, on_progress)
        _add_reviews(staging, listing, git, wanted)
        _add_upstream(staging, git, parent)
        if mirror.is_dir() and not mirror.is_symlink():
            shutil.rmtree(mirror)
        else:
            mirror.unlink(missing_ok=True)
        staging.rename(mirror)


def discard(mirror: Path, name: str) -> None:
    """Delete the clone of the repository `name`, if it exists. Raises SourceBusy while another process fetches."""
    staging = mirror.with_suffix(".staging")
    if mirror.exists() or staging.exists():
        with _alone(mirror, name):
            shutil.rmtree(staging, ignore_errors=True)
            if mirror.exists():
                # A partly deleted clone must never stand under its name.
                mirror.rename(staging)
            shutil.rmtree(staging)


def has_all_commits(mirror: Path) -> bool:
    """Whether Git can read every commit of a clone."""
    return _succeeds(mirror, "rev-list", "--all", "--quiet")


def has_objects(mirror: Path, shas: Iterable[str]) -> bool:
    """Whether Git can read the content of these objects, well-formed or not."""
    return all(_has_object(mirror, sha) for sha in shas)


def _has_object(mirror: Path, sha: str) -> bool:
    try:
        # Only with its kind Git prints an object without parsing it. A host may hold malformed trees.
        [kind] = Git(mirror.name).lines(f"--git-dir={mirror}", "cat-file", "-t", sha)
    except MirrorFailed:
        return False
    return _succeeds(mirror, "cat-file", kind, sha)


def _succeeds(mirror: Path, *arguments: str) -> bool:
    try:
        Git(mirror.name).run(f"--git-dir={mirror}", *arguments)
    except MirrorFailed:
        return False
    return True


def _update(path: Path, listing: _Listing, git: Git, on_progress: Progress | None) -> None:
    assert git.address
    repository = open_repository(path)
    url = "remote.origin.url"
    if url not in repository.config or repository.config[url] != git.address.url:
        repository.config[url] = git.address.url
    if _refs_of(repository) != listing.refs:
        options = ["--prune", "--no-tags", "--update-shallow", "--no-write-fetch-head", "--progress"]
        arguments = [f"--git-dir={path}", "fetch", *options, "--", git.address.url, *REFSPECS]
        git.run(*arguments, on_progress=on_progress)
    _point_head(repository, listing.default_ref())
    if len(list((path / "objects" / "pack").glob("*.pack"))) > PACKS_BEFORE_COMPACTION:
        # Unlike `gc`, this keeps unreachable objects, which another process may be reading.
        git.run(f"--git-dir={path}", "repack", "-d", "--geometric=2", "--quiet")


def _add_reviews(path: Path, listing: _Listing, git: Git, wanted: Mapping[int, str]) -> None:
    """Fetch heads of pull requests. A failure costs only evidence about squashes, and the next run tries again."""
    assert git.address
    repository = open_repository(path)
    missing = [
        f"+{name}:{REVIEWS}{number}"
        for number, name in wanted.items()
        if name in listing.reviews and _target_of(repository, f"{REVIEWS}{number}") != listing.reviews[name]
    ]
    for start in range(0, len(missing), REVIEWS_PER_FETCH):
        part = missing[start : start + REVIEWS_PER_FETCH]
        options = ["--no-tags", "--update-shallow", "--no-write-fetch-head"]
        try:
            git.run(f"--git-dir={path}", "fetch", *options, "--", git.address.url, *part)
        except (MirrorFailed, Transient) as error:
            logger.warning("%s: heads of pull requests were not fetched: %s", git.name, error)
            return


def _add_upstream(path: Path, git: Git, parent: Address | None) -> None:
    """Fetch the branches of a fork's parent. A failure costs only the knowledge what is the parent's.

    Git gets the login and the checked IP addresses of the fork's own host, so another host is not asked.
    """
    assert git.address
    if parent is None or _host(parent) != _host(git.address):
        return
    options = ["--no-tags", "--prune", "--update-shallow", "--no-write-fetch-head"]
    try:
        git.run(f"--git-dir={path}", "fetch", *options, "--", parent.url, f"+{HEADS}*:{UPSTREAM}*")
    except (MirrorFailed, Transient) as error:
        logger.warning("%s: the branches of the fork's parent were not fetched: %s", git.name, error)


def _host(address: Address) -> tuple[str, str, int | None]:
    return address.scheme, address.host, address.port


def _target_of(repository: pygit2.Repository, name: str) -> str | None:
    try:
        return str(repository.lookup_reference(name).target)
    except (KeyError, pygit2.GitError):
        return None


def _list(git: Git, limits: Limits, reviews: frozenset[str] = frozenset()) -> _Listing:
    assert git.address
    listing = _Listing()
    for line in git.lines("ls-remote", "--symref", "--", git.address.url):
        value, _, name = line.partition("\t")
        if name == "HEAD" and value.startswith("ref: "):
            listing.head_name = value.removeprefix("ref: ")
        elif name == "HEAD":
            listing.head_sha = value
        elif name.startswith((HEADS, TAGS)) and not name.endswith("^{}"):
            listing.refs[name] = value
            limits.check_refs(len(listing.refs))
        elif name in reviews:
            listing.reviews[name] = value
    return listing


def _refs_of(repository: pygit2.Repository) -> dict[str, str]:
    names = [os.fsdecode(raw) for raw in repository.raw_listall_references()]
    # Heads of pull requests stay when their branches are pruned, and a parent has branches of its own.
    own = [name for name in names if not name.startswith((REVIEWS, UPSTREAM))]
    return {name: str(repository.lookup_reference(name).target) for name in own}


def _point_head(repository: pygit2.Repository, name: str | None) -> None:
    """Point HEAD at the remote's default branch; keep it where the remote names none."""
    if name and repository.lookup_reference("HEAD").target != name:
        repository.set_head(name)


@contextlib.contextmanager
def _alone(mirror: Path, name: str) -> Iterator[Callable[[int], None]]:
    """Exclude other processes and remove leftovers; yields a function that records a running Git.

    The lock ends with its process, but the Git that it started may live on, so the lock file records its process
    group.
    """
    file = mirror.with_suffix(".lock")
    with contextlib.ExitStack() as stack:
        try:
            handle = stack.enter_context(locked(file, wait=False))
        except BlockingIOError:
            raise SourceBusy(f"{name} is being fetched by another process: wait until it ends.") from None
        except OSError as error:
            raise MirrorFailed(
                f"{file.parent} cannot be written ({error.strerror}): set EAS_DATA_DIR to a folder of your own."
            ) from error
        handle.seek(0)
        _end_orphan(handle.read(), mirror)
        for pattern in LEFTOVERS:
            for leftover in mirror.glob(pattern):
                leftover.unlink(missing_ok=True) if leftover.is_file() else shutil.rmtree(leftover)

        def note(process_group: int) -> None:
            handle.truncate(0)
            handle.write(str(process_group))
            handle.flush()

        yield note
        handle.truncate(0)


def _end_orphan(noted: str, mirror: Path) -> None:
    """Kill the Git of a run that died, if the recorded process is still that Git."""
    if not noted.isdecimal():
        return
    process = int(noted)
    for _ in range(50):
        try:
            command = Path(f"/proc/{process}/cmdline").read_bytes()
        except OSError:
            return
        if mirror.stem.encode() not in command:
            return
        end(process)
        time.sleep(0.1)
