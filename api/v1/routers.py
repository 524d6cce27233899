"""The routers of `/api/v1` in the order in which a request is compared with them."""

from api.v1.ai_usage import actors as ai_actors
from api.v1.ai_usage import adoption as ai_adoption
from api.v1.ai_usage import prices as ai_prices
from api.v1.ai_usage import reconciliation as ai_spend_reconciliation
from api.v1.ai_usage import spend as ai_spend
from api.v1.ai_usage import work as ai_spend_work
from api.v1.alignment import issues, objectives
from api.v1.benchmarks import benchmarks
from api.v1.capex import locks as capex_locks
from api.v1.capex import policies as capex_policies
from api.v1.capex import report as capex
from api.v1.capex import uncertain_commits
from api.v1.checks import kinds as check_kinds
from api.v1.checks import occurrences as check_occurrences
from api.v1.commits import categories as commit_categories
from api.v1.commits import commits, corrections, import_bursts
from api.v1.commits import exclusions as commit_exclusions
from api.v1.connections import connections
from api.v1.connections import levels as connection_levels
from api.v1.connections import source_health as connection_source_health
from api.v1.deployment import license as deployment_license
from api.v1.developers import attributes as developer_attributes
from api.v1.developers import developers, identities, merge_suggestions
from api.v1.identity_providers import providers as identity_providers
from api.v1.members import ingest_tokens, invitations, me, members, scim_tokens, tokens
from api.v1.metrics import metrics, movements, zero_reasons
from api.v1.organizations import (
    audit_entries,
    operations,
    organizations,
    plans,
    restatements,
    settings,
    upgrades,
)
from api.v1.pull_requests import metrics as pull_request_metrics
from api.v1.pull_requests import pull_requests, reviewers
from api.v1.repositories import available, repositories
from api.v1.repositories import settings as repository_settings
from api.v1.summaries import subscriptions as summary_subscriptions
from api.v1.summaries import summaries
from api.v1.teams import leads as team_leads
from api.v1.teams import memberships as team_memberships
from api.v1.teams import teams

# A request is matched in this order, so the most frequent routes come first.
ROUTERS = (
    metrics.router,
    commits.router,
    pull_requests.router,
    pull_request_metrics.router,
    reviewers.router,
    ai_spend.router,
    ai_spend_reconciliation.router,
    ai_spend_work.router,
    ai_adoption.router,
    ai_prices.router,
    ai_actors.router,
    repositories.router,
    developers.router,
    teams.router,
    objectives.router,
    issues.router,
    organizations.router,
    settings.router,
    repository_settings.router,
    available.router,
    connections.kinds,
    connections.router,
    connection_levels.router,
    connection_source_health.router,
    developer_attributes.router,
    identities.router,
    merge_suggestions.router,
    team_leads.router,
    team_memberships.router,
    me.router,
    corrections.router,
    commit_exclusions.router,
    commit_categories.router,
    import_bursts.router,
    movements.router,
    benchmarks.router,
    zero_reasons.router,
    summaries.router,
    summary_subscriptions.router,
    check_occurrences.router,
    check_kinds.router,
    capex.router,
    uncertain_commits.router,
    capex_policies.router,
    capex_locks.locks,
    capex_locks.restatements,
    members.router,
    invitations.router,
    tokens.router,
    ingest_tokens.router,
    scim_tokens.router,
    identity_providers.router,
    plans.plan,
    upgrades.router,
    plans.developers,
    plans.renewal,
    operations.router,
    restatements.router,
    audit_entries.router,
    deployment_license.router,
)
