"""Versions of the CapEx policy in forms: boxes and choices as rules, and rules in words.

Keep out: what a policy capitalizes (the models of the warehouse).
"""

from collections.abc import Mapping
from json import dumps, loads
from typing import Any

from api.errors import InvalidArgument
from api.web.drawing.forms import Fields

CATEGORIES = ("FEATURES", "MAINTENANCE", "TESTS", "DOCUMENTATION", "FIXES")
SCOPES = (
    ("", "Not capitalized"),
    ("ANY", "All changes"),
    ("FEATURES", "Changes of commits that are mainly features"),
)
DEFAULT = (
    {"category": "FEATURES", "commitCategory": "ANY"},
    {"category": "TESTS", "commitCategory": "FEATURES"},
    {"category": "DOCUMENTATION", "commitCategory": "FEATURES"},
)
"""Rules of `default-1`, which applies before the first version (docs of capexPolicies)."""
ISSUE_TYPE = "issueType"
KEPT, NEW, EVERY = "rules", ("newCategory", "newRepository", "newObjective"), "ALL"
"""Fields of the form: a box for each rule that is about certain work, and one new rule of that kind."""
NARROWING = ("repositoryId", "issueType", "objectiveId")


def rules_of(fields: Fields) -> list[dict[str, Any]]:
    """The rules that a form asks for. Raises InvalidArgument for a choice that the form does not offer."""
    rules = []
    for category in CATEGORIES:
        scope = fields.get(category, "")
        if scope not in dict(SCOPES):
            raise InvalidArgument(category, "is none of the choices; open the page again")
        if scope:
            rules.append({"category": category, "commitCategory": scope})
    rules += [_rule_of(text) for text in fields.get(KEPT, "").splitlines()]
    if issue_type := fields.get(ISSUE_TYPE, "").strip():
        rules += [{"category": category, "issueType": issue_type} for category in CATEGORIES]
    return rules + _new_rules(fields)


def value_of(rule: Mapping[str, Any]) -> str:
    """A rule about certain work as the value of its box."""
    return dumps({name: value for name, value in rule.items() if value is not None}, separators=(",", ":"))


def _rule_of(text: str) -> dict[str, Any]:
    try:
        rule = loads(text)
    except ValueError as error:
        raise InvalidArgument(KEPT, "has a rule that is none; open the page again") from error
    if not isinstance(rule, dict):
        raise InvalidArgument(KEPT, "has a rule that is none; open the page again")
    return rule


def _new_rules(fields: Fields) -> list[dict[str, Any]]:
    """The new rule about a repository, an objective or both; for every category it is one rule each."""
    category, repository, objective = (fields.get(name, "").strip() for name in NEW)
    if not category and not repository and not objective:
        return []
    if category not in (*CATEGORIES, EVERY):
        raise InvalidArgument(NEW[0], "choose what the new rule capitalizes")
    if not repository and not objective:
        raise InvalidArgument(NEW[1], "choose a repository or an objective for the new rule")
    narrowed = {"repositoryId": repository or None, "objectiveId": objective or None}
    return [{"category": one} | narrowed for one in (CATEGORIES if category == EVERY else (category,))]


def narrow_rules(rules: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rules that the choices by category do not say: each gets a box, so that a new version can keep it."""
    return [
        rule
        for rule in rules
        if any(rule.get(name) for name in NARROWING) or rule.get("commitCategory", "ANY") not in dict(SCOPES)
    ]


def draft_of(fields: Fields) -> dict[str, Any]:
    """A version to preview: its first month as `2026-07`, and its rules."""
    return {"validFrom": f"{fields.get('validFrom', '').strip()[:7]}-01", "rules": rules_of(fields)}


def version_of(fields: Fields) -> dict[str, Any]:
    """A version to put in force, with its reason."""
    return draft_of(fields) | {"reason": fields.get("reason", "")}


def scopes_of(rules: list[dict[str, Any]]) -> dict[str, str]:
    """The choice of each category that says the rules, as far as a form can say them."""
    found: dict[str, str] = {}
    for rule in rules:
        plain = not any(rule.get(name) for name in NARROWING)
        if plain and rule["commitCategory"] in dict(SCOPES) and found.get(rule["category"]) != "ANY":
            found[rule["category"]] = rule["commitCategory"]
    return found


def told(rule: Mapping[str, Any], names: Mapping[str, str]) -> str:
    """A rule in words. `names` has those of repositories and objectives by their ids."""
    said = str(rule["category"]).capitalize()
    if rule.get("commitCategory", "ANY") != "ANY":
        said += f" of commits that are mainly {str(rule['commitCategory']).lower()}"
    if rule.get("issueType"):
        said += f", with an issue of type {rule['issueType']}"
    if rule.get("objectiveId"):
        said += f", with an issue that reaches {names.get(rule['objectiveId'], 'one objective')}"
    if rule.get("repositoryId"):
        said += f", in {names.get(rule['repositoryId'], 'one repository')}"
    return said


def policy_of(month: str, policies: list[dict[str, Any]]) -> dict[str, Any]:
    """The version that applies to a month, by its first day; without one that of the service."""
    active = [one for one in policies if one["state"] == "ACTIVE" and one["validFrom"] <= month]
    newest = max(active, key=lambda one: (one["validFrom"], one["version"]), default=None)
    return newest or {"name": "default-1", "rules": list(DEFAULT), "validFrom": None, "id": None}
