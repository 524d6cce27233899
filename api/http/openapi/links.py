"""Links of the OpenAPI document, from an answer with an id to the operations that take this id.

They are derived from the routes: every operation with a path parameter is linked from the operations that create or
list such a thing. Keep out: texts of the document (texts.py).
"""

from collections.abc import Iterator
from typing import Any

# By operation: the path parameter that its answer has a value for, and where.
MADE: dict[str, tuple[str, str]] = {
    "createBenchmark": ("benchmark", "/id"),
    "createTeam": ("team", "/id"),
    "createTeamMembership": ("membership", "/id"),
    "createTeamLead": ("member", "/memberId"),
    "createMyCorrection": ("correction", "/id"),
    "createAiActor": ("aiActor", "/id"),
    "createAiPrice": ("aiPrice", "/id"),
    "createCapexPolicy": ("capexPolicy", "/id"),
    "createCapexLock": ("month", "/month"),
    "createInvitation": ("invitation", "/id"),
    "createToken": ("token", "/id"),
    "createIngestToken": ("ingestToken", "/id"),
    "createScimToken": ("scimToken", "/id"),
    "createSummarySubscription": ("summarySubscription", "/id"),
    "mergeDevelopers": ("decision", "/id"),
    "splitDeveloper": ("decision", "/id"),
    "acceptMergeSuggestion": ("decision", "/id"),
    "dismissMergeSuggestion": ("decision", "/id"),
    "batchCreateRepositories": ("repository", "/results/0/repository/id"),
    "createConnection": ("connection", "/id"),
    "listConnections": ("connection", "/connections/0/id"),
    "createIdentityProvider": ("provider", "/id"),
    "listIdentityProviders": ("provider", "/identityProviders/0/id"),
    "listRepositories": ("repository", "/repositories/0/id"),
    "listDevelopers": ("developer", "/developers/0/id"),
    "listCommits": ("commit", "/commits/0/id"),
    "listPullRequests": ("pullRequest", "/pullRequests/0/id"),
    "listObjectives": ("objective", "/objectives/0/id"),
    "listIssues": ("issue", "/issues/0/id"),
    "listUncertainCommits": ("commit", "/uncertainCommits/0/commitId"),
    "listMembers": ("member", "/members/0/id"),
    "listOperations": ("operation", "/operations/0/id"),
    "listMergeSuggestions": ("suggestion", "/mergeSuggestions/0/id"),
    "listCheckOccurrences": ("checkOccurrence", "/checkOccurrences/0/id"),
    "listSummaries": ("summary", "/summaries/0/id"),
    "listSummaryRevisions": ("revision", "/revisions/0/number"),
    "listCheckKinds": ("checkKind", "/checkKinds/0/name"),
    "listImportBursts": ("burst", "/importBursts/0/id"),
}


def add_links(document: dict[str, Any]) -> None:
    """Link every operation that takes an id from the operations that answer with one."""
    operations = list(_operations(document))
    for path, operation in operations:
        made = MADE.get(operation["operationId"])
        if made is None:
            continue
        name, pointer = made
        kept = {part: f"$request.path.{part}" for part in _parameters(path)}
        operation["responses"]["200"]["links"] = {
            target["operationId"]: {
                "operationId": target["operationId"],
                "parameters": {
                    part: f"$response.body#{pointer}" if part == name else kept[part]
                    for part in _parameters(other)
                    if part == name or part in kept
                },
            }
            for other, target in operations
            if name in _parameters(other)
        }


def _operations(document: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for path, methods in document["paths"].items():
        for operation in methods.values():
            yield path, operation


def _parameters(path: str) -> list[str]:
    return [part.partition("}")[0] for part in path.split("{")[1:]]
