"""The transport of mails: an SMTP server, or a folder of files. Keep out: retries (delivery.py)."""

import os
import smtplib
import socket
import ssl
from collections.abc import Callable
from email.message import EmailMessage
from pathlib import Path

from api.control.ids import new_id
from api.operator.readers import MailServer

Transport = Callable[[EmailMessage], None]
SECONDS = 30


def transport(server: MailServer | None, outbox: Path) -> Transport:
    """SMTP with a configured server, else the folder."""
    return to_server(server) if server else to_folder(outbox)


def to_folder(outbox: Path) -> Transport:
    """Each message becomes a file that only this user reads, whole or not at all."""

    def send(message: EmailMessage) -> None:
        outbox.mkdir(parents=True, exist_ok=True, mode=0o700)
        path = outbox / f"{new_id()}.eml"
        partial = path.with_suffix(".partial")
        descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(message.as_bytes())
        partial.rename(path)

    return send


def to_server(configured: MailServer) -> Transport:
    """TLS from the start, or STARTTLS, without which no password is sent."""
    host, port, is_encrypted = configured.host, configured.port, configured.is_encrypted

    def send(message: EmailMessage) -> None:
        context = ssl.create_default_context()
        with (
            smtplib.SMTP_SSL(host, port, timeout=SECONDS, context=context)
            if is_encrypted
            else smtplib.SMTP(host, port, timeout=SECONDS)
        ) as server:
            server.ehlo_or_helo_if_needed()
            if not is_encrypted and server.has_extn("starttls"):
                server.starttls(context=context)
                server.ehlo()
                is_private = True
            else:
                is_private = is_encrypted
            if configured.user:
                if not is_private:
                    raise smtplib.SMTPNotSupportedError(
                        "the mail server offers no STARTTLS, and a password is not sent in the clear"
                    )
                server.login(configured.user, configured.password)
            if message["Content-Transfer-Encoding"] != "8bit":
                server.send_message(message)
            elif server.has_extn("8bitmime"):
                server.send_message(message, mail_options=["BODY=8BITMIME"])
            else:
                # Base64 then.
                message.policy = message.policy.clone(cte_type="7bit")
                server.send_message(message)

    return send


def is_refused_for_good(error: Exception) -> bool:
    """Whether trying again cannot help: the server knows no such recipient."""
    return isinstance(error, smtplib.SMTPRecipientsRefused) and all(
        500 <= code < 600 for code, _ in error.recipients.values()
    )


def place_of(server: MailServer | None, outbox: Path) -> str:
    """The mail server for the log, without user and password."""
    return f"the mail server {server.host}:{server.port} (EAS_SMTP_URL)" if server else str(outbox)


def reason(error: Exception) -> str:
    """Why a mail was not sent, without words of the server."""
    match error:
        case ConnectionRefusedError():
            return "nothing answers at this port"
        case socket.gaierror():
            return "the name of the host cannot be resolved"
        case TimeoutError():
            return f"no answer within {SECONDS} s"
        case ssl.SSLError():
            return "no TLS that is trusted; smtps:// and smtp:// have different ports"
        case smtplib.SMTPAuthenticationError():
            return f"it refuses user or password ({error.smtp_code})"
        case smtplib.SMTPNotSupportedError():
            return "it offers no STARTTLS or no login, so no password is sent"
        case smtplib.SMTPServerDisconnected():
            return "it ended the connection"
        case smtplib.SMTPSenderRefused():
            return f"it refuses the sender ({error.smtp_code}): set EAS_MAIL_FROM"
        case smtplib.SMTPRecipientsRefused():
            return "it refuses the recipient"
        case smtplib.SMTPResponseException():
            return f"it answers {error.smtp_code}"
        case OSError():
            return error.strerror or type(error).__name__
    return type(error).__name__
