"""The transport of mails: an SMTP server, or a folder of files. Keep out: retries (delivery.py)."""

import os
import smtplib
import ssl
from collections.abc import Callable
from email.message import EmailMessage
from pathlib import Path
from urllib.parse import unquote, urlsplit

from api.control.ids import new_id

Transport = Callable[[EmailMessage], None]
SECONDS = 30


def transport(smtp_url: str | None, outbox: Path) -> Transport:
    """SMTP with a configured server, else the folder. Raises ValueError for a malformed URL."""
    return to_server(smtp_url) if smtp_url else to_folder(outbox)


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


def to_server(url: str) -> Transport:
    """`smtps://` is encrypted from the start; `smtp://` by STARTTLS, without which no password is sent."""
    parts = urlsplit(url)
    if parts.scheme not in ("smtp", "smtps") or not parts.hostname:
        raise ValueError("EAS_SMTP_URL must be smtp://[user:password@]host[:port] or smtps://…")
    host, user = parts.hostname, parts.username
    password = unquote(parts.password or "")
    encrypted = parts.scheme == "smtps"
    port = parts.port or (465 if encrypted else 587)

    def send(message: EmailMessage) -> None:
        context = ssl.create_default_context()
        with (
            smtplib.SMTP_SSL(host, port, timeout=SECONDS, context=context)
            if encrypted
            else smtplib.SMTP(host, port, timeout=SECONDS)
        ) as server:
            server.ehlo_or_helo_if_needed()
            if not encrypted and server.has_extn("starttls"):
                server.starttls(context=context)
                server.ehlo()
                is_private = True
            else:
                is_private = encrypted
            if user:
                if not is_private:
                    raise smtplib.SMTPNotSupportedError(
                        "the mail server offers no STARTTLS, and a password is not sent in the clear"
                    )
                server.login(unquote(user), password)
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
