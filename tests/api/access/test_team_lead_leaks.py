"""No answer, error, ETag or page token reveals the work of other teams to a team lead."""

import json
import re
from collections.abc import Iterator, Sequence
from typing import TypeVar

import pytest

from api.access.row_access import OF_ONE_PERSON, RowAccess
from api.access.self_rows import OF_SEVERAL
from api.callers.access import Requires
from api.control.accounts.tokens import create_token
from api.control.permissions import Permission
from api.control.visibility import LedTeam, Visibility
from api.errors import PermissionDenied
from api.snapshot.builds import Builds
from tests.api.callers.test_access import ROUTES
from tests.api.check_facts import occurrences
from tests.api.conftest import ROOT, Deployment, client_for
from tests.api.moving_people import lead_of_some_or_none
from tests.api.people import join, principal, sign_in
from tests.api.published_facts import ORGANIZATION, Facts
from tests.api.published_plans import make_plan
from tests.api.pull_request_facts import login, pull_requests
from tests.api.scoped_deployment import LeadView, make_lead
from tests.api.scoped_facts import NAMES, TREE, below, developer_id, team_id
from tests.published_tables import compiled

lead = lead_of_some_or_none
Item = TypeVar("Item")
PATHS = (
    "teams", "teams:tree", "teamMemberships", "developers", "repositories", "commits?pageSize=1000",
    "capex?includeDrafts=true", "capex?includeDrafts=true&format=CSV", "metrics?groupBy=DEVELOPER",
    "metrics?groupBy=TEAM", "metrics?groupBy=REPOSITORY", "metrics?groupBy=CATEGORY&includeBots=true",
    "capex/uncertainCommits?includeDrafts=true&pageSize=100",
    "movements?entity=DEVELOPER&includeDrafts=true", "movements?entity=TEAM",
    "", "me", "developers?filter=isBot=true", "developers?search=a", "repositories?search=lonely",
    "developers?orderBy=etv desc&pageSize=1", "commits?search=by&pageSize=1000", "commits?filter=NOT etv > 5",
    "objectives", "objectives:tree", "issues?pageSize=1000",
    "commits?filter=authorName:e", "zeroReasons", "pullRequests?pageSize=1000",
    "pullRequests?search=number&pageSize=1000",
    "aiSpend?groupBy=DEVELOPER", "aiSpend?groupBy=DEVELOPER&format=CSV", "aiSpend?groupBy=TEAM", "aiSpend?groupBy=WEEK",
    "aiSpend/reconciliation?groupBy=DAY&pageSize=1000", "aiSpend/work?groupBy=COMMIT&pageSize=1000",
    "aiSpend/work?groupBy=ISSUE&pageSize=1000", "aiSpend/adoption?interval=WEEK",
    "reviewers?includeBots=true", "pullRequestMetrics?groupBy=REPOSITORY", "pullRequestMetrics?groupBy=TEAM",
    "checkOccurrences?pageSize=1000", "checkOccurrences:group?groupBy=TEAM",
    "checkOccurrences:group?groupBy=DEVELOPER", "checkOccurrences:group?groupBy=REPOSITORY",
    "pullRequestMetrics?groupBy=DEVELOPER", "pullRequests?filter=NOT mergedBy:* OR state = OPEN&pageSize=1000",
)  # fmt: skip


def bodies(lead: LeadView) -> Iterator[tuple[str, str]]:
    """Every answer that a lead can get, with an id for every path parameter."""
    wide = "&startDate=2026-04-01&endDate=2026-11-20"
    for path in PATHS:
        takes_days = path.split("?")[0] in ("teams", "developers", "repositories", "metrics", "movements")
        days = wide.replace("&", "&" if "?" in path else "?", 1) if takes_days else ""
        url = f"{ROOT}/{path}".rstrip("/") + days
        answer = lead.client.get(url)
        assert answer.status_code == 200, (url, answer.text)
        yield url, answer.text
    for developer in sorted(lead.people):
        yield developer, lead.client.get(f"{ROOT}/developers/{developer}").text
    for commit in _spread(lead.commits):
        yield commit.id, lead.client.get(f"{ROOT}/commits/{commit.id}").text
        yield commit.id, lead.client.get(f"{ROOT}/commits/{commit.sha}/files").text
    for one in _spread(lead.pull_requests):
        yield one.id, lead.client.get(f"{ROOT}/pullRequests/{one.id}").text


