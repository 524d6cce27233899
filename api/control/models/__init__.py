"""Tables of the control database, a module per subject.

Add: columns of things that people decide. Keep out: anything that can be computed from a repository.
Every change here needs a migration in `migrations/versions`; a test compares the two.
"""

from api.control.models.accounts import (
    Account,
    ApiToken,
    IngestToken,
    Invitation,
    IssuedToken,
    Member,
    RootLogin,
    ScimToken,
    SignInSession,
)
from api.control.models.ai_usage import AiActor, AiPrice
from api.control.models.base import Base, Owned
from api.control.models.benchmarks import Benchmark
from api.control.models.capex import CapexLock, CapexLockedRow, CapexPolicy, CapexRestatement
from api.control.models.checks import CheckDecision, CheckSetting
from api.control.models.commits import CategoryAnswer, CommitCategory, CommitExclusion, Correction
from api.control.models.connections import (
    AvailableRepository,
    Connection,
    ConnectionEvent,
    ConnectionLevel,
    TrackerTeam,
)
from api.control.models.directories import DirectoryGroup, DirectoryGroupMember, DirectoryUser
from api.control.models.guards import SigningKey, Throttle
from api.control.models.identities import DeveloperAttribute, IdentityDecision, IdentityPart
from api.control.models.identity_providers import AccountIdentity, IdentityProvider, SignInCode, SignInFlow
from api.control.models.log import AuditEntry, Operation, Restatement
from api.control.models.mails import Link, Mail
from api.control.models.organizations import CompanyContext, Organization
from api.control.models.plans import BillingEvent, CommitGrant, Renewal, Subscription
from api.control.models.repositories import Repository
from api.control.models.summaries import Summary, SummaryRevision, SummarySubscription
from api.control.models.teams import Team, TeamLead, TeamMembership

__all__ = [
    "Account",
    "AccountIdentity",
    "AiActor",
    "AiPrice",
    "ApiToken",
    "AuditEntry",
    "AvailableRepository",
    "Base",
    "Benchmark",
    "BillingEvent",
    "CapexLock",
    "CapexLockedRow",
    "CapexPolicy",
    "CapexRestatement",
    "CategoryAnswer",
    "CheckDecision",
    "CheckSetting",
    "CommitCategory",
    "CommitExclusion",
    "CommitGrant",
    "CompanyContext",
    "Connection",
    "ConnectionEvent",
    "ConnectionLevel",
    "Correction",
    "DeveloperAttribute",
    "DirectoryGroup",
    "DirectoryGroupMember",
    "DirectoryUser",
    "IdentityDecision",
    "IdentityPart",
    "IdentityProvider",
    "IngestToken",
    "Invitation",
    "IssuedToken",
    "Link",
    "Mail",
    "Member",
    "Operation",
    "Organization",
    "Owned",
    "Renewal",
    "Repository",
    "Restatement",
    "RootLogin",
    "ScimToken",
    "SignInCode",
    "SignInFlow",
    "SignInSession",
    "SigningKey",
    "Subscription",
    "Summary",
    "SummaryRevision",
    "SummarySubscription",
    "Team",
    "TeamLead",
    "TeamMembership",
    "Throttle",
    "TrackerTeam",
]
