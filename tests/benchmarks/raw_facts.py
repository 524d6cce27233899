"""Reads the raw Git facts of one repository from the lake, without the code that wrote them."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from ingest.schemas import git


@dataclass(frozen=True)
class RawFacts:
    """The facts of a repository below a raw root."""

    root: Path
    organization_id: str
    repository_id: str

    def table(self, name: str, columns: list[str] | None = None) -> pa.Table:
        folder = f"organization_id={self.organization_id}/repository_id={self.repository_id}"
        files = sorted((self.root / "git" / name / folder).glob("*.parquet"))
        schema = git.TABLES[name]
        if columns is not None:
            schema = pa.schema([schema.field(column) for column in columns])
        parts = [pq.read_table(file, columns=columns, partitioning=None) for file in files]
        return pa.concat_tables([schema.empty_table(), *parts])

    def rows(self, name: str, columns: list[str]) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.table(name, columns).to_pylist()
        return found

    def default_branch(self) -> str:
        return str(self.rows("repository_runs", ["default_branch"])[0]["default_branch"])
