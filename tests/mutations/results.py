"""What found each mutation: stored beside the list, and shown in docs/mutations.md.

Keep out: running the tests (`runs`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.mutations.mutation import ROOT, Mutation

FILE = Path(__file__).parent / "found.json"
PAGE = ROOT / "docs" / "mutations.md"
COLUMNS = ("earlier", "now")
_TABLE = re.compile(r"(?<=<!-- table -->\n).*?(?=<!-- end -->)", re.DOTALL)
_NOT_FOUND = "**not found**"

Found = dict[str, dict[str, str | None]]
"""By mutation and suite (`COLUMNS`), the id of the test that found it; None where none did."""


def _read() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(FILE.read_text()) if FILE.exists() else {"suites": {}, "found": {}}
    return found


def stored() -> Found:
    """The stored results."""
    found: Found = _read()["found"]
    return found


def store(column: str, commit: str, day: str, found: dict[str, str | None], known: Sequence[str]) -> None:
    """Add results of a suite, and forget mutations that are not `known`."""
    content = _read()
    content["suites"][column] = {"commit": commit, "day": day}
    for name, test in found.items():
        content["found"].setdefault(name, {})[column] = test
    content["found"] = {name: content["found"][name] for name in known if name in content["found"]}
    FILE.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n")


def page_with(mutations: Sequence[Mutation], found: Found) -> str:
    """The page with these results."""
    table = _totals(mutations, found) + "".join(
        _of_area(area, [one for one in mutations if one.area == area], found)
        for area in dict.fromkeys(one.area for one in mutations)
    )
    return _TABLE.sub(lambda _: table, PAGE.read_text())


def _totals(mutations: Sequence[Mutation], found: Found) -> str:
    lines = ["\n| suite | commit | day | mutations | found |\n|---|---|---|---|---|\n"]
    for column, suite in _read()["suites"].items():
        tried = [found[one.name][column] for one in mutations if column in found.get(one.name, {})]
        number = sum(test is not None for test in tried)
        lines.append(f"| {column} | {suite['commit']} | {suite['day']} | {len(tried)} | {number} |\n")
    return "".join(lines)


def _of_area(area: str, mutations: Sequence[Mutation], found: Found) -> str:
    lines = [
        f"\n### {area.capitalize()}\n\n| mutation | found by the earlier suite | found now |\n|---|---|---|\n"
    ]
    for one in mutations:
        cells = [_shown(found.get(one.name, {}), column) for column in COLUMNS]
        lines.append(f"| {one.name} (`{one.file}`) | {' | '.join(cells)} |\n")
    return "".join(lines)


def _shown(results: dict[str, str | None], column: str) -> str:
    if column not in results:
        return ""
    test = results[column]
    return _NOT_FOUND if test is None else f"`{test.removeprefix('tests/').replace('|', ' ')}`"
