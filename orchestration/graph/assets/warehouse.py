"""The dbt models of one organization as Dagster assets, and their data tests as asset checks."""

import json
from collections.abc import Iterator, Mapping, Set
from typing import Any

import dagster as dg
from dagster_dbt import DagsterDbtTranslator, DagsterDbtTranslatorSettings, dbt_assets
from dagster_dbt.asset_utils import get_asset_check_key_for_test

from api.operator.full_disks import says_full_disk
from orchestration.build import connection_models, dbt_build, due
from orchestration.build.node_results import NodeResult
from orchestration.deployment import Deployment
from orchestration.graph.assets import raw
from orchestration.operations import outbox
from orchestration.publishing import checks, copies
from orchestration.runtime.explanations import FULL
from orchestration.runtime.failures import translating_errors
from orchestration.runtime.partitions import INPUTS_TAG, ORGANIZATIONS, identifier
from orchestration.runtime.progress import Progress

LAYERS = {"core": "marts_core", "api": "marts_api", "published": "published"}
PUBLISHED = "published"
# Sources whose partitions are organizations.
OF_ORGANIZATIONS = ("control", "telemetry")
# Sources that a build itself makes, of these raw tables.
MADE_OF = {
    ("prices", "model_prices"): ("ai_tools", "usage"),
    ("prices", "model_names"): ("ai_tools", "usage"),
}
# Kinds of dbt nodes that make a relation.
BUILT = ("model", "seed", "snapshot")

DbtEvent = dg.MaterializeResult[None] | dg.AssetMaterialization | dg.AssetCheckResult


class Translator(DagsterDbtTranslator):
    """Maps dbt nodes to asset keys, groups, owners and partitions."""

    def get_asset_key(self, dbt_resource_props: Mapping[str, Any]) -> dg.AssetKey:
        """Key of a node: `raw/…` for a source, `published/…` for a published table, `warehouse/…` for all others."""
        if dbt_resource_props["resource_type"] == "source":
            named = dbt_resource_props["source_name"], dbt_resource_props["name"]
            return raw.key(*MADE_OF.get(named, named))
        is_published = dbt_resource_props["database"] == PUBLISHED
        return dg.AssetKey([PUBLISHED if is_published else "warehouse", dbt_resource_props["alias"]])

    def get_group_name(self, dbt_resource_props: Mapping[str, Any]) -> str | None:
        """Group of a node: the layer, followed by the noun or topic."""
        if dbt_resource_props["resource_type"] == "source":
            return str(dbt_resource_props["source_name"])
        if dbt_resource_props["resource_type"] == "seed":
            return "constants"
        folders = dbt_resource_props["fqn"][1:-1]
        if folders[0] == "marts":
            return LAYERS.get(folders[1], "marts")
        return "_".join(folders[:2])

    def get_owners(self, dbt_resource_props: Mapping[str, Any]) -> list[str]:
        """Every asset has the same owners."""
        return raw.OWNERS

    def get_partition_mapping(
        self, dbt_resource_props: Mapping[str, Any], dbt_parent_resource_props: Mapping[str, Any]
    ) -> dg.PartitionMapping | None:
        """A model depends on all repositories, because their partition keys do not name the organization."""
        parent = dbt_parent_resource_props
        if parent["resource_type"] == "source" and parent["source_name"] not in OF_ORGANIZATIONS:
            return dg.AllPartitionMapping()
        return None


def warehouse_assets(deployment: Deployment) -> dg.AssetsDefinition:
    """The assets of the dbt project. Parses the project first if a file changed."""
    manifest = json.loads(dbt_build.manifest(deployment).read_text())
    translator = Translator(DagsterDbtTranslatorSettings(enable_duplicate_source_asset_keys=True))

    @dbt_assets(
        name="build_warehouse",
        manifest=manifest,
        dagster_dbt_translator=translator,
        partitions_def=ORGANIZATIONS,
    )
    def build_warehouse(
        context: dg.AssetExecutionContext,
        deployment: dg.ResourceParam[Deployment],
        progress: dg.ResourceParam[Progress],
    ) -> Iterator[DbtEvent]:
        organization_id = identifier(context.partition_key)

        def report_progress(done: int, total: int) -> None:
            progress.stage("warehouse", "building models", done, total)

        task = f"warehouse of {context.partition_key}"
        with translating_errors(task):
            copies.refuse_reader()
        with outbox.recording_failure(deployment, organization_id), translating_errors(task):
            if _is_superseded(context, deployment, organization_id):
                return
            results = dbt_build.build(
                deployment,
                organization_id,
                select=selection(context, manifest, translator),
                on_node=report_progress,
                check=checks.check,
            )
            yield from dagster_events(results, manifest, translator, context.partition_key)
            raise_on_failures(results, deployment, organization_id)

    return build_warehouse


