"""The official conformance suite, for each revision that it has: on the product, and on fixture tools behind its mount.

What fails is listed with its reason in expected_failures.toml.
"""

import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from api.mcp import protocol
from api.mcp.reading import Reader
from tests.api.conftest import Deployment
from tests.api.mcp.conformance.fixture_tools import fixture_server
from tests.api.mcp.conformance.suite import failed_checks, served_with_a_key
from tests.suite.tiers import some

HERE = Path(__file__).parent
REVISIONS = ("2025-11-25", "2026-07-28")
# Scenarios that the product itself must pass, where the revision has them.
OF_THE_PRODUCT = {
    "caching",
    "dns-rebinding-protection",
    "http-header-validation",
    "ping",
    "prompts-list",
    "resources-list",
    "sep-2164-resource-not-found",
    "server-initialize",
    "tools-list",
}
# Logging and questions to the client, which tests of older revisions use.
pytestmark = pytest.mark.filterwarnings("ignore::mcp.MCPDeprecationWarning")


def expected(server: str, revision: str) -> set[str]:
    """The entries for a server and a revision."""
    groups = tomllib.loads((HERE / "expected_failures.toml").read_text())["group"]
    listed = [
        entry
        for group in groups
        if group["server"] == server and revision in group["revisions"]
        for entry in group["entries"]
    ]
    assert len(listed) == len(set(listed)), "an entry stands twice"
    return set(listed)


def entries_of(failures: dict[str, list[str]], listed: set[str]) -> set[str]:
    """Failures as entries: a scenario by its checks where a check of it is listed."""
    by_check = {entry.partition(":")[0] for entry in listed if ":" in entry}
    return {
        f"{scenario}: {check}" if scenario in by_check else scenario
        for scenario, checks in failures.items()
        for check in checks
    }


@pytest.fixture(scope="module")
def gateway(published: Deployment) -> Iterator[str]:
    with served_with_a_key(published) as address:
        yield address


# Every scenario of both revisions: those of the product are tried with the older one, those of fixtures with the newer.
@pytest.mark.parametrize("revision", some(REVISIONS, 1))
def test_the_product_fails_for_want_of_fixtures_alone(gateway: str, revision: str, tmp_path: Path) -> None:
    failures = failed_checks(gateway, revision, tmp_path)
    listed = expected("product", revision)
    assert entries_of(failures, listed) == listed
    assert {name for name in OF_THE_PRODUCT & failures.keys() if failures[name]} == set()


@pytest.mark.parametrize("revision", some(reversed(REVISIONS), 1))
def test_fixture_tools_behind_the_mount_of_the_product_pass(
    gateway: str, revision: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fixtures(_: Reader) -> object:
        return fixture_server()

    monkeypatch.setattr(protocol, "server_of", fixtures)
    failures = failed_checks(gateway, revision, tmp_path)
    listed = expected("fixtures", revision)
    assert entries_of(failures, listed) == listed
    # Of the scenarios that the suite scores.
    assert len([name for name, failed in failures.items() if not failed]) >= 24
