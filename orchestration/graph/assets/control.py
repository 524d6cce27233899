"""Raw tables of `control`: the settings of one organization."""

from collections.abc import Iterator

import dagster as dg

from ingest.schemas import control as schemas
from orchestration.build import settings_snapshot
from orchestration.build.settings_snapshot import NOUN
from orchestration.deployment import Deployment
from orchestration.graph.assets import raw
from orchestration.operations import deletion, outbox
from orchestration.runtime.failures import translating_errors
from orchestration.runtime.partitions import ORGANIZATIONS, identifier

DESCRIPTIONS = {
    "organizations": "The organization: name, time zone and settings. One row.",
    "holidays": "One row per day on which the organization does not work.",
    "check_settings": "Kinds of checks that the organization set. One row per kind.",
    "commit_grants": "Commits that the plan allows to be analysed. One row per repository.",
    "capex_rules": "One row per version of the CapEx policy and rule.",
    "repositories": "One row per repository of the organization, with its flags.",
    "connections": "One row per connection to a provider, without its secret.",
    "connection_levels": "Levels of the items of a tracker. One row per connection and kind of item.",
    "tracker_teams": "Teams that own objectives. One row per connection and team of the tracker.",
    "teams": "One row per team: its name and its parent team.",
    "team_memberships": "One row per developer, team and range of days.",
    "commit_exclusions": "One row per commit that people excluded, or counted against a rule.",
    "commit_categories": "Categories that people set. One row per commit.",
    "category_answers": "Categories that a model endpoint answered. One row per commit; none unless it is asked.",
    "identity_merges": "Developers that people merged. One row per merge and developer.",
    "identity_splits": "Names and addresses that people split from a developer. One row per name, address and split.",
    "mailbox_splits": "Owner of later names at a split address. One row per address of which a split took out a name.",
    "suggestion_dismissals": "Merge suggestions that people dismissed. Two rows per dismissal, one per developer.",
    "developer_attributes": "Attributes of developers that people set. One row per developer and attribute.",
    "ai_prices": "Prices that the organization agreed with vendors of models. One row per price in force.",
    "ai_actors": "Developers behind actors of AI tools. One row per actor.",
    "member_mailboxes": "Ids of the verified email addresses of members. One row per address.",
}


@dg.multi_asset(
    name="snapshot_control",
    description=(
        "Copies an organization's settings from the control database into the lake, without secrets, and deletes the"
        " facts of removed repositories from it."
    ),
    specs=[raw.spec(NOUN, table, DESCRIPTIONS[table], {"parquet", "sqlalchemy"}) for table in schemas.TABLES],
    check_specs=[raw.schema_check(NOUN, table) for table in schemas.TABLES],
    partitions_def=ORGANIZATIONS,
)
def snapshot_control(
    context: dg.AssetExecutionContext, deployment: dg.ResourceParam[Deployment]
) -> Iterator[dg.MaterializeResult[None] | dg.AssetCheckResult]:
    organization_id = identifier(context.partition_key)
    with (
        outbox.recording_failure(deployment, organization_id),
        translating_errors(f"settings of organization {context.partition_key}"),
    ):
        # Read before deletion: the next build handles a repository that is removed during it.
        watermark = outbox.current_watermark(deployment, organization_id)
        deletion.delete_facts(deployment, organization_id)
        for table, content in settings_snapshot.write(deployment, organization_id, watermark).items():
            metadata = {"dagster/row_count": content.num_rows}
            yield dg.MaterializeResult(asset_key=raw.key(NOUN, table), metadata=metadata)
        yield from raw.schema_checks(settings_snapshot.source_of(deployment, organization_id), NOUN)
