"""Benchmarks over HTTP: figures compared with NumPy over plain loops of the facts, and saved groups."""

from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from datetime import date, timedelta
from typing import Any

import duckdb
import httpx
import numpy as np
import pytest

from tests.api.ai_usage_facts import used
from tests.api.conftest import ROOT, Deployment, client_for
from tests.api.published_facts import TODAY, UNIT, Facts

Serve = Callable[..., AbstractContextManager[str]]
RANGE = {"startDate": "2026-07-06", "endDate": "2026-10-04"}
FIRST, LAST = date(2026, 7, 6), date(2026, 10, 4)
MONDAYS = [FIRST + timedelta(weeks=number) for number in range(13)]


@pytest.fixture(scope="module")
def client(
    tmp_path_factory: pytest.TempPathFactory, published: Deployment, address: str
) -> Iterator[httpx.Client]:
    with client_for(address, published.key(scope="write")) as made:
        yield made


def people(facts: Facts) -> list[str]:
    return [key for key in facts.developers if key != facts.bot]


def weekly(
    facts: Facts, developer: str, value: Callable[[Any], float] = lambda change: change.etv
) -> list[float]:
    """The sum of a value by week of a developer, without sandboxes."""
    found: dict[date, float] = defaultdict(float)
    for change in facts.changes:
        if change.developer == developer and not change.is_sandbox:
            found[change.day - timedelta(days=change.day.weekday())] += value(change)
    return [found[monday] for monday in MONDAYS]


def save(client: httpx.Client, name: str, members: list[str], kind: str = "DEVELOPER", **how: Any) -> str:
    answer = client.post(
        f"{ROOT}/benchmarks", json={"name": name, "memberKind": kind, "memberIds": members} | how
    )
    assert answer.status_code == 200, answer.text
    return str(answer.json()["id"])


def get(client: httpx.Client, path: str, **params: Any) -> dict[str, Any]:
    answer = client.get(f"{ROOT}/{path}", params=RANGE | params)
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


@pytest.mark.parametrize(
    ("how", "percent"),
    [
        ({}, None),
        ({"aggregation": "MEDIAN"}, 50),
        *(({"aggregation": "PERCENTILE", "percentile": p}, p) for p in (1, 30, 99)),
    ],
)
def test_a_series_and_a_list_have_the_aggregate_of_the_members(
    client: httpx.Client, facts: Facts, how: dict[str, Any], percent: int | None
) -> None:
    members = people(facts)

    def aggregate(values: list[float]) -> float:
        return float(np.mean(values) if percent is None else np.percentile(values, percent))

    wanted = save(client, f"everybody {how}", members, **how)
    by_member = [weekly(facts, member) for member in members]
    series = get(client, "metrics", benchmark=wanted, metrics="etv,aiShareAtLeast")
    points = series["benchmark"]["points"]
    assert [point["start"] for point in points] == [day.isoformat() for day in MONDAYS]
    for number, point in enumerate(points):
        expected = aggregate([values[number] for values in by_member]) / UNIT
        assert (point["etv"], point["memberCount"]) == (pytest.approx(expected, abs=1e-9), 3)
        # A share is that of each member who has one.
        ai = [
            weekly(facts, member, lambda change: change.etv if change.ai else 0)[number] for member in members
        ]
        week = {MONDAYS[number] + timedelta(days=day) for day in range(7)}
        users = {one.developer for one in used(facts) if one.day in week}
        shares = [
            one / values[number]
            for member, one, values in zip(members, ai, by_member, strict=True)
            if (one or member in users) and values[number]
        ]
        assert point["aiShareAtLeast"] == (pytest.approx(aggregate(shares)) if shares else None)
    listed = get(client, "developers", benchmark=wanted, pageSize=1)["benchmark"]
    assert listed["etv"] == pytest.approx(aggregate([sum(values) for values in by_member]) / UNIT)
    every = get(client, "developers")
    assert every["benchmark"] is None
    rows = {row["id"]: row for row in every["developers"]}
    for metric in ("commits", "linesAdded", "performance", "aiShareAtLeast", "featuresEtv", "aiCost"):
        values = [rows[member][metric] for member in members if rows[member][metric] is not None]
        assert listed[metric] == (pytest.approx(aggregate(values)) if values else None)
    assert (listed["memberCount"], listed["missingMembers"], listed["isSuppressed"]) == (3, 0, False)


