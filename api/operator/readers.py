"""Readers of settings: each turns the text of an environment variable into its value.

A reader raises ValueError with the end of a sentence about the variable: what is wrong; what to do. It never repeats
the text, which may be a secret. Add: the form of a value. Keep out: names of variables (variables.py), and libraries,
because every command imports this module.
"""

from __future__ import annotations

import base64
import binascii
import ipaddress
import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple
from urllib.parse import SplitResult, unquote, urlsplit

# As long as the digest of SHA-256.
MIN_SECRET_LENGTH = 32
ENCRYPTION_KEY_BYTES = 32
MAX_PORT = 65_535
# Also in the letters of other alphabets.
_LABEL = r"\w(?:[\w-]{0,61}\w)?"
_HOST_NAME = re.compile(rf"(?=.{{1,253}}$){_LABEL}(?:\.{_LABEL})*")
# As DuckDB writes amounts of memory.
_MEMORY = re.compile(r"\d+(?:\.\d+)?\s*[kmgt]i?b", re.IGNORECASE)
_SENDER = re.compile(r"[^\s@<>,;]+@[^\s@<>,;]+")


class HostList(NamedTuple):
    """Names of hosts in lower case, and networks. A single address is a network of one."""

    hosts: frozenset[str] = frozenset()
    networks: tuple[ipaddress.IPv4Network | ipaddress.IPv6Network, ...] = ()


@dataclass(frozen=True, slots=True)
class MailServer:
    """An SMTP server. `is_encrypted` from the start, else by STARTTLS."""

    host: str
    port: int
    is_encrypted: bool
    user: str = ""
    password: str = field(default="", repr=False)


def anything(given: str) -> str:
    """Any text, of which another part of the service says what is wrong."""
    return given


def text(given: str) -> str:
    """Any text in one line."""
    if not given.isprintable():
        raise ValueError("has a line break or another control character; copy it again")
    return given


def whole_number(least: int, most: int | None = None) -> Callable[[str], int]:
    """Reader of a whole number within bounds, the bounds included."""
    bounds = f"of at least {least}" if most is None else f"from {least} to {most}"

    def read(given: str) -> int:
        # Nobody needs more digits, and int() refuses thousands of them in a sentence of its own.
        value = int(given) if re.fullmatch(r"[+-]?[0-9]{1,18}", given) else None
        if value is None or value < least or (most is not None and value > most):
            raise ValueError(f"is no whole number {bounds}; use one, or unset it for the default")
        return value

    return read


def seconds(given: str) -> float:
    """A time above zero."""
    try:
        value = float(given)
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and value > 0):
        raise ValueError("is no time in seconds; use a number above 0, or unset it for the default")
    return value


def switch(given: str) -> bool:
    """A switch. A misspelled one would silently leave open what it was to close."""
    if given.lower() not in ("true", "false"):
        raise ValueError("is neither true nor false; use one of them")
    return given.lower() == "true"


def choice(*names: str, of: str) -> Callable[[str], str]:
    """Reader of one of several words."""

    def read(given: str) -> str:
        if given not in names:
            raise ValueError(f"is no {of}; use one of {', '.join(names)}")
        return given

    return read


def folder(given: str) -> Path:
    """An absolute path at which a folder is or can be made."""
    remedy = "set it to a folder, which is made where it is missing"
    try:
        path = Path(given).expanduser().absolute()
        first = next(one for one in (path, *path.parents) if one.exists() or one.is_symlink())
        is_folder, what = first.is_dir(), "a file" if first.is_file() else "no folder"
    except PermissionError:
        # Its first use says so, with its own remedy.
        return path
    except (RuntimeError, OSError):
        raise ValueError(f"is no path; {remedy}") from None
    if not is_folder:
        found = what if first == path else f"inside of {first}, which is {what}"
        raise ValueError(f"is {found}; {remedy}")
    return path


def lake_root(given: str) -> str:
    """A path, which becomes absolute, or an fsspec URL; without a slash at its end."""
    if "://" in given:
        from fsspec import get_filesystem_class  # noqa: PLC0415 - every command imports this module

        try:
            get_filesystem_class(given.partition("://")[0])
        except ValueError:
            raise ValueError(
                "names no known storage; set it to a folder, or a URL such as s3://bucket"
            ) from None
        except ImportError as error:
            remedy = str(error)[:1].lower() + str(error)[1:]
            raise ValueError(f"needs a package that is not installed; {remedy}") from None
    return (given if "://" in given else str(folder(given))).rstrip("/") or "/"


def host_list(given: str) -> HostList:
    """Hosts, addresses and networks such as 10.1.0.0/16, with commas."""
    hosts, networks = set(), []
    for word in _words(given):
        try:
            networks.append(ipaddress.ip_network(word.strip("[]"), strict=False))
        except ValueError:
            hosts.add(_host_name(word))
    return HostList(frozenset(hosts), tuple(networks))


def host_names(given: str) -> str:
    """The same list as text in lower case, without networks of several addresses."""
    listed = host_list(given)
    if any(one.num_addresses > 1 for one in listed.networks):
        raise ValueError("has a network; list names and addresses of hosts, with commas")
    return ",".join(_words(given))


