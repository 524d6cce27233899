"""Keeping Git from what the operator's account can log in with: helpers, netrc, keys, agent, certificates, tickets.

Whoever names an address over the API would otherwise read what the operator may read. Add: another way in which Git
finds a login by itself. Keep out: logins that were chosen for an address (credentials.py).

The operator's Git configuration is left out as a whole, since addresses and headers in it can carry secrets; proxies
and authorities are taken from the environment.
"""

from collections.abc import Mapping

CONFIGURATION = (
    ("credential.helper", ""),
    # Otherwise a Kerberos ticket answers a host that asks for one.
    ("http.emptyAuth", "false"),
)
VARIABLES = {
    # Nothing can be in there; curl reads its netrc from it.
    "HOME": "/dev/null",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_NOSYSTEM": "1",
}
# ssh finds the home of the account without HOME, so it is told; the hosts that it knows stay known.
SSH = (
    "ssh -F none -o BatchMode=yes -o IdentitiesOnly=yes -o IdentityFile=none -o IdentityAgent=none"
    " -o PKCS11Provider=none -o GSSAPIAuthentication=no -o HostbasedAuthentication=no"
)
DROPPED = frozenset(
    {
        "SSH_AUTH_SOCK",
        "SSH_ASKPASS",
        "GIT_SSH",
        "GIT_SSH_COMMAND",
        "GIT_SSH_VARIANT",
        "GIT_SSL_CERT",
        "GIT_SSL_KEY",
        "GIT_SSL_CERT_PASSWORD_PROTECTED",
        "XDG_CONFIG_HOME",
    }
)


def without(variables: Mapping[str, str]) -> dict[str, str]:
    """The environment without them, and without the ssh command that would use them."""
    kept = {name: value for name, value in variables.items() if name not in DROPPED}
    return kept | VARIABLES | {"GIT_SSH_COMMAND": SSH}