@pytest.mark.parametrize("path", ["developers", "repositories", "teams"])
def test_the_average_of_the_organization_is_that_of_the_rows_of_the_list(
    client: httpx.Client, path: str
) -> None:
    found = get(client, path, benchmark="organization_average")
    rows = [row for row in found[path] if not (row.get("isBot") or row.get("isSandbox"))]
    benchmark = found["benchmark"]
    assert benchmark["id"] == "ORGANIZATION_AVERAGE"
    assert benchmark["memberCount"] == len(rows)
    for metric in ("etv", "commits", "points"):
        assert benchmark[metric] == pytest.approx(np.mean([row[metric] for row in rows]))


def test_lines_by_repository_have_the_average_repository_beside_them(
    client: httpx.Client, facts: Facts
) -> None:
    found = get(client, "metrics", groupBy="REPOSITORY", benchmark="ORGANIZATION_AVERAGE", metrics="etv")
    assert found["benchmark"]["memberKind"] == "REPOSITORY"
    for number, point in enumerate(found["benchmark"]["points"]):
        # Sandboxes have no line.
        expected = np.mean([line["points"][number]["etv"] for line in found["series"]])
        assert point["etv"] == pytest.approx(expected)


def test_the_zero_day_index_begins_at_100_for_each_member(client: httpx.Client, facts: Facts) -> None:
    found = get(client, "metrics", benchmark="ZERO_DAY_INDEX", metrics="etv,commits", startDate="2026-07-08")
    assert found["benchmark"]["isIndex"]
    points = found["benchmark"]["points"]
    assert points[0]["isPartial"]
    assert points[0]["etv"] is None
    expected: dict[int, list[float]] = defaultdict(list)
    for member in people(facts):
        values = weekly(facts, member)
        begins = next(number for number in range(1, len(values)) if values[number] > 0)
        for number in range(begins, len(values)):
            expected[number].append(100 * values[number] / values[begins])
    assert max(len(values) for values in expected.values()) == 3
    for number, point in enumerate(points[1:], 1):
        assert point["etv"] == (pytest.approx(np.mean(expected[number])) if expected[number] else None)
    refused = client.get(f"{ROOT}/developers", params=RANGE | {"benchmark": "ZERO_DAY_INDEX"})
    assert refused.status_code == 400
    assert "benchmark" in refused.json()["message"]


def test_who_was_not_employed_is_left_out_and_who_delivered_nothing_counts_zero(
    deployment: Deployment, facts: Facts, serve: Serve, tmp_path: Any
) -> None:
    ada, grace, linus = people(facts)
    changed = tmp_path / "changed.duckdb"
    changed.write_bytes(deployment.warehouse.read_bytes())
    gone = MONDAYS[6]
    with duckdb.connect(str(changed)) as warehouse:
        (name,) = warehouse.execute(
            "select table_schema || '.' || table_name from information_schema.tables "
            "where table_name like '%performance' limit 1"
        ).fetchall()[0]
        warehouse.execute(
            f"delete from {name} where entity_id = ? and (period <> 'week' or period_start >= ?)", [ada, gone]
        )
    deployment.warehouse = changed
    deployment.publish()
    with serve(deployment.data_dir) as address, client_for(address, deployment.key()) as client:
        points = get(client, "metrics", benchmark="ORGANIZATION_AVERAGE", metrics="etv")["benchmark"][
            "points"
        ]
        early = get(
            client,
            "developers",
            benchmark="ORGANIZATION_AVERAGE",
            startDate="2020-01-06",
            endDate="2020-02-02",
        )
    by_member = {member: weekly(facts, member) for member in (ada, grace, linus)}
    counts = set()
    for number, (monday, point) in enumerate(zip(MONDAYS, points, strict=True)):
        values = [
            one[number] for member, one in by_member.items() if member != ada or monday < gone or one[number]
        ]
        counts.add(len(values))
        assert (point["etv"], point["memberCount"]) == (pytest.approx(np.mean(values) / UNIT), len(values))
    assert counts == {2, 3}
    assert (early["benchmark"]["memberCount"], early["benchmark"]["etv"]) == (0, None)


