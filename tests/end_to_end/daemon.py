"""Does what the sensors request, in the process of the test."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import dagster as dg

from orchestration.deployment import Deployment
from orchestration.graph.assembly import build_defs
from orchestration.graph.connection_sensors import connections_due
from orchestration.graph.copied_builds import copies_due
from orchestration.graph.repository_sensors import repositories_due
from orchestration.graph.sensors import builds_due
from orchestration.runtime.partitions import CONNECTIONS, ORGANIZATIONS, REPOSITORIES, register

# Each with its job, if it has only one. The first that has requests is served first.
SENSORS: tuple[tuple[dg.SensorDefinition, str | None], ...] = (
    (connections_due, None),
    (repositories_due, "extract_repository"),
    (builds_due, "build_organization"),
    (copies_due, "copy_build"),
)


class Daemon:
    """Does what the sensors request, as Dagster's daemon does."""

    def __init__(self, deployment: Deployment, instance: dg.DagsterInstance) -> None:
        self._deployment, self._instance = deployment, instance
        self._definitions = build_defs(deployment=deployment)

    def read(self) -> list[str]:
        """As `work`, without builds."""
        return self.work((connections_due, None), (repositories_due, "extract_repository"))

    def work(self, *sensors: tuple[dg.SensorDefinition, str | None]) -> list[str]:
        """Run every request until no sensor has another. Returns the names of the jobs."""
        done: list[str] = []
        while requests := list(self._requests(sensors or SENSORS)):
            for job, request in requests:
                assert request.partition_key is not None
                for partitions in (CONNECTIONS, ORGANIZATIONS, REPOSITORIES):
                    register(self._instance, partitions, request.partition_key)
                self._definitions.resolve_job_def(job).execute_in_process(
                    partition_key=request.partition_key,
                    instance=self._instance,
                    tags=dict(request.tags),
                    raise_on_error=False,
                )
                done.append(job)
            assert len(done) < 10, done
        return done

    def _requests(
        self, sensors: Sequence[tuple[dg.SensorDefinition, str | None]]
    ) -> Iterator[tuple[str, dg.RunRequest]]:
        for sensor, job in sensors:
            context = dg.build_sensor_context(
                instance=self._instance, resources={"deployment": self._deployment}
            )
            requests = sensor(context) or ()
            assert isinstance(requests, Iterable)
            found = [one for one in requests if isinstance(one, dg.RunRequest)]
            if found:
                yield from ((job or one.job_name or "", one) for one in found)
                return
