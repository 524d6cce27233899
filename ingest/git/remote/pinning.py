"""Pin Git's connections to IP addresses that were checked, because a name can change between check and connection.

Not covered: the operator's own configuration. A proxy resolves names itself, and the operator's own ssh command
stays unless `operator_logins` replaces it. Git before 2.37 resolves names again.
"""

import subprocess
from collections.abc import Mapping
from ipaddress import ip_address

from ingest.git.remote.url import DEFAULT_PORTS, Address

OWN_SSH = ("GIT_SSH_COMMAND", "GIT_SSH")


def configuration(address: Address, pinned: tuple[str, ...]) -> list[tuple[str, str]]:
    """Git's settings. They refuse redirects and HTTP alternates, which both lead to other addresses."""
    settings = [("http.followRedirects", "false")]
    if pinned and not _is_ip(address.host):
        port = address.port if address.port is not None else DEFAULT_PORTS[address.scheme]
        written = ",".join(f"[{ip}]" if ":" in ip else ip for ip in pinned)
        settings.append(("http.curloptResolve", f"{address.host}:{port}:{written}"))
    return settings


def ssh_variables(address: Address, pinned: tuple[str, ...], variables: Mapping[str, str]) -> dict[str, str]:
    """The ssh command that connects to the first IP address and expects the host key of the name."""
    options = ssh_options(address, pinned)
    if not options or any(name in variables for name in OWN_SSH) or _configured():
        return {}
    return {"GIT_SSH_COMMAND": f"ssh{options}"}


def ssh_options(address: Address, pinned: tuple[str, ...]) -> str:
    """Options of that ssh command; empty where ssh is not used or the address is an IP address already."""
    if address.scheme != "ssh" or not pinned or _is_ip(address.host):
        return ""
    known_as = address.host if address.port is None else f"[{address.host}]:{address.port}"
    return f" -o HostName={pinned[0]} -o 'HostKeyAlias={known_as}'"


def _is_ip(host: str) -> bool:
    try:
        ip_address(host.strip("[]"))
    except ValueError:
        return False
    return True


def _configured() -> bool:
    """Whether the operator configured an ssh command, which the environment would override."""
    answer = subprocess.run(["git", "config", "--get", "core.sshCommand"], capture_output=True, check=False)
    return answer.returncode == 0
