"""The dbt models of one organization as assets, its data tests as asset checks."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

import dagster as dg
from dagster_dbt import DagsterDbtTranslator, dbt_assets
from dagster_dbt.asset_utils import get_asset_check_key_for_test

from orchestration.build import dbt_build
from orchestration.build.dbt_build import NodeResult
from orchestration.deployment import Deployment
from orchestration.graph.assets import raw
from orchestration.operations import outbox
from orchestration.runtime.failures import failing_as
from orchestration.runtime.partitions import ORGANIZATIONS, identifier
from orchestration.runtime.progress import Progress

LAYERS = {"core": "marts_core", "api": "marts_api", "published": "published"}
PUBLISHED = "published"


class Translator(DagsterDbtTranslator):
    """How dbt nodes are called and grouped in the graph."""

    def get_asset_key(self, dbt_resource_props: Mapping[str, Any]) -> dg.AssetKey:
        """Sources are the raw tables; what dbt makes is below `warehouse`, or `published` where readers get it."""
        if dbt_resource_props["resource_type"] == "source":
            return raw.key(dbt_resource_props["source_name"], dbt_resource_props["name"])
        is_published = PUBLISHED in dbt_resource_props["fqn"][1:-1]
        return dg.AssetKey([PUBLISHED if is_published else "warehouse", dbt_resource_props["name"]])

    def get_group_name(self, dbt_resource_props: Mapping[str, Any]) -> str | None:
        """The layer, and within it the noun or topic."""
        if dbt_resource_props["resource_type"] == "source":
            return str(dbt_resource_props["source_name"])
        if dbt_resource_props["resource_type"] == "seed":
            return "constants"
        folders = dbt_resource_props["fqn"][1:-1]
        if folders[0] == "marts":
            return LAYERS.get(folders[1], "marts")
        return "_".join(folders[:2])

    def get_owners(self, dbt_resource_props: Mapping[str, Any]) -> list[str]:
        """The owners of everything in the graph."""
        return raw.OWNERS

    def get_partition_mapping(
        self, dbt_resource_props: Mapping[str, Any], dbt_parent_resource_props: Mapping[str, Any]
    ) -> dg.PartitionMapping | None:
        """An organization is built from its repositories, whose keys do not name it: from all, to be safe."""
        parent = dbt_parent_resource_props
        if parent["resource_type"] == "source" and parent["source_name"] != "control":
            return dg.AllPartitionMapping()
        return None


def warehouse_assets(deployment: Deployment) -> dg.AssetsDefinition:
    """The assets of the dbt project as it stands on disk, which is parsed first when it changed."""
    manifest = json.loads(dbt_build.manifest(deployment).read_text())
    translator = Translator()

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
    ) -> Iterator[dg.MaterializeResult[None] | dg.AssetCheckResult]:
        organization_id = identifier(context.partition_key)

        def tell(done: int, total: int) -> None:
            progress.stage("warehouse", "building models", done, total)

        with (
            outbox.blamed(deployment, organization_id),
            failing_as(f"warehouse of {context.partition_key}"),
        ):
            results = dbt_build.build(deployment, organization_id, select=selection(context), on_node=tell)
            yield from events(results, manifest, translator)
            refuse_failures(results, deployment, organization_id)

    return build_warehouse


def selection(context: dg.AssetExecutionContext) -> list[str]:
    """Names of the selected models; nothing when all are."""
    if not context.is_subset:
        return []
    return sorted(key.path[-1] for key in context.selected_asset_keys)


def events(
    results: list[NodeResult], manifest: Mapping[str, Any], translator: Translator
) -> Iterator[dg.MaterializeResult[None] | dg.AssetCheckResult]:
    """What was built and what was tested, as Dagster records it."""
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
            if node["resource_type"] in ("model", "seed", "snapshot"):
                yield dg.MaterializeResult(asset_key=translator.get_asset_key(node), metadata=seconds)


def refuse_failures(results: list[NodeResult], deployment: Deployment, organization_id: str) -> None:
    """Raises dagster.Failure when a model or test failed: what it built must not be published."""
    failed = [result for result in results if result.was_run and not result.passed]
    if not failed:
        return
    lines = [f"{result.unique_id.split('.')[2]}: {result.message}" for result in failed[:5]]
    more = f" (and {len(failed) - 5} more)" if len(failed) > 5 else ""
    log = deployment.settings.dbt_target_dir(organization_id) / "logs" / "dbt.log"
    raise dg.Failure(
        f"{len(failed)} models or tests failed; the last published build stays. {'; '.join(lines)}{more}. Log: {log}",
        allow_retries=False,
    )
