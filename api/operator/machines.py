"""The settings of deployments on several machines and their readers, as the list of settings has them (variables.py).

Keep out: what the settings do (orchestration/workers, orchestration/publishing/copies.py, api/snapshot/fetching.py).
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import util

from api.operator.readers import lake_root, url_parts, whole_number

# Dagster has another driver than the control database.
RECORDS_ADDRESS = "postgresql+psycopg2://user:password@host/database"
PACKAGES_COMMAND = "pip install --no-deps --require-hashes -r requirements-celery.lock"

RUN_QUEUE, RUN_SLOTS = "EAS_RUN_QUEUE", "EAS_RUN_SLOTS"
DEFAULT_RUN_SLOTS = 2
PUBLISHED_COPY, PUBLISHED_FROM = "EAS_PUBLISHED_COPY", "EAS_PUBLISHED_FROM"


def run_queue(given: str) -> str:
    """Address of a Redis: `redis://[[user]:password@]host[:port][/number]`, or `rediss://…` with TLS."""
    url_parts(given, ("redis", "rediss"), "Redis; use redis://[:password@]host[:port], or rediss://… for TLS")
    _need("dagster_celery", "redis")
    return given


def records_database(given: str) -> str:
    """Address of a PostgreSQL database."""
    url_parts(given, ("postgresql+psycopg2",), f"PostgreSQL database; use {RECORDS_ADDRESS}")
    _need("dagster_postgres")
    return given


def _need(*packages: str) -> None:
    if any(util.find_spec(name) is None for name in packages):
        raise ValueError(f"needs packages that are not installed; install them: {PACKAGES_COMMAND}")


SETTINGS: tuple[tuple[str, str, str, Callable[[str], object], bool], ...] = (
    (
        RUN_QUEUE,
        "–",
        (
            "`redis://[:password@]host[:port]`: Dagster's runs wait in this Redis, and [workers](workers.md) execute"
            " them; without it the server of Dagster starts a process for each"
        ),
        run_queue,
        True,
    ),
    (
        RUN_SLOTS,
        str(DEFAULT_RUN_SLOTS),
        (
            "runs that all workers execute at the same time; an organization gets half of them; at least 3 with"
            f" `{PUBLISHED_COPY}`"
        ),
        whole_number(2, 1024),
        False,
    ),
    (
        "EAS_DAGSTER_DATABASE_URL",
        "SQLite in the data directory",
        f"`{RECORDS_ADDRESS}` of Dagster's records, for [workers](workers.md)",
        records_database,
        True,
    ),
    (
        PUBLISHED_COPY,
        "–",
        "folder of an object store, such as `s3://bucket/published`, that gets a copy of every published build",
        lake_root,
        False,
    ),
    (
        PUBLISHED_FROM,
        "–",
        (
            "the same folder, for an [API on another machine](workers.md#apis-on-other-machines), which fetches builds"
            " from it"
        ),
        lake_root,
        False,
    ),
)
"""Name, default, meaning, reader, and whether the value is secret: what a `Variable` is made of."""
