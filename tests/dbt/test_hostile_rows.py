"""Whatever answers of providers hold, the rows that are read of them pass the models and data tests that read them."""

from __future__ import annotations

import random
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest

from ingest.errors import IngestError
from ingest.lake import Lake
from ingest.schemas.control import TABLES
from tests.dbt.invented.invented_trackers import SYNCED_AT
from tests.dbt.warehouse import build, opened
from tests.ingest.connections.cases import CASES
from tests.ingest.connections.mutated import Mutated
from tests.ingest.connections.running import ORGANIZATION, run
from tests.suite.tiers import seeds

SELECTED = "+fct_pull_requests +fct_reviews +fct_issues"
"""The models that read rows of connections, down to the facts about pull requests, reviews and issues."""


@pytest.mark.parametrize("seed", seeds(3))
def test_rows_of_damaged_answers_pass_the_models_that_read_them(seed: int, tmp_path: Path) -> None:
    raw, mutations, known = tmp_path / "raw", 0, []
    Lake(raw).prepare(ORGANIZATION)
    for number, case in enumerate(CASES):
        chance = random.Random(f"{case.provider.kind} {seed}")
        connection = replace(case.connection, id=f"018f0000-0000-7000-8000-{number:012d}")
        # Two connections to one repository would be one source of pull requests.
        wanted = [replace(one, repository_id=f"{one.repository_id} {number}") for one in case.wanted]
        kind, category = case.provider.kind, case.provider.category.noun
        known.append((ORGANIZATION, connection.id, kind, category, kind, SYNCED_AT))
        source = Lake(raw).source(category, ORGANIZATION, connection.id)
        with pytest.MonkeyPatch.context() as patch:
            for place, name, value in case.patches:
                patch.setattr(place, name, value)
            for share in (0.05, 0.2, 0.4):
                server = Mutated(case.make(), chance, share=share)
                # What could not be read is named; the rows that were read stay.
                with suppress(IngestError):
                    run(source, case.provider, connection, server, wanted, is_full=True)
                mutations += server.mutations
    settings = pa.Table.from_arrays(list(zip(*known, strict=True)), schema=TABLES["connections"])
    with (control := Lake(raw).source("control", ORGANIZATION, "_")).extracting():
        control.commit({}, {"connections": settings}, {})
    warehouse = build(raw, tmp_path / "built", organization_id=ORGANIZATION, select=SELECTED)
    assert mutations > 100
    with opened(warehouse) as connection_to_rows:
        for table in ("stg_hosts__pull_requests", "stg_trackers__items"):
            [(rows, connections)] = connection_to_rows.execute(
                f"select count(*), count(distinct connection_id) from {table}"
            ).fetchall()
            assert rows > connections > 2, (table, rows, connections)
