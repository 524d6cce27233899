"""A random request for every administrative write. Most succeed, some are refused.

Keep out: the invariants afterwards (test_killed.py).
"""

import itertools
import random
from collections import defaultdict
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from typing import Any

import httpx

from api.presentation.checks import check_kinds
from tests.api.check_facts import occurrences
from tests.api.conftest import ROOT
from tests.api.published_facts import CATEGORIES, TODAY, Facts

Request = tuple[str, str, Any]

# By operation: those that write nothing for an organization's people to see, and why.
LEFT_OUT = {
    "createConnection": "asks a provider, which these tests have none of; connections are there from the start",
    "createIdentityProvider": "asks an issuer, as above",
    "previewConnectionLevels": "answers what would be and writes nothing",
    "putConnectionLevels": "no kind of provider here has levels that can be changed",
    "backtestCheckKind": "answers what would be and writes nothing",
    "previewCapexPolicy": "answers what would be and writes nothing",
    "requestUpgrade": "only a cloud deployment has billing; tests of billing repeat it at once",
    "leaveOrganization": "nobody would be left to write; it ends what deleteMember ends, in the same transaction",
}


class World:
    """Ids for requests: those of the facts, and those of objects that earlier requests created."""

    def __init__(self, facts: Facts, members: list[str], suggestions: list[str]) -> None:
        self.facts = facts
        self.developers = list(facts.developers)
        self.commits = [commit.id for commit in facts.commits if commit.changes]
        self.bursts = sorted({burst for commit in facts.commits if (burst := facts.burst_of(commit))})
        self.occurrences = [one.id for one in occurrences(facts) if one.ended_at is None]
        self.kinds = list(check_kinds())
        self.members = members
        self.suggestions = suggestions
        self.made: dict[str, list[str]] = defaultdict(list)
        self.numbers = itertools.count()

    def one(self, dice: random.Random, kind: str) -> str:
        """An id from an earlier answer, if there is one."""
        known = self.made[kind]
        return dice.choice(known) if known else "none-yet"

    def learn(self, operation: str, answer: httpx.Response) -> None:
        """Remember the id of a created object."""
        kind = MAKES.get(operation)
        if kind == "repository":
            for one in answer.json()["results"]:
                self.made[kind] += [one["repository"]["id"]] if one["repository"] else []
        elif kind == "month":
            self.made[kind].append(answer.json()["month"])
        elif kind is not None:
            self.made[kind].append(answer.json()["id"])


MAKES = {
    "createTeam": "team",
    "createTeamMembership": "membership",
    "batchCreateRepositories": "repository",
    "mergeDevelopers": "decision",
    "splitDeveloper": "decision",
    "acceptMergeSuggestion": "decision",
    "createMyCorrection": "correction",
    "createBenchmark": "benchmark",
    "createCapexPolicy": "policy",
    "createCapexLock": "month",
    "createInvitation": "invitation",
    "createToken": "token",
    "createIngestToken": "ingest token",
    "createScimToken": "SCIM token",
    "createAiPrice": "ai price",
    "createAiActor": "ai actor",
    "createSummarySubscription": "subscription",
}


def _day(dice: random.Random) -> str:
    return (TODAY - timedelta(days=dice.randrange(200))).isoformat()


def _month(dice: random.Random) -> str:
    return date(2026, dice.randrange(6, 11), 1).isoformat()


def _settings(world: World, dice: random.Random) -> dict[str, Any]:
    return dice.choice(
        [
            {"timeZone": dice.choice(["UTC", "Europe/Berlin", "Asia/Tokyo"])},
            {"companyContext": f"We make thing {next(world.numbers)}."},
            {"hoursPerDay": dice.randrange(4, 10), "workingWeekdays": ["MONDAY", "TUESDAY"]},
        ]
    )


def _parent(world: World, dice: random.Random) -> str | None:
    return world.one(dice, "team") if world.made["team"] and dice.random() < 0.7 else None


def _repositories(world: World, dice: random.Random) -> dict[str, Any]:
    # Addresses of a block that is nobody's: nothing is resolved and nothing connects.
    named = [f"https://198.51.100.7/acme/r{next(world.numbers)}" for _ in range(dice.randrange(1, 4))]
    return {"repositories": [{"address": address} for address in named]}


