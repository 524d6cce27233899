"""Keeps the steps of a model that several others read, so that Spark plans and computes each once.

Spark puts a step in the place of each reader. A chain of steps with two readers each doubles the plan with every step,
and planning never ends. Add: how steps are found and kept. Keep out: what a model computes (dbt_project).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

LARGEST = 12
"""Relations that a step with several readers may read, counted with those of the steps that it reads."""
_START = re.compile(
    r"\bcreate\s+table\s+(?P<name>[\w.`]+)[^']*?\bas\s+(?:--[^\n]*\n\s*)*with\s", re.IGNORECASE
)
_NAME = re.compile(r"\s*(?:--[^\n]*\n\s*)*(\w+)\s+as\s*\(", re.IGNORECASE)
_READ = re.compile(r"\b(?:from|join)\s+([\w.`]+)", re.IGNORECASE)
# Comments, texts and brackets: all that decides where a step ends.
_SIGN = re.compile(r"--[^\n]*|'(?:[^'\\]|\\.)*'|[()]")
_COMMENT = re.compile(r"--[^\n]*")


@dataclass(frozen=True)
class Statements:
    """The statements that stand for one: those before it, itself, and those after it, whatever becomes of it."""

    before: list[str]
    main: str
    after: list[str]


def kept(sql: str) -> Statements:
    """The statements that create a table, with tables of their own for large steps of several readers."""
    start = _START.search(sql)
    found = _steps(sql, start.end()) if start else None
    if start is None or found is None:
        return Statements([], sql, [])
    steps, rest = found
    readers: dict[str, int] = dict.fromkeys(steps, 0)
    for text in (*steps.values(), rest):
        for read in _reads(text):
            if read in readers:
                readers[read] += 1
    sizes: dict[str, int] = {}
    written: dict[str, str] = {}
    before: list[str] = []
    after: list[str] = []
    for name, text in steps.items():
        sizes[name] = max(1, sum(sizes.get(read, 1) for read in _reads(text)))
        written[name] = text
        if readers[name] > 1 and sizes[name] * readers[name] > LARGEST:
            table = f"{start['name'].replace('`', '')}__{name}"
            needed = _with(written, _needed(name, written))
            before.append(f"create table {table} using parquet as {needed}\nselect * from {name}")
            after.append(f"drop table if exists {table}")
            written[name], sizes[name] = f"select * from {table}", 1
    # The end of the start is its `with`.
    main = sql[: start.end()].rstrip()[: -len("with")] + _with(written, list(written)) + rest
    return Statements(before, main if before else sql, after)


def _steps(sql: str, place: int) -> tuple[dict[str, str], str] | None:
    """The texts of the steps by name, and what follows them; None for a recursive or unknown form."""
    steps = {}
    while name := _NAME.match(sql, place):
        end = _end(sql, name.end())
        if end is None:
            return None
        steps[name[1].lower()] = sql[name.end() : end]
        following = re.compile(r"\s*(?:--[^\n]*\n\s*)*,").match(sql, end + 1)
        if following is None:
            return steps, sql[end + 1 :]
        place = following.end()
    return None


def _end(sql: str, place: int) -> int | None:
    depth = 1
    for sign in _SIGN.finditer(sql, place):
        depth += {"(": 1, ")": -1}.get(sign[0], 0)
        if depth == 0:
            return sign.start()
    return None


def _reads(text: str) -> list[str]:
    return [read.lower() for read in _READ.findall(_COMMENT.sub("", text))]


def _needed(name: str, steps: dict[str, str]) -> list[str]:
    """The steps that one reads, itself among them, in their order."""
    wanted = {name}
    for one in reversed(list(steps)):
        if one in wanted:
            wanted |= set(_reads(steps[one]))
    return [one for one in steps if one in wanted]


def _with(steps: dict[str, str], names: list[str]) -> str:
    return "with " + ",\n".join(f"{name} as ({steps[name]}\n)" for name in names)
