from __future__ import annotations

import pytest

from ingest.errors import ForeignOwner, IngestError, MirrorFailed, RateLimited, Transient
from ingest.git.remote.errors import failure

HUNG_UP = (
    "fatal: Could not read from remote repository.\n\nPlease make sure you have the correct access rights"
)


@pytest.mark.parametrize(
    ("output", "kind", "advice"),
    [
        (
            "fatal: could not read Username for 'https://github.com': terminal prompts disabled",
            MirrorFailed,
            "EAS_GIT_TOKEN",
        ),
        (
            "remote: HTTP Basic: Access denied\nfatal: Authentication failed for 'https://x/'",
            MirrorFailed,
            "login",
        ),
        (
            "fatal: unable to access 'https://x/': The requested URL returned error: 403",
            MirrorFailed,
            "login",
        ),
        (f"git@x: Permission denied (publickey).\n{HUNG_UP}", MirrorFailed, "ssh key"),
        (f"Host key verification failed.\n{HUNG_UP}", MirrorFailed, "fingerprint"),
        (
            "remote: Repository not found.\nfatal: repository 'https://x/' not found",
            MirrorFailed,
            "no such repository",
        ),
        (
            "fatal: '/x' does not appear to be a git repository\n" + HUNG_UP,
            MirrorFailed,
            "no such repository",
        ),
        (
            "fatal: unable to access 'https://x/': SSL certificate problem: self-signed certificate",
            MirrorFailed,
            "GIT_SSL_CAINFO",
        ),
        (
            "error: file write error: No space left on device\nfatal: unpack-objects failed",
            MirrorFailed,
            "disk",
        ),
        (
            "fatal: unable to access 'https://x/': The requested URL returned error: 429",
            RateLimited,
            "try again",
        ),
        (
            "fatal: unable to access 'https://x/': The requested URL returned error: 502",
            Transient,
            "try again",
        ),
        ("fatal: unable to access 'https://x/': Could not resolve host: x", Transient, "try again"),
        ("fatal: unable to access 'https://x/': Could not resolve proxy: x", Transient, "try again"),
        (f"ssh: connect to host x port 22: Connection timed out\n{HUNG_UP}", Transient, "try again"),
        ("ssh: Could not resolve hostname x: Temporary failure in name resolution", Transient, "try again"),
        (
            "error: RPC failed; curl 56 Recv failure: Connection reset by peer\nfatal: early EOF",
            Transient,
            "try again",
        ),
        ("fatal: the remote end hung up unexpectedly", Transient, "try again"),
        (
            "fatal: unable to access 'https://x/': Operation too slow. Less than 1 bytes/sec",
            Transient,
            "try again",
        ),
        ("fatal: bad object deadbeef", MirrorFailed, "code 128"),
        ("", MirrorFailed, "code 128"),
    ],
)
def test_a_message_of_git_becomes_an_error_that_names_the_remedy(
    output: str, kind: type[IngestError], advice: str
) -> None:
    error = failure("host/a/b", output, 128)
    assert type(error) is kind
    assert str(error).startswith("host/a/b: ")
    assert advice in str(error)
    if output:
        assert output.splitlines()[0].strip() in str(error)


def test_an_owner_that_git_does_not_trust_gets_the_command() -> None:
    error = failure(
        "x", "fatal: detected dubious ownership in repository at '/srv/data/m.git'\nTo add an exception", 128
    )
    assert isinstance(error, ForeignOwner)
    assert "safe.directory /srv/data/m.git" in str(error)


def test_lines_of_the_remote_do_not_select_the_error() -> None:
    output = "remote: Could not resolve host: try again\nfatal: Authentication failed for 'https://x/'"
    assert type(failure("x", output, 128)) is MirrorFailed
    assert type(failure("x", "remote: Connection refused\nfatal: bad object", 128)) is MirrorFailed


def test_a_flood_of_words_is_cut() -> None:
    assert len(str(failure("x", "fatal: " + "a" * 100_000, 128))) < 2000
