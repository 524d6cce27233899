"""The dependencies of handlers: the required caller and the row access.

Add: a name for a declaration of callers/access.py that several handlers share. Keep out: checks (callers/access.py).
"""

from typing import Annotated

from fastapi import Depends

from api.access.row_access import RowAccess
from api.callers.access import (
    Access,
    Assists,
    InSession,
    Known,
    Provisions,
    Public,
    Requires,
    Sends,
    SignedIn,
)
from api.control.permissions import Permission
from api.control.principals import Principal
from api.control.telemetry.ingest_tokens import IngestTokenRecord

# Needs no credential.
Anybody = Annotated[None, Depends(Public())]
# Needs no credential, and judges its query itself.
AnybodyAtAll = Annotated[None, Depends(Public(judges_query=True))]
# Any valid credential.
Authenticated = Annotated[Principal, Depends(Known())]
# The session of an account.
Account = Annotated[Principal, Depends(SignedIn())]
# The session of an account or of a root login.
SessionHolder = Annotated[Principal, Depends(InSession())]
# Any session, also one that is restricted to an organization.
Person = Annotated[Principal, Depends(SignedIn(of_organization=True))]
# An ingest token.
Sender = Annotated[IngestTokenRecord, Depends(Sends())]
# The directory of a SCIM token.
Provisioner = Annotated[Principal, Depends(Provisions())]
# An API key.
Assistant = Annotated[Principal, Depends(Assists())]

