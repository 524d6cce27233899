"""Pass credentials to Git, and keep them out of logs and messages.

Add: schemes of login. Keep out: running Git (`command`). A secret reaches Git only in the environment, through a
credential helper that answers for one scheme and host. It never appears in arguments, a stored URL or a message.
"""

import base64
import os
import re
from dataclasses import dataclass, field
from urllib.parse import quote

from ingest.errors import UnsupportedTarget
from ingest.git.remote import operator_logins, pinning, proxies
from ingest.git.remote.url import Address

# Most hosts accept any user name with a token; these hosts require a fixed one.
TOKEN_USERS = {"bitbucket.org": "x-token-auth", "gitlab.com": "oauth2"}
LOOPBACK = re.compile(r"localhost|127(\.\d+){3}|\[::1\]")
# Tokens are written in place of a user (`https://ghp_...@github.com/...`); plain user names are shorter.
TOKEN_LENGTH = 20
# Git's variables about the network are passed on; GIT_DIR, traces and injected configuration are not.
PASSED_ON = re.compile(
    r"GIT_(SSH|SSH_COMMAND|SSH_VARIANT|SSL_.*|PROXY_.*|HTTP_.*|EXEC_PATH|CONFIG_(GLOBAL|SYSTEM|NOSYSTEM))"
)
ANSWER = 'printf "username=%s\\npassword=%s\\n" "$EAS_REMOTE_USER" "$EAS_REMOTE_SECRET"'
HELPER = f'!f() {{ test "$1" = get && {ANSWER}; }}; f'
CONFIGURATION = {
    "core.hooksPath": "/dev/null",
    "core.fsmonitor": "false",
    "core.logAllRefUpdates": "false",
    "fetch.recurseSubmodules": "false",
    "fetch.writeCommitGraph": "false",
    "gc.auto": "0",
    "maintenance.auto": "false",
    "transfer.unpackLimit": "1",  # always a pack: thousands of loose objects would be slow to read
    "transfer.bundleURI": "false",
    # Give up on a host that sends nothing for two minutes.
    "http.lowSpeedLimit": "1",
    "http.lowSpeedTime": "120",
}


@dataclass(frozen=True)
class Credentials:
    """A user and a secret for one host. `is_bearer` sends the secret as a bearer token."""

    user: str
    secret: str = field(repr=False)
    is_bearer: bool = False

    @classmethod
    def choose(cls, address: Address, token: str | None, fallback: str | None = None) -> "Credentials | None":
        """Choose the token, else the credentials of the address, else the machine's fallback token.

        A token is `secret`, `user:secret` or `Bearer secret`. Raises UnsupportedTarget where a secret would travel
        unencrypted; the fallback is then ignored, because it may belong to another host.
        """
        if address.scheme not in ("http", "https"):
            return None
        is_private = address.scheme == "https" or LOOPBACK.fullmatch(address.host) is not None
        given = cls._from_token(address.host, token) if token else cls._from_address(address)
        if given and not is_private:
            raise UnsupportedTarget(
                f"The token for {address.host} would be sent unencrypted: use an https address."
            )
        if given is None and fallback and is_private:
            given = cls._from_token(address.host, fallback)
        if given and re.search(r"[\x00-\x1f\x7f]", given.user + given.secret):
            raise UnsupportedTarget(
                f"The token for {address.host} contains a control character: copy the token again."
            )
        return given

    @classmethod
    def _from_token(cls, host: str, token: str) -> "Credentials":
        kind, _, rest = token.strip().partition(" ")
        if kind.lower() == "bearer" and rest.strip():
            return cls("", rest.strip(), is_bearer=True)
        user, colon, secret = token.strip().partition(":")
        return cls(user, secret) if colon else cls(TOKEN_USERS.get(host, "x-access-token"), user)

    @classmethod
    def _from_address(cls, address: Address) -> "Credentials | None":
        if address.secret is not None:
            return cls(address.user or "", address.secret)
        is_token = address.user is not None and len(address.user) >= TOKEN_LENGTH
        return cls(address.user or "", "") if is_token else None

    def spellings(self) -> list[str]:
        """Every form in which the secret could appear in Git's output, longest first."""
        plain = [s for s in (self.secret, self.user if len(self.user) >= TOKEN_LENGTH else "") if s]
        basic = base64.b64encode(f"{self.user}:{self.secret}".encode()).decode()
        return sorted({basic, *plain, *(quote(s, safe="") for s in plain)}, key=len, reverse=True)


def environment(
    address: Address | None,
    credentials: Credentials | None,
    pinned: tuple[str, ...] | None = None,
    *,
    has_own_logins: bool = False,
) -> dict[str, str]:
    """Environment of a Git process: the caller's network settings, our configuration and one remote's secret, if any.

    With `pinned`, Git connects only to these IP addresses, follows no redirect, and cannot use the operator's logins
    unless `has_own_logins`.
    """
    variables = {
        name: value
        for name, value in os.environ.items()
        # Settings of this service hold secrets that no Git needs.
        if not name.startswith(("GIT_", "EAS_")) or PASSED_ON.fullmatch(name)
    }
    variables |= {
        "LC_ALL": "C",  # errors.py matches Git's English messages
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ASKPASS": "",
        "SSH_ASKPASS_REQUIRE": "never",
        "GCM_INTERACTIVE": "never",
        "GIT_ALLOW_PROTOCOL": "https:http:ssh",
    }
    if address is not None:
        variables |= proxies.variables(address, variables)
    configuration = list(CONFIGURATION.items())
    is_closed = pinned is not None and not has_own_logins
    if is_closed:
        variables = operator_logins.without(variables)
        configuration += operator_logins.CONFIGURATION
    if address and credentials:
        port = f":{address.port}" if address.port is not None else ""
        place = f"{address.scheme}://{address.host}{port}"
        # The empty helper resets the user's own helpers, which would store the token.
        configuration.append(("credential.helper", ""))
        if credentials.is_bearer:
            configuration.append(
                (f"http.{place}/.extraHeader", f"Authorization: Bearer {credentials.secret}")
            )
            configuration.append(
                ("http.followRedirects", "false")
            )  # the header would be sent to another host
        else:
            configuration.append((f"credential.{place}.helper", HELPER))
            variables |= {"EAS_REMOTE_USER": credentials.user, "EAS_REMOTE_SECRET": credentials.secret}
    if address and pinned is not None:
        configuration += pinning.configuration(address, pinned)
        if is_closed:
            variables["GIT_SSH_COMMAND"] += pinning.ssh_options(address, pinned)
        else:
            variables |= pinning.ssh_variables(address, pinned, variables)
    variables["GIT_CONFIG_COUNT"] = str(len(configuration))
    for index, (key, value) in enumerate(configuration):
        variables |= {f"GIT_CONFIG_KEY_{index}": key, f"GIT_CONFIG_VALUE_{index}": value}
    return variables


def scrubbed(text: str, credentials: Credentials | None = None) -> str:
    """The text without secrets, userinfo of URLs and control characters."""
    for spelling in credentials.spellings() if credentials else []:
        text = text.replace(spelling, "***")
    text = re.sub(r"(?<=://)[^/@\s']{1,2000}@", "", text)
    return re.sub(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", " ", text)
