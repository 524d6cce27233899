"""Reads the labelled sets and finds their repositories. Raises Missing with the name of the missing file."""

import csv
import subprocess
from collections.abc import Sequence
from pathlib import Path

from tests.validity.claims import Inputs, Missing

Row = dict[str, str]


def rows(inputs: Inputs, name: str) -> list[Row]:
    """The rows of a set. Raises Missing."""
    with path(inputs, name).open(encoding="utf-8", newline="") as file:
        csv.field_size_limit(1 << 30)
        return list(csv.DictReader(file))


def path(inputs: Inputs, name: str) -> Path:
    """The file of a set. Raises Missing."""
    file = inputs.data / name
    if not file.is_file():
        raise Missing(f"put {name} into {inputs.data}")
    return file


def repository(inputs: Inputs, full_name: str) -> Path:
    """A clone or bare mirror of `owner/name`: at that path or `name`, or `repo` below. Raises Missing."""
    if inputs.repositories is None:
        raise Missing(f"name a folder that holds a clone of {full_name} (REPOS=…)")
    name = full_name.rpartition("/")[2]
    for spelled in (full_name, full_name.replace("/", "+"), full_name.replace("/", "__"), name):
        folder = inputs.repositories / spelled
        for candidate in (folder, folder.with_name(f"{folder.name}.git"), folder / "repo"):
            if (candidate / "HEAD").is_file() or (candidate / ".git").exists():
                return candidate
    raise Missing(f"put a clone of {full_name} into {inputs.repositories / full_name}")


def messages(repository: Path, names: Sequence[str]) -> dict[str, str]:
    """Messages by the given ids, which may be abbreviated; unknown ids are omitted."""
    command = ["git", "-c", "safe.directory=*", "-C", str(repository), "cat-file", "--batch"]
    asked = "".join(f"{name}\n" for name in names).encode()
    answer = subprocess.run(command, input=asked, capture_output=True, check=True).stdout
    found, position = {}, 0
    for name in names:
        header, _, _ = answer[position : position + 200].partition(b"\n")
        position += len(header) + 1
        if header.split()[1:2] != [b"commit"]:
            continue
        size = int(header.split()[2])
        raw = answer[position : position + size]
        position += size + 1
        found[name] = raw.partition(b"\n\n")[2].decode("utf-8", "replace")
    return found
