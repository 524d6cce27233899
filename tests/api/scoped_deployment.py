"""Leads in the organization with moving people, and the rows that each may see."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from typing import Any

import httpx

from api.control.models import Team, TeamLead
from tests.api.check_facts import BusyFile, Occurrence, team_of_checked
from tests.api.conftest import ROOT, Deployment
from tests.api.people import join, make_account
from tests.api.published_facts import ORGANIZATION, UNIT, Commit, Facts
from tests.api.pull_request_facts import PullRequest, pull_requests, team_of
from tests.api.scoped_facts import team_id

RANGE = {"startDate": "2026-04-01", "endDate": "2026-11-20"}
LEADS: dict[str, tuple[str, ...]] = {
    "of a part": ("Product",),
    "of two": ("Web", "Platform"),
    "of one within the other": ("Product", "Web"),
    "of a leaf": ("Mobile",),
    "of the whole tree": ("Engineering",),
    "of an empty team": ("Empty",),
    "of none": (),
}


def put_teams(deployment: Deployment, facts: Facts) -> None:
    """The teams of the facts in the control database, under their ids."""
    with deployment.store.session() as session:
        for key in sorted(facts.teams, key=lambda key: len(facts.and_above(key))):
            name, parent, _ = facts.teams[key]
            session.add(
                Team(
                    id=key, organization_id=ORGANIZATION, parent_id=parent, name=name, name_key=name.casefold(),
                    created_at=deployment.store.now(),
                )
            )  # fmt: skip
            session.flush()


def make_lead(deployment: Deployment, teams: tuple[str, ...], email: str | None = None) -> str:
    """The account of a new member who leads these teams."""
    return make_lead_of(deployment, tuple(team_id(name) for name in teams), email)


def make_lead_of(deployment: Deployment, teams: tuple[str, ...], email: str | None = None) -> str:
    """The account of a new member who leads the teams with these ids."""
    store = deployment.store
    account = join(store, ORGANIZATION, "team_lead", make_account(store, email))
    with store.session() as session:
        session.add_all(
            TeamLead(
                team_id=team,
                account_id=account,
                organization_id=ORGANIZATION,
                created_at=store.now(),
            )
            for team in teams
        )
    return account


@dataclass
class LeadView:
    """A lead with the visible commits."""

    client: httpx.Client
    facts: Facts
    teams: set[str]

    @cached_property
    def commits(self) -> list[Commit]:
        return [commit for commit in self.facts.commits if self.facts.team_of_commit(commit) in self.teams]

    @cached_property
    def pull_requests(self) -> list[PullRequest]:
        """Those of people who were in a visible team on the day of creation."""
        return [one for one in pull_requests(self.facts) if team_of(self.facts, one) in self.teams]

    @cached_property
    def repositories(self) -> set[str]:
        """Those with work of visible teams."""
        return {commit.repository for commit in self.commits}

    def sees(self, one: Occurrence) -> bool:
        """Whether it is of a visible team, or of nobody and in a visible repository."""
        if team_of_checked(self.facts, one) is not None:
            return team_of_checked(self.facts, one) in self.teams
        return isinstance(one.of, BusyFile) and one.of.repository in self.repositories

    @cached_property
    def people(self) -> set[str]:
        return {developer for developer, team, _, _ in self.facts.stretches if team in self.teams}

    def get(self, path: str, **params: Any) -> Any:
        answer = self.client.get(f"{ROOT}/{path}".rstrip("/"), params=params)
        assert answer.status_code == 200, answer.text
        return answer.json()


def etv(commits: list[Commit], keep: Callable[[Any], bool] | None = None) -> float:
    """ETV without bots and sandboxes."""
    changes = [change for commit in commits for change in commit.changes]
    return (
        sum(c.etv for c in changes if (keep is None or keep(c)) and not c.is_bot and not c.is_sandbox) / UNIT
    )


def days_outside(lead: LeadView, developer: str) -> set[date]:
    """Days with deliveries of work that the developer wrote for other teams."""
    return {
        change.day
        for commit in lead.facts.commits
        if commit.developer == developer and lead.facts.team_of_commit(commit) not in lead.teams
        for change in commit.changes
        if not change.is_sandbox
    }
