"""What tests of failed sign-ins share: a service with one provider, and the lines in the log."""

import json
import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.api.auth.browsers import APP, Browser
from tests.api.auth.fake_provider import CLIENT, ISSUER, SECRET
from tests.api.conftest import serving

LINE = re.compile(r'(\w+)=("(?:[^"\\]|\\.)*"|\S+)')
REFERENCE = re.compile(r"reference (?:<code>)?([0-9a-f]{8})\b")
# Of a provider: nobody sees them.
HOSTILE = "Call 555\nsign-in failed: kind=forged <script>"


@contextmanager
def service(data_dir: Path, issuer: str = ISSUER, kind: str = "OPENID_CONNECT") -> Iterator[Browser]:
    """A browser at a service whose deployment has this provider."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in (
            ("CLIENT_ID", CLIENT),
            ("CLIENT_SECRET", SECRET),
            ("ISSUER", issuer),
            ("NAME", "Acme login"),
        ):
            patch.setenv(f"EAS_SIGN_IN_{kind}_{name}", value)
        with serving(data_dir, EAS_APP_URL=APP) as address:
            yield Browser(address)


def lines(caplog: pytest.LogCaptureFixture) -> list[dict[str, str]]:
    """The failures in the log as an operator reads it without any setting: warnings and above."""
    found = []
    for record in caplog.records:
        text = record.getMessage()
        if record.levelno >= logging.WARNING and text.startswith("sign-in failed: "):
            assert "\n" not in text
            pairs = LINE.findall(text.removeprefix("sign-in failed: "))
            found.append(
                {name: json.loads(value) if value.startswith('"') else value for name, value in pairs}
            )
    return found


def only_line(caplog: pytest.LogCaptureFixture) -> dict[str, str]:
    [line] = lines(caplog)
    assert list(line) == ["reference", "step", "organization", "provider", "issuer", "kind", "reason"]
    return line


def reference(text: str) -> str:
    [found] = REFERENCE.findall(text)
    return str(found)
