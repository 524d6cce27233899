"""Mirrors the served repository, and lists refs as Git does."""

from __future__ import annotations

import subprocess
from pathlib import Path

from ingest.git.repository_source import RepositorySource, resolve
from ingest.settings import Settings
from tests.git_repository import GitRepository
from tests.ingest.git.remote.http_remote import HttpRemote

ORGANIZATION = "0190d3b0-0000-7000-8000-000000000001"
TOKEN = "tok_3fa9c1e07b2d4466a8e5"


def refs(path: Path) -> dict[str, str]:
    """Refs as Git lists them."""
    command = ["git", f"--git-dir={path}", "for-each-ref", "--format=%(refname) %(objectname)"]
    listing = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return dict(line.split(" ") for line in listing.splitlines())


def branches_and_tags(repository: GitRepository) -> dict[str, str]:
    return {k: v for k, v in refs(repository.git_dir).items() if k.startswith(("refs/heads/", "refs/tags/"))}


def mirrored(remote: HttpRemote, settings: Settings, token: str | None = None) -> RepositorySource:
    return resolve(remote.url("owner/project.git"), settings, ORGANIZATION, token=token)
