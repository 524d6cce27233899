"""The kinds of checks, from the var `check_kinds` of the project, as the API and people read them.

`python -m dbt_project.check_kinds` writes api/presentation/check_kinds.json and docs/checks.md; with `--check` it only
compares, and ends with 1 where a file is out of date. Keep out: what a kind measures (the models `fct_check__<name>`).
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import yaml

from dbt_project import dictionary

ROOT = dictionary.PROJECT.parent
LIST = ROOT / "api" / "presentation" / "check_kinds.json"
PAGE = ROOT / "docs" / "checks.md"
UNITS = {"etv": "ETV", "multiple": "times the usual", "usd": "US dollars"}
INTRODUCTION = """\
# Checks

A check looks for one kind of thing that needs a hand. An **occurrence** is one that it found: open while the data
shows it, unless a person snoozes it until a day or resolves it with a note. It ends by itself when the data no longer
shows it, and an event of the past ends after 28 days. What comes back within three days is the same occurrence.

`…/checkKinds` has the settings of an organization: owners and admins switch kinds on and off and set thresholds, and
the next build judges all history by them. `…/checkKinds/{kind}:backtest` tries settings before they are saved: how
many occurrences opened in each week of the last quarter, and which. It judges with the query of the builds, so a build
with these settings finds the same. It also tells the median of what was measured in the last 12 weeks, with 1.5 times
and twice this median as a warning and a critical threshold to start from. `…/checkOccurrences` has what was found.

A threshold is a number, or a multiple of the organization's own median (`thresholdMultiple`, `criticalMultiple`). A
thing is judged by the median of the 12 whole weeks before the week in which it began, from Monday to Sunday: clocks
count when they ended, other values when they began. So the threshold of a thing stays what it was, and later work
reopens nothing. Where these weeks have fewer than ten values, the number applies. Kinds that measure nothing or look
for small values take no multiple.

An occurrence belongs to the person whose work it is and to their team, one of an issue to its owner and to the team of
the tracker. Leads see and decide those of their teams. They also see those about nobody: of objectives of the whole
organization, and of the repositories and files in which their teams have delivered. Owners, admins and members decide
about these. Viewers only read. Those of AI usage show no more than `…/aiSpend`: leads see none about a whole tool, and
with a minimum group size nobody sees any. Where columns about AI of developers are switched off, those of people and
seats are hidden.

Working hours and days are those of the organization's calendar: working days, hours per day, holidays and time zone.
Bots and AI reviewers stop no clock, drafts do not wait, and sandboxes and excluded repositories are left out.

`python -m dbt_project.check_kinds` writes this page from `check_kinds` in `dbt_project/dbt_project.yml`.

| kind | looks at | default | critical | on | acts next | why |
|---|---|---|---|---|---|---|
"""


def kinds() -> list[dict[str, Any]]:
    """The declared kinds, in their order."""
    project = yaml.safe_load((dictionary.PROJECT / "dbt_project.yml").read_text())
    declared: list[dict[str, Any]] = project["vars"]["check_kinds"]
    return declared


def files() -> dict[Path, str]:
    """The texts of the files by path."""
    declared = kinds()
    return {
        LIST: json.dumps(declared, indent=1) + "\n",
        PAGE: INTRODUCTION + "".join(_row(kind) for kind in declared),
    }


def _row(kind: dict[str, Any]) -> str:
    cells = (
        f"**{kind['label']}** `{kind['name'].upper()}`",
        _words(kind["source"]),
        _value(kind, "threshold") or "any",
        _value(kind, "critical"),
        "yes" if kind["is_on"] else "",
        kind["actor"],
        kind["reason"],
    )
    return f"| {' | '.join(cells)} |\n"


def _value(kind: dict[str, Any], name: str) -> str:
    if name not in kind:
        return ""
    side = "at most " if kind.get("is_below") else ""
    return f"{side}{kind[name]:g} {UNITS.get(kind['unit']) or _words(kind['unit'])}"


def _words(name: str) -> str:
    return name.replace("_", " ")


def main(arguments: list[str] | None = None) -> int:
    """Write or check the files; the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="only compare")
    only_compares = parser.parse_args(arguments).check
    outdated = [file for file, text in files().items() if not file.exists() or file.read_text() != text]
    if only_compares and outdated:
        names = ", ".join(str(file.relative_to(ROOT)) for file in outdated)
        sys.stderr.write(f"{names}: out of date; run `make docs`\n")
        return 1
    for file in outdated:
        file.write_text(files()[file])
    return 0


if __name__ == "__main__":
    sys.exit(main())