def _is_superseded(context: dg.AssetExecutionContext, deployment: Deployment, organization_id: str) -> bool:
    """Whether a sensor asked for this run and another process has built the same since. People always get a build."""
    if INPUTS_TAG not in context.run.tags:
        return False
    if due.inputs_of_due_build(deployment, organization_id, thorough=False) is not None:
        return False
    published = deployment.run_state.build(organization_id)
    context.log.info(
        f"{context.partition_key}: another process has published build {published.build_id if published else ''} of"
        " the same facts and settings meanwhile; nothing is left to build, so the steps after this one are skipped"
    )
    return True


def selection(
    context: dg.AssetExecutionContext, manifest: Mapping[str, Any], translator: Translator
) -> list[str]:
    """Names of the selected models; empty if all are selected. A published mart has the key of its table."""
    if not context.is_subset:
        return []
    models = (node for node in manifest["nodes"].values() if node["resource_type"] in BUILT)
    return sorted(
        node["name"] for node in models if translator.get_asset_key(node) in context.selected_asset_keys
    )


def dagster_events(
    results: list[NodeResult], manifest: Mapping[str, Any], translator: Translator, partition: str
) -> Iterator[DbtEvent]:
    """Convert results of dbt to materializations and check results.

    A published table is an output of the step, because publishing waits for it. Every other model is only recorded:
    for an output Dagster also reads and writes data versions, which took half of the time of recording. A model that
    the build left out is not recorded, and the tests of its empty table pass: publishing waits for them.
    """
    left_out = {result.unique_id for result in results if result.status == connection_models.LEFT_OUT}
    yield from _passed_without_rows(left_out, manifest, translator)
    for result in (result for result in results if result.was_run):
        seconds = {"seconds": round(result.seconds, 3)}
        if check := get_asset_check_key_for_test(manifest, translator, result.unique_id, None):
            yield dg.AssetCheckResult(
                asset_key=check.asset_key,
                check_name=check.name,
                passed=result.passed,
                metadata={**seconds, "failing_rows": result.failures, "message": result.message},
            )
        elif result.passed and result.unique_id in manifest["nodes"]:
            node = manifest["nodes"][result.unique_id]
            if node["resource_type"] not in BUILT:
                continue
            key = translator.get_asset_key(node)
            if key.path[0] == PUBLISHED:
                yield dg.MaterializeResult(asset_key=key, metadata=seconds)
            elif result.status != connection_models.LEFT_OUT:
                yield dg.AssetMaterialization(asset_key=key, partition=partition, metadata=seconds)


def _passed_without_rows(
    models: Set[str], manifest: Mapping[str, Any], translator: Translator
) -> Iterator[dg.AssetCheckResult]:
    """The checks of published models that a build left out, because the organization has no rows for them."""
    for unique_id, node in manifest["nodes"].items():
        if node["resource_type"] != "test" or node.get("attached_node") not in models:
            continue
        check = get_asset_check_key_for_test(manifest, translator, unique_id, None)
        if check is not None and check.asset_key.path[0] == PUBLISHED:
            yield dg.AssetCheckResult(
                asset_key=check.asset_key,
                check_name=check.name,
                passed=True,
                metadata={"message": "left out: the organization has no connection with such rows"},
            )


def raise_on_failures(results: list[NodeResult], deployment: Deployment, organization_id: str) -> None:
    """Raise dagster.Failure if a model or test failed, so that the build is not published."""
    failed = [result for result in results if result.was_run and not result.passed]
    if not failed:
        return
    if any(says_full_disk(result.message) for result in failed):
        raise dg.Failure(f"{FULL}; the last published build stays current", allow_retries=False)
    what = "1 model or test" if len(failed) == 1 else f"{len(failed)} models or tests"
    lines = [f"{result.unique_id.split('.')[2]}: {result.message}" for result in failed[:5]]
    more = f" (and {len(failed) - 5} more)" if len(failed) > 5 else ""
    log = deployment.settings.dbt_target_dir(organization_id) / "logs" / "dbt.log"
    raise dg.Failure(
        f"{what} failed; the last published build stays current. {'; '.join(lines)}{more}. Log: {log}",
        allow_retries=False,
    )
