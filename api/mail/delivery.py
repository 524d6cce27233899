"""Sends queued mails in a thread of its own, so no request waits for a mail server.

Keep out: the queue (control/accounts/mails.py), texts, transports.
"""

import logging
import threading

from sqlalchemy.exc import SQLAlchemyError

from api.control.accounts.mails import MailKind, finish_mail, postpone_mail, take_due
from api.control.store import ControlStore
from api.control.summaries.subscriptions import note_mailed
from api.mail.composition import compose
from api.mail.transport import Transport, is_refused_for_good, reason

logger = logging.getLogger(__name__)

# Seconds until a mail is read that another process queued, or that is tried again.
PAUSE = 5.0


class MailDelivery:
    """A thread that delivers mails. Call `wake` after queueing one; `close` ends the thread after the current mail."""

    def __init__(
        self,
        store: ControlStore,
        transport: Transport,
        *,
        app_url: str,
        sender: str,
        place: str = "the outbox",
    ) -> None:
        self._store = store
        self._transport = transport
        self.app_url = app_url.rstrip("/")
        self._sender = sender
        self._place = place
        self._waked = threading.Event()
        self._closed = False
        self._thread = threading.Thread(target=self._run, name="mail", daemon=True)

    def start(self) -> None:
        """Begin to deliver."""
        self._thread.start()

    def wake(self) -> None:
        """A mail was queued."""
        self._waked.set()

    def close(self) -> None:
        """End the thread."""
        self._closed = True
        self._waked.set()
        if self._thread.is_alive():
            self._thread.join()

    def deliver_due(self) -> int:
        """Send all due mails. Returns how many were sent. A failed mail is put off and stops no other."""
        sent = 0
        while not self._closed and (mail := take_due(self._store)) is not None:
            try:
                message = compose(self._store, mail, app_url=self.app_url, sender=self._sender)
                if message is not None:
                    self._transport(message)
                    sent += 1
                    if mail.kind is MailKind.SUMMARY:
                        note_mailed(self._store, mail.facts["subscription"])
            except Exception as error:  # noqa: BLE001 - whatever is wrong with one mail, the next may leave
                # Without the error's own text: a server's message can repeat addresses and content.
                due_at = None if is_refused_for_good(error) else postpone_mail(self._store, mail)
                logger.warning(
                    "mail %s (%s) could not be given to %s, attempt %d: %s; %s",
                    mail.id, mail.kind, self._place, mail.attempts, reason(error),
                    f"it is tried again at {due_at:%Y-%m-%dT%H:%M:%SZ}" if due_at else "it is given up",
                )  # fmt: skip
                if due_at is None:
                    finish_mail(self._store, mail.id)
                continue
            finish_mail(self._store, mail.id)
        return sent

    def _run(self) -> None:
        while True:
            self._waked.clear()
            # After clearing, so a later close wakes the thread.
            if self._closed:
                return
            try:
                self.deliver_due()
            except SQLAlchemyError as error:
                logger.warning("the mails that are due cannot be read: %s", type(error).__name__)
            self._waked.wait(PAUSE)