def test_groups_are_saved_changed_and_deleted(client: httpx.Client, facts: Facts) -> None:
    present, former = facts.merged
    other = next(key for key in people(facts) if key != present)
    made = save(client, "Backend", [former, other], aggregation="PERCENTILE", percentile=90)
    path = f"{ROOT}/benchmarks/{made}"
    record = client.get(path).json()
    assert record["memberIds"] == sorted([present, other])
    assert (record["aggregation"], record["percentile"], record["memberCount"]) == ("PERCENTILE", 90, 2)
    assert client.patch(path, json={"aggregation": "MEDIAN"}).json()["percentile"] is None
    changed = client.patch(f"{path}?updateMask=name", json={"name": "Platform", "memberIds": []}).json()
    assert (changed["name"], changed["memberCount"]) == ("Platform", 2)
    assert "Platform" in [one["name"] for one in client.get(f"{ROOT}/benchmarks").json()["benchmarks"]]
    before = get(client, "developers", benchmark=made)["benchmark"]
    client.patch(path, json={"aggregation": "AVERAGE"})
    # The build is the same, and the answer is not that of before.
    assert get(client, "developers", benchmark=made)["benchmark"]["aggregation"] != before["aggregation"]
    assert client.delete(path).status_code == 200
    assert client.get(f"{ROOT}/developers", params={"benchmark": made}).status_code == 404
    actions = [entry["action"] for entry in client.get(f"{ROOT}/auditEntries").json()["auditEntries"]]
    assert actions[:1] == ["benchmarks.delete"]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"memberIds": []}, "memberIds"),
        ({"memberIds": ["0190d3b0-0000-7000-8000-00000000dead", "x"]}, "memberIds"),
        ({"memberKind": "REPOSITORY"}, "memberIds"),
        ({"memberKind": "TEAM"}, "memberKind"),
        ({"aggregation": "PERCENTILE"}, "percentile"),
        ({"percentile": 40}, "percentile"),
        ({"aggregation": "PERCENTILE", "percentile": 100}, "percentile"),
        ({"name": "  "}, "name"),
    ],
)
def test_a_wrong_group_is_refused_by_its_field(
    client: httpx.Client, facts: Facts, body: dict[str, Any], field: str
) -> None:
    right = {"name": "Right", "memberKind": "DEVELOPER", "memberIds": people(facts)}
    refused = client.post(f"{ROOT}/benchmarks", json=right | body)
    assert refused.status_code == 400, refused.text
    assert refused.json()["details"][0]["fieldViolations"][0]["field"] == field


def test_a_group_of_another_kind_is_refused_and_a_picture_has_the_line(
    client: httpx.Client, facts: Facts
) -> None:
    wanted = save(
        client, "Two repositories", list(facts.repositories)[:2], "REPOSITORY", aggregation="MEDIAN"
    )
    assert get(client, "repositories", benchmark=wanted)["benchmark"]["memberCount"] == 2
    refused = client.get(f"{ROOT}/developers", params={"benchmark": wanted})
    assert (refused.status_code, "repositories" in refused.json()["message"]) == (400, True)
    picture = {"metrics": "etv", "benchmark": wanted}
    drawn = client.get(f"{ROOT}/metrics", params=RANGE | picture, headers={"Accept": "image/svg+xml"})
    assert drawn.status_code == 200, drawn.text
    assert "Two repositories" in drawn.text
    assert TODAY.year == LAST.year


def test_before_the_first_build_a_benchmark_has_no_members(deployment: Deployment, serve: Serve) -> None:
    with serve(deployment.data_dir) as address, client_for(address, deployment.key()) as client:
        listed = get(client, "developers", benchmark="ORGANIZATION_AVERAGE")["benchmark"]
        series = get(client, "metrics", benchmark="ZERO_DAY_INDEX", metrics="etv,performance")["benchmark"]
        days = get(client, "metrics", benchmark="ORGANIZATION_AVERAGE", interval="DAY")["benchmark"]
    assert (listed["memberCount"], listed["etv"]) == (0, None)
    points = [*series["points"], *days["points"]]
    assert points
    assert {(point["memberCount"], point["etv"]) for point in points} == {(0, None)}
