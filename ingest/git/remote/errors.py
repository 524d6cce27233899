"""Translate Git's error messages into errors with a cause and a remedy.

Add: messages that users meet. Keep out: running Git (`command`).
"""

import re

from ingest.errors import ForeignOwner, IngestError, MirrorFailed, RateLimited, Transient

ASKS_FOR_USER = r"could not read Username|terminal prompts disabled"
# The order matters: a failed ssh login also reports a closed connection.
_MEANINGS: tuple[tuple[str, type[IngestError], str], ...] = (
    (r"error: 429|rate limit|too many requests", RateLimited, "the host limits requests: try again later"),
    (r"detected dubious ownership", ForeignOwner, ""),
    (
        r"Proxy CONNECT aborted|from proxy after CONNECT|error: 407|CONNECT tunnel failed",
        MirrorFailed,
        "the proxy refuses the connection: check HTTPS_PROXY (HTTP_PROXY for http), its login, and NO_PROXY",
    ),
    (
        ASKS_FOR_USER,
        MirrorFailed,
        "the repository does not exist or needs a login: check the address, connect its host, or set EAS_GIT_TOKEN",
    ),
    (
        r"Authentication failed|error: 40[13]|Access denied|Permission denied|could not read Password",
        MirrorFailed,
        "the login was refused: check that the token (or that of its connection) or ssh key is valid and may read it",
    ),
    (
        r"Host key verification failed",
        MirrorFailed,
        "ssh does not know the host: connect once by hand (`ssh -T git@host`) and compare its fingerprint",
    ),
    (
        r"repository .*not found|error: 404|not appear to be a git repository|no such repository",
        MirrorFailed,
        "there is no such repository: check the address, and that the token may see it",
    ),
    (
        r"certificate|SSL: no alternative",
        MirrorFailed,
        "the host's certificate is not trusted: set GIT_SSL_CAINFO to the file of your authority",
    ),
    (r"No space left on device|Disk quota exceeded", MirrorFailed, "the disk is full: free some space"),
    (
        r"error: 30[1-8]",
        MirrorFailed,
        "the host redirects to another address, which is not followed: add the repository with that one",
    ),
    (r"transport '.*' not allowed", MirrorFailed, "the host redirects to a protocol that is refused"),
    (
        (
            r"resolve (?:host|proxy)|name resolution|Failed to connect|Couldn't connect"
            r"|No route to host|Network is unreachable|Connection (?:refused|reset|timed out|closed)"
            r"|Operation (?:timed out|too slow)|timeout|early EOF|RPC failed|unexpected disconnect"
            r"|hung up unexpectedly|error: 5\d\d|SSL_ERROR|gnutls_handshake|kex_exchange|cannot lock ref"
            r"|still expected|Empty reply"
        ),
        Transient,
        "the network or the host failed: try again later",
    ),
)


def failure(name: str, output: str, code: int, *, has_sent_login: bool = False) -> IngestError:
    """The error for Git's (scrubbed) output. Lines that the remote sent do not select it.

    With `has_sent_login` every request had a header of the login, so Git asks for a user only if the host refused it.
    """
    lines = [line for line in output.splitlines() if line.strip()]
    own = "\n".join(line for line in lines if not line.startswith("remote:"))
    if has_sent_login and re.search(ASKS_FOR_USER, own):
        own = "Authentication failed"
    kind, advice = next(
        ((kind, advice) for pattern, kind, advice in _MEANINGS if re.search(pattern, own, re.IGNORECASE)),
        (MirrorFailed, f"git ended with code {code}"),
    )
    if kind is ForeignOwner:
        found = re.search(r"repository at '(.+?)'", own)
        return ForeignOwner(found[1] if found else name)
    words = " ".join(lines[-4:])[-1000:] or "no message"
    return kind(f"{name}: {advice}. Git said: {words}")
