"""A data directory of each earlier version opens with the present one, and not the other way round.

The versions run with the packages of today; `eas analyze` of the earliest one shows whether that is possible.
"""

from __future__ import annotations

import hashlib
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.git_repository import GitRepository
from tests.upgrades.versions import COMMITS, Organization, Version, earlier, present

pytestmark = pytest.mark.release

UNRELEASED = "0.1.0"
"""Its control database is from before the first schema that is migrated."""
MONTH = "2024-01-01"
PASSWORD = "A long passphrase of a test, 1234"


@pytest.fixture
def repository(tmp_path: Path) -> GitRepository:
    made = GitRepository(tmp_path / "shop")
    for number in range(4):
        lines = [f"def price_{number}(amount, rate):", f"    return amount * rate + {number}", ""]
        made.commit({f"price_{number}.py": "\n".join(lines)}, f"feat: add price {number}")
    return made


def key_of(version: Version) -> str:
    """A new API key."""
    return version.succeed("token", "create", "--name", "upgrade", "--write").split()[-1]


def decide(organization: Organization) -> dict[str, str]:
    """Take decisions of each kind. Returns ids by what was decided."""
    excluded, corrected = [one["id"] for one in organization.get("/commits?pageSize=2")["commits"]]
    # First, because no month can be closed while changes wait.
    organization.post("/capexLocks", month=MONTH, note="Signed by finance.")
    organization.post(f"/commits/{excluded}:exclude", reason="GENERATED_CODE", note="Made by a tool.")
    organization.post(f"/commits/{corrected}:categorize", category="MAINTENANCE")
    rules = [{"category": "FEATURES"}]
    organization.post("/capexPolicies", validFrom="2024-06-01", rules=rules, reason="Agreed.")
    return {
        "excluded": excluded,
        "corrected": corrected,
        "team": organization.post("/teams", name="Web")["id"],
    }


def assert_kept(organization: Organization, decided: dict[str, str]) -> None:
    """Every decision is there, and the figures follow it."""
    excluded = organization.get(f"/commits/{decided['excluded']}")
    assert (excluded["etv"], excluded["isCounted"]) == (0, False)
    assert excluded["exclusionNote"] == "Made by a tool."
    assert organization.get(f"/commits/{decided['corrected']}")["category"] == "MAINTENANCE"
    assert organization.get(f"/teams/{decided['team']}")["name"] == "Web"
    [lock] = organization.get("/capexLocks")["capexLocks"]
    assert (lock["month"], lock["note"]) == (MONTH, "Signed by finance.")
    assert lock["rows"] > 0
    [policy] = organization.get("/capexPolicies")["capexPolicies"]
    assert (policy["reason"], policy["state"]) == ("Agreed.", "ACTIVE")
    assert [one["email"] for one in organization.get("/members")["members"]] == ["ada@example.org"]
    commits = organization.get("/commits")
    assert commits["totalSize"] == 4
    assert sum(one["etv"] > 0 for one in commits["commits"]) == 3


def content(data: Path) -> dict[str, str]:
    """What must not change: the control database by its rows; facts, warehouse and builds by digests."""
    files = [
        file
        for part in ("raw", "warehouse", "published")
        for file in (data / part).rglob("*")
        if file.is_file()
    ]
    found = {str(file.relative_to(data)): hashlib.sha256(file.read_bytes()).hexdigest() for file in files}
    with closing(sqlite3.connect(data / "control.db")) as connection:
        return found | {"control.db": "\n".join(connection.iterdump())}


@pytest.mark.parametrize("version", [one for one in COMMITS if one != UNRELEASED])
def test_a_data_directory_is_upgraded_with_its_decisions(
    tmp_path: Path, repository: GitRepository, version: str
) -> None:
    data = tmp_path / "data"
    old, new = earlier(version, tmp_path / "old", data), present(data)
    old.succeed("analyze", str(repository.path))
    key = key_of(old)
    with old.served(key) as organization:
        decided = decide(organization)
    old.succeed(
        "account", "create", "ada@example.org", "--name", "Ada", "--organization", "local",
        given=f"{PASSWORD}\n{PASSWORD}\n",
    )  # fmt: skip
    new.succeed("analyze", str(repository.path))
    with new.served(key) as organization:
        assert_kept(organization, decided)
    before = content(data)
    refused = old.run("analyze", str(repository.path))
    assert refused.returncode != 0
    assert "which this release does not know" in " ".join((refused.stdout + refused.stderr).split())
    assert content(data) == before
    with new.served(key) as organization:
        assert_kept(organization, decided)


def test_a_directory_from_before_the_first_schema_is_refused_and_kept(
    tmp_path: Path, repository: GitRepository
) -> None:
    data = tmp_path / "data"
    earlier(UNRELEASED, tmp_path / "old", data).succeed("analyze", str(repository.path))
    before = content(data)
    refused = present(data).run("analyze", str(repository.path))
    assert refused.returncode != 0
    assert "before the first release" in " ".join((refused.stdout + refused.stderr).split())
    assert content(data) == before
