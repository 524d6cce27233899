"""Raw tables of the noun `control`: the settings of one organization."""

from collections.abc import Iterator

import dagster as dg

from ingest.schemas import control as schemas
from orchestration.build import settings_snapshot
from orchestration.build.settings_snapshot import NOUN
from orchestration.deployment import Deployment
from orchestration.graph.assets import raw
from orchestration.operations import outbox, removal
from orchestration.runtime.failures import failing_as
from orchestration.runtime.partitions import ORGANIZATIONS, identifier

DESCRIPTIONS = {
    "organizations": "The organization: name, time zone and settings. One row.",
    "holidays": "One row per day on which the organization does not work.",
    "commit_grants": "Commits that may be analysed where there is a limit. One row per repository.",
    "capex_rules": "One row per version of the CapEx policy and rule.",
    "repositories": "One row per repository of the organization, with the flags that people set.",
    "teams": "One row per team: its name and the team that it is a part of.",
    "team_memberships": "One row per stretch of days that a developer is in a team.",
    "commit_exclusions": "One row per commit and decision of people: that it is left out, or counts against a rule.",
    "commit_categories": "Categories that people decided. One row per commit.",
    "identity_merges": "Who is one person by decision: one row per merge and developer.",
    "identity_splits": "Addresses that are somebody else by decision. One row per address and split.",
    "mailbox_splits": "Whose the names are that no split knew. One row per address of which a split took a name out.",
    "suggestion_dismissals": "Who is not one person by decision: two rows per dismissed suggestion.",
    "developer_attributes": "What people said about developers. One row per developer and attribute.",
    "member_mailboxes": "Verified addresses of members, as ids. One row per address.",
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
        outbox.blamed(deployment, organization_id),
        failing_as(f"settings of organization {context.partition_key}"),
    ):
        # Before the facts: what is removed while others are deleted is the next build's.
        seen = outbox.noted(deployment, organization_id)
        removal.delete_facts(deployment, organization_id)
        for table, content in settings_snapshot.write(deployment, organization_id, seen).items():
            metadata = {"dagster/row_count": content.num_rows}
            yield dg.MaterializeResult(asset_key=raw.key(NOUN, table), metadata=metadata)
        yield from raw.schema_checks(settings_snapshot.source_of(deployment, organization_id), NOUN)
