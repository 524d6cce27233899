"""From Git to JSON: real histories analysed once, every read of the API tried on them, its figures beside Git's."""

import csv
import email
import json
import re
import shutil
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from email.message import EmailMessage
from email.policy import default
from pathlib import Path
from typing import Any

import duckdb
import pytest

from api.app import create_app
from api.settings import ApiSettings
from orchestration.deployment import LOCAL_ORGANIZATION
from tests import project_history
from tests.api.conftest import client_for, serving
from tests.end_to_end import figure_checks as checks
from tests.end_to_end.eas import Eas
from tests.end_to_end.git_figures import GitHistory
from tests.end_to_end.histories import SPAN, SPAN_TESTS
from tests.end_to_end.read_surface import PREFIX, ReadSurface, listed, routes
from tests.end_to_end.reviewed_histories import NUMBER, SUBJECT
from tests.end_to_end.served_histories import LIN, NAMES, Served, served_histories, surface
from tests.end_to_end.tracked_histories import PARENTS, TITLES, links_of, naive_etv, reached
from tests.generated_clients import python_client, typescript_client
from tests.generated_clients.lists import lists

DOCUMENT = create_app(ApiSettings()).openapi()
# What a Git host lists (tests/api/v1/repositories/test_available.py has it).
ASKS_A_HOST = f"{PREFIX}/repositories:available"
PATHS = [path for path in routes(DOCUMENT) if path != ASKS_A_HOST]
FILES = [
    path for path in PATHS if "text/csv" in DOCUMENT["paths"][path]["get"]["responses"]["200"]["content"]
]
# Lists of what one build of one release has none of: a renewal is past, a signed month or all history changed.
EMPTY = {f"{PREFIX}/{name}" for name in ("renewals", "restatements", "capexRestatements")}
OF_A_HISTORY = (
    checks.check_messages,
    checks.check_sizes,
    checks.check_deliveries,
    checks.check_days,
    checks.check_repository,
    checks.check_reasons,
    checks.check_counted_days,
    checks.check_files,
)
# A table keeps a figure more than once, ordered for different reads: a mutation changes each of them.
COMMITS = ("commits_by_time", "commits_by_repository", "commits_by_developer")


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served_histories(tmp_path_factory.mktemp("git_to_json")) as made:
        yield made


@pytest.fixture(params=NAMES)
def history(served: Served, request: pytest.FixtureRequest) -> GitHistory:
    """Each history; that of the project only where it is complete."""
    if request.param not in served.histories:
        pytest.skip(project_history.MISSING)
    return served.histories[request.param]


@pytest.mark.parametrize("path", PATHS)
def test_every_read_answers_with_data_in_the_documented_shape(served: Served, path: str) -> None:
    answer = served.surface.ask(path)
    assert answer.status_code == 200, answer.text
    assert served.surface.violations(path, answer) == []
    page = answer.json()
    if "nextPageToken" in page:
        assert bool(listed(page)) == (path not in EMPTY), "a list without an item says nothing of their shape"


def test_a_build_stores_summaries_that_show_its_facts(served: Served) -> None:
    found = served.surface.every("/summaries", startDate=None, endDate=None)
    # Of the newest completed week, month and quarter.
    told = served.eas.rows(
        "select distinct scope_kind, scope_id, upper(period) from summary_facts cross join organizations "
        "where period_start = date_trunc(period, date_trunc(period, local_date) - interval 1 day) order by all"
    )
    assert sorted((one["scopeKind"], one["scopeId"], one["period"]) for one in found) == told
    assert {period for kind, _, period in told if kind == "ORGANIZATION"} >= {"WEEK", "QUARTER"}
    for one in found:
        text = served.surface.client.get(f"{served.surface.root}/summaries/{one['id']}").json()
        expected = served.eas.rows(
            "select fact_id, value_micro / 1e6, basis, subject_title from summary_facts where not is_draft and "
            f"scope_kind = '{one['scopeKind']}' and scope_id = '{one['scopeId']}' and "
            f"period = '{one['period'].lower()}' and period_start = '{one['startDate']}' order by fact_id"
        )
        shown = sorted(
            (fact["id"], fact["value"], fact["basis"], fact["subjectTitle"])
            for fact in text["facts"]
            if fact["id"] != "cause.other"
        )
        assert shown == expected
        cited = set(re.findall(r"'factId': '([^']+)'", str(text["document"])))
        assert cited
        assert cited <= {fact["id"] for fact in text["facts"]}
        assert one["revision"]["contextVersion"] == 1
    [quarter] = [one for one in found if (one["scopeKind"], one["period"]) == ("ORGANIZATION", "QUARTER")]
    printed = served.eas.run_here("summary", "quarter")
    plain = served.surface.client.get(
        f"{served.surface.root}/summaries/{quarter['id']}", headers={"Accept": "text/plain"}
    )
    assert (printed.returncode, printed.stdout) == (0, plain.text)


