"""The application of Celery that `eas worker` runs: Dagster's task that executes a run.

Celery imports this module by name. Keep out: settings (run_queue.py).
"""

from __future__ import annotations

from dagster_celery.make_app import make_app
from dagster_celery.tasks import create_execute_job_task

from api.operator.environment import value_of
from orchestration.workers.run_queue import ADDRESS, of_celery

app = make_app({"broker": value_of(ADDRESS), "backend": value_of(ADDRESS), "config_source": of_celery()})
execute = create_execute_job_task(app)
