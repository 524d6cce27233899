"""Entries of the audit log as sentences: what was done to what, with names and links in the place of ids.

Add: the words of a new action or field. Keep out: the page (audit.py), entries as the interface answers them.
"""

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from api.web.drawing.addresses import address
from api.web.drawing.figures import day, month

ACTIONS = {
    "aiActors.create": "named the person behind the AI account",
    "aiActors.delete": "took away the person behind the AI account",
    "aiPrices.create": "entered prices for",
    "aiPrices.withdraw": "withdrew prices for",
    "benchmarks.create": "saved the group",
    "benchmarks.delete": "deleted the group",
    "benchmarks.update": "changed the group",
    "capexLocks.create": "locked CapEx of",
    "capexLocks.delete": "unlocked CapEx of",
    "capexPolicies.create": "put in force the CapEx policy",
    "capexPolicies.withdraw": "withdrew the CapEx policy",
    "checkKinds.update": "changed the kind of check",
    "checkOccurrences.reopen": "opened again the finding about",
    "checkOccurrences.resolve": "settled the finding about",
    "checkOccurrences.snooze": "put off the finding about",
    "commits.categorize": "chose the category of the commit",
    "commits.exclude": "excluded the commit",
    "commits.include": "counted the commit again",
    "commits.reanalyze": "had read again the commit",
    "connections.create": "added the connection",
    "connections.remove": "removed the connection",
    "connections.replaceSecret": "replaced the token of the connection",
    "connections.resync": "had read again all of the connection",
    "connections.sync": "synced the connection",
    "connections.update": "changed the connection",
    "connections.updateLevels": "changed the levels of issues of the connection",
    "connections.updateTeams": "changed the teams of the connection",
    "corrections.accept": "accepted a correction of",
    "corrections.reject": "rejected a correction of",
    "corrections.create": "sent a correction of",
    "developers.merge": "joined developers to",
    "developers.split": "split addresses from",
    "developers.update": "changed the developer",
    "directoryGroups.create": "added the directory group",
    "directoryGroups.delete": "deleted the directory group",
    "directoryGroups.update": "changed the directory group",
    "identityDecisions.undo": "undid the decision about",
    "identityProviders.create": "added the identity provider",
    "identityProviders.link": "linked an account of the identity provider",
    "identityProviders.remove": "removed the identity provider",
    "identityProviders.replaceSecret": "replaced the secret of the identity provider",
    "identityProviders.update": "changed the identity provider",
    "importBursts.include": "counted the import in",
    "importBursts.undo": "no longer counted the import in",
    "invitations.accept": "accepted the invitation of",
    "invitations.cancel": "cancelled the invitation of",
    "invitations.create": "invited",
    "invitations.refresh": "invited again",
    "members.changeEmail": "changed the address of",
    "members.changeRole": "changed the role of",
    "members.create": "made a member of",
    "members.deactivate": "deactivated",
    "members.display": "changed how they are shown:",
    "members.leave": "left:",
    "members.remove": "removed the member",
    "members.rename": "changed the name of",
    "members.verifyEmail": "confirmed the address of",
    "mergeSuggestions.dismiss": "dismissed the suggestion to join",
    "organizations.changePlan": "changed the plan of",
    "organizations.changeSettings": "changed settings of",
    "organizations.changeSignInPolicy": "changed the ways to sign in of",
    "organizations.chooseEngine": "chose the engine of",
    "organizations.create": "created the organization",
    "organizations.rename": "renamed the organization",
    "plan.paymentFailed": "reported a failed payment of",
    "plan.paymentSucceeded": "reported a payment of",
    "plan.subscriptionActivated": "reported a new subscription of",
    "plan.subscriptionChanged": "reported a changed subscription of",
    "plan.subscriptionEnded": "reported the end of the subscription of",
    "plan.requestUpgrade": "asked for an upgrade of",
    "repositories.analyze": "started the analysis of",
    "repositories.create": "added the repository",
    "repositories.remove": "removed the repository",
    "repositories.update": "changed the repository",
    "rootLogins.enter": "entered as root:",
    "rootLogins.leave": "left as root:",
    "summaries.regenerate": "had written again summaries of",
    "summarySubscriptions.create": "subscribed to summaries of",
    "summarySubscriptions.delete": "ended the subscription to summaries of",
    "teamLeads.create": "named a lead of the team",
    "teamLeads.delete": "took away a lead of the team",
    "teamMemberships.create": "added to a team:",
    "teamMemberships.delete": "deleted the membership:",
    "teamMemberships.end": "ended the membership:",
    "teamMemberships.update": "changed the membership:",
    "teams.create": "added the team",
    "teams.delete": "removed the team",
    "teams.update": "changed the team",
    "ingestTokens.create": "made the ingest token",
    "ingestTokens.revoke": "revoked the ingest token",
    "scimTokens.create": "made the SCIM token",
    "scimTokens.revoke": "revoked the SCIM token",
    "tokens.create": "made the API token",
    "tokens.revoke": "revoked the API token",
}
"""Each with the words before the name of its target; somebody did it."""
PAGES = {
    "benchmark": "benchmarks",
    "checkKind": "checkKinds",
    "commit": "commits/{id}",
    "connection": "connections/{id}",
    "developer": "developers/{id}",
    "invitation": "members",
    "member": "members",
    "repository": "repositories/{id}",
    "team": "teams/{id}",
    "token": "tokens",
}
"""Where a target is shown, by its kind."""
FIELDS = {
    "capexHours": "CapEx hours",
    "developerId": "person",
    "developerIds": "people",
    "email": "address",
    "hasIndividualFigures": "figures of single developers",
    "memberId": "member",
    "memberIds": "members",
    "parentId": "below the team",
    "repositoryId": "repository",
    "teamId": "team",
}
TECHNICAL = frozenset({"action", "buildId", "id"})
"""Fields that only a program has a use for, or that say the action again; the file has them."""
MAX_VALUE = 200
"""Characters of a value on the page; the file has all."""
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_CAPITAL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def done(action: str) -> str:
    """An action as words before the name of its target; one without words of its own as `Kind: verb`."""
    if action in ACTIONS:
        return ACTIONS[action]
    target, _, verb = _spaced(action).partition(".")
    return f"{target.capitalize()}: {verb}" if verb else target.capitalize()


