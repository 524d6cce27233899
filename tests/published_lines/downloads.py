"""Brings the packages of the list into a folder, with the ordinary clients of their registries.

Nothing of a package is run: npm packs, pip takes wheels, apt takes sources without unpacking them. Each package of npm
has a file `times.json` with the days on which the registry took its versions.
Keep out: reading the archives (`archives`).
"""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from tests.published_lines.library_list import Library

_VERSION: Final = re.compile(r"v?\d+(?:\.\d+)*")
TIMES: Final = "times.json"


def download(library: Library, folder: Path) -> Path:
    """Bring the chosen versions of a library into a folder of its own, if they are not there. Returns the folder."""
    target = folder / library.source / library.package.replace("/", "+")
    done = target / "complete"
    if not done.exists():
        target.mkdir(parents=True, exist_ok=True)
        {"npm": _npm, "pypi": _pypi, "debian": _debian}[library.source](library, target)
        done.touch()
    return target


def spread(versions: Sequence[str], most: int) -> list[str]:
    """At most so many of the versions in order: the first, the last of each major one, then others between."""
    if len(versions) <= most:
        return list(versions)
    majors = {version.lstrip("v").split(".")[0]: version for version in versions}
    last = sorted(majors.values(), key=versions.index)
    chosen = dict.fromkeys([versions[0], *last[-(most - 1) :]])
    for step in (2, 4, 8, 16):
        for part in range(1, step, 2):
            if len(chosen) < most:
                chosen[versions[part * len(versions) // step]] = None
    return sorted(chosen, key=versions.index)


def _npm(library: Library, target: Path) -> None:
    times = target / TIMES
    if not times.exists():
        times.write_text(_output(["npm", "view", library.package, "time", "--json"]))
    dated = json.loads(times.read_text())
    versions = sorted((version for version in dated if _VERSION.fullmatch(version)), key=_numbers)
    for version in library.versions or spread(versions, library.most):
        if list(target.glob(f"*-{version}.tgz")):
            continue
        subprocess.run(
            ["npm", "pack", "--silent", f"{library.package}@{version}", "--pack-destination", str(target)],
            stdout=subprocess.DEVNULL,
            check=False,  # some versions were withdrawn
        )


def _pypi(library: Library, target: Path) -> None:
    listed = re.search(r"Available versions: (.*)", _output(["pip", "index", "versions", library.package]))
    versions = listed[1].split(", ")[::-1] if listed is not None else []
    versions = [version for version in versions if _VERSION.fullmatch(version)]
    for version in library.versions or spread(versions, library.most):
        command = ["pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:", "--dest", str(target)]
        for python in ((), ("--python-version", "3.8"), ("--python-version", "2.7")):
            if not subprocess.run(
                [*command, *python, f"{library.package}=={version}"], check=False
            ).returncode:
                break


def _debian(library: Library, target: Path) -> None:
    subprocess.run(
        ["apt-get", "source", "--quiet", "--download-only", library.package], cwd=target, check=True
    )


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.lstrip("v").split(".")))


def _output(command: Sequence[str]) -> str:
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