def test_a_build_mails_the_summary_to_whoever_subscribed(served: Served) -> None:
    until = time.monotonic() + 30
    while served.surface.below("/summarySubscriptions")[0]["mailedAt"] is None and time.monotonic() < until:
        time.sleep(0.2)
    found = (served.eas.data / "outbox" / "mails").glob("*.eml")
    [message] = [one for one in map(_mail, found) if one.is_multipart()]
    [quarter] = served.surface.every(
        "/summaries", scopeKind="ORGANIZATION", period="QUARTER", startDate=None, endDate=None
    )
    address = f"{served.surface.root}/summaries/{quarter['id']}"
    whole = served.surface.client.get(address, headers={"Accept": "text/plain"}).text
    text, page = (str(part.get_content()) for part in message.iter_parts())
    assert message["To"] == LIN
    assert text.startswith(whole)
    assert f"/summaries/{quarter['id']}" in page


def test_lines_of_a_file_are_read_from_the_clone_and_add_up_to_its_points(served: Served) -> None:
    found = certain = 0
    for commit in served.surface.every("/commits", startDate=None, endDate=None, orderBy="etv desc")[:12]:
        address = f"{served.surface.root}/commits/{commit['id']}"
        for file in served.surface.client.get(address).json()["files"][:2]:
            read = served.surface.client.get(address, params={"file": file["path"]}).json()["lines"]
            assert read["missingReason"] in (None, "ELSEWHERE")
            points = sum(one["weightMicros"] or 0 for one in read["lines"])
            points += sum(one["pointsMicros"] for one in read["rest"])
            assert points == file["linePointsMicros"] + file["removedPointsMicros"]
            assert all(one["text"] is not None for one in read["lines"])
            found += len(read["lines"])
            certain += sum(one["isCertain"] for one in read["lines"])
    assert found > 50
    assert certain / found > 0.8


def _mail(file: Path) -> EmailMessage:
    found = email.message_from_bytes(file.read_bytes(), policy=default)
    assert isinstance(found, EmailMessage)
    return found


def test_the_shape_of_an_answer_is_looked_at(served: Served) -> None:
    path = f"{PREFIX}/commits"
    answer = served.surface.ask(path)
    for change in ({"subject": 5}, {"undocumented": 1}, {"etv": None}):
        page = json.loads(answer.text)
        page["commits"][0] |= change
        wrong = type(answer)(200, json=page)
        assert len(served.surface.violations(path, wrong)) == 1


@pytest.mark.parametrize("check", OF_A_HISTORY)
def test_figures_are_those_of_git(
    served: Served, history: GitHistory, check: Callable[[ReadSurface, GitHistory], None]
) -> None:
    check(served.surface, history)


def test_every_address_of_an_author_belongs_to_one_developer(served: Served) -> None:
    delivered = [commit for history in served.histories.values() for commit in history.commits.values()]
    people: dict[str, set[str]] = {}
    for commit in served.surface.every("/commits", startDate=None, endDate=None):
        people.setdefault(commit["developerId"], set()).add(commit["authorEmail"])
    developers = {one["id"]: one for one in served.surface.every("/developers")}
    assert sum(len(addresses) for addresses in people.values()) == len(
        {one.author_email for one in delivered}
    )
    for developer, addresses in people.items():
        own = [commit for commit in delivered if commit.author_email in addresses]
        row = developers[developer]
        assert row["primaryEmail"] in addresses
        assert row["commitCount"] == len(own)
        assert row["deliveredCommitCount"] == sum(commit.delivery is not None for commit in own)


