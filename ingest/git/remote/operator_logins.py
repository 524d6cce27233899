"""Keep Git from using the operator's own logins: helpers, netrc, keys, agent, certificates, tickets.

Otherwise a user of the API could read every repository that the operator can read. Add: other ways in which Git
finds a login by itself. Keep out: credentials chosen for an address (`credentials`).

The operator's Git configuration is ignored as a whole, since its addresses and headers can carry secrets. Proxies
and certificate authorities come from the environment.
"""

from collections.abc import Mapping

CONFIGURATION = (
    ("credential.helper", ""),
    # Otherwise Git would answer a host's request with a Kerberos ticket.
    ("http.emptyAuth", "false"),
)
VARIABLES = {
    # No file can exist below it; curl reads its netrc from HOME.
    "HOME": "/dev/null",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_NOSYSTEM": "1",
}
# ssh finds the home of the account without HOME, so options switch its logins off. Its known hosts stay.
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
    """The environment without these logins and without an ssh command that would use them."""
    kept = {name: value for name, value in variables.items() if name not in DROPPED}
    return kept | VARIABLES | {"GIT_SSH_COMMAND": SSH}
