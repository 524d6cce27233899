"""`eas person export`: each row of a person, and no row of somebody else with a similar address or login."""

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from typer.testing import CliRunner

from api.control.models import AuditEntry
from api.control.store import utc_now
from ingest.schemas import TABLES
from ingest.telemetry import spool
from ingest.telemetry.loading import spool_folder
from orchestration.cli import app
from orchestration.deployment import LOCAL_ORGANIZATION, Deployment
from orchestration.people.marks import Marks
from orchestration.people.person import Person
from orchestration.people.rows import REPEATED
from tests.api.published_facts import Facts, make_facts
from tests.api.published_rows import write
from tests.published_tables import copy_filled, publish_marts

OTHERS = "0190d3b0-0000-7000-8000-0000000000ff"


def _row(table: tuple[str, str], **values: Any) -> dict[str, Any]:
    """A raw row with these values and nothing in its other columns."""

    def empty(kind: pa.DataType) -> Any:
        if pa.types.is_list(kind):
            return []
        return "" if pa.types.is_string(kind) else False if pa.types.is_boolean(kind) else 0

    return {one.name: empty(one.type) for one in TABLES[table]} | values


def _commit(deployment: Deployment, noun: str, table: str, *rows: dict[str, Any], organization: str) -> None:
    source = deployment.lake.source(noun, organization, "5f6f4c5e-7b0a-5e0e-9d43-1c1f1d9a0c11")
    content = pa.Table.from_pylist(list(rows), schema=TABLES[noun, table])
    source.commit({table: content}, {}, {"seen": table})


class Stored:
    """A deployment with a developer whose rows are known."""

    def __init__(self, deployment: Deployment, folder: Path, facts: Facts) -> None:
        self.deployment, self.facts = deployment, facts
        self.developer = next(key for key in facts.developers if key != facts.bot)
        self.address = facts.email(self.developer)
        self.warehouse = write(facts, folder / "built.duckdb")
        publish_marts(self.warehouse, deployment.settings.published_dir, LOCAL_ORGANIZATION, by=copy_filled)
        self._store_facts()
        self._store_decisions()

    def _store_facts(self) -> None:
        upper, similar = self.address.upper(), f"not{self.address}"
        rows = [
            _row(("git", "commits"), commit_sha="theirs", author_email=upper),
            _row(("git", "commits"), commit_sha="mentioned", body=f"Co-authored-by: A <{self.address}>\n"),
            _row(("git", "commits"), commit_sha="similar", author_email=similar),
            _row(("git", "commits"), commit_sha="longer", author_email=f"{self.address}.uk"),
        ]
        _commit(self.deployment, "git", "commits", *rows, organization=LOCAL_ORGANIZATION)
        _commit(self.deployment, "git", "commits", *rows, organization=OTHERS)
        writer = spool.Spool(spool_folder(self.deployment.settings.data_dir))
        for token, address in ((None, self.address), (None, similar), (self.address, "nobody")):
            line = {"token_email": token, "rows": {"events": [{"user_email": address}]}}
            writer.append(LOCAL_ORGANIZATION, json.dumps(line).encode()).result()
        writer.close()

    def _store_decisions(self) -> None:
        with self.deployment.control() as control:
            control.ensure_organization("Others", organization_id=OTHERS, slug="others")
            with control.session() as session:
                for number, (organization, name) in enumerate(
                    [
                        (LOCAL_ORGANIZATION, self.address),
                        (LOCAL_ORGANIZATION, f"not{self.address}"),
                        (OTHERS, self.address),
                    ]
                ):
                    session.add(
                        AuditEntry(
                            id=str(number), organization_id=organization, at=utc_now(), actor_kind="account",
                            actor_name=name, action="x", target_kind="y", target_id="z", target_name="=1+1",
                        )
                    )  # fmt: skip


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Stored:
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("stored")
        patch.setenv("EAS_DATA_DIR", str(folder / "data"))
        deployment = Deployment()
        with deployment.control() as control:
            control.ensure_organization("Local", organization_id=LOCAL_ORGANIZATION, slug="local")
        return Stored(deployment, folder, make_facts())


