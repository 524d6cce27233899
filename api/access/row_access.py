"""The rows that a caller may read. No other module decides this.

The model of each published table declares its rules (declared_access.py); a table that declares nothing is closed.
Every query takes its tables from a RowAccess, which stands for one of
├── the whole organization      a build holds one organization
├── the teams of a lead         team_lead_rows.py
└── the caller's own work       self_rows.py
With a minimum group size, the rows of single persons are closed, and group_privacy/ decides which figures of groups
stay hidden. `key` is part of every cache key, ETag and page token.
"""

import hashlib
from dataclasses import dataclass
from functools import cached_property

from api.access import declared_access
from api.access.self_rows import OwnRows
from api.access.team_lead_rows import TeamLeadRows, team_row_numbers
from api.control.visibility import OTHER_TEAMS, LedTeam, Visibility
from api.errors import ApiError, NotFound, PermissionDenied
from api.query.periods import Range
from api.snapshot.build import Build
from api.snapshot.empty_build import declared_tables

# Each row of these is the work of one person.
OF_ONE_PERSON = declared_access.tables_where(group="closed")
NO_INDIVIDUALS = (
    "this organization hides figures of single developers; use figures of teams or repositories, or your own "
    "figures at …/me"
)


@dataclass(frozen=True)
class RowAccess:
    """The rows that one caller may read; by default all rows of the organization.

    `teams` restricts them to these teams (None: no restriction), `own` to the developer with that key. A figure needs
    the work of at least `minimum_group_size` people. With `sees_exclusions`, commits have the reason and the note of
    their exclusion; with `sees_suggestions`, developers have their merge suggestions. Lists of the kinds `without_ai`
    have no columns about AI.
    """

    organization_id: str
    teams: tuple[LedTeam, ...] | None = None
    own: str | None = None
    minimum_group_size: int = 1
    sees_exclusions: bool = False
    sees_suggestions: bool = False
    without_ai: frozenset[str] = frozenset()

    @classmethod
    def of(
        cls,
        organization_id: str,
        seen: Visibility,
        *,
        sees_exclusions: bool = False,
        sees_suggestions: bool = False,
    ) -> "RowAccess":
        """The row access of a member."""
        return cls(
            organization_id,
            teams=seen.teams,
            minimum_group_size=seen.minimum_group_size,
            sees_exclusions=sees_exclusions,
            sees_suggestions=sees_suggestions,
            without_ai=seen.without_ai,
        )

    @property
    def is_whole(self) -> bool:
        """Whether every row of the organization may be seen."""
        return self.teams is None and self.own is None and self.minimum_group_size <= 1

    @property
    def is_narrowed(self) -> bool:
        """Whether it is restricted to a part of the rows, apart from hidden figures."""
        return self.teams is not None or self.own is not None

    @property
    def has_individuals(self) -> bool:
        """Whether figures of single people are shown."""
        return self.minimum_group_size <= 1

    @cached_property
    def key(self) -> str:
        """Equal for callers with equal answers. It is part of every cache key, ETag and page token."""
        exclusions = ["exclusions"] if self.sees_exclusions else []
        suggestions = ["suggestions"] if self.sees_suggestions else []
        return " ".join(
            [
                self.rows_key,
                *exclusions,
                *suggestions,
                *(f"no AI of {kind}" for kind in sorted(self.without_ai)),
            ]
        )

    @cached_property
    def rows_key(self) -> str:
        """Equal for callers with the same rows. Exclusions and columns may differ."""
        if self.is_whole:
            return self.organization_id
        teams = self.teams and "\n".join(f"{team.id} {team.parent_id}" for team in self.teams)
        narrowed = hashlib.blake2b(repr((teams, self.own, self.minimum_group_size)).encode(), digest_size=16)
        return f"{self.organization_id} {narrowed.hexdigest()}"

    def leads(self, team_id: str) -> bool:
        """Whether it is narrowed to teams of which this is one, also before a build has it."""
        return self.teams is not None and any(team.id == team_id for team in self.teams)

    @property
    def total_entity(self) -> str:
        """SQL that selects the rows of published periods for the total of all visible rows; `false` when none exist."""
        if self.own is not None:
            return "entity_kind = 'developer'"
        if self.teams is None:
            return f"entity_kind = 'organization' and entity_id = '{self.organization_id}'"
        tops = [team.id for team in self.teams if team.parent_id is None]
        return f"entity_kind = 'team' and entity_id = '{tops[0]}'" if len(tops) == 1 else "false"

    def refuse_closed(self, name: str) -> None:
        """Raises PermissionDenied where no row of a published table is visible."""
        if not self.has_individuals and declared_access.of_table(name).group == "closed":
            raise PermissionDenied(NO_INDIVIDUALS)

    def table(self, build: Build, name: str, days: Range | None = None) -> str:
        """SQL with the visible rows of a published table. Raises PermissionDenied for a closed table.

        Raises LookupError for a table that declares no access. With `days`, the rows of other periods can be missing.
        """
        declared = declared_access.of_table(name)
        self.refuse_closed(name)
        if self.own is not None:
            seen = OwnRows(self.own).table(name)
        elif self.teams is not None:
            seen = TeamLeadRows(self.teams, team_row_numbers(build), days).table(name)
        else:
            seen = name
        if name in _CHECKED and "developer" in self.without_ai:
            seen = f"(select * from {seen} where {_CHECKED[name]})"
        if not self.sees_exclusions and "exclusion_reason" in declared_tables()[name]:
            # Only callers who may list exclusions see the reason of one. Everybody sees that a commit is excluded.
            nothing = "null::varchar as exclusion_reason, null::varchar as exclusion_note"
            return f"(select * replace ({nothing}) from {seen})"
        if name == "developers" and not self.sees_suggestions:
            seen = f"(select * replace (merge_suggestions[:0] as merge_suggestions) from {seen})"
        if self.own is not None or self.has_individuals:
            return seen
        if name == "organizations":
            few = f"({_people(self.table(build, 'commit_counts'))}) < {self.minimum_group_size}"
            bounds = ", ".join(
                f"case when not {few} then {column} end as {column}"
                for column in ("first_delivered_on", "last_delivered_on")
            )
            return f"(select * replace ({bounds}) from {seen})"
        if declared.group == "masked":
            return _masked(name, seen, self.minimum_group_size)
        return seen

    def unknown(self, what: str, *, of_all: bool = False) -> ApiError:
        """The error for a thing that is not among the visible rows, whether or not it exists.

        `of_all`: such a thing can belong to the whole organization.
        """
        if self.teams is not None and of_all:
            return PermissionDenied(
                f"no {what} of the whole organization or in the teams that you lead: {OTHER_TEAMS}"
            )
        if self.teams is not None:
            return PermissionDenied(f"no {what} in the teams that you lead: {OTHER_TEAMS}")
        if self.own is not None:
            return NotFound(f"no {what} in your own figures")
        return NotFound(
            f"no {what} in the newest build of this organization: it does not exist, was removed, or is newer than"
            " this build"
        )

    def refuse_unless_whole(self, what: str) -> None:
        """Raises PermissionDenied where not all rows are visible; `what` completes "you may not see …"."""
        if self.teams is not None:
            raise PermissionDenied(f"you may not see {what}: {OTHER_TEAMS}")
        if self.own is not None:
            raise PermissionDenied(
                f"you may not see {what} here, because they include the work of others; use the paths without /me"
            )
        if not self.has_individuals:
            raise PermissionDenied(NO_INDIVIDUALS)