def link_of(entry: Mapping[str, Any], home: str) -> str:
    """The address of the page that shows the target of an entry; empty where there is none."""
    kind, wanted = entry["targetKind"], entry["targetId"]
    if kind == "capexLock":
        return address(f"{home}/capex", month=str(wanted)[:7])
    if kind == "checkOccurrence":
        return address(f"{home}/checks", status="ALL", search=entry["targetName"])
    # A deleted item has no page.
    if kind not in PAGES or entry["action"].endswith((".delete", ".remove")) or not wanted:
        return ""
    return f"{home}/{PAGES[kind].format(id=wanted)}"


def target_of(entry: Mapping[str, Any], names: Mapping[str, str]) -> str:
    """The name of the target of an entry."""
    if entry["targetKind"] == "capexLock":
        return f"{month(entry['targetId'])} {entry['targetId'][:4]}"
    return named(entry["targetName"], names)


def ids_of(entries: Iterable[Mapping[str, Any]]) -> list[str]:
    """The ids in the names and values of these entries, of things of any kind, each once and the first ones first."""
    texts = (json.dumps([one["targetName"], one["before"], one["after"]]) for one in entries)
    return list(dict.fromkeys(found for text in texts for found in _UUID.findall(text)))


def named(text: str, names: Mapping[str, str]) -> str:
    """A text with the names of the people, teams and repositories whose ids it has."""
    return _UUID.sub(lambda found: names.get(found[0], found[0]), text)


def changes(entry: Mapping[str, Any], names: Mapping[str, str]) -> list[tuple[str, str, str]]:
    """The fields that differ, in words, with their values before and after."""
    before, after = entry["before"] or {}, entry["after"] or {}
    return [
        (FIELDS.get(name, _spaced(name)), _value(before.get(name), names), _value(after.get(name), names))
        for name in before | after
        if before.get(name) != after.get(name) and name not in TECHNICAL
    ]


def _spaced(name: str) -> str:
    return _CAPITAL.sub(" ", name).lower()


def _value(value: Any, names: Mapping[str, str]) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        text = ", ".join(named(one, names) for one in value)
    elif isinstance(value, str):
        text = day(value) if _DATE.fullmatch(value) else named(value, names)
    else:
        text = named(json.dumps(value, ensure_ascii=False), names)
    return text if len(text) <= MAX_VALUE else f"{text[:MAX_VALUE]}…"
