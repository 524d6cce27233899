"""Every function of `api.control` that writes for somebody, with a call of it that needs the right and nothing else.

Keep out: who may call it (test_rights.py, test_root_rights.py).
"""

import itertools
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import pytest

from api.control.accounts import invitations, members, tokens
from api.control.ai_usage import actors as ai_actors
from api.control.ai_usage import prices as ai_prices
from api.control.benchmarks import benchmarks
from api.control.capex import locks as capex_locks
from api.control.capex import policies as capex_policies
from api.control.checks import decisions as check_decisions
from api.control.checks import settings as check_settings
from api.control.commits import categories as commit_categories
from api.control.commits import corrections, import_bursts, reanalyses
from api.control.commits import exclusions as commit_exclusions
from api.control.connections import connections, levels, tracker_teams
from api.control.errors import ControlError
from api.control.identities import developer_attributes, identities
from api.control.identities.known_developers import Address, KnownDeveloper
from api.control.identity_providers import policies as sign_in_policies
from api.control.identity_providers import providers as identity_providers
from api.control.identity_providers.kinds import ProviderKind
from api.control.organizations import organizations
from api.control.permissions import Role
from api.control.plans import billing, plans
from api.control.principals import OPERATOR, Principal
from api.control.repositories import removals, repositories
from api.control.repositories.settings import Settings, SettingsChange
from api.control.scim import scim_tokens
from api.control.store import ControlStore
from api.control.summaries import regenerations, subscriptions
from api.control.summaries.kinds import Period, ScopeKind
from api.control.teams import leads as team_leads
from api.control.teams import memberships as team_memberships
from api.control.teams import teams
from api.control.telemetry import ingest_tokens
from api.presentation.checks import check_kinds
from tests.api.people import EVERY_WAY, join

DAY = date(2026, 3, 1)
COMMIT = commit_exclusions.NamedCommit("c1", "1" * 40, "r1", "Subject", None)
OCCURRENCE = check_decisions.NamedOccurrence("o1", "open_too_long", "Subject", has_ended=False)
BURST = import_bursts.NamedBurst("b1", [COMMIT])
LOCKED = {"month": DAY, "developer_id": "d1", "is_draft": False, "hours": 1.0, "capex_hours": 1.0}
CORRECTION_TARGET = corrections.CorrectionTarget(
    corrections.CorrectionKind.ALIAS, "d1", "Ada", "Mine.", email="a@x.org", is_mine=True
)
HOST = connections.NewConnection("GITEA", "hosts", "https://git.example", "Git", "t0ken-long")
NUMBERS = itertools.count()
TRACKER = connections.NewConnection("LINEAR", "trackers", "https://api.linear.app", "Linear", "t0ken-long")
PROVIDER = identity_providers.NewProvider(
    ProviderKind.OPENID_CONNECT, "Acme", "https://login.example", "eas", "s3cret"
)
NEW = repositories.NewRepository("r2", "github.com/a/b", "https://github.com/a/b", Settings("b"))


def developer(key: str) -> KnownDeveloper:
    addresses = tuple(Address(f"{key}{n}", key, f"{key}{n}@x.org", False) for n in range(2))
    return KnownDeveloper(key, key, f"{key}@x.org", False, (key,), addresses)


def connected(store: ControlStore, organization_id: str) -> str:
    """The id of a tracker that the organization has."""
    return connections.add_connection(store, OPERATOR, organization_id, another(TRACKER)).id


def another(like: connections.NewConnection) -> connections.NewConnection:
    """A connection with a name of its own."""
    return replace(like, name=f"{like.name} {next(NUMBERS)}")


def provided(store: ControlStore, actor: Principal, organization_id: str) -> str:
    """The id of an identity provider that the organization has from now on."""
    wanted = replace(PROVIDER, name=f"Acme {next(NUMBERS)}")
    return identity_providers.add_provider(store, actor, organization_id, wanted).id


ADA, BOB = developer("ada"), developer("bob")
Write = Callable[[ControlStore, Principal, str], object]

