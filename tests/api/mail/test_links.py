"""Links in mails stay whole: in the raw file that a person opens, and for every mail server."""

import email
import re
from collections.abc import Iterator
from contextlib import contextmanager
from email.message import EmailMessage
from email.policy import default
from pathlib import Path
from typing import Any

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, Envelope, Session

from api.control.accounts.accounts import sign_up
from api.control.accounts.mails import DueMail, MailKind
from api.control.accounts.passwords import Passwords
from api.control.store import ControlStore, open_store
from api.mail.composition import compose
from api.mail.letters import LETTERS
from api.mail.transport import Transport, to_folder, to_server
from api.operator.readers import mail_server
from tests.api.mail.conftest import free_port
from tests.api.people import Clock

ADDRESS = "ada@example.org"
NAMES = ("Ada", "Ødegård-Müller", "株式会社 デイリー", "=3D=20 & Söhne")
# Long, as mails quote addresses of a company's proxy, with the sign that quoted-printable escapes.
APP = "https://engineering-analytics.internal.a-long-name.example:8443/eas=1/below-a-prefix-of-the-proxy"
LINKED = (MailKind.WELCOME, MailKind.VERIFICATION, MailKind.PASSWORD_RESET)
LINK = re.compile(rf"^({re.escape(APP)}/\w+#[\w-]{{40,}})$", re.MULTILINE)


class Raw:
    """Keeps what a server received, as bytes."""

    def __init__(self) -> None:
        self.received: list[bytes] = []
        self.options: list[list[str]] = []

    async def handle_DATA(self, server: Any, session: Session, envelope: Envelope) -> str:  # noqa: N802
        assert isinstance(envelope.content, bytes)
        self.received.append(envelope.content)
        self.options.append(envelope.mail_options)
        return "250 OK"


class Strict(SMTP):
    """A server of RFC 5321 without extensions: it says HELO and takes only bytes below 128."""

    async def smtp_EHLO(self, hostname: str) -> None:  # noqa: N802
        await self.push("502 not implemented")


@contextmanager
def server(raw: Raw, kind: type[SMTP]) -> Iterator[Transport]:
    class Chosen(Controller):
        def factory(self) -> SMTP:
            return kind(self.handler)

    running = Chosen(raw, hostname="127.0.0.1", port=free_port())
    running.start()
    try:
        yield to_server(mail_server(f"smtp://127.0.0.1:{running.port}"))
    finally:
        running.stop()


def message(store: ControlStore, kind: MailKind, app: str = APP) -> EmailMessage:
    made = compose(
        store, DueMail("id", kind, ADDRESS, {}, 1), app_url=app, sender="Analytics <eas@eas.example>"
    )
    assert made is not None
    return made


@pytest.fixture
def store(tmp_path: Path, clock: Clock) -> Iterator[ControlStore]:
    made = open_store(tmp_path, now=clock)
    yield made
    made.close()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", LINKED)
def test_the_file_of_a_mail_has_its_link_in_one_line(
    store: ControlStore, tmp_path: Path, kind: MailKind, name: str
) -> None:
    sign_up(store, Passwords(8), ADDRESS, "Correct-horse 9 staple", name)
    to_folder(tmp_path / "outbox")(message(store, kind))
    [path] = (tmp_path / "outbox").iterdir()
    [in_file] = LINK.findall(path.read_text(encoding="utf-8"))
    parsed = email.message_from_bytes(path.read_bytes(), policy=default)
    assert LINK.findall(parsed.get_content()) == [in_file]
    # A person reads the file too: name and sentences are as they were written.
    assert f"Hello {name}," in path.read_text(encoding="utf-8")
    assert f"Hello {name}," in parsed.get_content()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", [SMTP, Strict])
def test_a_mail_server_gets_the_same_text_whatever_it_takes(
    store: ControlStore, kind: type[SMTP], name: str
) -> None:
    sign_up(store, Passwords(8), ADDRESS, "Correct-horse 9 staple", name)
    sent, raw = message(store, MailKind.WELCOME), Raw()
    text = sent.get_content()
    with server(raw, kind) as send:
        send(sent)
    [content] = raw.received
    parsed = email.message_from_bytes(content, policy=default)
    assert parsed.get_content().splitlines() == text.splitlines()
    assert max(map(len, content.splitlines())) <= 998
    takes_eight_bits = kind is SMTP
    assert content.isascii() == (name.isascii() or not takes_eight_bits)
    assert ("BODY=8BITMIME" in raw.options[0]) == (not content.isascii())


def test_a_line_that_is_too_long_for_mail_servers_is_encoded(store: ControlStore) -> None:
    sign_up(store, Passwords(8), ADDRESS, "Correct-horse 9 staple", "Ada")
    app = f"https://eas.example/{'x' * 1000}"
    sent = message(store, MailKind.WELCOME, app)
    assert max(map(len, sent.as_bytes().splitlines())) <= 998
    assert f"{app}/verifyEmail#" in sent.get_content()


def test_every_letter_has_its_link_on_a_line_of_its_own() -> None:
    for letter in LETTERS.values():
        assert "{link}" in letter.text.splitlines()
