"""Labelled commits from the two public sets that the model learns from.

The files stay outside the project: they hold messages of other people. Only weights over many projects leave them.
"""

from __future__ import annotations

import csv
import json
import re
from dataclasses import dataclass
from pathlib import Path

from dbt_project.training.messages import shape, terms

CATEGORIES = ("features", "maintenance", "fixes")

_LEVIN = {"corrective": "fixes", "perfective": "maintenance", "adaptive": "features"}
# Types of tests and documentation are missing: path and content decide those before the model is asked.
_CONVENTIONAL = {
    "feat": "features",
    "fix": "fixes",
    "refactor": "maintenance",
    "chore": "maintenance",
    "perf": "maintenance",
    "style": "maintenance",
    "build": "maintenance",
    "ci": "maintenance",
}


@dataclass(frozen=True)
class Labelled:
    """One commit: its set, its project, its terms and the number of its category in CATEGORIES; what it was told as."""

    source: str
    project: str
    terms: tuple[str, ...]
    category: int
    subject: str = ""
    body: str = ""


def levin(path: Path) -> list[Labelled]:
    """Commits of Levin & Yehudai 2017. Raises OSError and KeyError when the file is missing or another one."""
    found = []
    for row in _rows(path):
        # The set writes line ends as hyphens: an empty line as two, and a list's bullet before the subject as one.
        subject, _, body = re.sub(r"^[\s-]+", "", row["message"]).partition("--")
        # Changes of source by kind stand in for lines: what is neither put in nor taken out does both.
        changes = {name: int(value or 0) for name, value in row.items() if name.isupper()}
        put_in = sum(
            n for name, n in changes.items() if name.endswith("_INSERT") or name.startswith("ADDITIONAL")
        )
        taken_out = sum(
            n for name, n in changes.items() if name.endswith("_DELETE") or name.startswith("REMOVED")
        )
        both = sum(changes.values()) - put_in - taken_out
        fact = shape(put_in + both, taken_out + both)
        category = CATEGORIES.index(_LEVIN[row["label"]])
        told = tuple(terms(subject, body, fact))
        found.append(Labelled("levin", row["repository"], told, category, subject, body))
    return found


def conventional(path: Path) -> list[Labelled]:
    """Commits whose authors declared a type, without it. Raises OSError and KeyError as `levin`."""
    found = []
    for row in _rows(path):
        if row["type"] not in _CONVENTIONAL:
            continue
        files = json.loads(row["files_json"] or "[]")
        fact = shape(sum(file[1] or 0 for file in files), sum(file[2] or 0 for file in files))
        category = CATEGORIES.index(_CONVENTIONAL[row["type"]])
        told = tuple(terms(row["masked_subject"], row["body"], fact))
        found.append(
            Labelled("conventional", row["repo"], told, category, row["masked_subject"], row["body"])
        )
    return found


def _rows(path: Path) -> list[dict[str, str]]:
    csv.field_size_limit(1 << 30)
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))
