"""Delivery of mails through a real SMTP server and into files, and retries after failures."""

import itertools
import logging
import smtplib
import time
from datetime import timedelta
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult, LoginPassword

from api.control.accounts.invitations import cancel_invitation, invite
from api.control.accounts.mails import LEASE, MAX_ATTEMPTS, DueMail, MailKind, queue_mail, take_due
from api.control.permissions import Role
from api.control.principals import OPERATOR
from api.control.store import ControlStore, open_store
from api.mail.composition import compose
from api.mail.delivery import MailDelivery
from api.mail.letters import LETTERS
from api.mail.transport import place_of, to_folder, to_server, transport
from api.operator.readers import mail_server
from tests.api.mail.conftest import Inbox, free_port
from tests.api.people import Clock, make_account

ADA = "Ada@example.org"
FACTS: dict[MailKind, dict[str, str]] = {
    MailKind.TRIAL_ENDING: {
        "name": "Ada",
        "organization": "Acme",
        "until": "1 May 2026",
        "analysed": "900",
        "limit": "1,000",
    },
    MailKind.PAYMENT_FAILED: {"name": "Ada", "organization": "Acme", "until": "2026-05-01"},
    MailKind.PAYMENT_DUE: {"name": "Ada", "organization": "Acme", "until": "2026-05-01"},
    MailKind.PAYMENT_OVERDUE: {"name": "Ada", "organization": "Acme", "until": "2026-05-01"},
    MailKind.PAYMENT_ENDED: {"name": "Ada", "organization": "Acme", "until": "2026-05-01"},
}


@pytest.fixture
def store(tmp_path: Path, clock: Clock) -> ControlStore:
    store = open_store(tmp_path, now=clock)
    make_account(store, ADA)
    return store


def queue(store: ControlStore, kind: MailKind, recipient: str = ADA) -> None:
    if kind is MailKind.INVITATION:
        acme = store.ensure_organization("Acme & Co").id
        invite(store, OPERATOR, acme, recipient, Role.VIEWER)
        return
    with store.session() as session:
        queue_mail(session, store.now(), kind, recipient, **FACTS.get(kind, {}))


def delivery(store: ControlStore, send: Any) -> MailDelivery:
    return MailDelivery(store, send, app_url="https://eas.example/", sender="eas@eas.example")


@pytest.mark.parametrize("kind", LETTERS)
def test_every_letter_arrives_at_a_mail_server(
    store: ControlStore, inbox: Inbox, server: str, kind: MailKind
) -> None:
    queue(store, kind)
    assert delivery(store, to_server(mail_server(server))).deliver_due() == 1
    [message] = inbox.messages
    assert (message["From"], message["To"]) == ("eas@eas.example", ADA)
    assert message["Subject"]
    text = message.get_payload(decode=True).decode()
    assert "https://eas.example" in text
    assert "{" not in text + message["Subject"]
    if kind is MailKind.INVITATION:
        assert "operator invites you to Acme & Co" in message["Subject"]
        assert "as viewer" in text
    for fact in FACTS.get(kind, {}).values():
        assert fact in text + message["Subject"]
    assert delivery(store, to_server(mail_server(server))).deliver_due() == 0


def test_every_kind_has_a_letter_but_summaries_which_have_their_own_text() -> None:
    assert LETTERS.keys() == set(MailKind) - {MailKind.SUMMARY}