WRITES: dict[tuple[str, str], Write] = {
    ("teams.teams", "create_team"): lambda s, a, o: teams.create_team(s, a, o, "Web"),
    ("teams.teams", "change_team"): lambda s, a, o: teams.change_team(s, a, o, "none", name="Web"),
    ("teams.teams", "delete_team"): lambda s, a, o: teams.delete_team(s, a, o, "none"),
    ("teams.leads", "add_lead"): lambda s, a, o: team_leads.add_lead(s, a, o, "none", "none"),
    ("teams.leads", "remove_lead"): lambda s, a, o: team_leads.remove_lead(s, a, o, "none", "none"),
    ("teams.memberships", "add_membership"): lambda s, a, o: team_memberships.add_membership(
        s, a, o, "none", "d1", DAY
    ),
    ("teams.memberships", "change_membership"): lambda s, a, o: team_memberships.change_membership(
        s, a, o, "none", end_on=None
    ),
    ("teams.memberships", "remove_membership"): lambda s, a, o: team_memberships.remove_membership(
        s, a, o, "none"
    ),
    ("repositories.repositories", "add_repository"): lambda s, a, o: repositories.add_repository(
        s, a, o, NEW
    ),
    ("repositories.repositories", "analyze_repository"): lambda s, a, o: repositories.analyze_repository(
        s, a, o, "r1"
    ),
    ("repositories.repositories", "change_repository"): lambda s, a, o: repositories.change_repository(
        s, a, o, "r1", SettingsChange(is_disabled=True)
    ),
    ("repositories.removals", "remove"): lambda s, a, o: removals.remove(s, o, "r1", actor=a),
    ("connections.connections", "add_connection"): lambda s, a, o: connections.add_connection(
        s, a, o, another(HOST)
    ),
    ("connections.connections", "change_connection"): lambda s, a, o: connections.change_connection(
        s, a, o, connected(s, o), connections.ConnectionChange(name="Other")
    ),
    ("connections.connections", "remove_connection"): lambda s, a, o: connections.remove_connection(
        s, a, o, connected(s, o)
    ),
    ("connections.connections", "request_sync"): lambda s, a, o: connections.request_sync(
        s, a, o, connected(s, o), is_full=True
    ),
    ("identity_providers.providers", "add_provider"): provided,
    ("identity_providers.providers", "change_provider"): lambda s, a, o: identity_providers.change_provider(
        s, a, o, provided(s, OPERATOR, o), identity_providers.ProviderChange(client_id="other")
    ),
    ("identity_providers.providers", "remove_provider"): lambda s, a, o: identity_providers.remove_provider(
        s, a, o, provided(s, OPERATOR, o), EVERY_WAY
    ),
    ("identity_providers.policies", "change_policy"): lambda s, a, o: sign_in_policies.change_policy(
        s, a, o, {"provider_domains": [f"x{next(NUMBERS)}.org"]}, EVERY_WAY
    ),
    ("connections.levels", "put_levels"): lambda s, a, o: levels.put_levels(s, a, o, connected(s, o), {}),
    ("connections.tracker_teams", "put_tracker_teams"): lambda s, a, o: tracker_teams.put_tracker_teams(
        s, a, o, connected(s, o), {}
    ),
    ("identities.identities", "merge_developers"): lambda s, a, o: identities.merge_developers(
        s, a, o, [ADA, BOB]
    ),
    ("identities.identities", "split_developer"): lambda s, a, o: identities.split_developer(
        s, a, o, ADA, ["ada0"]
    ),
    ("identities.identities", "dismiss_suggestion"): lambda s, a, o: identities.dismiss_suggestion(
        s, a, o, [ADA, BOB]
    ),
    ("identities.identities", "undo_decision"): lambda s, a, o: identities.undo_decision(s, a, o, "none"),
    ("identities.developer_attributes", "change_attributes"): lambda s, a, o: (
        developer_attributes.change_attributes(
            s, a, o, ADA, {developer_attributes.Attribute.ROLE: "Lead"}, dates={}
        )
    ),
    ("checks.settings", "change_setting"): lambda s, a, o: check_settings.change_setting(
        s, a, o, check_kinds()["open_too_long"], {"is_on": False}
    ),
    ("checks.decisions", "snooze"): lambda s, a, o: check_decisions.snooze(
        s, a, o, OCCURRENCE, datetime.now(UTC).date() + timedelta(days=3)
    ),
    ("checks.decisions", "resolve"): lambda s, a, o: check_decisions.resolve(s, a, o, OCCURRENCE, "Agreed."),
    ("checks.decisions", "reopen"): lambda s, a, o: check_decisions.reopen(s, a, o, OCCURRENCE),
    ("commits.exclusions", "exclude"): lambda s, a, o: commit_exclusions.exclude(
        s, a, o, COMMIT, commit_exclusions.ExclusionReason.IMPORT
    ),
    ("commits.exclusions", "include"): lambda s, a, o: commit_exclusions.include(s, a, o, COMMIT),
    ("commits.import_bursts", "include_burst"): lambda s, a, o: import_bursts.include_burst(
        s, a, o, BURST, "Own."
    ),
    ("commits.import_bursts", "undo_burst"): lambda s, a, o: import_bursts.undo_burst(s, a, o, BURST),
    ("commits.categories", "categorize"): lambda s, a, o: commit_categories.categorize(
        s, a, o, COMMIT, "tests"
    ),
    ("commits.reanalyses", "reanalyze"): lambda s, a, o: reanalyses.reanalyze(s, a, o, COMMIT),
    ("commits.corrections", "file_correction"): lambda s, a, o: corrections.file_correction(
        s, a, o, CORRECTION_TARGET
    ),
    ("commits.corrections", "accept_correction"): lambda s, a, o: corrections.accept_correction(
        s, a, o, "none", "", lambda _: None
    ),
    ("commits.corrections", "reject_correction"): lambda s, a, o: corrections.reject_correction(
        s, a, o, "none", "No."
    ),
    ("benchmarks.benchmarks", "create_benchmark"): lambda s, a, o: benchmarks.create_benchmark(
        s,
        a,
        o,
        f"Group {next(NUMBERS)}",
        benchmarks.MemberKind.DEVELOPER,
        ["d1", "d2"],
        benchmarks.Aggregation.MEDIAN,
    ),
    ("benchmarks.benchmarks", "change_benchmark"): lambda s, a, o: benchmarks.change_benchmark(
        s, a, o, "none", name="Other"
    ),
    ("benchmarks.benchmarks", "delete_benchmark"): lambda s, a, o: benchmarks.delete_benchmark(
        s, a, o, "none"
    ),
    ("summaries.regenerations", "regenerate"): lambda s, a, o: regenerations.regenerate(s, a, o, None),
    ("summaries.subscriptions", "subscribe"): lambda s, a, o: subscriptions.subscribe(
        s, a, o, ScopeKind.ORGANIZATION, None, Period.WEEK
    ),
    ("summaries.subscriptions", "unsubscribe"): lambda s, a, o: subscriptions.unsubscribe(s, a, o, "none"),
    ("capex.policies", "create_policy"): lambda s, a, o: capex_policies.create_policy(
        s, a, o, DAY, [], "Why."
    ),
    ("capex.policies", "withdraw_policy"): lambda s, a, o: capex_policies.withdraw_policy(s, a, o, "none"),
    ("capex.locks", "lock_month"): lambda s, a, o: capex_locks.lock_month(s, a, o, DAY, [LOCKED], "b1"),
    ("capex.locks", "unlock_month"): lambda s, a, o: capex_locks.unlock_month(s, a, o, DAY, "Why."),
    ("plans.plans", "change_plan"): lambda s, a, o: plans.change_plan(
        s, a, o, plan="unlimited", commit_limit=None
    ),
    ("plans.billing", "request_upgrade"): lambda s, a, o: billing.request_upgrade(s, a, o, 9),
    ("ai_usage.prices", "create_price"): lambda s, a, o: ai_prices.create_price(
        s, a, o, "claude-*", DAY, "Why.", discount_percent=Decimal(5)
    ),
    ("ai_usage.prices", "withdraw_price"): lambda s, a, o: ai_prices.withdraw_price(s, a, o, "none"),
    ("ai_usage.actors", "assign_actor"): lambda s, a, o: ai_actors.assign_actor(s, a, o, "laptop", ADA),
    ("ai_usage.actors", "release_actor"): lambda s, a, o: ai_actors.release_actor(s, a, o, "none"),
    ("telemetry.ingest_tokens", "create_ingest_token"): lambda s, a, o: ingest_tokens.create_ingest_token(
        s, o, "laptops", actor=a
    ),
    ("telemetry.ingest_tokens", "revoke_ingest_token"): lambda s, a, o: ingest_tokens.revoke_ingest_token(
        s, o, "none", actor=a
    ),
    ("scim.scim_tokens", "create_scim_token"): lambda s, a, o: scim_tokens.create_scim_token(
        s, o, "directory", actor=a
    ),
    ("scim.scim_tokens", "revoke_scim_token"): lambda s, a, o: scim_tokens.revoke_scim_token(
        s, o, "none", actor=a
    ),
    ("accounts.tokens", "create_token"): lambda s, a, o: tokens.create_token(s, o, "ci", actor=a),
    ("accounts.tokens", "revoke_token"): lambda s, a, o: tokens.revoke_token(s, o, "none", actor=a),
    ("accounts.members", "change_role"): lambda s, a, o: members.change_role(
        s, a, o, join(s, o, Role.MEMBER), Role.VIEWER
    ),
    ("accounts.members", "remove_member"): lambda s, a, o: members.remove_member(
        s, a, o, join(s, o, Role.VIEWER)
    ),
    ("accounts.members", "leave"): members.leave,
    ("accounts.members", "put_member"): lambda s, a, o: members.put_member(
        s, a, o, "nobody@x.org", Role.VIEWER
    ),
    ("accounts.invitations", "invite"): lambda s, a, o: invitations.invite(s, a, o, "new@x.org", Role.VIEWER),
    ("accounts.invitations", "cancel_invitation"): lambda s, a, o: invitations.cancel_invitation(
        s, a, o, invitations.invite(s, OPERATOR, o, "open@x.org", Role.VIEWER).id
    ),
    ("organizations.organizations", "rename_organization"): lambda s, a, o: organizations.rename_organization(
        s, a, o, "Other"
    ),
    ("organizations.organizations", "change_settings"): lambda s, a, o: organizations.change_settings(
        s, a, o, {"hours_per_day_hundredths": 700}
    ),
}
PLATFORM = ("plans.plans", "change_plan")
"""Of platform administrators alone."""

each_write = pytest.mark.parametrize("name", WRITES, ids=".".join)


def attempt(store: ControlStore, write: Write, actor: Principal, organization: str) -> ControlError | None:
    try:
        write(store, actor, organization)
    except ControlError as error:
        return error
    return None