def _correction(world: World, dice: random.Random) -> dict[str, Any]:
    mine = [commit.id for commit in world.facts.commits if commit.developer == world.developers[0]]
    return {"kind": "EXCLUSION", "text": "An import.", "commit": dice.choice(mine)}


# Of all the same shape, whether or not one needs the dice.
# ruff: noqa: ARG005
WRITES: dict[str, Callable[[World, random.Random], Request]] = {
    "createOrganization": lambda w, d: (
        "POST", "/api/v1/organizations", {"name": f"Other {next(w.numbers)}"},
    ),
    "updateOrganization": lambda w, d: ("PATCH", ROOT, {"name": f"Acme {next(w.numbers)}"}),
    "updateSettings": lambda w, d: ("PATCH", f"{ROOT}/settings", _settings(w, d)),
    "batchCreateRepositories": lambda w, d: ("POST", f"{ROOT}/repositories:batchCreate", _repositories(w, d)),
    "updateConnection": lambda w, d: (
        "PATCH", f"{ROOT}/connections/{w.one(d, 'connection')}", {"name": f"Host {next(w.numbers)}"},
    ),
    "deleteConnection": lambda w, d: (
        "DELETE", f"{ROOT}/connections/{w.one(d, 'connection') if d.random() < 0.1 else 'none'}", None,
    ),
    "syncConnection": lambda w, d: ("POST", f"{ROOT}/connections/{w.one(d, 'connection')}:sync", None),
    "resyncConnection": lambda w, d: ("POST", f"{ROOT}/connections/{w.one(d, 'connection')}:resync", None),
    "putConnectionTeams": lambda w, d: (
        "PUT",
        f"{ROOT}/connections/{w.one(d, 'tracker')}/teams",
        {"teams": [{"teamKey": f"T{next(w.numbers)}", "teamId": w.one(d, "team")}]},
    ),
    "updateIdentityProvider": lambda w, d: (
        "PATCH", f"{ROOT}/identityProviders/{w.one(d, 'provider')}", {"name": f"Login {next(w.numbers)}"},
    ),
    "deleteIdentityProvider": lambda w, d: ("DELETE", f"{ROOT}/identityProviders/{w.one(d, 'provider')}", None),
    "updateSignInPolicy": lambda w, d: (
        "PATCH", f"{ROOT}/signInPolicy", {"hasDeploymentProviders": d.random() < 0.5},
    ),
    "updateRepository": lambda w, d: (
        "PATCH", f"{ROOT}/repositories/{w.one(d, 'repository')}", {"isSandbox": d.random() < 0.5},
    ),
    "analyzeRepository": lambda w, d: (
        "POST", f"{ROOT}/repositories/{w.one(d, 'repository')}:analyze", None,
    ),
    "deleteRepository": lambda w, d: ("DELETE", f"{ROOT}/repositories/{w.one(d, 'repository')}", None),
    "updateDeveloper": lambda w, d: (
        "PATCH", f"{ROOT}/developers/{d.choice(w.developers)}", {"role": f"Engineer {next(w.numbers)}"},
    ),
    "mergeDevelopers": lambda w, d: (
        "POST", f"{ROOT}/developers:merge", {"developerIds": d.sample(w.developers, 2)},
    ),
    "splitDeveloper": lambda w, d: (
        "POST", f"{ROOT}/developers/{w.facts.shown_twice}:split", {"addressIds": [w.made["address"][0]]},
    ),
    "undoIdentityDecision": lambda w, d: (
        "POST", f"{ROOT}/identityDecisions/{w.one(d, 'decision')}:undo", None,
    ),
    "acceptMergeSuggestion": lambda w, d: (
        "POST", f"{ROOT}/mergeSuggestions/{d.choice(w.suggestions)}:accept", None,
    ),
    "dismissMergeSuggestion": lambda w, d: (
        "POST", f"{ROOT}/mergeSuggestions/{d.choice(w.suggestions)}:dismiss", None,
    ),
    "createTeam": lambda w, d: (
        "POST", f"{ROOT}/teams", {"name": f"Team {next(w.numbers)}", "parentId": _parent(w, d)},
    ),
    "updateTeam": lambda w, d: (
        "PATCH", f"{ROOT}/teams/{w.one(d, 'team')}", {"name": f"TEAM {next(w.numbers)}", "parentId": _parent(w, d)},
    ),
    "deleteTeam": lambda w, d: ("DELETE", f"{ROOT}/teams/{w.one(d, 'team')}", None),
    "createTeamLead": lambda w, d: (
        "POST", f"{ROOT}/teams/{w.one(d, 'team')}/leads", {"memberId": d.choice(w.members)},
    ),
    "deleteTeamLead": lambda w, d: (
        "DELETE", f"{ROOT}/teams/{w.one(d, 'team')}/leads/{d.choice(w.members)}", None,
    ),
    "createTeamMembership": lambda w, d: (
        "POST",
        f"{ROOT}/teamMemberships",
        {"teamId": w.one(d, "team"), "developerId": d.choice(w.developers), "startDate": _day(d)},
    ),
    "updateTeamMembership": lambda w, d: (
        "PATCH", f"{ROOT}/teamMemberships/{w.one(d, 'membership')}", {"startDate": _day(d)},
    ),
    "deleteTeamMembership": lambda w, d: ("DELETE", f"{ROOT}/teamMemberships/{w.one(d, 'membership')}", None),
    "createMyCorrection": lambda w, d: ("POST", f"{ROOT}/me/corrections", _correction(w, d)),
    "acceptCorrection": lambda w, d: ("POST", f"{ROOT}/corrections/{w.one(d, 'correction')}:accept", {}),
    "rejectCorrection": lambda w, d: (
        "POST", f"{ROOT}/corrections/{w.one(d, 'correction')}:reject", {"answer": "It counts."},
    ),
    "excludeCommit": lambda w, d: ("POST", f"{ROOT}/commits/{d.choice(w.commits)}:exclude", {"reason": "IMPORT"}),
    "includeCommit": lambda w, d: ("POST", f"{ROOT}/commits/{d.choice(w.commits)}:include", None),
    "batchExcludeCommits": lambda w, d: (
        "POST", f"{ROOT}/commits:batchExclude", {"reason": "REVERT", "commits": d.sample(w.commits, 3)},
    ),
    "includeImportBurst": lambda w, d: (
        "POST", f"{ROOT}/importBursts/{d.choice(w.bursts)}:include", {"reason": f"Reason {next(w.numbers)}."},
    ),
    "undoImportBurst": lambda w, d: ("POST", f"{ROOT}/importBursts/{d.choice(w.bursts)}:undo", None),
    "reanalyzeCommit": lambda w, d: ("POST", f"{ROOT}/commits/{d.choice(w.commits)}:reanalyze", None),
    "categorizeCommit": lambda w, d: (
        "POST", f"{ROOT}/commits/{d.choice(w.commits)}:categorize", {"category": d.choice(CATEGORIES).upper()},
    ),
    "createBenchmark": lambda w, d: (
        "POST",
        f"{ROOT}/benchmarks",
        {"name": f"Group {next(w.numbers)}", "memberKind": "DEVELOPER", "memberIds": d.sample(w.developers, 2)},
    ),
    "updateBenchmark": lambda w, d: (
        "PATCH", f"{ROOT}/benchmarks/{w.one(d, 'benchmark')}", {"aggregation": d.choice(["AVERAGE", "MEDIAN"])},
    ),
    "updateCheckKind": lambda w, d: (
        "PATCH", f"{ROOT}/checkKinds/{d.choice(w.kinds)}", {"isOn": d.random() < 0.5},
    ),
    "snoozeCheckOccurrence": lambda w, d: (
        "POST", f"{ROOT}/checkOccurrences/{d.choice(w.occurrences)}:snooze",
        {"untilDate": f"{datetime.now(UTC).date() + timedelta(days=d.randrange(-1, 30))}"},
    ),
    "resolveCheckOccurrence": lambda w, d: (
        "POST", f"{ROOT}/checkOccurrences/{d.choice(w.occurrences)}:resolve", {"note": d.choice(["Agreed", " "])},
    ),
    "reopenCheckOccurrence": lambda w, d: (
        "POST", f"{ROOT}/checkOccurrences/{d.choice(w.occurrences)}:reopen", None,
    ),
    "deleteBenchmark": lambda w, d: ("DELETE", f"{ROOT}/benchmarks/{w.one(d, 'benchmark')}", None),
    "regenerateSummaries": lambda w, d: (
        "POST",
        f"{ROOT}/summaries:regenerate",
        {"repositoryId": d.choice([None, "none"])},
    ),
    "createSummarySubscription": lambda w, d: (
        "POST",
        f"{ROOT}/summarySubscriptions",
        d.choice([{}, {"scopeKind": "TEAM", "scopeId": w.one(d, "team")}])
        | {"period": d.choice(["WEEK", "MONTH", "QUARTER"])},
    ),
    "deleteSummarySubscription": lambda w, d: (
        "DELETE", f"{ROOT}/summarySubscriptions/{w.one(d, 'subscription')}", None,
    ),
    "createCapexPolicy": lambda w, d: (
        "POST",
        f"{ROOT}/capexPolicies",
        {"validFrom": _month(d), "rules": [{"category": "FEATURES"}], "reason": f"Reason {next(w.numbers)}."},
    ),
    "withdrawCapexPolicy": lambda w, d: ("POST", f"{ROOT}/capexPolicies/{w.one(d, 'policy')}:withdraw", None),
    "createCapexLock": lambda w, d: ("POST", f"{ROOT}/capexLocks", {"month": _month(d), "note": "Signed."}),
    "unlockCapexMonth": lambda w, d: (
        "POST", f"{ROOT}/capexLocks/{w.one(d, 'month')}:unlock", {"reason": "Closed by mistake."},
    ),
    "updateMember": lambda w, d: (
        "PATCH", f"{ROOT}/members/{d.choice(w.members)}", {"role": d.choice(["VIEWER", "MEMBER", "TEAM_LEAD"])},
    ),
    "deleteMember": lambda w, d: (
        "DELETE", f"{ROOT}/members/{d.choice(w.members) if d.random() < 0.1 else 'nobody'}", None,
    ),
    "createInvitation": lambda w, d: (
        "POST", f"{ROOT}/invitations", {"email": f"guest{d.randrange(20)}@example.org", "role": "VIEWER"},
    ),
    "deleteInvitation": lambda w, d: (
        "DELETE", f"{ROOT}/invitations/{w.one(d, 'invitation')}?confirm=true", None,
    ),
    "createToken": lambda w, d: ("POST", f"{ROOT}/tokens", {"name": f"key {next(w.numbers)}"}),
    "createIngestToken": lambda w, d: (
        "POST", f"{ROOT}/ingestTokens", {"name": f"laptop {next(w.numbers)}", "developerEmail": "ada@example.org"},
    ),
    "createScimToken": lambda w, d: ("POST", f"{ROOT}/scimTokens", {"name": f"directory {next(w.numbers)}"}),
    "deleteScimToken": lambda w, d: ("DELETE", f"{ROOT}/scimTokens/{w.one(d, 'SCIM token')}", None),
    "deleteIngestToken": lambda w, d: ("DELETE", f"{ROOT}/ingestTokens/{w.one(d, 'ingest token')}", None),
    "createAiPrice": lambda w, d: (
        "POST",
        f"{ROOT}/aiPrices",
        {"model": f"model-{d.randrange(9)}-*", "validFrom": _day(d), "discountPercent": 5, "reason": "A contract."},
    ),
    "withdrawAiPrice": lambda w, d: ("POST", f"{ROOT}/aiPrices/{w.one(d, 'ai price')}:withdraw", None),
    "createAiActor": lambda w, d: (
        "POST",
        f"{ROOT}/aiActors",
        {"actor": f"laptop {next(w.numbers)}", "developerId": d.choice(w.developers)},
    ),
    "deleteAiActor": lambda w, d: ("DELETE", f"{ROOT}/aiActors/{w.one(d, 'ai actor')}", None),
    "deleteToken": lambda w, d: ("DELETE", f"{ROOT}/tokens/{w.one(d, 'token')}", None),
    "updatePlan": lambda w, d: (
        "PATCH", f"{ROOT}/plan", {"plan": "PAID", "commitLimit": d.choice([1000, 2000, 3000])},
    ),
}  # fmt: skip
