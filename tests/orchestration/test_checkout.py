"""Lock file, README, docs and Makefile. They break silently, and a newcomer uses them first."""

import re
import tomllib
from importlib.metadata import metadata

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from typer.core import TyperGroup
from typer.main import get_command

from ingest.settings import CHECKOUT
from orchestration.cli import app
from orchestration.deployment import Deployment

PROJECT = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["project"]
LOCK = (CHECKOUT / "requirements.lock").read_text()
README = (CHECKOUT / "README.md").read_text()
MAKEFILE = (CHECKOUT / "Makefile").read_text()
OPERATIONS = (CHECKOUT / "docs" / "operations" / "README.md").read_text()
# Pages about the present state. The recipes name files that are not there yet, the changelog what is gone.
FUTURE_OR_PAST = {"docs/recipes.md", "docs/CHANGELOG.md", "docs/changes"}
PRESENT = [
    page
    for page in (CHECKOUT / "docs").rglob("*.md")
    if not FUTURE_OR_PAST
    & {str(path) for path in (page.relative_to(CHECKOUT), *page.relative_to(CHECKOUT).parents)}
]
PAGES = "\n".join([README] + [page.read_text() for page in PRESENT])
MAX_README_BYTES = 5_000


def test_the_calculation_version_is_that_of_the_release_everywhere() -> None:
    project = yaml.safe_load((CHECKOUT / "dbt_project" / "dbt_project.yml").read_text())
    versions = {PROJECT["version"], project["version"], project["vars"]["calculation_version"]}
    assert versions == {Deployment().calculation_version}


def locked() -> dict[str, list[str]]:
    """Versions per package; more than one if they depend on the Python version."""
    versions: dict[str, list[str]] = {}
    for name, version in re.findall(r"^([\w.-]+)(?:\[[\w,-]+\])?==(\S+)", LOCK, re.MULTILINE):
        versions.setdefault(name.lower().replace("_", "-"), []).append(version)
    return versions


@pytest.mark.parametrize("wanted", [*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["dev"]])
def test_the_lock_file_has_every_dependency_in_its_range(wanted: str) -> None:
    requirement = Requirement(wanted)
    versions = locked().get(requirement.name.lower(), [])
    assert versions, "run `make lock`"
    assert all(requirement.specifier.contains(version) for version in versions), "run `make lock`"


def test_the_versions_of_python_are_the_same_everywhere() -> None:
    checked = re.search(r"\((\d+), (\d+)\) <= sys.version_info\[:2\] <= \((\d+), (\d+)\)", MAKEFILE)
    assert checked
    major, oldest, _, newest = map(int, checked.groups())
    supported = [f"{major}.{minor}" for minor in range(oldest, newest + 1)]
    allowed = SpecifierSet(PROJECT["requires-python"])
    assert [f"3.{minor}" for minor in range(100) if f"3.{minor}.1" in allowed] == supported
    text = " or ".join([", ".join(supported[:-1]), supported[-1]])
    assert all(f"Python {text}" in page for page in (MAKEFILE, README))


def test_every_locked_package_has_hashes_and_no_index_is_named() -> None:
    entries = re.split(r"\n(?=[\w.-]+(?:\[[\w,-]+\])?==)", LOCK.strip())
    assert len(entries) > 100
    assert [entry.splitlines()[0] for entry in entries if "--hash=sha256:" not in entry] == []
    assert not re.search(r"https?:|index-url|find-links", LOCK)


def test_the_readme_stays_short() -> None:
    assert len(README.encode()) <= MAX_README_BYTES


def test_every_command_and_its_options_are_described() -> None:
    every = get_command(app)
    assert isinstance(every, TyperGroup)
    named = []
    for name, command in every.commands.items():
        below = getattr(command, "commands", None)
        named += [f"eas {name} {verb}" for verb in below] if below else [f"eas {name}"]
    assert len(named) > 6
    assert [command for command in named if command not in OPERATIONS] == []
    options = (
        "--name",
        "--organization",
        "--expires",
        "--time-zone",
        "--yes",
        "--write",
        "--role",
        "--administrator",
    )
    assert [option for option in options if option not in OPERATIONS] == []


def test_paths_that_the_docs_name_exist() -> None:
    named = set(re.findall(r"`((?:ingest|orchestration|dbt_project|tests|api|docs)/[\w./]*)`", PAGES))
    assert named
    assert [path for path in sorted(named) if not (CHECKOUT / path).exists()] == []


def test_models_that_the_docs_name_exist() -> None:
    named = set(re.findall(r"`((?:stg|int|dim|fct|api_v1)_[a-z0-9_]*[a-z])`", PAGES))
    models = {file.stem for file in (CHECKOUT / "dbt_project" / "models").rglob("*.sql")}
    assert len(named) > 5
    assert sorted(named - models) == []


def test_targets_of_make_that_are_named_anywhere_exist() -> None:
    texts = PAGES + MAKEFILE + (CHECKOUT / ".ci" / "run").read_text()
    named = set(re.findall(r"`make ([a-z-]+)", texts)) | set(
        re.findall(r"^#   make ([a-z-]+)", MAKEFILE, re.MULTILINE)
    )
    targets = set(re.findall(r"^([a-z-]+):", MAKEFILE, re.MULTILINE))
    assert named <= targets


def test_the_version_is_the_same_everywhere() -> None:
    assert metadata("engineering-analytics-service")["Version"] == PROJECT["version"]
