"""A folder that a person can read: what is stored of them, as CSV, with an index.

Keep out: which rows are theirs (rows.py).
"""

from __future__ import annotations

import csv
import json
import os
import shutil
from collections.abc import Iterable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Any

from api.presentation.cells import inert
from ingest.telemetry import spool
from ingest.telemetry.loading import spool_folder
from orchestration.deployment import Deployment
from orchestration.people import rows
from orchestration.people.marks import Marks
from orchestration.people.person import Person, find_person
from orchestration.people.rows import Rows
from orchestration.report import snapshot

README = """What {release} stores about {addresses}, of {at}.

decisions/  what people decided or entered: account, memberships, keys (without their secrets), corrections, the log
figures/    figures of the published build, a file for each table
facts/      what was read from Git, hosts, trackers and AI tools, a file for each raw table
mails/      mails that wait or were written as files
waiting.json  telemetry of AI tools that no run has loaded yet

A table is in a file of its name, a row in a line, times in UTC. `index.json` lists the files with their rows.
docs/data-dictionary.md of the service says what each column means. Rows also name other people, such as the author of
a decision. Git repositories themselves, and backups, are not in it: the organization keeps them.
"""


class ExportRefused(Exception):
    """The folder cannot be written. The message says why."""


@dataclass(frozen=True)
class Exported:
    """What an export wrote: rows by file."""

    person: Person
    rows: dict[str, int]


def export(deployment: Deployment, organization: str, address: str, target: Path) -> Exported:
    """Write everything that is stored of a person into a new folder, which only its owner can read.

    Raises UnknownPerson, ExportRefused, NotFound for the organization, LakeCorrupt for damaged facts.
    """
    if os.path.lexists(target):
        raise ExportRefused(f"{target} exists; name a new folder")
    draft = target.with_name(f"{target.name}.partial")
    with deployment.control() as control:
        owner = control.organization(organization)
        with _opened(deployment, owner.id) as published:
            person = find_person(control, published, owner.id, address)
            marks = Marks(person)
            try:
                draft.mkdir(mode=0o700, parents=True)
            except OSError as error:
                raise ExportRefused(f"{draft} cannot be made: {error.strerror}") from error
            try:
                written = _write(draft / "decisions", rows.decisions(control, marks))
                if published is not None:
                    written |= _write(draft / "figures", rows.figures(published, marks))
                with deployment.lake.reading(owner.id):
                    written |= _write(draft / "facts", rows.facts(deployment.lake, marks))
                written |= _others(deployment, marks, draft)
                _describe(draft, deployment, person, control.now(), written)
                draft.rename(target)
            except BaseException:
                shutil.rmtree(draft, ignore_errors=True)
                raise
    return Exported(person, written)


def _opened(deployment: Deployment, organization_id: str) -> AbstractContextManager[snapshot.Snapshot | None]:
    """The published build, if there is one."""
    folder = deployment.settings.published_dir
    if (folder / organization_id / "current.json").exists():
        return snapshot.opened(folder, organization_id)
    return nullcontext()


def _write(folder: Path, tables: Iterable[Rows]) -> dict[str, int]:
    """A CSV file for each table with rows."""
    folder.mkdir()
    written: dict[str, int] = {}
    for table, columns, values in tables:
        if values:
            file = folder / f"{table}.csv"
            with file.open("w", newline="", encoding="utf-8") as sink:
                writer = csv.writer(sink)
                writer.writerow(columns)
                writer.writerows([_cell(value) for value in row] for row in values)
            written[f"{folder.name}/{file.name}"] = len(values)
    return written


def _cell(value: Any) -> Any:
    if isinstance(value, list | dict):
        value = json.dumps(value, ensure_ascii=False, default=str)
    elif isinstance(value, datetime | date):
        value = value.isoformat()
    return inert(value)


def _others(deployment: Deployment, marks: Marks, draft: Path) -> dict[str, int]:
    """Telemetry that waits, and mails as files."""
    waiting = list(_waiting(spool_folder(deployment.settings.data_dir) / marks.person.organization_id, marks))
    written: dict[str, int] = {}
    if waiting:
        (draft / "waiting.json").write_text(json.dumps(waiting, indent=1, ensure_ascii=False))
        written["waiting.json"] = len(waiting)
    for mail in (deployment.settings.data_dir / "outbox" / "mails").glob("*"):
        content = mail.read_bytes()
        if marks.are_in(content.decode(errors="replace")):
            (draft / "mails").mkdir(exist_ok=True)
            (draft / "mails" / mail.name).write_bytes(content)
            written[f"mails/{mail.name}"] = 1
    return written


def _waiting(folder: Path, marks: Marks) -> Iterable[Any]:
    """Rows of theirs in segments that wait or were set aside; all rows of a token that names them."""
    for segment in spool.stored(folder):
        for line in spool.lines(segment):
            content = json.loads(line) if line is not None else {}
            is_whole = marks.are_in(str(content.get("token_email") or ""))
            for table, found in (content.get("rows") or {}).items():
                for row in found:
                    if is_whole or marks.are_in(json.dumps(row, ensure_ascii=False)):
                        yield {"table": table, "row": row}


def _describe(
    draft: Path, deployment: Deployment, person: Person, now: datetime, written: dict[str, int]
) -> None:
    index = {
        "addresses": sorted(person.addresses),
        "logins": sorted(person.logins),
        "ids": sorted(person.ids),
        "at": now.isoformat(),
        "release": deployment.calculation_version,
        "rows": written,
    }
    (draft / "index.json").write_text(json.dumps(index, indent=1, ensure_ascii=False))
    told = README.format(
        release=f"release {deployment.calculation_version}",
        addresses=", ".join(sorted(person.addresses)),
        at=f"{now:%Y-%m-%d %H:%M} UTC",
    )
    (draft / "README.txt").write_text(told)