def test_every_split_of_the_figures_has_the_same_totals(served: Served) -> None:
    whole = checks.check_totals(served.surface)
    assert min(whole[name] for name in ("etv", "commits", "files", "linesAdded", "linesDeleted")) > 0


def test_tests_inside_a_source_file_count_for_tests_and_its_other_lines_for_the_feature(
    served: Served,
) -> None:
    [commit] = [one for one in served.surface.every("/commits") if one["subject"] == SPAN]
    answer = served.surface.client.get(f"{served.surface.root}/commits/{commit['id']}").json()
    [file] = answer["files"]
    of_tests = [line for line in file["lineClasses"] if "inside a test" in (line["note"] or "")]
    assert sum(line["lines"] for line in of_tests) == len(SPAN_TESTS.splitlines())
    points = sum(line["pointsMicros"] for line in of_tests)
    for measure in ("points", "effort", "etv"):
        share = file[f"{measure}Micros"] * points // file["linePointsMicros"]
        assert 0 < file[f"inlineTests{measure.title()}Micros"] == share < file[f"{measure}Micros"]
    assert (file["category"], commit["category"]) == ("FEATURES", "FEATURES")
    own = {"testsEtv": file["inlineTestsEtvMicros"]}
    own |= {"featuresEtv": file["etvMicros"] - own["testsEtv"], "etv": file["etvMicros"]}
    assert {name: checks.micro(commit[name]) for name in own} == own
    # The figures of the day, and their split.
    day = {
        "developer": commit["developerId"],
        "startDate": commit["deliveredOn"],
        "endDate": commit["deliveredOn"],
    }
    counted = [one for one in served.surface.every("/commits", **day) if one["isCounted"]]
    [whole] = checks.series(served.surface, **day)
    assert {name: whole[name] for name in own} == {
        name: sum(checks.micro(one[name]) for one in counted) for name in own
    }
    split = served.surface.ask(f"{PREFIX}/metrics", groupBy="CATEGORY", categoryGrouping="FIVE", **day).json()
    [tests] = [line for line in split["series"] if line["key"] == "TESTS"]
    assert checks.sums(tests["points"])["etv"] == whole["testsEtv"]


def test_every_report_has_the_totals_of_the_metrics(served: Served) -> None:
    checks.check_reports(served.surface)


def test_a_team_its_parent_and_its_only_member_have_the_same_figures(served: Served) -> None:
    """Lin alone is in a team; what Lin reads of herself is what the owner reads of her."""
    [lin] = [one for one in served.surface.every("/developers") if one["teamName"]]
    teams = served.surface.every("/teams")
    assert len(teams) == 2
    expected = checks.sums([lin])
    assert expected["etv"] > 0
    for team in teams:
        assert checks.sums([team]) == expected
        assert checks.series(served.surface, team=team["id"]) == [expected]
    own = served.surface.client.get(f"{served.surface.root}/me/metrics", params=served.surface.days).json()
    assert checks.sums(own["series"][0]["points"]) == expected
    counted = [one for one in served.surface.every("/me/commits") if one["isCounted"]]
    assert sum(checks.micro(one["etv"]) for one in counted) == expected["etv"]


def test_commits_belong_to_the_issues_that_their_messages_and_branches_name(served: Served) -> None:
    shown = {one["sha"]: one for one in served.surface.every("/commits", startDate=None, endDate=None)}
    keys = {one["id"]: one["key"] for one in served.surface.every("/issues")}
    assert set(keys.values()) == set(PARENTS)
    links = {sha: named for history in served.histories.values() for sha, named in links_of(history).items()}
    found = {}
    for sha, named in links.items():
        row = shown[sha]
        assert row["isAligned"] == bool(named)
        assert row["reachesObjective"] == any(reached(key) for key in named)
        if named:
            issues = served.surface.client.get(f"{served.surface.root}/commits/{sha}").json()["issues"]
            found[sha] = sorted(keys[issue["itemId"]] for issue in issues)
    assert found == {sha: named for sha, named in links.items() if named}
    reasons = {one["subject"]: one["alignmentReason"] for one in shown.values()}
    assert (reasons["feat: carry 2"], reasons["Vendor the library"]) == ("UNKNOWN_ISSUE", "NO_REFERENCE")
    assert sum(map(bool, links.values())) > 3