@pytest.fixture
def run(stored: Stored, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    monkeypatch.setenv("EAS_DATA_DIR", str(stored.deployment.settings.data_dir))

    def called(*arguments: str) -> Any:
        return CliRunner().invoke(app, ["person", "export", *arguments])

    return called


def _read(file: Path) -> list[dict[str, str]]:
    with file.open(newline="", encoding="utf-8") as source:
        return list(csv.DictReader(source))


def test_every_row_of_a_developer_is_exported_and_none_of_others(
    stored: Stored, run: Callable[..., Any], tmp_path: Path
) -> None:
    done = run(stored.address.title(), str(tmp_path / "export"))
    assert done.exit_code == 0, done.output
    folder = tmp_path / "export"
    assert folder.stat().st_mode & 0o077 == 0
    # Naive count of the rows of each table that names developers.
    published = stored.deployment.settings.published_dir / LOCAL_ORGANIZATION
    with duckdb.connect(str(next(published.glob("*.duckdb"))), read_only=True) as build:
        tables = build.execute(
            "select table_name from information_schema.columns where column_name = 'developer_id'"
        ).fetchall()
        counts = {}
        for (table,) in tables:
            rows = build.execute(f'select developer_id from "{table}"').fetchall()
            counts[table] = sum(one == stored.developer for (one,) in rows)
    assert counts["commits_by_time"] == counts["commits_by_developer"] > 0
    for table in counts.keys() - REPEATED:
        file = folder / "figures" / f"{table}.csv"
        found = _read(file) if file.exists() else []
        assert sum(row["developer_id"] == stored.developer for row in found) == counts[table], table
    assert {row["commit_sha"] for row in _read(folder / "facts" / "git-commits.csv")} == {
        "theirs",
        "mentioned",
    }
    entries = _read(folder / "decisions" / "audit_entries.csv")
    assert [(row["organization_id"], row["id"]) for row in entries] == [(LOCAL_ORGANIZATION, "0")]
    # A spreadsheet runs no cell.
    assert entries[0]["target_name"] == "'=1+1"
    waiting = json.loads((folder / "waiting.json").read_text())
    assert [one["row"]["user_email"] for one in waiting] == [stored.address, "nobody"]
    index = json.loads((folder / "index.json").read_text())
    listed = {str(file.relative_to(folder)) for file in folder.rglob("*") if file.is_file()}
    assert listed == set(index["rows"]) | {"index.json", "README.txt"}


def test_an_unknown_address_and_a_used_folder_are_refused(
    stored: Stored, run: Callable[..., Any], tmp_path: Path
) -> None:
    unknown = run("nobody@example.org", str(tmp_path / "export"))
    assert (unknown.exit_code, "nobody@example.org" in unknown.output) == (2, True)
    assert list(tmp_path.iterdir()) == []
    used = run(stored.address, str(tmp_path))
    assert (used.exit_code, "name a new folder" in used.output) == (2, True)
    elsewhere = run(stored.address, str(tmp_path / "export"), "--organization", "none")
    assert elsewhere.exit_code == 2


@pytest.mark.parametrize(
    ("text", "column", "is_theirs"),
    [
        ("Ada@X.io", "body", True),
        ("by <ada@x.io>, thanks", "body", True),
        ("write to ada@x.io.", "body", True),
        ("canada@x.io", "author_email", False),
        ("ada@x.io.uk", "author_email", False),
        ("ada@x.ion", "author_email", False),
        ("main", "author", True),
        ("main", "name", False),
        ('["main","other"]', "requested_reviewers", True),
        ('["main","other"]', "labels", False),
        ('{"user": {"login": "main"}}', "payload", True),
        ('{"ref": "main"}', "payload", False),
        ("0190d3b0-0000-7000-8000-00000000000a", "developer_id", True),
        ("0190d3b0-0000-7000-8000-00000000000ab", "developer_id", False),
    ],
)
def test_python_and_duckdb_find_the_same_texts(text: str, column: str, is_theirs: bool) -> None:
    marks = Marks(
        Person(
            LOCAL_ORGANIZATION,
            frozenset({"0190d3b0-0000-7000-8000-00000000000a"}),
            frozenset({"ada@x.io"}),
            frozenset({"main"}),
        )
    )
    assert marks.are_in(text, column) is is_theirs
    [(found,)] = duckdb.execute(
        "select regexp_matches(lower(?), ?)", [text, marks.of_column(column)]
    ).fetchall()
    assert found is is_theirs


def test_a_person_without_logins_is_not_found_by_an_empty_one() -> None:
    marks = Marks(Person(LOCAL_ORGANIZATION, frozenset(), frozenset({"ada@x.io"}), frozenset()))
    assert not any(marks.are_in(text, "author") for text in ("", '""', '[""]', '{"login": ""}'))
