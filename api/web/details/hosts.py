"""Addresses of commits and files at Git hosts, for links that lead out of the dashboard.

Sources: the addresses that the hosts' own pages have. Keep out: reading hosts (ingest/providers).
"""

import re
from dataclasses import dataclass
from urllib.parse import quote, urlsplit

COMMITS = {
    "GITHUB": "{root}/commit/{sha}",
    "GITLAB": "{root}/-/commit/{sha}",
    "GITEA": "{root}/commit/{sha}",
    "BITBUCKET_CLOUD": "{root}/commits/{sha}",
    "BITBUCKET_DATA_CENTER": "{root}/commits/{sha}",
    "AZURE_DEVOPS": "{root}/commit/{sha}",
}
FILES = {
    "GITHUB": "{root}/blob/{sha}/{path}",
    "GITLAB": "{root}/-/blob/{sha}/{path}",
    "GITEA": "{root}/src/commit/{sha}/{path}",
    "BITBUCKET_CLOUD": "{root}/src/{sha}/{path}",
    "BITBUCKET_DATA_CENTER": "{root}/browse/{path}?at={sha}",
    "AZURE_DEVOPS": "{root}?path=/{path}&version=GC{sha}",
}
KNOWN = {
    "github.com": "GITHUB",
    "gitlab.com": "GITLAB",
    "codeberg.org": "GITEA",
    "bitbucket.org": "BITBUCKET_CLOUD",
    "dev.azure.com": "AZURE_DEVOPS",
}
"""Hosts whose kind their name tells."""
SHORT_SSH = re.compile(r"(?:[\w.-]+@)?([\w.-]+):(?!//)([\w./-]+)")
# Bitbucket Data Center clones from /scm/KEY/name and shows /projects/KEY/repos/name.
CLONED = re.compile(r"/scm/([^/]+)/([^/]+)$")


@dataclass(frozen=True, slots=True)
class HostPages:
    """The pages of a repository at its host, of which `kind` is that of the connection."""

    root: str
    kind: str

    def commit(self, sha: str) -> str:
        """The page of a commit."""
        return COMMITS[self.kind].format(root=self.root, sha=sha)

    def file(self, sha: str, path: str) -> str:
        """The page of a file as a commit left it."""
        return FILES[self.kind].format(root=self.root, sha=sha, path=quote(path))


def pages_of(address: str | None, kind: str | None) -> HostPages | None:
    """The pages of the repository with this address to fetch from; None for a folder or a host of unknown kind."""
    found = _host_and_path(address or "")
    if found is None:
        return None
    scheme, host, path = found
    known = kind if kind in COMMITS else KNOWN.get(host)
    if known is None:
        return None
    if known == "BITBUCKET_DATA_CENTER":
        path, changed = CLONED.subn(r"/projects/\1/repos/\2", path)
        if not changed:
            return None
    return HostPages(f"{scheme}://{host}{quote(path)}", known)


def _host_and_path(address: str) -> tuple[str, str, str] | None:
    """The scheme of the host's pages, its name (with a port of http), and the path of the repository."""
    short = SHORT_SSH.fullmatch(address)
    if short:
        return "https", short[1], _plain(short[2])
    try:
        parts = urlsplit(address)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return None
    if not host or parts.scheme not in ("https", "http", "ssh"):
        return None
    if parts.scheme == "ssh":
        return "https", host, _plain(parts.path)
    return parts.scheme, f"{host}:{port}" if port else host, _plain(parts.path)


def _plain(path: str) -> str:
    return "/" + path.strip("/").removesuffix(".git")
