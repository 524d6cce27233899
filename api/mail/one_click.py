"""The headers with which mail programs offer to end a subscription (RFC 2369, RFC 8058)."""

from email.message import EmailMessage
from email.policy import EmailPolicy

_NAME = "List-Unsubscribe"


class _WholeAddresses(EmailPolicy):
    """Leaves the address on one line: folding would encode its parts, and mail programs read them as they are."""

    def fold(self, name: str, value: str) -> str:
        return f"{name}: {value}{self.linesep}" if name == _NAME else super().fold(name, value)

    def fold_binary(self, name: str, value: str) -> bytes:
        return self.fold(name, value).encode("ascii") if name == _NAME else super().fold_binary(name, value)


def subscribed_message() -> EmailMessage:
    """An empty message to a subscriber."""
    return EmailMessage(policy=_WholeAddresses())


def offer_to_end(message: EmailMessage, address: str) -> None:
    """Name the page that ends the subscription; with one click if it is encrypted on the way, as RFC 8058 asks."""
    message[_NAME] = f"<{address}>"
    if address.startswith("https://"):
        message[f"{_NAME}-Post"] = f"{_NAME}=One-Click"
