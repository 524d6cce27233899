"""A dbt project of ten models in place of the real one, for stories that are not about figures.

dbt takes 25 ms for each model and test, and the real project has more than two hundred. This one reads every raw table:
`raw_rows` publishes each of their rows as text, so damage to any raw file changes published rows. The report and the
API find every published table with the columns of its contract; most of them have no rows. Everything around the models
is the product's own: fingerprints, locks, records, checks, publishing.

Add: a published table that a story needs filled. Keep out: figures, which need the real project.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path
from unittest.mock import patch

from api.snapshot.empty_build import declared_tables
from ingest.locks import locked
from ingest.schemas import TABLES
from ingest.settings import CHECKOUT
from orchestration.build import dbt_build, parsed_project
from orchestration.deployment import DBT_PROJECT
from orchestration.state import fingerprints

HERE = Path(__file__).parent
MODELS = HERE / "models"
# All processes of a run share one, and what dbt parsed of it.
_CACHE = CHECKOUT / ".pytest_cache" / "small_warehouse"
# Parts of the real project that the checks of a build read, and that make tables as it does.
_REAL = (
    "models/staging/git/stg_git__commits.sql",
    "models/staging/git/stg_git__reachability.sql",
    "macros/as_of.sql",
    "macros/portable",
    "macros/materializations",
    "tests/generic",
    "profiles.yml",
)


def filled_tables() -> list[str]:
    """Published tables that a model fills."""
    return sorted(file.stem for file in (MODELS / "marts" / "published").rglob("*.sql"))


@cache
def folder() -> Path:
    """The folder of the project, written once for each state of its parts."""
    parts = {f"models/{file.relative_to(MODELS)}": file for file in MODELS.rglob("*") if file.is_file()}
    parts |= {f"macros/{file.name}": file for file in (HERE / "macros").iterdir()}
    for name in _REAL:
        real = DBT_PROJECT / name
        parts |= {
            str(file.relative_to(DBT_PROJECT)): file
            for file in ([real] if real.is_file() else real.rglob("*"))
            if file.is_file()
        }
    texts = {name: file.read_text() for name, file in parts.items()}
    texts |= {"dbt_project.yml": _settings(), "models/sources.yml": _sources()}
    found = _CACHE / hashlib.sha256(json.dumps(texts, sort_keys=True).encode()).hexdigest()[:16]
    with locked(_CACHE / "writing.lock"):
        if not found.exists():
            partial = found.with_suffix(".partial")
            shutil.rmtree(partial, ignore_errors=True)
            for name, text in texts.items():
                (partial / name).parent.mkdir(parents=True, exist_ok=True)
                (partial / name).write_text(text)
            partial.rename(found)
    return found


@contextmanager
def used() -> Iterator[Path]:
    """Let every build of this process run on the small project."""
    with ExitStack() as stack:
        stack.callback(fingerprints.build_code.cache_clear)
        for module in (dbt_build, fingerprints, parsed_project):
            stack.enter_context(patch.object(module, "DBT_PROJECT", folder()))
        fingerprints.build_code.cache_clear()
        yield folder()


def _raw_tables() -> dict[str, list[str]]:
    nouns = sorted({noun for noun, _ in TABLES})
    return {noun: sorted(table for other, table in TABLES if other == noun) for noun in nouns}


def _settings() -> str:
    return json.dumps(
        {
            "name": "small_warehouse",
            "version": "0.1.0",
            "profile": "engineering_analytics",
            "flags": {
                "send_anonymous_usage_stats": False,
                "require_generic_test_arguments_property": True,
            },
            "models": {
                "small_warehouse": {
                    "staging": {"+materialized": "view"},
                    "marts": {
                        "+materialized": "table",
                        "published": {"+database": "published", "alignment": {"+tags": ["connections"]}},
                    },
                }
            },
            "data_tests": {"small_warehouse": {"+severity": "error"}},
            "vars": {
                "organization_id": "none",
                "as_of": "",
                "calculation_version": "none",
                "contracts": declared_tables(),
                "filled": filled_tables(),
                "raw_tables": _raw_tables(),
            },
        },
        indent=1,
    )


def _sources() -> str:
    """Every raw table, so that no file of the lake can be damaged without an effect."""
    sources = [
        {"name": noun, "tables": [{"name": table} for table in tables]}
        for noun, tables in _raw_tables().items()
    ]
    return json.dumps({"sources": sources}, indent=1)