def test_objectives_and_roadmap_alignment_have_the_etv_of_these_commits(served: Served) -> None:
    links = {sha: named for history in served.histories.values() for sha, named in links_of(history).items()}
    commits = served.surface.every("/commits", startDate=None, endDate=None)
    etv = {one["sha"]: one["etv"] for one in commits if one["isCounted"] and not one["isBot"]}
    rows = {one["title"]: one for one in served.surface.every("/objectives")}
    for goal, title in TITLES.items():
        expected = naive_etv(links, etv, goal)
        assert rows[title]["etv"] == pytest.approx(expected, abs=1e-5)
        one = served.surface.client.get(f"{served.surface.root}/objectives/{rows[title]['id']}").json()
        assert sum(point["etv"] for point in one["etvOverTime"]["points"]) == pytest.approx(
            expected, abs=1e-5
        )
        assert sum(person["etv"] for person in one["contributors"]) == pytest.approx(expected, abs=1e-5)
    assert rows["Sound houses"]["etv"] > rows["Strong beams"]["etv"] > 0
    params = served.surface.days | {"metrics": "etv,roadmapAlignment,issueAlignment", "interval": "YEAR"}
    [line] = served.surface.client.get(f"{served.surface.root}/metrics", params=params).json()["series"]
    alignment = [point for point in line["points"] if point["etv"]]
    roadmap = sum(point["etv"] * point["roadmapAlignment"] for point in alignment)
    assert roadmap == pytest.approx(naive_etv(links, etv, "initiative"), abs=1e-5)
    aligned = sum(point["etv"] * point["issueAlignment"] for point in alignment)
    assert aligned == pytest.approx(sum(etv.get(sha, 0) for sha, named in links.items() if named), abs=1e-5)


def test_a_pull_request_has_the_commit_that_delivered_it(served: Served) -> None:
    [shown] = served.surface.every("/pullRequests", startDate=None, endDate=None)
    commits = {one["sha"]: one for one in served.surface.every("/commits", startDate=None, endDate=None)}
    [own] = [one for one in commits.values() if one["pullRequestId"] == shown["id"]]
    assert (own["subject"], own["pullRequestNumber"]) == (SUBJECT, NUMBER)
    assert (shown["etv"], shown["mergedByWay"]) == (own["etv"], "FAST_FORWARD")
    assert (shown["cycleHours"], shown["pickupHours"], shown["mergeHours"]) == (3, 2, 1)
    assert shown["developerId"] == own["developerId"]


@pytest.mark.parametrize("path", FILES)
def test_a_file_has_the_rows_of_the_list(served: Served, path: str) -> None:
    answer = served.surface.ask(path, format="CSV", pageSize=None)
    assert answer.status_code == 200, answer.text
    rows = [
        {re.sub("_([a-z])", lambda found: found[1].upper(), name): cell for name, cell in row.items()}
        for row in csv.DictReader(answer.text.splitlines())
    ]
    expected = [
        {name: cell_of(item[name]) for name in rows[0]}
        for item in served.surface.every(path.removeprefix(PREFIX))
    ]
    assert expected
    assert [{name: same(cell) for name, cell in row.items()} for row in rows] == expected


