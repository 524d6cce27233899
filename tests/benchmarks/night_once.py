"""Runs one night of the local organization in this process, as a run of Dagster does.

EAS_DATA_DIR names the deployment. Exits with 1 if a repository failed.
"""

from orchestration.commands.runs import open_instance
from orchestration.deployment import LOCAL_ORGANIZATION, LOCAL_SLUG, Deployment
from orchestration.graph.assembly import build_defs
from orchestration.runtime.in_process_runs import READ_ORGANIZATION, SILENT_LOGGING
from orchestration.runtime.partitions import ORGANIZATIONS, key, register


def main() -> int:
    deployment = Deployment()
    partition = key(LOCAL_SLUG, LOCAL_ORGANIZATION)
    job = build_defs(deployment=deployment).resolve_job_def(READ_ORGANIZATION)
    with open_instance(deployment.settings) as instance:
        register(instance, ORGANIZATIONS, partition)
        result = job.execute_in_process(
            partition_key=partition, instance=instance, run_config=SILENT_LOGGING, raise_on_error=False
        )
    [told] = [event.step_output_data.metadata for event in result.all_events if event.is_successful_output]
    print(told["repositories"].value, "read,", told["failed"].value, "failed")
    return int(not result.success or bool(told["failed"].value))
