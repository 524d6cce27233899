"""The rows of a published table that a team lead, a member alone (`self`) and a small group may see, as its yml says.

The ymls of the models declare it under `meta.access`; `python -m dbt_project.row_access` writes declared_access.json. A
table that declares nothing is closed. Keep out: the rows that a rule means (team_lead_rows.py, self_rows.py).

A rule can take the rows of another table with the same columns, "written of daily_by_team", where these are finer.

lead  open     all rows, because none is personal
      written  rows that name a led team as the team of writing
      team     rows with the row number of a led team
      commit   rows of visible commits
self  open     all rows
      developer, number  rows of the developer, by id or by row number
      commit   rows of the developer's commits
      entity   rows of the developer among those of all entities
      several  sums over several people, which have no rows of one person
both  query    a query in the module of the rows
      closed   no rows
group open     figures of groups; group_privacy/ hides small ones
      masked   without columns that few people made, or without the rows of single people
      closed   each row is the work of one person
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

FILE = Path(__file__).with_name("declared_access.json")
LEAD = frozenset({"open", "written", "team", "commit", "query", "closed"})
SELF = frozenset({"open", "developer", "number", "commit", "entity", "several", "query", "closed"})
GROUP = frozenset({"open", "masked", "closed"})


@dataclass(frozen=True, slots=True)
class Rule:
    """The rows of `table` that a kind of caller sees in place of a published table."""

    kind: str
    table: str


@dataclass(frozen=True, slots=True)
class DeclaredAccess:
    """The rules of a published table."""

    lead: Rule
    own: Rule
    group: str


def of_table(name: str) -> DeclaredAccess:
    """The rules of a published table. Raises LookupError for a table that declares nothing, so nobody reads it."""
    try:
        return declared()[name]
    except KeyError:
        raise LookupError(f"{name} declares no access: add meta.access to the yml of its model") from None


def tables_where(*, own: str | None = None, group: str | None = None) -> frozenset[str]:
    """The tables with this rule for a member alone or for a small group."""
    return frozenset(
        name for name, access in declared().items() if own == access.own.kind or group == access.group
    )


@cache
def declared() -> Mapping[str, DeclaredAccess]:
    """The rules of each published table."""
    return parsed(json.loads(FILE.read_text()))


def parsed(declarations: Mapping[str, Mapping[str, str]]) -> dict[str, DeclaredAccess]:
    """Rules by table. A rule that is missing is `closed`. Raises ValueError for an unknown rule."""
    return {
        name: DeclaredAccess(
            _rule(name, declaration.get("lead", "closed"), LEAD),
            _rule(name, declaration.get("self", "closed"), SELF),
            _rule(name, declaration.get("group", "closed"), GROUP).kind,
        )
        for name, declaration in declarations.items()
    }


def _rule(name: str, text: str, kinds: frozenset[str]) -> Rule:
    kind, _, table = text.partition(" of ")
    if kind not in kinds:
        raise ValueError(f"{name}: no rule {kind!r}; there are {', '.join(sorted(kinds))}")
    return Rule(kind, table or name)