def trusted_proxies(given: str) -> str:
    """Addresses and networks of proxies, or `*` for every address, as the server reads them."""
    try:
        named = host_list("" if given == "*" else given).hosts
    except ValueError:
        named = frozenset({given})
    if named:
        raise ValueError(
            "has an entry that is no address; list addresses and networks, such as 10.0.0.1,10.1.0.0/16"
        )
    return given


def listening_host(given: str) -> str:
    """The address or name of this machine at which a server listens."""
    try:
        return str(ipaddress.ip_address(given))
    except ValueError:
        return _host_name(given)


def web_address(given: str) -> str:
    """The address of an application, at most with a path."""
    parts = url_parts(given, ("http", "https"), "public address; use one such as https://eas.example.org")
    if parts.query or parts.fragment or set(given) & set("?#"):
        raise ValueError("has a ? or #; use the address without it, such as https://eas.example.org")
    return given


def payment_address(given: str) -> str:
    """An address to which a parameter is added."""
    told = "address to pay at; use one that starts with https:// and has no #"
    url_parts(given, ("https",), told)
    if "#" in given:
        raise ValueError(f"is no {told}")
    return given


def mail_server(given: str) -> MailServer:
    """`smtp://[user:password@]host[:port]`, or `smtps://…`; user and password as in any URL."""
    parts = url_parts(
        given, ("smtp", "smtps"), "mail server; use smtp://[user:password@]host[:port], or smtps://… for TLS"
    )
    is_encrypted = parts.scheme == "smtps"
    return MailServer(
        parts.hostname or "",
        parts.port or (465 if is_encrypted else 587),
        is_encrypted,
        unquote(parts.username or ""),
        unquote(parts.password or ""),
    )


def mail_sender(given: str) -> str:
    """An email address, also with a name: `Analytics <eas@example.org>`."""
    address = match[1] if (match := re.fullmatch(r"[^<>]*<([^<>]*)>", text(given))) else given
    if not _SENDER.fullmatch(address):
        raise ValueError("is no email address; use one such as eas@example.org")
    return given


def database(given: str) -> str:
    """URL of a database that the service can use."""
    from sqlalchemy import make_url  # noqa: PLC0415 - only where it is set
    from sqlalchemy.exc import ArgumentError, NoSuchModuleError  # noqa: PLC0415

    remedy = (
        "use postgresql+psycopg://user:password@host/database, or unset it for SQLite in the data directory"
    )
    try:
        url = make_url(given)
        is_known = url.get_backend_name() in ("postgresql", "sqlite")
        if is_known:
            url.get_dialect().import_dbapi()
    except (ArgumentError, NoSuchModuleError, ValueError):
        is_known = False
    except ImportError:
        raise ValueError(f"names a driver that is not installed; {remedy}") from None
    if not is_known:
        raise ValueError(f"is no address of a database; {remedy}")
    return given


def memory(given: str) -> str:
    """An amount of memory as DuckDB reads it, such as 6GB."""
    if not _MEMORY.fullmatch(given):
        raise ValueError("is no amount of memory; use one such as 6GB")
    return given


def encryption_key(given: str) -> bytes:
    """A key of 32 bytes in Base64."""
    try:
        key = base64.b64decode(given.strip(), validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if len(key) != ENCRYPTION_KEY_BYTES:
        raise ValueError(
            f"is no key; give {ENCRYPTION_KEY_BYTES} random bytes in Base64, such as the output of"
            f" `openssl rand -base64 {ENCRYPTION_KEY_BYTES}`, and several with commas, the newest first"
        )
    return key


def encryption_keys(given: str) -> tuple[bytes, ...]:
    """Keys with commas, the newest first."""
    return tuple(encryption_key(one) for one in given.split(","))


def long_secret(given: str) -> str:
    """A secret in visible ASCII, which fits into a header."""
    if len(given) < MIN_SECRET_LENGTH or not given.isascii() or not given.isprintable() or " " in given:
        raise ValueError(
            f"is no secret of at least {MIN_SECRET_LENGTH} visible characters; make one with `openssl rand -hex 32`"
        )
    return given


def signing_secrets(given: str) -> tuple[str, ...]:
    """Secrets with commas."""
    found = tuple(one for part in given.split(",") if (one := part.strip()))
    if any(len(one) < MIN_SECRET_LENGTH for one in found):
        raise ValueError(
            f"holds a secret of fewer than {MIN_SECRET_LENGTH} characters; make one with `openssl rand -hex 32`, and"
            " separate several by commas"
        )
    return found


def _words(given: str) -> list[str]:
    return [word for part in given.split(",") if (word := part.strip().lower())]


def _host_name(given: str) -> str:
    name = given.rstrip(".")
    # All digits and dots would be an address, and this is none.
    if not _HOST_NAME.fullmatch(name) or not any(map(str.isalpha, name)):
        raise ValueError("has an entry that is no host name, address or network; correct it, or leave it out")
    return name


def url_parts(given: str, schemes: tuple[str, ...], told: str) -> SplitResult:
    """The parts of an address with a scheme, a host and a possible port."""
    try:
        parts = urlsplit(text(given))
        is_good = parts.scheme in schemes and bool(parts.hostname) and parts.port != 0 and " " not in given
    except ValueError:
        is_good = False
    if not is_good:
        raise ValueError(f"is no {told}")
    return parts
