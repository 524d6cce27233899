"""Hosts that users of the API may reach: a table of addresses that lead inside the network."""

import ipaddress
import socket

import pytest

from api.operator.readers import host_list
from ingest import probe
from ingest.errors import Transient, UnsupportedTarget
from ingest.git.identifiers import repository_id
from ingest.git.remote import url
from ingest.probe import AddressRefused, probe_address, remembering
from ingest.reach import Reach, checked_host

ORGANIZATION = "0190d3b0-0000-7000-8000-000000000001"
PUBLIC = "93.184.215.14"
NAMES = {
    "git.example": [PUBLIC],
    "inside.example": ["10.1.2.3"],
    "both.example": [PUBLIC, "127.0.0.1"],
    "metadata.example": ["169.254.169.254"],
    "six.example": ["2606:2800:21f:cb07:6820:80da:af6b:8b2c"],
    "six-inside.example": ["fd00::1"],
}


def resolve(host: str) -> list[str]:
    """Names of the table, and every spelling of an address that the system itself understands."""
    if host in NAMES:
        return NAMES[host]
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST)
    except socket.gaierror as error:
        raise OSError(error.errno, "unknown name") from error
    return [str(entry[4][0]) for entry in found]


def reach(listed: str = "") -> Reach:
    return Reach(*host_list(listed), resolve)


INSIDE = [
    "https://localhost/a/b",
    "https://LOCALHOST./a/b",
    "https://git.localhost/a/b",
    "https://127.0.0.1/a/b",
    "https://0.0.0.0/a/b",
    "https://10.0.0.1/a/b",
    "https://172.16.5.4/a/b",
    "https://192.168.1.1/a/b",
    "https://100.64.0.1/a/b",
    "https://169.254.169.254/latest/meta-data",
    "https://192.0.2.1/a/b",
    "https://198.18.0.1/a/b",
    "https://224.0.0.1/a/b",
    "https://240.0.0.1/a/b",
    "https://255.255.255.255/a/b",
    "https://[::1]/a/b",
    "https://[::]/a/b",
    "https://[::ffff:127.0.0.1]/a/b",
    "https://[::ffff:10.0.0.1]/a/b",
    "https://[::127.0.0.1]/a/b",
    "https://[64:ff9b::7f00:1]/a/b",
    "https://[64:ff9b:1::a00:1]/a/b",
    "https://[2002:7f00:1::]/a/b",
    "https://[2002:a00:1::1]/a/b",
    "https://[fe80::1]/a/b",
    "https://[fc00::1]/a/b",
    "https://[ff02::1]/a/b",
    "https://inside.example/a/b",
    "https://both.example/a/b",
    "https://metadata.example/a/b",
    "https://six-inside.example/a/b",
    "git@127.0.0.1:a/b",
    "git@inside.example:a/b",
    "ssh://git@[::1]:22/a/b",
    "ssh://localhost:2222/a/b",
]
NO_ADDRESSES = [
    "",
    " ",
    "/srv/git/a",
    "./a",
    "../a",
    "~/a",
    "~git/a",
    "a/b",
    "file:///etc/passwd",
    "FILE:///etc/passwd",
    "file:/etc/passwd",
    "ext::sh -c id",
    "ext::id",
    "fd::3",
    "git://git.example/a/b",
    "http://git.example/a/b",
    "ftp://git.example/a/b",
    "gopher://git.example/a/b",
    "javascript:alert(1)",
    "https:///a/b",
    "https://git.example",
    "https://git.example/",
    "https://git.example/a/b?x=1",
    "https://git.example/a/b#x",
    "https://git.example/a b",
    "https://git.example/a%0ab",
    "https://git.example:0/a/b",
    "https://git.example:99999/a/b",
    "https://-oProxyCommand=id/a/b",
    "ssh://-oProxyCommand=id/a/b",
    "-oProxyCommand=id:a/b",
    "git@git.example:-upload-pack",
    "git.example:a/b",
    "https://git.example/" + "a" * 2100,
    "https://git.example/a\ud800/b",
    "https://git.example/a\u202e/b",
    "https://git.example/a\0/b",
    "https://git.example\\@127.0.0.1/a/b",
    "https://ex\u0430mple.com\u2044a/b",
]
PRIVATE = "hunter2hunter2hunter2"
WITH_CREDENTIALS = [
    f"https://me:{PRIVATE}@git.example/a/b",
    f"https://{PRIVATE}@git.example/a/b",
    f"https://:{PRIVATE}@git.example/a/b",
    f"ssh://git:{PRIVATE}@git.example/a/b",
    f"https://me:{PRIVATE}%40x@git.example/a/b",
]