OrganizationReader = Annotated[Access, Depends(Requires(Permission.SEE_ORGANIZATION))]
MemberReader = Annotated[Access, Depends(Requires(Permission.READ_MEMBERS))]
MemberManager = Annotated[Access, Depends(Requires(Permission.MANAGE_MEMBERS))]
InvitationReader = Annotated[Access, Depends(Requires(Permission.READ_INVITATIONS))]
TokenReader = Annotated[Access, Depends(Requires(Permission.READ_OWN_TOKENS))]
TokenManager = Annotated[Access, Depends(Requires(Permission.MANAGE_OWN_TOKENS))]
# A key that creates keys would outlive its own revocation.
TokenMaker = Annotated[Access, Depends(Requires(Permission.MANAGE_OWN_TOKENS, in_person=True))]
IngestTokenReader = Annotated[Access, Depends(Requires(Permission.READ_INGEST_TOKENS))]
# A key may: it makes no key that reads, and hundreds of machines are set up by programs.
IngestTokenManager = Annotated[Access, Depends(Requires(Permission.MANAGE_INGEST_TOKENS))]
ScimTokenReader = Annotated[Access, Depends(Requires(Permission.READ_SCIM_TOKENS))]
ScimTokenManager = Annotated[Access, Depends(Requires(Permission.MANAGE_SCIM_TOKENS))]
# A key that lets a directory in would outlive its own revocation.
ScimTokenMaker = Annotated[Access, Depends(Requires(Permission.MANAGE_SCIM_TOKENS, in_person=True))]
PlanReader = Annotated[Access, Depends(Requires(Permission.READ_PLAN))]
PlanManager = Annotated[Access, Depends(Requires(Permission.MANAGE_PLAN))]
Upgrader = Annotated[Access, Depends(Requires(Permission.MANAGE_UPGRADE))]
BillingReader = Annotated[Access, Depends(Requires(Permission.READ_BILLABLE))]
AiUsageSettingsReader = Annotated[Access, Depends(Requires(Permission.READ_AI_USAGE_SETTINGS))]
AiUsageManager = Annotated[Access, Depends(Requires(Permission.MANAGE_AI_USAGE))]
CapexControlReader = Annotated[Access, Depends(Requires(Permission.READ_CAPEX_CONTROLS))]
CapexManager = Annotated[Access, Depends(Requires(Permission.MANAGE_CAPEX))]
BenchmarkReader = Annotated[Access, Depends(Requires(Permission.READ_BENCHMARKS))]
BenchmarkManager = Annotated[Access, Depends(Requires(Permission.MANAGE_BENCHMARKS))]
OperationReader = Annotated[Access, Depends(Requires(Permission.READ_OPERATIONS))]
AuditReader = Annotated[Access, Depends(Requires(Permission.READ_AUDIT_LOG))]
OrganizationManager = Annotated[Access, Depends(Requires(Permission.MANAGE_ORGANIZATION))]
SettingsReader = Annotated[Access, Depends(Requires(Permission.READ_SETTINGS))]
RepositoryManager = Annotated[Access, Depends(Requires(Permission.MANAGE_REPOSITORIES))]
IdentityReader = Annotated[Access, Depends(Requires(Permission.READ_IDENTITIES))]
IdentityManager = Annotated[Access, Depends(Requires(Permission.MANAGE_IDENTITIES))]
# The lists by state, with settings and health; figures are a Viewer's.
RepositoryReader = Annotated[Access, Depends(Requires(Permission.READ_REPOSITORY_SETTINGS))]
ConnectionReader = Annotated[Access, Depends(Requires(Permission.READ_CONNECTIONS))]
SourceHealthReader = Annotated[Access, Depends(Requires(Permission.READ_SOURCE_HEALTH))]
ConnectionManager = Annotated[Access, Depends(Requires(Permission.MANAGE_CONNECTIONS))]
IdentityProviderReader = Annotated[Access, Depends(Requires(Permission.READ_IDENTITY_PROVIDERS))]
IdentityProviderManager = Annotated[Access, Depends(Requires(Permission.MANAGE_IDENTITY_PROVIDERS))]
CommitManager = Annotated[Access, Depends(Requires(Permission.MANAGE_COMMITS))]
ExclusionReader = Annotated[Access, Depends(Requires(Permission.READ_EXCLUSIONS))]
TeamManager = Annotated[Access, Depends(Requires(Permission.MANAGE_TEAMS))]
CheckKindReader = Annotated[Access, Depends(Requires(Permission.READ_FIGURES))]
CheckManager = Annotated[Access, Depends(Requires(Permission.MANAGE_CHECKS))]
CheckSettingManager = Annotated[Access, Depends(Requires(Permission.MANAGE_CHECK_SETTINGS))]
SummaryReader = Annotated[Access, Depends(Requires(Permission.READ_SUMMARIES))]
# Mails are a person's own choice, and outlive a key.
Subscriber = Annotated[Access, Depends(Requires(Permission.MANAGE_OWN_SUBSCRIPTIONS, in_person=True))]
SubscriptionManager = Annotated[Access, Depends(Requires(Permission.MANAGE_OWN_SUBSCRIPTIONS))]
SummaryManager = Annotated[Access, Depends(Requires(Permission.MANAGE_SUMMARIES))]
TeamReader = Annotated[Access, Depends(Requires(Permission.READ_FIGURES))]

FigureReader = Annotated[Access, Depends(Requires(Permission.READ_FIGURES))]


async def _viewer(access: FigureReader) -> RowAccess:
    return RowAccess.of(
        access.organization_id,
        access.visibility,
        sees_exclusions=access.may(Permission.READ_EXCLUSIONS),
        sees_suggestions=access.may(Permission.READ_IDENTITIES),
    )


# May read what the organization in the path publishes.
Viewer = Annotated[RowAccess, Depends(_viewer)]


CorrectionFiler = Annotated[Access, Depends(Requires(Permission.MANAGE_OWN_CORRECTIONS))]
CorrectionReader = Annotated[Access, Depends(Requires(Permission.READ_CORRECTIONS))]
CorrectionManager = Annotated[Access, Depends(Requires(Permission.MANAGE_CORRECTIONS))]
# A key that ends a membership would end itself.
Leaver = Annotated[Access, Depends(Requires(Permission.MANAGE_OWN_MEMBERSHIP, in_person=True))]
OwnReader = Annotated[Access, Depends(Requires(Permission.READ_OWN_FIGURES))]


async def _own(access: OwnReader) -> RowAccess:
    return RowAccess(
        access.organization_id,
        own=access.visibility.own_key or "",
        sees_exclusions=access.may(Permission.READ_EXCLUSIONS),
    )


# The caller's own work.
OwnRowAccess = Annotated[RowAccess, Depends(_own)]
