"""Resolve a target (a path or an address) to a readable repository on this disk.

A repository at a path is used in place and never written to. A remote repository becomes a bare clone in
`data/mirrors/<repository_id>.git` that holds only its branches and tags, and heads of merged pull requests.

Add: kinds of targets. Keep out: spelling of addresses (`remote.url`), secrets (`remote.credentials`), making and
updating clones (`remote.clone`), choice of refs (`objects.refs`).
"""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.request import getproxies

import pygit2

from ingest.errors import NoDefaultBranch, NotARepository, Transient, UnsupportedTarget
from ingest.git.identifiers import repository_id, root_key
from ingest.git.limits import DEFAULT_LIMITS, Limits
from ingest.git.objects.refs import default_branch, extracted_refs
from ingest.git.objects.repository import is_partial, open_repository, root_shas
from ingest.git.remote import clone, url
from ingest.git.remote.command import Git, Progress
from ingest.git.remote.credentials import Credentials
from ingest.reach import Reach

if TYPE_CHECKING:
    from ingest.settings import Settings

logger = logging.getLogger(__name__)

NAMELESS = frozenset({"", "repo", "src"})
"""Names of folders that many repositories share; that of `.git` is empty here."""

SCHEMES = ("https", "http", "ssh")


@dataclass(frozen=True)
class RepositorySource:
    """A readable repository with its identity.

    `path` is its git directory. `origin` is the normalized remote URL, or the path where there is none.
    `chosen_branch` is the default branch if a user chose it. `is_trusted_mirror` is True where Git verified every
    object during the fetch. `limits` bound what it may contain.
    """

    organization_id: str
    repository_id: str
    name: str
    origin: str
    path: Path
    default_branch: str
    is_trusted_mirror: bool
    is_shallow: bool
    is_partial: bool
    chosen_branch: str | None = None
    limits: Limits = DEFAULT_LIMITS


def resolve(
    target: str,
    settings: Settings,
    organization_id: str,
    *,
    token: str | None = None,
    branch: str | None = None,
    reach: Reach | None = None,
    on_progress: Progress | None = None,
    reviews: Mapping[int, str] | None = None,
    parent: str | None = None,
) -> RepositorySource:
    """Open the repository at a path, or clone the one at an https, http or ssh address.

    `token` is the login of a connection (`user:secret`, `Bearer secret` or a secret); no other login is used then.
    `reviews` are refs of the remote by the number of a merged pull request, of which the clone keeps the commits.
    `parent` is the address of the repository of which the remote is a fork, if its host names it.
    `branch` is the default branch if a user chose it. With a `reach` the target comes from a user of the API: paths
    and unencrypted addresses are refused, and Git connects only to IP addresses that were checked.

    Raises UnsupportedTarget, NotARepository, EmptyRepository, NoDefaultBranch, ForeignOwner, SourceBusy,
    MirrorFailed, LimitExceeded or Transient. No message holds a secret.
    """
    limits = Limits.of(settings)
    path = local_path(target) if reach is None else None
    if path is not None:
        repository = open_repository(path)
        address_there = remote_url_of(repository)
        source = _describe(
            repository, organization_id, address_there, branch, limits, is_trusted_mirror=False
        )
        return source if address_there else replace(source, name=_name_of_link(path, source) or source.name)
    address = url.parse(target) if reach is None else url.parse_encrypted(target)
    if address.scheme not in SCHEMES:
        raise UnsupportedTarget(f"{address.scheme}:// is not encrypted and is refused: use https or ssh.")
    name = url.normalize(target)
    credentials = Credentials.choose(address, token, _fallback(settings, address, reach))
    mirror = mirror_of(settings, repository_id(organization_id, name))
    git = Git(name, address, credentials, settings.git_timeout_seconds)
    if reach is not None:
        git.pinned = pinned(address, reach)
        git.has_own_logins = token is None and _is_listed(settings, address)
    forked_from = _parsed(parent)
    clone.synchronize(mirror, git, on_progress, limits, reviews, forked_from)
    try:
        return _describe(
            open_repository(mirror), organization_id, name, branch, limits, is_trusted_mirror=True
        )
    except (NoDefaultBranch, NotARepository):
        if clone.has_all_commits(mirror):
            raise
    # Its refs are those of the host, but their commits are damaged.
    clone.discard(mirror, name)
    clone.synchronize(mirror, git, on_progress, limits, reviews, forked_from)
    return _describe(open_repository(mirror), organization_id, name, branch, limits, is_trusted_mirror=True)


def on_branch(source: RepositorySource, branch: str | None) -> RepositorySource:
    """The repository with another chosen default branch. Raises NoDefaultBranch where that branch does not exist."""
    chosen = default_branch(open_repository(source.path), branch, source.limits)
    return replace(source, default_branch=chosen, chosen_branch=branch)


