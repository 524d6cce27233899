"""The figures of an organization that a member may see.

It is loaded with every credential, so a change applies to the next request. Keep out: rows
(api/access/row_access.py).
"""

import uuid
from dataclasses import dataclass
from typing import Protocol

from sqlalchemy import ColumnElement, and_, exists, or_, select
from sqlalchemy.orm import Session

from api.control.errors import NotAllowed
from api.control.models import Account, AccountIdentity, DirectoryUser, Organization, Team, TeamLead
from api.control.permissions import Role

# A group has at least two people.
MIN_GROUP_SIZE = 2
OTHER_TEAMS = "a team lead sees only the teams that they lead, with their sub-teams; ask an owner or admin"


class GroupSettings(Protocol):
    """The settings of an organization that say how many people a figure needs."""

    @property
    def has_individual_figures(self) -> bool: ...

    @property
    def minimum_group_size(self) -> int: ...


@dataclass(frozen=True, slots=True)
class LedTeam:
    """A team that a lead sees. `parent_id` is the team above it if the lead sees that team, else None."""

    id: str
    parent_id: str | None


@dataclass(frozen=True, slots=True)
class Visibility:
    """The figures of an organization that a member sees.

    `teams` are the led teams and all teams below them; None where the role sees every team. `own_key` identifies the
    developer of the account's verified address. A figure needs the work of at least `minimum_group_size` people; a
    minimum above one hides the figures of individuals from others. Tables of the kinds `without_ai` have no columns
    about AI.
    """

    teams: tuple[LedTeam, ...] | None = None
    own_key: str | None = None
    minimum_group_size: int = 1
    without_ai: frozenset[str] = frozenset()

    @property
    def parents(self) -> dict[str, str | None] | None:
        """The teams that a lead sees, each with its parent; None if all teams are visible."""
        return None if self.teams is None else {led.id: led.parent_id for led in self.teams}

    @property
    def team_ids(self) -> list[str] | None:
        """The teams that a lead sees; None if all teams are visible."""
        return None if self.teams is None else [led.id for led in self.teams]

    def refuse_other(self, team_id: str) -> None:
        """Raises NotAllowed for a team outside of the led ones, existing or not."""
        if self.teams is not None and team_id not in {led.id for led in self.teams}:
            raise NotAllowed(f"no team {team_id!r} among those that you lead: {OTHER_TEAMS}")


EVERYTHING = Visibility()


def is_vouched(session: Session, organization_id: str, account_id: str) -> bool:
    """Whether a provider or directory of the organization vouches for the account's address, which counts in it
    alone.
    """
    found = select(Account.id).where(Account.id == account_id, vouched(organization_id))
    return session.scalar(found) is not None


def vouched(organization_id: str) -> ColumnElement[bool]:
    """The condition for accounts whose address a provider or directory of the organization vouches for.

    A directory does not vouch for an account whose password somebody chose without proof of the address.
    """
    by_provider = exists().where(
        AccountIdentity.account_id == Account.id, AccountIdentity.organization_id == organization_id
    )
    by_directory = exists().where(
        DirectoryUser.account_id == Account.id, DirectoryUser.organization_id == organization_id
    )
    return or_(by_provider, and_(by_directory, Account.password_hash.is_(None)))


def has_mailbox(session: Session, organization_id: str, account: Account) -> bool:
    """Whether the account's address counts as a member's own in this organization."""
    return account.verified_at is not None or is_vouched(session, organization_id, account.id)


def own_key(session: Session, organization_id: str, account: Account | None) -> str | None:
    """The key of the developer with the account's verified address, made like the developer ids of the analysis."""
    if account is None or not has_mailbox(session, organization_id, account):
        return None
    try:
        return address_key(organization_id, account.email_key)
    except ValueError:
        return None


def address_key(organization_id: str, email: str) -> str:
    """The key of the developer with an address. Raises ValueError for an organization id that is not a UUID."""
    return str(uuid.uuid5(uuid.UUID(organization_id), f"developer:{email.strip().lower()}"))


def visibility(
    session: Session, organization: Organization, role: Role, account: Account | None
) -> Visibility:
    """The visibility of an account with this role; without an account, that of an operator's key."""
    return Visibility(
        teams=_led(session, organization.id, account.id)
        if role is Role.TEAM_LEAD and account is not None
        else None,
        own_key=own_key(session, organization.id, account),
        minimum_group_size=smallest_group(organization),
        without_ai=_without_ai(organization),
    )


def smallest_group(settings: GroupSettings) -> int:
    """The number of people whose work a figure needs at least."""
    return max(settings.minimum_group_size, 1 if settings.has_individual_figures else MIN_GROUP_SIZE)


def _without_ai(organization: Organization) -> frozenset[str]:
    shown = {
        "developer": organization.has_ai_developer_columns,
        "repository": organization.has_ai_repository_columns,
        "team": organization.has_ai_team_columns,
    }
    return frozenset(kind for kind, is_shown in shown.items() if not is_shown)


def _led(session: Session, organization_id: str, account_id: str) -> tuple[LedTeam, ...]:
    led = (
        select(Team.id, Team.parent_id)
        .join(TeamLead, TeamLead.team_id == Team.id)
        .where(TeamLead.organization_id == organization_id, TeamLead.account_id == account_id)
        .where(Team.organization_id == organization_id)
        .cte(recursive=True)
    )
    # Without repetition, so that even a circle would end.
    led = led.union(select(Team.id, Team.parent_id).join(led, Team.parent_id == led.c.id))
    rows = session.execute(select(led.c.id, led.c.parent_id)).all()
    visible = {row.id for row in rows}
    return tuple(
        LedTeam(row.id, row.parent_id if row.parent_id in visible else None)
        for row in sorted(rows, key=lambda row: str(row.id))
    )