def test_a_server_that_fails_is_asked_again_later_and_later(
    store: ControlStore, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    asked = []

    def failing(message: EmailMessage) -> None:
        asked.append(clock.at)
        raise smtplib.SMTPServerDisconnected("secret words of the server")

    queue(store, MailKind.PASSWORD_RESET)
    for _ in range(60 * 24 * 3):
        delivery(store, failing).deliver_due()
        clock.advance(minutes=1)
        if len(asked) > MAX_ATTEMPTS:
            break
    pauses = [later - earlier for earlier, later in itertools.pairwise(asked)]
    assert pauses == sorted(pauses)
    assert len(asked) == MAX_ATTEMPTS
    assert take_due(store) is None
    assert "secret words" not in caplog.text
    assert ADA.lower() not in caplog.text.lower()


def test_the_log_names_server_setting_reason_and_next_attempt_without_the_login(
    store: ControlStore, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    server = mail_server(f"smtp://post:s3cret@127.0.0.1:{free_port()}")
    queue(store, MailKind.PASSWORD_RESET)
    place = place_of(server, Path("outbox"))
    MailDelivery(store, to_server(server), app_url="x", sender="eas@eas.example", place=place).deliver_due()
    said = caplog.text
    assert (
        f"(password_reset) could not be given to the mail server 127.0.0.1:{server.port} (EAS_SMTP_URL)"
        in said
    )
    assert "attempt 1: nothing answers at this port" in said
    assert f"it is tried again at {clock.at + timedelta(seconds=30):%Y-%m-%dT%H:%M:%SZ}" in said
    assert "s3cret" not in said
    assert "post:" not in said


@pytest.mark.both_databases
def test_a_failed_mail_does_not_delay_others(
    store: ControlStore, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.CRITICAL)
    make_account(store, "eve@example.org")
    sent: list[str] = []

    def choosy(message: EmailMessage) -> None:
        if message["To"] == ADA:
            raise OSError
        sent.append(message["To"])

    queue(store, MailKind.WELCOME)
    queue(store, MailKind.WELCOME, "eve@example.org")
    assert delivery(store, choosy).deliver_due() == 1
    assert sent == ["eve@example.org"]


def test_a_mail_is_taken_by_one_sender_and_by_the_next_when_that_one_died(
    store: ControlStore, clock: Clock
) -> None:
    queue(store, MailKind.WELCOME)
    first = take_due(store)
    assert first is not None
    assert take_due(store) is None
    clock.at += LEASE
    second = take_due(store)
    assert second is not None
    assert (second.id, second.attempts) == (first.id, 2)


def test_a_refused_recipient_is_given_up_at_once(store: ControlStore, clock: Clock) -> None:
    def refusing(message: EmailMessage) -> None:
        raise smtplib.SMTPRecipientsRefused({ADA: (550, b"no such user")})

    queue(store, MailKind.WELCOME)
    delivery(store, refusing).deliver_due()
    clock.advance(days=30)
    assert take_due(store) is None


def test_an_unknown_address_gets_no_mail(store: ControlStore) -> None:
    mail = DueMail("id", MailKind.PASSWORD_RESET, "nobody@example.org", {}, 1)
    assert compose(store, mail, app_url="https://eas.example", sender="eas@eas.example") is None


def test_an_invitation_that_was_cancelled_meanwhile_is_not_sent(store: ControlStore, tmp_path: Path) -> None:
    acme = store.ensure_organization("Acme").id
    made = invite(store, OPERATOR, acme, ADA, Role.VIEWER)
    cancel_invitation(store, OPERATOR, acme, made.id)
    assert delivery(store, to_folder(tmp_path)).deliver_due() == 0
    assert take_due(store) is None


def test_a_mail_about_a_payment_names_the_address_to_pay_at(
    store: ControlStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    mail = DueMail(
        "id", MailKind.PAYMENT_FAILED, ADA, FACTS[MailKind.PAYMENT_FAILED] | {"reference": "a-b"}, 1
    )
    for address, link in (
        ("", "https://eas.example"),
        ("https://pay.example.org/to?shop=1", "https://pay.example.org/to?shop=1&reference=a-b"),
    ):
        monkeypatch.setenv("EAS_CHECKOUT_URL", address)
        message = compose(store, mail, app_url="https://eas.example", sender="eas@eas.example")
        assert message is not None
        assert f"payment provider.\n\n{link}\n" in message.get_content()


def test_a_name_cannot_write_headers_or_lines_of_its_own(store: ControlStore) -> None:
    facts = FACTS[MailKind.TRIAL_ENDING] | {
        "organization": "Acme\r\nBcc: all@example.org\n\nhttps://evil.example {link}"
    }
    message = compose(
        store,
        DueMail("id", MailKind.TRIAL_ENDING, ADA, facts, 1),
        app_url="https://eas.example",
        sender="eas@eas.example",
    )
    assert message is not None
    assert message["Bcc"] is None
    assert "\nhttps://evil" not in message.get_content()


def test_files_are_whole_and_for_this_user_alone(store: ControlStore, tmp_path: Path) -> None:
    queue(store, MailKind.WELCOME)
    delivery(store, transport(None, tmp_path / "outbox")).deliver_due()
    [path] = (tmp_path / "outbox").iterdir()
    assert path.suffix == ".eml"
    assert path.stat().st_mode & 0o077 == 0
    assert b"To: Ada@example.org" in path.read_bytes()


def test_a_password_is_never_sent_in_the_clear(store: ControlStore, inbox: Inbox) -> None:
    seen: list[LoginPassword] = []

    def authenticator(server: Any, session: Any, envelope: Any, mechanism: str, data: Any) -> AuthResult:
        seen.append(data)
        return AuthResult(success=True)

    controller = Controller(
        inbox, hostname="127.0.0.1", port=free_port(), authenticator=authenticator, auth_require_tls=False
    )
    controller.start()
    try:
        with pytest.raises(smtplib.SMTPNotSupportedError, match="not sent in the clear"):
            to_server(mail_server(f"smtp://user:word@127.0.0.1:{controller.port}"))(EmailMessage())
    finally:
        controller.stop()
    assert seen == []


def test_the_thread_delivers_queued_mails_and_ends(store: ControlStore, tmp_path: Path) -> None:
    running = delivery(store, to_folder(tmp_path / "outbox"))
    running.start()
    queue(store, MailKind.WELCOME)
    running.wake()
    until = time.monotonic() + 30
    while not list((tmp_path / "outbox").glob("*.eml")) and time.monotonic() < until:
        time.sleep(0.005)
    running.close()
    assert len(list((tmp_path / "outbox").glob("*.eml"))) == 1
