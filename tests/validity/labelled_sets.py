"""Reading the labelled sets and finding the repositories that they name. Raises Missing with what to put where."""

import csv
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
    """A clone or bare mirror of `owner/name`: below that path or `name`, with or without `.git`. Raises Missing."""
    if inputs.repositories is None:
        raise Missing(f"name a folder that holds a clone of {full_name} (REPOS=…)")
    name = full_name.rpartition("/")[2]
    for spelled in (full_name, full_name.replace("/", "+"), full_name.replace("/", "__"), name):
        for candidate in (inputs.repositories / spelled, inputs.repositories / f"{spelled}.git"):
            if (candidate / "HEAD").is_file() or (candidate / ".git").exists():
                return candidate
    raise Missing(f"put a clone of {full_name} into {inputs.repositories / full_name}")
