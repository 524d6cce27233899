"""The release tool of the service's provider: makes a pair of keys, and signs licenses of self-hosted deployments.

    python .ci/licenses.py new-keys FOLDER
    python .ci/licenses.py sign PRIVATE_KEY_FILE --licensee "Acme" --days 365 [--grace-days 30] [--limit developers=50]

The public key goes into `PUBLIC_KEYS` of api/control/operator/license.py; the private key never leaves the provider.
The license is printed and nothing else, so it can be piped. Nothing of this is part of the service.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

from joserfc import jws
from joserfc.jwk import OKPKey


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("new-keys").add_argument("folder", type=Path)
    signing = commands.add_parser("sign")
    signing.add_argument("private_key", type=Path)
    signing.add_argument("--licensee", required=True)
    signing.add_argument(
        "--from", dest="starts", type=datetime.fromisoformat, help="instant, as ISO 8601 with offset"
    )
    signing.add_argument("--days", type=int, required=True)
    signing.add_argument("--grace-days", type=int, default=30)
    signing.add_argument("--limit", action="append", default=[], metavar="NAME=NUMBER")
    given = parser.parse_args()
    if given.command == "new-keys":
        return new_keys(given.folder)
    limits = {name: int(number) for name, _, number in (one.partition("=") for one in given.limit)}
    starts = given.starts or datetime.now(UTC)
    if starts.tzinfo is None:
        parser.error("--from needs an offset, such as 2027-01-01T00:00:00+00:00")
    claims = {
        "type": "license",
        "licensee": given.licensee,
        "nbf": int(starts.timestamp()),
        "exp": int((starts + timedelta(days=given.days)).timestamp()),
        "grace_days": given.grace_days,
        "limits": limits,
    }
    key = OKPKey.import_key(given.private_key.read_text())
    token = jws.serialize_compact({"alg": "Ed25519"}, json.dumps(claims), key, algorithms=["Ed25519"])
    sys.stdout.write(f"{token}\n")
    return 0


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