def _parsed(parent: str | None) -> url.Address | None:
    """The address of a fork's parent, which comes from a host; None for one that Git does not read."""
    try:
        return None if parent is None else url.parse(parent)
    except UnsupportedTarget:
        return None


def pinned(address: url.Address, reach: Reach) -> tuple[str, ...]:
    """The IP addresses that Git may connect to. The list may be empty behind a proxy, which resolves names itself.

    Raises UnsupportedTarget and Transient.
    """
    try:
        return tuple(reach.addresses(address.host))
    except Transient:
        if address.scheme == "https" and {"https", "all"} & getproxies().keys():
            return ()
        raise


def _fallback(settings: Settings, address: url.Address, reach: Reach | None) -> str | None:
    """The machine's token. Users of the API get it only for hosts that the operator lists."""
    if settings.git_token is None:
        return None
    is_given = reach is None or _is_listed(settings, address)
    return settings.git_token.get_secret_value() if is_given else None


def _is_listed(settings: Settings, address: url.Address) -> bool:
    """Whether the operator allows users of the API to read with the operator's logins on this host."""
    return address.host in {host.strip().lower() for host in settings.git_token_hosts.split(",")}


def mirror_of(settings: Settings, repository_id: str) -> Path:
    """The path of the clone of a remote repository, which need not exist."""
    return settings.mirrors_dir / f"{repository_id}.git"


def local_path(target: str) -> Path | None:
    """The path that a target names, or None for the address of a remote.

    Raises UnsupportedTarget for other targets, and for targets that Git would run as a program.
    """
    if not target.strip() or re.search(r"[\x00-\x1f\x7f]", target):
        raise UnsupportedTarget(
            "The repository argument is empty or contains control characters: give a path or an address."
        )
    if target.startswith("-"):
        raise UnsupportedTarget(
            "The repository argument starts with a dash: write ./ before the name of a folder."
        )
    if target.lower().startswith("file:"):
        raise UnsupportedTarget("file: addresses are refused: give the path itself.")
    if "://" in target:
        return None
    try:
        path = Path(target).expanduser()
        if path.exists():
            return path.absolute()
    except (
        OSError,
        RuntimeError,
    ) as error:  # a name too long, a home of nobody, a folder that may not be read
        reason = error.strerror if isinstance(error, OSError) else error
        raise UnsupportedTarget(
            f"The path cannot be opened ({reason}): give the path of a Git repository."
        ) from error
    if re.match(r"[A-Za-z0-9+.-]+::", target):
        raise UnsupportedTarget(
            "Addresses of the form helper:: run a program and are refused: use https or ssh."
        )
    # As in Git: host:path, unless a slash comes before the colon.
    return None if ":" in target.partition("/")[0] else path.absolute()


def _describe(
    repository: pygit2.Repository,
    organization_id: str,
    address: str | None,
    branch: str | None,
    limits: Limits,
    *,
    is_trusted_mirror: bool,
) -> RepositorySource:
    path = Path(repository.path)
    if address:
        key, name = address, url.display_name(address)
    else:
        head = next(ref.head_sha for ref in extracted_refs(repository, None, limits) if ref.is_default)
        key, name = root_key(root_shas(repository, head)), folder_name(repository)
    return RepositorySource(
        organization_id=organization_id,
        repository_id=repository_id(organization_id, key),
        name=name,
        origin=address or str(path.parent if path.name == ".git" else path),
        path=path,
        default_branch=default_branch(repository, branch, limits),
        is_trusted_mirror=is_trusted_mirror,
        is_shallow=repository.is_shallow,
        is_partial=is_partial(repository),
        chosen_branch=branch,
        limits=limits,
    )


def _name_of_link(path: Path, source: RepositorySource) -> str | None:
    """The name that the user gave the folder by a symbolic link, which Git follows; None for other paths."""
    folder = source.path.parent if source.path.name == ".git" else source.path
    is_link = path.is_symlink() and path.resolve() == folder.resolve()
    return path.name.removesuffix(".git") if is_link else None


def remote_url_of(repository: pygit2.Repository) -> str | None:
    """The normalized URL of the remote `origin`; None without one, or where it names no host."""
    if "remote.origin.url" not in repository.config:
        return None
    configured = repository.config["remote.origin.url"] or ""
    if not configured or configured.startswith((".", "/", "~", "file:")) or Path(configured).exists():
        return None  # a folder has another path on every machine
    try:
        return url.normalize(configured)
    except UnsupportedTarget as reason:
        logger.warning("%s: the URL of origin does not identify it: %s", repository.path, reason)
        return None


def folder_name(repository: pygit2.Repository) -> str:
    """Name of the folder, for repositories without a remote URL; of the one above where it says nothing."""
    names = [part.removesuffix(".git") for part in reversed(Path(repository.path).parts[1:])]
    return next((name for name in names if name not in NAMELESS), names[0] if names else "")