# Checks of people and their seats tell of the AI usage of a person: rows of the others.
_NO_PERSONS_USAGE = "subject_type not in ('developer', 'ai_seat')"
_CHECKED = {
    "check_occurrences": _NO_PERSONS_USAGE,
    "check_stretches": _NO_PERSONS_USAGE,
    "check_episodes": f"occurrence_id in (select occurrence_id from check_occurrences where {_NO_PERSONS_USAGE})",
}


def _people(commit_counts: str) -> str:
    """A query with the number of people who delivered any of these commits."""
    return (
        f"select count(distinct developer_number) from {commit_counts} "
        "where not is_bot and delivered_commit_count > 0"
    )


def _masked(name: str, seen: str, minimum_group_size: int) -> str:
    """The rows of a table without counts that few people made."""
    if name == "developers":
        return (
            "(select * replace (null::bigint as commit_count, null::bigint as delivered_commit_count, "
            "null::timestamptz as first_delivered_at, null::timestamptz as last_delivered_at, "
            "[{'name': a.name, 'email': a.email, 'reason': a.reason, 'commits': null::bigint} for a in addresses] "
            f"as addresses) from {seen})"
        )
    if name == "issues":
        # Nearly every issue is the work of one person, and its assignee tells whose.
        people = ", ".join(
            f"null::varchar as {column}" for column in ("assignee", "assignee_name", "creator")
        )
        days = ", ".join(f"null::date as {column}" for column in ("first_delivered_on", "last_delivered_on"))
        figures = ", ".join(
            f"null::bigint as {column}" for column in ("etv_micro", "commits", "ai_cost_micro")
        )
        unsure = "null::integer as ai_cost_confidence_micro"
        return f"(select * replace ({figures}, {unsure}, {people}, {days}) from {seen})"
    if name == "repositories":
        kept = ", ".join(
            f"case when developer_count >= {minimum_group_size} then {column} end as {column}"
            for column in (
                "commit_count", "delivered_commit_count", "developer_count", "first_delivered_at", "last_delivered_at",
            )
        )  # fmt: skip
        return f"(select * replace ({kept}) from {seen})"
    if name == "summary_facts":
        ends = ", ".join(
            f"case when usual_people >= {minimum_group_size} then {column} end as {column}"
            for column in ("low_micro", "high_micro")
        )
        return (
            f"(select * replace ({ends}) from {seen} where people is null or people >= {minimum_group_size})"
        )
    if name in ("check_occurrences", "check_stretches"):
        return f"(select * from {seen} where {_of_no_single_person(minimum_group_size)})"
    if name == "check_episodes":
        occurrences = _masked("check_occurrences", "check_occurrences", minimum_group_size)
        return f"(select * from {seen} where occurrence_id in (select occurrence_id from {occurrences}))"
    raise LookupError(f"{name}: no columns are named that few people made")


def _of_no_single_person(minimum_group_size: int) -> str:
    """The condition for rows of checks that tell of no person.

    Pull requests and commits are somebody's, also where nobody knows whose. The measured share of a repository is that
    of the person with most reviews, or of the few who worked there in four weeks.
    """
    teams = f"select team_id from teams where developer_count >= {minimum_group_size}"
    return (
        "developer_id is null and (subject_type in ('objective', 'issue', 'connection') "
        f"or (subject_type = 'team' and subject_id in ({teams})))"
    )