@pytest.mark.parametrize("address", INSIDE)
def test_addresses_that_lead_inside_are_refused(address: str) -> None:
    with pytest.raises(AddressRefused, match="EAS_PRIVATE_HOSTS"):
        probe_address(address, ORGANIZATION, reach())


# The blocks of IANA's registries of special-purpose addresses for IPv4 and IPv6 (as of 2025), and multicast.
SPECIAL_PURPOSE = [
    "0.0.0.0/8", "0.0.0.0/32", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16",
    "172.16.0.0/12", "192.0.0.0/24", "192.0.0.0/29", "192.0.0.8/32", "192.0.0.9/32", "192.0.0.10/32",
    "192.0.0.170/32", "192.0.0.171/32", "192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24",
    "192.88.99.0/24", "192.168.0.0/16", "192.175.48.0/24", "198.18.0.0/15", "198.51.100.0/24",
    "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4", "255.255.255.255/32", "::1/128", "::/128",
    "::ffff:0:0/96", "64:ff9b:1::/48", "100::/64", "100:0:0:1::/64", "2001::/23", "2001::/32",
    "2001:1::1/128", "2001:1::2/128", "2001:1::3/128", "2001:2::/48", "2001:3::/32", "2001:4:112::/48",
    "2001:10::/28", "2001:20::/28", "2001:30::/28", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48",
    "3fff::/20", "5f00::/16", "fc00::/7", "fe80::/10", "fec0::/10", "ff00::/8",
]  # fmt: skip


