"""Makes a release from the commit of this checkout: `python -m orchestration.releases.building FOLDER --key FILE`.

Needs mmdebstrap and buildah, and root rights for both; no daemon. Docker builds the same image from the folder that is
left beside the release, `FOLDER.context`. Keep out: what is signed and how (signing.py).
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import typer

from api.operator.release import release
from ingest.settings import CHECKOUT
from orchestration.releases import contents, packages
from orchestration.releases.attestations import private_key
from orchestration.releases.bill_of_materials import bill_of_materials
from orchestration.releases.contents import KeyUnusable
from orchestration.releases.packages import Package
from orchestration.releases.signing import sign

SUITE = "bookworm"
"""Debian 12, whose Python is 3.11."""
SYSTEM = ("ca-certificates", "git", "openssh-client", "python3", "python3-venv", "tzdata")
COMPILER = ("gcc", "libc6-dev", "libpython3-dev")
TOOLS = ("cython", "editables", "hatchling")
"""What installs the program. Nothing of it, nor of COMPILER, is in the image."""
ARCHIVES = {"base.tar": SYSTEM, "build.tar": (*SYSTEM, *COMPILER)}
"""The archives of Debian that the Dockerfile takes, with their packages. Those that these need come with them."""
SOURCE = (
    "api", "dagster.yaml", "dbt_project", "ingest", "orchestration", "pyproject.toml", "README.md",
    "requirements-spark.lock",
    "requirements-celery.lock",
)  # fmt: skip
SCRIPTS = {"htmx.js": "htmx.org", "uplot.js": "uplot"}
"""Scripts of pages that come from npm, by their file in api/web/static."""
NEEDED = ("git", "mmdebstrap", "buildah")
BUILD_TYPE = "urn:engineering-analytics-service:image:1"


class CannotBuild(Exception):
    """A release cannot be made here. The message says why."""


@dataclass(frozen=True, slots=True)
class Commit:
    """The commit that is released, with its time as seconds since 1970."""

    id: str
    seconds: int


def build(folder: Path, key: Path, bases: Path | None = None) -> str:
    """Make and sign the release in a new folder, and return the digest of its image.

    `bases` is a folder with `base.tar` and `build.tar` to use; without it they are made. Raises CannotBuild and
    KeyUnusable.
    """
    missing = [name for name in NEEDED if shutil.which(name) is None]
    if missing:
        raise CannotBuild(f"{', '.join(missing)} missing; on Debian: apt install {' '.join(missing)}")
    if folder.exists() and any(folder.iterdir()):
        raise CannotBuild(f"{folder} is not empty")
    private_key(key)
    commit, began = _commit(), datetime.now(UTC)
    context = folder.with_name(f"{folder.name}.context")
    shutil.rmtree(context, ignore_errors=True)
    context.mkdir(parents=True)
    _prepare(context, commit, bases)
    folder.mkdir(parents=True, exist_ok=True)
    _make_image(context, folder, commit)
    lock = (context / "runtime.lock").read_text()
    bill = bill_of_materials(
        release(),
        packages.python_packages(lock),
        packages.debian_packages(context / "base.tar"),
        [_script(file, name) for file, name in SCRIPTS.items()],
    )
    (folder / contents.BILL).write_text(json.dumps(bill, indent=1) + "\n")
    sign(folder, key, _provenance(context, commit, began))
    return contents.image_digest(folder)


def _commit() -> Commit:
    """The commit of the checkout. Raises CannotBuild if files differ from it: nobody could make that image again."""
    if changed := _output("git", "status", "--porcelain", "--untracked-files=no"):
        raise CannotBuild(f"{len(changed.splitlines())} files differ from the commit; commit or undo them")
    commit, seconds = _output("git", "log", "-1", "--format=%H %ct").split()
    return Commit(commit, int(seconds))


def _prepare(context: Path, commit: Commit, bases: Path | None) -> None:
    """Write everything that the Dockerfile takes."""
    shutil.copy(CHECKOUT / "Dockerfile", context)
    archive = context / "source.tar"
    _run("git", "archive", "--output", archive, commit.id, *SOURCE)
    with tarfile.open(archive) as source:
        source.extractall(context / "source", filter="data")
    archive.unlink()
    lock = (CHECKOUT / "requirements.lock").read_text()
    # With the packages of workers, so that one image serves and executes runs.
    with_workers = (CHECKOUT / "requirements-celery.lock").read_text()
    (context / "runtime.lock").write_text(packages.image_lock(with_workers))
    typer.echo("Downloading packages of Python")
    download = (
        sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", "download",
        "--only-binary", ":all:", "--python-version", packages.IMAGE["python_version"], "--dest", context / "wheels",
    )  # fmt: skip
    _run(*download, "--no-deps", "--require-hashes", "--requirement", context / "runtime.lock")
    _run(*download, *TOOLS, "--constraint", _unhashed(lock, context / "constraints.txt"))
    for name, included in ARCHIVES.items():
        if bases is not None:
            shutil.copy(bases / name, context / name)
            continue
        typer.echo(f"Installing Debian {SUITE} into {name}")
        _run(
            "mmdebstrap", "--quiet", "--variant=minbase", "--format=tar", f"--include={','.join(included)}",
            "--dpkgopt=path-exclude=/usr/share/man/*", SUITE, context / name, at=commit.seconds,
        )  # fmt: skip


def _unhashed(lock: str, file: Path) -> Path:
    """The versions of the lock file as constraints, which take no hashes beside packages that have none."""
    file.write_text(
        "".join(f"{one.name}=={one.version}\n" for one in packages.python_packages(lock) if one.name in TOOLS)
    )
    return file


def _make_image(context: Path, folder: Path, commit: Commit) -> None:
    """Build the image and put it into the release, with its layers as they were stored."""
    typer.echo("Building the image")
    storage = context.with_name(f"{context.name}.storage")
    own = ("--root", storage / "root", "--runroot", storage / "run", "--storage-driver", "vfs")
    try:
        _run(
            "buildah", *own, "build", "--isolation", "chroot", "--network", "host", "--format", "oci",
            "--timestamp", str(commit.seconds), "--layers=false", "--tag", contents.NAME,
            "--label", f"org.opencontainers.image.revision={commit.id}",
            "--label", f"org.opencontainers.image.version={release()}", context,
        )  # fmt: skip
        target = f"dir:{folder / contents.IMAGE}"
        _run("buildah", *own, "push", "--quiet", "--format", "oci", f"localhost/{contents.NAME}", target)
    finally:
        shutil.rmtree(storage, ignore_errors=True)


def _script(file: str, name: str) -> Package:
    lock = json.loads((CHECKOUT / "tests/api/web/chromium/package-lock.json").read_text())
    version = str(lock["packages"][f"node_modules/{name}"]["version"])
    return Package(name, version, (contents.sha256(CHECKOUT / "api/web/static" / file),))


def _provenance(context: Path, commit: Commit, began: datetime) -> Any:
    """What the image was made of, where and when: a predicate of https://slsa.dev/provenance/v1."""
    inputs = [
        *(context / name for name in ARCHIVES),
        context / "Dockerfile",
        context / "runtime.lock",
        *sorted((context / "wheels").iterdir()),
    ]
    materials = [
        {"name": one.relative_to(context).as_posix(), "digest": {"sha256": contents.sha256(one)}}
        for one in inputs
    ]
    return {
        "buildDefinition": {
            "buildType": BUILD_TYPE,
            "externalParameters": {"version": release(), "commit": commit.id},
            "internalParameters": {"suite": SUITE, "python": packages.IMAGE["python_version"]},
            "resolvedDependencies": [{"name": "source", "digest": {"gitCommit": commit.id}}, *materials],
        },
        "runDetails": {
            "builder": {"id": BUILD_TYPE, "version": {name: _version(name) for name in NEEDED}},
            "metadata": {
                "startedOn": f"{began:%Y-%m-%dT%H:%M:%SZ}",
                "finishedOn": f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}",
            },
        },
    }


