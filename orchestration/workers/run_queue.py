"""A queue of runs in Redis, from which the processes of `eas worker` take them.

Add: how Dagster and Celery are configured for it. Keep out: what a run does, and its lock (runtime/executor.py). The
packages of Celery are an extra: EAS_RUN_QUEUE is refused without them.
"""

from __future__ import annotations

import os
from importlib import import_module
from typing import Any

from api.operator.environment import value_of
from api.operator.machines import DEFAULT_RUN_SLOTS, PUBLISHED_COPY, RUN_QUEUE, RUN_SLOTS

ADDRESS = RUN_QUEUE
APPLICATION = "orchestration.workers.celery_app"
RECORDS = "EAS_DAGSTER_DATABASE_URL"
# A run waits in Redis until a worker is free, and no limit of time says that it is lost.
MAX_WAIT_SECONDS = 86_400
OWNER_TAG, READER_TAG = "eas/owner", "eas/reads"
"""Tags of runs that a schedule or sensor requests: the organization that they work for. Reading has the second one, so
that an organization's reading does not keep its build waiting."""


class QueueUnreachable(Exception):
    """Redis does not answer. The message says what to do."""


def is_used() -> bool:
    """Whether runs go to workers. Raises StartRefused."""
    return value_of(ADDRESS) is not None


def slots() -> int:
    """Runs that all workers together execute at the same time. Raises StartRefused."""
    return int(value_of(RUN_SLOTS) or DEFAULT_RUN_SLOTS)


def count_workers() -> int:
    """The workers that answer within a second. Raises QueueUnreachable."""
    redis = import_module("redis")
    try:
        redis.Redis.from_url(value_of(ADDRESS), socket_connect_timeout=5, socket_timeout=5).ping()
    except redis.RedisError as error:
        raise QueueUnreachable(
            f"the Redis of {ADDRESS} does not answer ({type(error).__name__}); start it, or correct the address"
        ) from error
    workers = import_module(APPLICATION)
    return len(workers.app.control.ping(timeout=1))


def changes_instance() -> bool:
    """Whether the settings ask for another instance of Dagster than that of dagster.yaml. Raises StartRefused."""
    return is_used() or value_of(RECORDS) is not None


def of_instance(configuration: dict[str, Any]) -> dict[str, Any]:
    """The configuration of Dagster's instance with the queue and the database of the settings.

    It names the variables instead of their values, which may have passwords.
    """
    changed = dict(configuration)
    if value_of(RECORDS) is not None:
        for part in ("run_storage", "event_log_storage", "schedule_storage"):
            changed.pop(part)
        changed["storage"] = {"postgres": {"postgres_url": {"env": RECORDS}}}
    if is_used():
        changed["run_launcher"] = {
            "module": "orchestration.workers.launcher",
            "class": "QueueLauncher",
            "config": {"broker": {"env": ADDRESS}, "backend": {"env": ADDRESS}},
        }
        changed["run_monitoring"] = {"enabled": True, "start_timeout_seconds": MAX_WAIT_SECONDS}
        changed["concurrency"] = {
            "runs": {
                "max_concurrent_runs": slots(),
                "tag_concurrency_limits": limits(slots(), has_copies=value_of(PUBLISHED_COPY) is not None),
            }
        }
    return changed


def limits(places: int, *, has_copies: bool) -> list[dict[str, Any]]:
    """Limits of runs on so many places: reading leaves one for builds, and another one if builds are copied.

    An organization gets half of the places for its reading, and half for its builds. One copy runs at a time, because
    its store may be slow.
    """
    shared = places - 1 if has_copies else places
    each = {"applyLimitPerUniqueValue": True}
    return [
        *({"key": tag, "value": each, "limit": -(-shared // 2)} for tag in (OWNER_TAG, READER_TAG)),
        {"key": "eas/connection", "value": each, "limit": 1},
        {"key": READER_TAG, "limit": shared - 1},
        {"key": "eas/copy", "limit": 1},
    ]


def command_of_worker(runs: int) -> list[str]:
    """The arguments of Python that start a worker with so many runs at the same time."""
    name = f"eas-{os.getpid()}@%h"
    celery = ["-m", "celery", "--app", APPLICATION, "--quiet", "worker"]
    return [*celery, "--concurrency", str(runs), "--hostname", name, "--loglevel", "WARNING"]


def of_celery() -> dict[str, Any]:
    """The settings of Celery in workers."""
    return {
        # A run leaves nothing in the process of the next one, and its lock ends with its process.
        "worker_max_tasks_per_child": 1,
        # A worker takes a run when it has a place for it, so a killed one loses no run that waits.
        "worker_prefetch_multiplier": 1,
        "worker_disable_prefetch": True,
        "worker_redirect_stdouts": False,
        "worker_hijack_root_logger": False,
        "broker_connection_retry_on_startup": True,
    }
