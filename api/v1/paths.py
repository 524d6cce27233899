"""Ids in the paths of resources."""

from typing import Annotated

from fastapi import Path

AiActorPath = Annotated[str, Path(alias="aiActor", max_length=64, description="Id of the actor.")]
AiPricePath = Annotated[str, Path(alias="aiPrice", max_length=64, description="Id of the price.")]
BenchmarkPath = Annotated[str, Path(max_length=64, description="Id of the benchmark.")]
BurstPath = Annotated[str, Path(alias="burst", max_length=64, description="Id of the burst.")]
CapexPolicyPath = Annotated[str, Path(alias="capexPolicy", max_length=64, description="Id of the version.")]
ConnectionPath = Annotated[str, Path(max_length=64, description="Id of the connection.")]
CorrectionPath = Annotated[str, Path(max_length=64, description="Id of the correction.")]
DecisionPath = Annotated[str, Path(alias="decision", max_length=64, description="Id of the decision.")]
DeveloperPath = Annotated[str, Path(max_length=64, description="Id of the developer.")]
InvitationPath = Annotated[str, Path(max_length=64, description="Id of the invitation.")]
IssuePath = Annotated[str, Path(max_length=64, description="Id of the issue.")]
LeadPath = Annotated[str, Path(max_length=64, description="Id of the member.")]
MemberPath = Annotated[str, Path(max_length=64, description="Id of the member's account.")]
MembershipPath = Annotated[str, Path(max_length=64, description="Id of the membership.")]
ObjectivePath = Annotated[str, Path(max_length=64, description="Id of the objective or sub-objective.")]
OperationPath = Annotated[str, Path(max_length=64, description="Id of the operation.")]
ProviderPath = Annotated[str, Path(max_length=64, description="Id of the identity provider.")]
RepositoryPath = Annotated[str, Path(max_length=64, description="Id of the repository.")]
SubscriptionPath = Annotated[
    str, Path(alias="summarySubscription", max_length=64, description="Id of the subscription.")
]
SuggestionPath = Annotated[str, Path(alias="suggestion", max_length=64, description="Id of the suggestion.")]
TeamPath = Annotated[str, Path(max_length=64, description="Id of the team.")]
IngestTokenPath = Annotated[
    str, Path(alias="ingestToken", max_length=64, description="Id of the ingest token.")
]
ScimTokenPath = Annotated[str, Path(alias="scimToken", max_length=64, description="Id of the SCIM token.")]
TokenPath = Annotated[str, Path(max_length=64, description="Id of the key.")]