def _version(program: str) -> str:
    return _output(program, "--version").splitlines()[0]


def _output(*command: str) -> str:
    return subprocess.run(command, cwd=CHECKOUT, check=True, capture_output=True, text=True).stdout.strip()


def _run(*command: str | Path, at: int | None = None) -> None:
    """Run a program of the build. Raises CannotBuild with its last words."""
    environment = os.environ | ({} if at is None else {"SOURCE_DATE_EPOCH": str(at)})
    done = subprocess.run(
        [*map(str, command)], cwd=CHECKOUT, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        words = (done.stderr or done.stdout).strip().splitlines()[-5:]
        raise CannotBuild(f"{command[0]} ended with {done.returncode}: {' '.join(words)}")


def main(arguments: Sequence[str] | None = None) -> int:
    """The command. Returns its exit code."""
    parser = argparse.ArgumentParser(description="Make and sign a release from the commit of this checkout.")
    parser.add_argument("folder", type=Path, help="a new folder for the release")
    parser.add_argument("--key", type=Path, required=True, help="the private key, ECDSA P-256 in PEM")
    parser.add_argument(
        "--bases", type=Path, help="a folder of base.tar and build.tar to use instead of new ones"
    )
    chosen = parser.parse_args(arguments)
    try:
        digest = build(chosen.folder.resolve(), chosen.key.resolve(), chosen.bases)
    except (CannotBuild, KeyUnusable) as error:
        typer.echo(f"Error: {error}", err=True)
        return 2
    typer.echo(f"{chosen.folder} is release {release()}: {digest}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
