"""Addresses that are refused."""

from __future__ import annotations

import pytest

from ingest.errors import UnsupportedTarget
from ingest.git.repository_source import resolve
from ingest.settings import Settings
from tests.ingest.git.repository_source.mirrors import ORGANIZATION, TOKEN


@pytest.mark.parametrize(
    "target",
    [
        "",
        "  ",
        "--upload-pack=touch /tmp/x",
        "-u/x",
        "ext::sh -c touch% /tmp/x",
        "fd::17/foo",
        "file:///etc",
        "FILE:/etc",
        "ftp://host/x",
        "git://host/x",
        "https://",
        "https://host",
        "https://host/",
        "https://-oProxyCommand=x/y",
        "ssh://-oProxyCommand=touch/x",
        "ssh://-lroot@host/x",
        "git@-oProxyCommand=touch:x",
        "git@host:-x",
        "https://host/a?token=b",
        "https://host/a#b",
        "https://ho st/a",
        "https://host:99999/a/b",
        "https://host/a%0ab/c",
        "a\nb",
        "a\0b",
    ],
)
def test_dangerous_and_unknown_addresses_are_refused(target: str, settings: Settings) -> None:
    with pytest.raises(UnsupportedTarget):
        resolve(target, settings, ORGANIZATION)
    assert not settings.data_dir.exists()


def test_a_token_is_not_sent_unencrypted(settings: Settings) -> None:
    with pytest.raises(UnsupportedTarget, match="https") as caught:
        resolve("http://git.example.org/a/b", settings, ORGANIZATION, token=TOKEN)
    assert TOKEN not in str(caught.value)