@pytest.mark.parametrize("block", SPECIAL_PURPOSE)
def test_no_address_of_a_special_block_is_public(block: str) -> None:
    network = ipaddress.ip_network(block)
    middle = network[network.num_addresses // 2]
    for ip in {network[0], middle, network[-1]}:
        with pytest.raises(UnsupportedTarget):
            Reach(resolve=resolve).addresses(str(ip))


@pytest.mark.parametrize(
    "ip",
    [
        # Neighbours of special blocks.
        *(
            "1.0.0.0",
            "9.255.255.255",
            "11.0.0.0",
            "100.63.255.255",
            "100.128.0.0",
            "126.255.255.255",
            "128.0.0.0",
        ),
        *("172.15.255.255", "172.32.0.0", "191.255.255.255", "192.0.1.0", "192.0.3.0", "192.167.255.255"),
        *("192.169.0.0", "198.17.255.255", "198.20.0.0", "203.0.112.255", "203.0.114.0", "223.255.255.255"),
        *("2001:200::", "2001:db7:ffff::1", "2001:db9::1", "2003::1", "3ffe:ffff::1", "2620:4f:7fff::1"),
        # Addresses of well-known hosts, the last as a network without IPv4 sees it.
        *("140.82.112.3", "8.8.8.8", "2606:50c0:8000::153", "2a04:4e42::485", "64:ff9b::8c52:7003"),
    ],
)
def test_addresses_beside_special_blocks_are_public(ip: str) -> None:
    assert Reach(resolve=lambda _: [ip]).addresses("git.example") == [ip]


@pytest.mark.parametrize("address", NO_ADDRESSES)
def test_only_https_and_ssh_addresses_are_accepted(address: str) -> None:
    with pytest.raises(AddressRefused):
        probe_address(address, ORGANIZATION, reach())


@pytest.mark.parametrize("address", WITH_CREDENTIALS)
def test_credentials_are_refused_and_not_repeated(address: str) -> None:
    with pytest.raises(AddressRefused) as refused:
        probe_address(address, ORGANIZATION, reach())
    assert PRIVATE not in str(refused.value)


@pytest.mark.parametrize(
    "address",
    [
        "https://git.example/a/b",
        "https://git.example:8443/a/b.git",
        "https://six.example/a/b",
        "git@git.example:a/b.git",
        "ssh://git@git.example:2222/a/b",
        f"https://{PUBLIC}/a/b",
        "https://[2606:2800:21f:cb07:6820:80da:af6b:8b2c]/a/b",
        "https://unknown.example/a/b",
    ],
)
def test_public_addresses_and_names_unknown_now_are_taken(address: str) -> None:
    probed = probe_address(address, ORGANIZATION, reach())
    assert probed.origin == url.normalize(address)
    assert probed.repository_id == repository_id(ORGANIZATION, probed.origin)


@pytest.mark.parametrize(
    ("listed", "address", "is_taken"),
    [
        ("inside.example", "https://inside.example/a/b", True),
        ("10.0.0.0/8", "https://inside.example/a/b", True),
        ("10.1.2.3", "https://inside.example/a/b", True),
        ("10.1.2.4", "https://inside.example/a/b", False),
        ("Localhost", "https://localhost/a/b", True),
        ("::1, 127.0.0.0/8", "https://[::1]/a/b", True),
        ("example", "https://inside.example/a/b", False),
        ("127.0.0.0/8", "https://both.example/a/b", True),
    ],
)
def test_the_operator_lists_private_hosts_that_may_be_reached(
    listed: str, address: str, is_taken: bool
) -> None:
    if is_taken:
        probe_address(address, ORGANIZATION, reach(listed))
    else:
        with pytest.raises(AddressRefused):
            probe_address(address, ORGANIZATION, reach(listed))


def test_a_name_is_resolved_once_in_a_request_also_where_it_is_unknown() -> None:
    asked: list[str] = []

    def counted(host: str) -> list[str]:
        asked.append(host)
        return resolve(host)

    remembered = remembering(Reach(resolve=counted))
    for _ in range(3):
        assert remembered.addresses("git.example") == [PUBLIC]
        with pytest.raises(Transient):
            remembered.addresses("unknown.example")
        with pytest.raises(UnsupportedTarget):
            remembered.addresses("inside.example")
    assert sorted(asked) == ["git.example", "inside.example", "unknown.example"]


@pytest.mark.parametrize("host", ["a" * 64 + ".example", "a..example"])
def test_an_invalid_host_name_is_refused(host: str) -> None:
    """The system's own resolver raises another error for it."""
    with pytest.raises(AddressRefused):
        probe_address(f"https://{host}/a/b", ORGANIZATION, Reach())


UNUSUAL = [
    "127.1", "0x7f000001", "0",
    "0177.0.0.1", "0x7f.1", "0x5d.0xb8.0xd7.0xe", "2130706433", "0x5db8d70e", "93.184.55054", "1.2.3", "1.2.3.4.5",
    "093.184.215.14", "256.1.1.1", "example.0x1", "4294967296", "[1::2::3]", "[12345::]", "93.184.215.014",
]  # fmt: skip
USUAL = [
    "93.184.215.14",
    "[2606:2800:21f:cb07:6820:80da:af6b:8b2c]",
    "git.example",
    "1.example",
    "0x7f.example",
    "x1",
]


@pytest.mark.parametrize("host", UNUSUAL)
def test_an_address_in_an_unusual_spelling_is_refused_everywhere(host: str) -> None:
    """Also where it is public, or listed: readers differ in what they take it for."""
    anywhere = Reach(networks=(ipaddress.ip_network("0.0.0.0/0"),), resolve=lambda _: [PUBLIC])
    with pytest.raises(AddressRefused):
        probe_address(f"https://{host}/a/b", ORGANIZATION, anywhere)
    with pytest.raises(AddressRefused):
        probe.connection_address("GITEA", f"https://{host}", anywhere)
    with pytest.raises(AddressRefused):
        anywhere.addresses(host)


@pytest.mark.parametrize("host", USUAL)
def test_an_address_in_its_usual_spelling_is_accepted(host: str) -> None:
    anywhere = Reach(
        hosts=frozenset({"x1"}), networks=(ipaddress.ip_network("::/0"),), resolve=lambda _: [PUBLIC]
    )
    assert checked_host(host) == host
    probe.connection_address("GITEA", f"https://{host}", anywhere)
