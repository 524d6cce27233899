"""The release tool of the service's provider: makes a pair of keys, and signs licenses of self-hosted deployments.

    .venv/bin/python .ci/licenses.py new-keys FOLDER
    .venv/bin/python .ci/licenses.py sign PRIVATE_KEY_FILE --licensee "Acme" --days 365 [--grace-days 30]
        [--limit developers=50]

The public key goes into `PUBLIC_KEYS` of api/operator/license.py; the private key never leaves the provider.
The license is printed and nothing else, so it can be piped. Nothing of this is part of the service.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

from joserfc import jws
from joserfc.errors import JoseError
from joserfc.jwk import OKPKey

try:
    from api.operator.license import MAX_GRACE_DAYS, PUBLIC_KEYS, read_license
    from api.operator.signatures import public_key
except ModuleNotFoundError:
    sys.exit(
        "run it with the Python of the checkout, which `make run` sets up: .venv/bin/python .ci/licenses.py"
    )

MISUSED = 2
# A hundred years; a longer license is a slip of the finger.
MAX_DAYS = 36_525
MAX_LIMIT = 10**9
FIRST, LAST = datetime(2000, 1, 1, tzinfo=UTC), datetime(2200, 1, 1, tzinfo=UTC)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("new-keys").add_argument("folder", type=Path)
    signing = commands.add_parser("sign")
    signing.add_argument("private_key", type=Path)
    signing.add_argument("--licensee", type=_name, required=True)
    signing.add_argument("--from", dest="starts", type=_instant, help="instant, as ISO 8601 with offset")
    signing.add_argument("--days", type=_number(1, MAX_DAYS), required=True)
    signing.add_argument("--grace-days", type=_number(0, MAX_GRACE_DAYS), default=30)
    signing.add_argument("--limit", action="append", default=[], type=_limit, metavar="NAME=NUMBER")
    given = parser.parse_args()
    try:
        if given.command == "new-keys":
            return new_keys(given.folder)
        return sign(given, _private_key(given.private_key))
    except FileExistsError as error:
        parser.error(f"{error.filename} exists already, and a key is never replaced; name another folder")
    except OSError as error:
        parser.error(f"{error.filename}: {error.strerror}; name another path, or correct its rights")


def sign(given: argparse.Namespace, key: OKPKey) -> int:
    """Print the license with these claims."""
    starts = given.starts or datetime.now(UTC)
    claims = {
        "type": "license",
        "licensee": given.licensee,
        "nbf": int(starts.timestamp()),
        "exp": int((starts + timedelta(days=given.days)).timestamp()),
        "grace_days": given.grace_days,
        "limits": dict(given.limit),
    }
    token = jws.serialize_compact({"alg": "Ed25519"}, json.dumps(claims), key, algorithms=["Ed25519"])
    public = str(key.as_dict(private=False)["x"])
    if public not in PUBLIC_KEYS:
        sys.stderr.write(
            f"Warning: this version of the service refuses the license: its PUBLIC_KEYS lack {public}\n"
        )
    try:
        read_license(token, [public_key(public)])
    except ValueError as problem:
        sys.stderr.write(f"the service would refuse this license: {problem}; change what you gave\n")
        return MISUSED
    sys.stdout.write(f"{token}\n")
    return 0


def _private_key(file: Path) -> OKPKey:
    """The key of a file. Ends the process with code 2 where there is none; never prints what the file has."""
    try:
        key = OKPKey.import_key(file.read_text())
        is_right = key.is_private and key.curve_name == "Ed25519"
    except (JoseError, ValueError, TypeError, AttributeError, LookupError):
        # Not text, no PEM, encrypted, or a key of another kind.
        is_right = False
    if not is_right:
        sys.stderr.write(
            f"{file} is no private Ed25519 key; name the license-key.pem that `new-keys` wrote\n"
        )
        sys.exit(MISUSED)
    return key


def _name(given: str) -> str:
    if not given.strip() or not given.isprintable():
        raise argparse.ArgumentTypeError("give the name of the licensee")
    return given.strip()


def _number(least: int, most: int) -> Callable[[str], int]:
    def read(given: str) -> int:
        try:
            value = int(given)
        except ValueError:
            value = least - 1
        if not least <= value <= most:
            raise argparse.ArgumentTypeError(f"{given!r} is no whole number from {least} to {most}")
        return value

    return read


def _instant(given: str) -> datetime:
    try:
        value = datetime.fromisoformat(given)
    except ValueError:
        value = None
    if value is None or value.tzinfo is None or not FIRST <= value <= LAST:
        raise argparse.ArgumentTypeError(
            f"{given!r} is no instant with an offset from {FIRST:%Y} to {LAST:%Y};"
            " write it as 2027-01-01T00:00:00+00:00"
        )
    return value


def _limit(given: str) -> tuple[str, int]:
    name, sign, number = given.partition("=")
    if not name.strip() or not sign:
        raise argparse.ArgumentTypeError(f"{given!r} is no name with a number; write it as developers=50")
    return name.strip(), _number(0, MAX_LIMIT)(number)


def new_keys(folder: Path) -> int:
    """Write a private key that only its owner can read, and print the public one. Never replaces a key."""
    key = OKPKey.generate_key("Ed25519")
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "license-key.pem"
    number = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(number, "wb") as handle:
        handle.write(key.as_pem(private=True))
    public = key.as_dict(private=False)["x"]
    sys.stdout.write(f"private key: {file}\npublic key for PUBLIC_KEYS: {public}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