def _spread(items: Sequence[Item]) -> Sequence[Item]:
    """About ten of them, from the first to the last: the lists above have shown all."""
    return items[:: max(len(items) // 10, 1)]


def test_no_answer_names_anything_of_others(lead: LeadView) -> None:
    facts, visible = lead.facts, {commit.id for commit in lead.commits}
    repositories = {one.repository for one in lead.commits} | {one.repository for one in lead.pull_requests}
    others = {facts.teams[key][0] for key in facts.teams if key not in lead.teams}
    names = {name for name in NAMES if developer_id(name) not in lead.people} | others
    ids = {key for key in facts.developers if key not in lead.people}
    ids |= {key for key in facts.teams if key not in lead.teams}
    ids |= {commit.id for commit in facts.commits if commit.id not in visible}
    ids |= {key for key in facts.repositories if key not in repositories}
    names |= {name for key, name in facts.repositories.items() if key not in repositories}
    names |= {login(facts, developer_id(name)) for name in NAMES if developer_id(name) not in lead.people}
    subjects = {commit.subject for commit in facts.commits if commit.id not in visible}
    pattern = re.compile(
        "|".join(rf"\b{re.escape(name)}\b" for name in sorted(names) if name.istitle()) or "(?!)"
    )
    for url, text in bodies(lead):
        found = {one for one in ids if one in text}
        assert not found, (url, found)
        values = json.dumps(json.loads(text), ensure_ascii=False) if text.startswith("{") else text
        assert not pattern.search(values), (url, pattern.search(values))
        for name in names:
            assert f'"{name}"' not in values, (url, name)
        assert not any(f'"{subject}"' in values for subject in subjects), url


def test_items_of_others_and_unknown_ones_are_refused_with_the_same_reason(lead: LeadView) -> None:
    facts = lead.facts
    other = next((c for c in facts.commits if c.id not in {v.id for v in lead.commits}), None)
    nobody = "0190d3b0-0000-7000-8000-00000000dead"
    people = [key for key in facts.developers if key not in lead.people] + [nobody]
    teams = [key for key in facts.teams if key not in lead.teams] + [nobody]
    paths = [f"developers/{key}" for key in people] + [f"teams/{key}" for key in teams]
    paths += [f"metrics?team={key}" for key in teams] + [f"metrics?developer={key}" for key in people]
    paths += [f"teamMemberships?team={key}" for key in teams] + [f"teamMemberships/{nobody}"]
    listed = ("commits", "capex/uncertainCommits", "pullRequests", "pullRequestMetrics")
    paths += [f"{path}?team={key}" for path in (*listed, "zeroReasons") for key in teams]
    paths += [f"{path}?developer={key}" for path in listed for key in people]
    paths += [f"movements?entity=TEAM&id={teams[0]}"]
    paths += [
        f"commits/{nobody}",
        f"commits/{nobody}/files",
        f"repositories/{nobody}",
        f"commits?repository={nobody}",
    ]
    paths += [f"pullRequests?reviewer={key}" for key in people] + [f"pullRequests/{nobody}"]
    mine = {one.id for one in lead.pull_requests}
    paths += [f"pullRequests/{one.id}" for one in pull_requests(facts) if one.id not in mine][:20]
    if other is not None:
        paths += [f"commits/{other.id}", f"commits/{other.sha}", f"commits/{other.sha}/files"]
        paths += [f"commits/{other.sha[:7]}", f"commits/{other.sha[:12]}/files"]
    for path in paths:
        answer = lead.client.get(f"{ROOT}/{path}")
        assert (answer.status_code, answer.json()["code"]) == (403, 7), (path, answer.text)
        assert "a team lead sees only the teams that they lead" in answer.json()["message"]
    shapes = {
        re.sub(r"'[^']*'", "…", lead.client.get(f"{ROOT}/developers/{key}").json()["message"])
        for key in people
    }
    assert len(shapes) == 1


def test_figures_of_the_whole_organization_are_refused(lead: LeadView) -> None:
    for path in ("settings", "members", "capex?version=LOCKED", "auditEntries", "invitations", "operations"):
        answer = lead.client.get(f"{ROOT}/{path}")
        assert (answer.status_code, answer.json()["code"]) == (403, 7), (path, answer.text)
        assert "you may not" in answer.json()["message"]


def test_one_row_access_never_gets_the_answer_of_another(deployed: Deployment, address_of: str) -> None:
    """ETags, page tokens and the cache never give one caller the answer of another."""
    one, other = (sign_in(deployed.store, make_lead(deployed, (name,))) for name in ("Product", "Platform"))
    whole = deployed.key("whole")
    path = f"{ROOT}/commits?pageSize=5"
    answers = {}
    for credential in (whole, one, other):
        with client_for(address_of, credential) as client:
            answers[credential] = client.get(path)
    etags = {answer.headers["ETag"] for answer in answers.values()}
    assert len(etags) == 3
    assert len({answer.text for answer in answers.values()}) == 3
    for credential in (whole, one, other):
        with client_for(address_of, credential) as client:
            for theirs in (whole, one, other):
                answer = client.get(path, headers={"If-None-Match": answers[theirs].headers["ETag"]})
                assert answer.status_code == (304 if theirs == credential else 200)
                token = answers[theirs].json()["nextPageToken"]
                paged = client.get(path, params={"pageSize": "5", "pageToken": token})
                assert paged.status_code == (200 if theirs == credential else 400), paged.text
                assert client.get(path).text == answers[credential].text


@pytest.mark.both_databases(postgresql="release")
def test_a_lead_that_is_taken_away_closes_at_once(
    deployed: Deployment, moving: Facts, address_of: str
) -> None:
    account = make_lead(deployed, ("Web",))
    owner = sign_in(deployed.store, join(deployed.store, ORGANIZATION, "owner"))
    web, mobile = team_id("Web"), team_id("Mobile")
    with (
        client_for(address_of, sign_in(deployed.store, account)) as lead,
        client_for(address_of, owner) as boss,
    ):

        def visible() -> set[str]:
            return {team["id"] for team in lead.get(f"{ROOT}/teams").json()["teams"]}

        assert visible() == {web}
        assert boss.post(f"{ROOT}/teams/{mobile}/leads", json={"memberId": account}).status_code == 200
        again = boss.post(f"{ROOT}/teams/{mobile}/leads", json={"memberId": account})
        assert (again.status_code, again.json()["code"]) == (409, 6)
        assert visible() == {web, mobile}
        listed = boss.get(f"{ROOT}/teams/{mobile}/leads").json()
        assert account in {lead["memberId"] for lead in listed["teamLeads"]}
        assert boss.delete(f"{ROOT}/teams/{web}/leads/{account}").status_code == 200
        assert boss.delete(f"{ROOT}/teams/{web}/leads/{account}").status_code == 404
        assert visible() == {mobile}
        assert lead.post(f"{ROOT}/teams/{web}/leads", json={"memberId": account}).status_code == 403
        assert boss.post(f"{ROOT}/teams/{web}/leads", json={"memberId": "nobody"}).status_code == 404
        log = boss.get(f"{ROOT}/auditEntries", params={"action": "teamLeads.delete"}).json()["auditEntries"]
        assert (log[0]["targetId"], log[0]["before"]["memberId"]) == (web, account)
        # A sub-team that moves elsewhere is the lead's no longer.
        assert boss.patch(f"{ROOT}/teams/{mobile}", json={"parentId": web}).status_code == 200
        assert boss.post(f"{ROOT}/teams/{web}/leads", json={"memberId": account}).status_code == 200
        assert boss.delete(f"{ROOT}/teams/{mobile}/leads/{account}").status_code == 200
        assert visible() == {web, mobile}
        assert boss.patch(f"{ROOT}/teams/{mobile}", json={"parentId": team_id("Product")}).status_code == 200
        assert visible() == {web}
        assert boss.delete(f"{ROOT}/members/{account}").status_code == 200
        assert lead.get(f"{ROOT}/teams").status_code in (401, 404)


def test_a_lead_s_key_sees_what_the_lead_sees(deployed: Deployment, moving: Facts, address_of: str) -> None:
    actor = principal(deployed.store, make_lead(deployed, ("Research",)))
    key = create_token(deployed.store, ORGANIZATION, "lead's", actor=actor).key
    with client_for(address_of, key) as client:
        found = client.get(f"{ROOT}/teams").json()["teams"]
    assert {team["id"] for team in found} == below(moving, "Research")


@pytest.mark.parametrize(
    "scope",
    [
        RowAccess(ORGANIZATION),
        RowAccess(ORGANIZATION, teams=(LedTeam(team_id("Web"), None),)),
        RowAccess(ORGANIZATION, teams=()),
        RowAccess(ORGANIZATION, own=developer_id("Ada")),
        RowAccess(ORGANIZATION, own=""),
        RowAccess.of(ORGANIZATION, Visibility(minimum_group_size=3)),
    ],
)
def test_every_published_table_is_decided_for_every_scope(deployed: Deployment, scope: RowAccess) -> None:
    builds = Builds(deployed.data_dir / "published" / ORGANIZATION, 256)
    build = builds.lease_current()
    for table in (model.name for model in compiled() if model.is_published):
        if scope.minimum_group_size > 1 and table in OF_ONE_PERSON:
            with pytest.raises(
                PermissionDenied, match="this organization hides figures of single developers"
            ):
                scope.table(build, table)
        elif scope.own is not None and table in OF_SEVERAL:
            # Not answered as if nobody had worked: a list of one's own repositories needs rows of its own.
            with pytest.raises(LookupError, match="sums over several people"):
                scope.table(build, table)
        else:
            build.value(f"select count(*) from {scope.table(build, table)} as rows")
    if scope.teams is not None or scope.own is not None:
        with pytest.raises((LookupError, AttributeError)):
            scope.table(build, "something_new")
    builds.release(build)
    builds.close()


def test_scopes_that_see_other_rows_have_other_keys() -> None:
    scopes = [
        RowAccess(ORGANIZATION), RowAccess(ORGANIZATION, teams=()),
        RowAccess(ORGANIZATION, own=""), RowAccess(ORGANIZATION, own="a"),
        RowAccess(ORGANIZATION, minimum_group_size=2), RowAccess(ORGANIZATION, minimum_group_size=3),
        RowAccess(ORGANIZATION, teams=(), minimum_group_size=2),
        *(RowAccess(ORGANIZATION, teams=(LedTeam(team_id(name), None),)) for name in TREE),
    ]  # fmt: skip
    assert len({scope.key for scope in scopes}) == len(scopes)


FIGURES = [
    tried
    for tried in ROUTES
    if tried.method == "GET"
    and isinstance(tried.declared, Requires)
    and tried.declared.permission is Permission.READ_FIGURES
]


def test_no_route_of_figures_is_forgotten(lead: LeadView) -> None:
    """Takes the routes from the application. Each answers a lead without the work of others, and refuses items of
    others.
    """
    facts, visible = lead.facts, {commit.id for commit in lead.commits}
    plan = make_plan(facts)
    others = {
        "developer": [key for key in facts.developers if key not in lead.people],
        "team": [key for key in facts.teams if key not in lead.teams],
        "commit": [commit.id for commit in facts.commits if commit.id not in visible][:5],
        "repository": sorted(
            facts.repositories.keys()
            - {one.repository for one in lead.commits}
            - {one.repository for one in lead.pull_requests}
        ),
        "pullRequest": [one.id for one in pull_requests(facts) if one not in lead.pull_requests][:5],
        "checkOccurrence": [one.id for one in occurrences(facts) if not lead.sees(one)][::7],
        "membership": ["0190d3b0-0000-7000-8000-00000000dead"],
        **{
            kind: [item.id for item in items if item.team and item.team not in lead.teams]
            for kind, items in (("objective", plan.objectives), ("issue", plan.issues))
        },
    }
    assert len(FIGURES) > 12
    for tried in FIGURES:
        names = re.findall(r"{(\w+)}", tried.path.replace("{organization}", "acme"))
        path = tried.path.replace("{organization}", "acme")
        if not names:
            answer = lead.client.get(path)
            assert answer.status_code == 200 or "you may not" in answer.json()["message"], (path, answer.text)
            for kind in ("developer", "team", "commit", "repository"):
                assert not [key for key in others[kind] if key in answer.text], path
            continue
        (name,) = names
        for key in others[name]:
            answer = lead.client.get(path.replace(f"{{{name}}}", key))
            assert (answer.status_code, answer.json()["code"]) == (403, 7), (path, answer.text)
