"""Parse the URL of a remote repository, and normalize it to one spelling.

Add: hosts whose addresses differ by transport. Keep out: ids (`identifiers`), network access, Git's own files
(`repository_source`).

The normalized URL is `host[:port]/path`: no scheme, credentials, default port, `.git` or trailing slash, the host in
lower case. `https://me@GitHub.com/Owner/Repo.git` and `git@github.com:Owner/Repo` are both `github.com/Owner/Repo`.
The path keeps its case for display; ids ignore case on hosts that do.
"""

import re
from dataclasses import dataclass
from urllib.parse import unquote

from ingest.errors import UnsupportedTarget
from ingest.reach import checked_host

ENCRYPTED_SCHEMES = ("https", "ssh")
DEFAULT_PORTS = {"https": 443, "http": 80, "ssh": 22, "git": 9418}
# Other host names of the same repositories, mostly ssh over port 443 for networks that block port 22.
HOST_ALIASES = {
    "www.github.com": "github.com",
    "ssh.github.com": "github.com",
    "altssh.gitlab.com": "gitlab.com",
    "altssh.bitbucket.org": "bitbucket.org",
    "ssh.dev.azure.com": "dev.azure.com",
    "vs-ssh.visualstudio.com": "dev.azure.com",
}
_URL = re.compile(
    r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*)://(?P<authority>[^/?#]*)(?P<path>[^?#]*)(?P<rest>.*)", re.DOTALL
)
_SCP = re.compile(
    r"(?:(?P<user>[^@/:\s]+)@)?(?P<host>\[[0-9A-Fa-f:.]+\]|[^@/:\[\]\s]+):(?P<path>[^:].*)", re.DOTALL
)
_HELPER = re.compile(r"[A-Za-z0-9+.-]*::")  # `ext::…` would run a program
_HOST = re.compile(r"\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?\.?")
_USER = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._~+-]*")
# Without a user `word:rest` would be ambiguous.
_SCP_WITH_USER = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]*@[^/:@]+:|[A-Za-z0-9_][A-Za-z0-9._-]*@\[")
_UNPRINTABLE = re.compile(r"[\x00-\x20\x7f]")


@dataclass(frozen=True)
class Address:
    """The parts of a remote URL. `secret` is the password of its userinfo, which never leaves memory."""

    scheme: str
    user: str | None
    secret: str | None
    host: str
    port: int | None
    path: str
    is_scp: bool = False

    def __repr__(self) -> str:
        return f"Address({self.url})"

    @property
    def url(self) -> str:
        """The address for Git: without a secret, and over http also without a user."""
        user = f"{self.user}@" if self.user and self.scheme == "ssh" else ""
        if self.is_scp:  # its path is relative to the home directory, which a URL cannot express
            return f"{user}{self.host}:{self.path}"
        port = f":{self.port}" if self.port is not None else ""
        return f"{self.scheme}://{user}{self.host}{port}/{self.path.removeprefix('/')}"


def parse(address: str) -> Address:
    """Split a URL or scp-like address (`git@host:owner/repo`) into its parts.

    Raises UnsupportedTarget for anything else. The message never repeats the address: it may hold a secret.
    """
    address = address.strip()
    if _UNPRINTABLE.search(address):
        raise UnsupportedTarget(
            "The repository address contains a blank or control character: write a blank as %20, and remove others."
        )
    if match := _URL.fullmatch(address):
        return _from_url(match)
    if not _HELPER.match(address) and (match := _SCP.fullmatch(address)):
        return _checked(
            Address("ssh", match["user"], None, match["host"].lower(), None, match["path"], is_scp=True)
        )
    raise UnsupportedTarget("The address is neither a URL (https://host/owner/repo) nor git@host:owner/repo.")


def parse_encrypted(address: str) -> Address:
    """Parse an https or ssh address. Raises UnsupportedTarget for paths, helpers and unencrypted schemes."""
    scheme, has_scheme, _ = address.strip().partition("://")
    if has_scheme and scheme.lower() not in ENCRYPTED_SCHEMES:
        raise UnsupportedTarget(
            "The API accepts only https and ssh addresses: write https://host/owner/repo."
        )
    if not has_scheme and not _SCP_WITH_USER.match(address.strip()):
        raise UnsupportedTarget(
            "The address is not an https or ssh address (https://host/owner/repo, git@host:owner/repo)."
            " Only the command line accepts paths."
        )
    return parse(address)


def _from_url(match: re.Match[str]) -> Address:
    scheme = match["scheme"].lower()
    if scheme not in DEFAULT_PORTS:
        raise UnsupportedTarget(
            f"Addresses of kind {scheme[:20]}:// are refused: use https, http, ssh or a local path."
        )
    if match["rest"]:
        raise UnsupportedTarget(
            "The repository address has a query or fragment: remove everything from ? or # on."
        )
    userinfo, _, place = match["authority"].rpartition("@")
    user, _, secret = userinfo.partition(":")
    host, port = place, None
    if found := re.fullmatch(r"(.*?):(\d{0,5})", place, re.DOTALL):
        host, digits = found.groups()
        port = int(digits) if digits else None
    if port == DEFAULT_PORTS[scheme]:
        port = None
    return _checked(
        Address(scheme, unquote(user) or None, unquote(secret) or None, host.lower(), port, match["path"])
    )


def _checked(address: Address) -> Address:
    """Refuse parts that ssh or Git could take for an option or could misread."""
    if not _HOST.fullmatch(address.host) or (address.port is not None and not 0 < address.port < 65536):
        raise UnsupportedTarget(
            "The repository address has no valid host or port: write https://host/owner/repo."
        )
    checked_host(address.host)
    if address.scheme == "ssh" and address.user and not _USER.fullmatch(address.user):
        raise UnsupportedTarget(
            "The user in the repository address has characters other than letters, digits and . _ ~ + -: remove them."
        )
    path = unquote(address.path)
    if not path.strip("/") or path.startswith("-") or re.search(r"[\x00-\x1f\x7f]", path):
        raise UnsupportedTarget(f"The address on {address.host} names no repository: add owner/name.")
    # Otherwise one repository would have any number of addresses.
    if {".", ".."} & set(path.split("/")):
        raise UnsupportedTarget(f"The address on {address.host} has . or .. in its path: remove them.")
    return address


def normalize(address: str) -> str:
    """The spelling `host[:port]/path` of a remote URL. Raises UnsupportedTarget where it cannot be parsed."""
    parts = parse(address)
    host = parts.host.rstrip(".")
    port = parts.port
    if host in HOST_ALIASES:
        host, port = HOST_ALIASES[host], None
    segments = [s for s in unquote(parts.path).split("/") if s]
    if segments[0].startswith("~") and len(segments) == 1:
        raise UnsupportedTarget(f"The address on {host} names no repository: add owner/name.")
    segments[-1] = segments[-1].removesuffix(".git") or segments[-1]
    host, segments = _azure(host, segments)
    return f"{host}{f':{port}' if port is not None else ''}/{'/'.join(segments)}"


def _azure(host: str, segments: list[str]) -> tuple[str, list[str]]:
    """Azure DevOps spells one repository differently over ssh, https and its old host names."""
    if host == "dev.azure.com" and segments[0] == "v3" and len(segments) == 4:
        segments = [segments[1], segments[2], "_git", segments[3]]
    elif host.endswith(".visualstudio.com") and "_git" in segments:
        segments = [
            host.removesuffix(".visualstudio.com"),
            *(s for s in segments if s != "DefaultCollection"),
        ]
        host = "dev.azure.com"
    if host == "dev.azure.com" and len(segments) == 3 and segments[1] == "_git":
        segments = [segments[0], segments[2], "_git", segments[2]]
    return host, segments


def display_name(origin: str) -> str:
    """`owner/name` (with all groups in between) of a normalized URL."""
    path = origin.partition("/")[2]
    return path.replace("/_git/", "/") or origin
