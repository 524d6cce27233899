"""Three histories analysed once by the command line, and served with something behind every route.

Add: what a read needs before it has data (a team, a lock, a decision). Keep out: figures.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID, uuid5

import httpx

from api.control.identity_providers.kinds import ProviderKind
from api.control.identity_providers.providers import NewProvider, add_provider
from api.control.principals import OPERATOR
from api.control.store import ControlStore, open_store
from api.control.teams.memberships import add_membership
from orchestration.deployment import LOCAL_ORGANIZATION, LOCAL_SLUG
from tests import project_history
from tests.api.conftest import client_for, serving
from tests.api.people import join, make_account, sign_in
from tests.end_to_end.eas import Eas
from tests.end_to_end.git_figures import GitHistory, read_history
from tests.end_to_end.histories import imported, varied
from tests.end_to_end.read_surface import ReadSurface
from tests.end_to_end.reported_usage import add_usage
from tests.end_to_end.reviewed_histories import add_host
from tests.end_to_end.tracked_histories import add_tracker
from tests.git_repository import GitRepository

NAMES = ("house", "library", "project")
# Of the project: enough for its merges and for every kind of change, read within seconds.
MAX_PROJECT_COMMITS = 500
LIN = "lin@houses.dev"
# A developer's id is made of the address that the person used first.
DEVELOPER = str(uuid5(UUID(LOCAL_ORGANIZATION), f"developer:{LIN}"))
# The month of the first commits of the house, which is closed.
CLOSED_MONTH = "2024-01-01"


@dataclass(frozen=True)
class Served:
    """An organization over HTTP, as its owner reads it, and its repositories as Git shows them."""

    eas: Eas
    store: ControlStore
    key: str
    surface: ReadSurface
    histories: dict[str, GitHistory]

    @property
    def commits(self) -> int:
        """Commits of all histories."""
        return sum(len(history.commits) for history in self.histories.values())


@contextmanager
def served_histories(folder: Path) -> Iterator[Served]:
    """Analyse the histories and serve them to the end of the block."""
    house = varied(GitRepository(folder / "house"))
    library = imported(GitRepository(folder / "library"))
    paths = [house.path, library.path]
    if project_history.is_complete():
        paths.append(project_history.copy_mainline(folder / "project.git", MAX_PROJECT_COMMITS))
    eas = Eas(folder / "data")
    eas.data.mkdir()
    store = open_store(eas.data)
    store.ensure_organization("Local", organization_id=LOCAL_ORGANIZATION, slug=LOCAL_SLUG)
    key = sign_in(
        store, join(store, LOCAL_ORGANIZATION, "owner", make_account(store, LIN, administrator=True))
    )
    with serving(eas.data) as address, client_for(address, key) as client:
        _set_up(client, store)
        add_tracker(store, eas.data / "raw")
        add_host(store, eas.data / "raw", library.path)
        add_usage(store, eas.data / "raw", house.path, LIN)
        done = eas.run_here("analyze", *paths)
        assert done.returncode == 0, done.stdout
        histories = {history.name: history for history in map(read_history, paths)}
        _decide(client)
        yield Served(eas, store, key, surface(client, histories), histories)


def surface(client: httpx.Client, histories: dict[str, GitHistory]) -> ReadSurface:
    """The read surface with a range that holds all deliveries."""
    times = [commit.delivered_at for history in histories.values() for commit in history.delivered]
    days = sorted(time.date() for time in times if time is not None)
    query = {
        "startDate": str(days[0]),
        "endDate": str(days[-1]),
        "interval": "YEAR",
        "includeDrafts": "true",
        "pageSize": "200",
    }
    return ReadSurface(client, LOCAL_SLUG, query)


def _set_up(client: httpx.Client, store: ControlStore) -> None:
    """Settings behind the figures: Lin is in a sub-team and gets a summary by mail, and the plan has a renewal date."""
    root = f"/api/v1/organizations/{LOCAL_SLUG}"
    area = _send(client, "POST", f"{root}/teams", name="Building")
    team = _send(client, "POST", f"{root}/teams", name="Roofs", parentId=area["id"])
    [owner] = client.get(f"{root}/members").json()["members"]
    # Over HTTP only a published developer can join.
    add_membership(store, OPERATOR, LOCAL_ORGANIZATION, team["id"], DEVELOPER, date(2020, 1, 1))
    # Over HTTP a provider is added only after its address has answered.
    login = NewProvider(
        ProviderKind.OPENID_CONNECT, "Houses", "https://login.houses.dev", "eas", "s3cret-of-houses"
    )
    add_provider(store, OPERATOR, LOCAL_ORGANIZATION, login)
    for one in (area, team):
        _send(client, "POST", f"{root}/teams/{one['id']}/leads", memberId=owner["id"])
    _send(client, "POST", f"{root}/summarySubscriptions", period="QUARTER")
    renewal = (datetime.now(UTC) + timedelta(days=20)).date()
    _send(client, "PATCH", f"{root}/plan", plan="PAID", renewalDate=str(renewal))
    _send(client, "PATCH", f"{root}/settings", companyContext="We measure houses.")


def _decide(client: httpx.Client) -> None:
    """Make decisions about figures. Their own list shows them at once, the figures after the next build."""
    root = f"/api/v1/organizations/{LOCAL_SLUG}"
    _send(client, "POST", f"{root}/capexLocks", month=CLOSED_MONTH)
    _send(client, "POST", f"{root}/invitations", email="grace@example.org", role="VIEWER")
    _send(client, "POST", f"{root}/tokens", name="ci", scope="READ")
    _send(client, "POST", f"{root}/ingestTokens", name="laptops", developerEmail=LIN)
    _send(client, "POST", f"{root}/scimTokens", name="Entra ID")
    rate = {"discountPercent": 5, "reason": "A test."}
    _send(client, "POST", f"{root}/aiPrices", model="claude-*", validFrom="2026-01-01", **rate)
    _send(client, "POST", f"{root}/aiActors", actor="laptop", developerId=DEVELOPER)
    _send(client, "POST", f"{root}/capexPolicies", validFrom="2026-01-01", rules=[], reason="A test.")
    [commit, *_] = client.get(f"{root}/me/commits").json()["commits"]
    _send(
        client,
        "POST",
        f"{root}/me/corrections",
        kind="CATEGORY",
        text="A test.",
        commit=commit["id"],
        category="FIXES",
    )
    _send(client, "POST", f"{root}/commits/{commit['id']}:exclude", reason="OTHER", note="A test.")
    people = client.get(f"{root}/developers").json()["developers"]
    some = [one["id"] for one in people if one["primaryEmail"] != LIN][:2]
    _send(client, "POST", f"{root}/benchmarks", name="Peers", memberKind="DEVELOPER", memberIds=some)
    _send(client, "POST", f"{root}/developers:merge", developerIds=some)


def _send(client: httpx.Client, method: str, path: str, **body: Any) -> dict[str, Any]:
    answer = client.request(method, path, json=body)
    assert answer.status_code == 200, (path, answer.text)
    shown: dict[str, Any] = answer.json()
    return shown
