"""Text that programs wrote is recognized, and text of people is not taken for it.

`machine_files.csv` has 160 files of 100 lines or more at one commit of 13 repositories, by which no rule was changed:
the longest texts of each, the longest source, and random ones of both, without JSON, CSV, drawings and binaries. One
reader judged each by its first and middle lines, before the product did. Files on which readers may differ are left
out: licences, code of others, tables of translations.
"""

import csv
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path

from tests.git_repository import GitRepository
from tests.validity import bootstrap, labelled_sets
from tests.validity.analysed import analyse
from tests.validity.claims import Bar, Baseline, Inputs, Missing, NotMeasured, Outcome, Result
from tests.validity.labelled_sets import Row

CLAIM = "Machine-written files"
SET = Path(__file__).with_suffix(".csv")
MOST_LINES = 20_000
"""Lines of a file that count at most: one file is not to decide."""
_JUDGED = """
    select
        path,
        is_generated or is_minified or is_vendored or role in ('export', 'lock', 'licence')
        or machine_evidence is not null as is_found
    from stg_git__file_changes where repository_id = ?
"""
# Names that most tools know.
_PLAIN = (".lock", ".sum", "-lock.json", "-lock.yaml", ".snap", ".min.js", ".pb.go", "_pb2.py")


def listed() -> list[Row]:
    """The judged files."""
    with SET.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def results(inputs: Inputs) -> list[Outcome]:
    """Precision by files, and recall by lines."""
    rows: list[Row] = []
    contents: dict[str, dict[str, bytes]] = {}
    missing: list[Outcome] = []
    for row in listed():
        try:
            clone = labelled_sets.repository(inputs, row["repository"])
            contents.setdefault(row["repository"], {})[row["path"]] = _content(clone, row)
            rows.append(row)
        except Missing as error:
            missing.append(NotMeasured(CLAIM, f"{row['repository']} {row['path']}", str(error)))
    if not rows:
        return missing
    found, version = _judged(contents, inputs)
    return [*_results(rows, [(row["repository"], row["path"]) in found for row in rows], version), *missing]


def _content(clone: Path, row: Row) -> bytes:
    command = ["git", "-c", "safe.directory=*", "-C", str(clone), "show", f"{row['commit']}:{row['path']}"]
    answer = subprocess.run(command, capture_output=True, check=False)
    if answer.returncode:
        raise Missing(f"fetch commit {row['commit']} of {row['repository']}")
    return answer.stdout


def _judged(contents: dict[str, dict[str, bytes]], inputs: Inputs) -> tuple[set[tuple[str, str]], str]:
    """The files that the product takes for text of programs. Each repository is one commit with its files."""
    histories = {}
    for name, files in contents.items():
        history = GitRepository(inputs.work / name / f"{name.rpartition('/')[2]}.git", bare=True)
        history.commit(dict(files.items()), f"Add files of {name}")
        histories[name] = history.path
    analysed = analyse(histories, inputs.work / "analysed", select=["+stg_git__file_changes"])
    found = {
        (name, str(row["path"]))
        for name in histories
        for row in analysed.rows(_JUDGED, [analysed.repository_ids[name]])
        if row["is_found"]
    }
    return found, analysed.calculation_version


def _results(rows: Sequence[Row], found: Sequence[bool], version: str) -> list[Outcome]:
    is_machine = [row["is_machine"] == "1" for row in rows]
    lines = [min(int(row["lines"]), MOST_LINES) for row in rows]
    plain = [row["path"].endswith(_PLAIN) for row in rows]
    called = [n for n, is_found in enumerate(found) if is_found]
    written = [n for n, machine in enumerate(is_machine) if machine]

    def recall(numbers: Iterable[int], hits: Sequence[bool]) -> float:
        chosen = [written[number] for number in numbers]
        size = sum(lines[n] for n in chosen)
        return sum(lines[n] for n in chosen if hits[n]) / size if size else float("nan")

    every = range(len(written))
    by_project = bootstrap.grouped(rows[n]["repository"] for n in written)
    wrong = [f"{rows[n]['repository']} {rows[n]['path']}" for n in called if not is_machine[n]]
    missed = [f"{rows[n]['repository']} {rows[n]['path']}" for n in written if not found[n]]
    right = [is_machine[n] for n in called]
    return [
        Result(
            CLAIM,
            "precision by files",
            SET.stem,
            len(called),
            "file",
            bootstrap.mean(right),
            bootstrap.share(right, [rows[n]["repository"] for n in called]),
            version,
            can_show="whether long texts of people keep their weight.",
            cannot_show="generators and formats that the thirteen repositories lack.",
            bar=Bar(at_least=0.95),
            baselines=(
                Baseline(
                    "names alone", bootstrap.mean([is_machine[n] for n in range(len(rows)) if plain[n]])
                ),
            ),
            notes=((f"Wrong: {', '.join(wrong)}.",) if wrong else ()),
        ),
        Result(
            CLAIM,
            "recall by lines",
            SET.stem,
            len(written),
            "file",
            recall(every, found),
            bootstrap.interval(by_project, lambda numbers: recall(numbers, found)),
            version,
            can_show="whether the lines that programs wrote earn no more than data.",
            cannot_show="short files, and parts of a file.",
            bar=Bar(at_least=0.9),
            baselines=(Baseline("names alone", recall(every, plain)),),
            notes=((f"Missed: {', '.join(missed)}.",) if missed else ()),
        ),
    ]