def cell_of(value: Any) -> Any:
    """A value of JSON as a cell has it."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        # The phases of adoption, the only list in a file.
        return ", ".join(f"{one['phase']}: {one['people']}" for one in value)
    if isinstance(value, dict):
        return same(json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False))
    return same(str(value))


def same(cell: str) -> Any:
    """A number as number; text without the mark that keeps a spreadsheet from running it; one form of UTC."""
    try:
        return float(cell)
    except ValueError:
        return cell.removeprefix("'").replace("+00:00", "Z")


WRONG = [
    (checks.check_messages, COMMITS, "subject = subject || '.'"),
    (checks.check_messages, COMMITS, "author_email = 'x' || author_email"),
    (checks.check_messages, COMMITS, "authored_at = authored_at + interval 1 second"),
    (checks.check_messages, COMMITS, "parent_shas = list_reverse(parent_shas)"),
    (checks.check_sizes, COMMITS, "files_changed = files_changed + 1"),
    (checks.check_sizes, COMMITS, "lines_added = lines_added + 1"),
    (checks.check_sizes, COMMITS, "lines_deleted = lines_deleted + 1"),
    (checks.check_deliveries, COMMITS, "delivered_at = delivered_at + interval 1 second"),
    (checks.check_deliveries, COMMITS, "delivery_sha = commit_sha"),
    (checks.check_days, COMMITS, "delivered_on = delivered_on + 1"),
    (checks.check_repository, ("repositories",), "commit_count = commit_count + 1"),
    (checks.check_repository, ("repositories",), "last_delivered_at = last_delivered_at + interval 1 second"),
    (checks.check_reasons, ("zero_reason_days",), "commits = commits + 1"),
    (checks.check_reasons, ("zero_reason_days",), "lines_added = lines_added + 1"),
    (
        checks.check_counted_days,
        ("daily", "daily_by_repository", "daily_by_developer"),
        "commits = commits + 1",
    ),
    (checks.check_files, ("commit_files",), "path = path || 'x'"),
    (checks.check_files, ("commit_files",), "etv_micro = etv_micro + 1"),
    (checks.check_totals, ("daily_totals",), "lines_added = lines_added + 1"),
    (checks.check_totals, ("repository_periods",), "etv_micro = etv_micro + 1"),
    (checks.check_totals, ("developer_periods",), "files = files + 1"),
    (checks.check_reports, COMMITS, "etv_micro = etv_micro + 1"),
    (checks.check_reports, ("capex",), "effort_micro = effort_micro + 1"),
    (checks.check_reports, ("movements",), "etv_micro = etv_micro + 1"),
]


@pytest.mark.parametrize(
    ("check", "tables", "change"), WRONG, ids=[f"{tables[0]}: {change}" for _, tables, change in WRONG]
)
def test_a_wrong_figure_is_seen(
    served: Served, tmp_path: Path, check: Callable[..., Any], tables: tuple[str, ...], change: str
) -> None:
    """The checks above are not blind: they fail on a snapshot in which one column is wrong."""
    house = [served.histories["house"]] if check in OF_A_HISTORY else []
    data = tmp_path / "data"
    data.mkdir()
    for file in served.eas.data.glob("control.db*"):
        shutil.copy(file, data)
    shutil.copytree(served.eas.data / "published", data / "published")
    build = data / "published" / LOCAL_ORGANIZATION / Eas(data).pointer()["file"]
    with duckdb.connect(str(build)) as connection:
        connection.execute("set TimeZone = 'UTC'")
        for table in tables:
            connection.execute(f"update {table} set {change}")
    with serving(data) as address, client_for(address, served.key) as client:
        wrong = surface(client, served.histories)
        with pytest.raises(AssertionError):
            check(wrong, *house)


@pytest.mark.parametrize("client", [python_client, typescript_client], ids=["Python", "TypeScript"])
def test_a_generated_client_reads_every_list(served: Served, client: Any, tmp_path: Path) -> None:
    read = lists(served.surface, {ASKS_A_HOST})
    address = str(served.surface.client.base_url).rstrip("/")
    pages = client.read_lists(served.surface.document, address, served.key, read, tmp_path)
    assert len(pages) > 40
    for one in read:
        answer = served.surface.client.get(one.path.format_map(one.ids), params=one.query)
        assert (one.operation, in_utc(pages[one.operation])) == (one.operation, in_utc(answer.json()))


def in_utc(value: Any) -> Any:
    """A JSON value with its times as UTC: a client may write the same time with another offset."""
    if isinstance(value, dict):
        return {name: in_utc(one) for name, one in value.items()}
    if isinstance(value, list):
        return [in_utc(one) for one in value]
    if isinstance(value, str) and re.fullmatch(r"\d{4}-\d\d-\d\dT.*", value):
        return datetime.fromisoformat(value).astimezone(UTC)
    return value
