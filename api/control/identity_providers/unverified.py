"""Identities of which no address is verified, and the reason.

Keep out: which addresses count as verified (api/identity_providers/addresses.py).
"""

from dataclasses import dataclass

from api.control.errors import NotPossible

UNCONFIRMED = (
    "the identity provider does not confirm that your e-mail address is yours; verify it there, or sign in "
    "another way"
)


@dataclass(frozen=True, slots=True)
class WithoutAddress:
    """Why an identity has no verified address: a sentence, and the claim that is missing if one is.

    `detail` is for the operator where the sentence leaves out what the provider sent.
    """

    message: str
    missing_claim: str | None = None
    detail: str = ""


class NoVerifiedAddress(NotPossible):
    """The provider proves no address of the person. `missing_claim` is the claim that it does not send."""

    def __init__(self, reason: WithoutAddress | None) -> None:
        super().__init__(reason.message if reason else UNCONFIRMED)
        self.missing_claim = reason.missing_claim if reason else None
        self.detail = reason.detail if reason else ""
