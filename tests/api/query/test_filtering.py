"""The filter language: its meaning and its errors. No text of a filter reaches SQL."""

from typing import Any

import duckdb
import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.errors import InvalidArgument
from api.query.columns import Column, Kind, columns
from api.query.filtering import MAX_LENGTH, parse_filter
from tests.api.conftest import ROOT

KNOWN = columns(
    Column("name", Kind.TEXT, "name", nullable=True),
    Column("kind", Kind.ENUM, "kind", nullable=True),
    Column("amount", Kind.INTEGER, "amount", nullable=True),
    Column("etv", Kind.MICRO, "etv_micro"),
    Column("share", Kind.NUMBER, "share", nullable=True),
    Column("is_bot", Kind.FLAG, "is_bot"),
    Column("seen_at", Kind.INSTANT, "seen_at", nullable=True),
    Column("seen_on", Kind.DATE, "seen_on", nullable=True),
    Column("tools", Kind.LIST, "tools", sortable=False),
)
ROWS = """
create table rows as select * from (values
    (1, 'Ada Lovelace', 'fixes', 5, 1500000::bigint, 0.5::double, false,
        timestamptz '2026-01-01 00:00:00+00', date '2026-01-01', ['claude']),
    (2, 'grace', 'tests', -3, 250000, null, true, timestamptz '2026-02-01 12:00:00+00', date '2026-02-01', []),
    (3, null, null, null, 0, 0.25, false, null, null, ['claude', 'cursor']),
    (4, 'say "hi" or not', 'features', 9, 9000000, 1.0, false,
        timestamptz '2026-03-01 00:00:00+00', date '2026-03-01', [])
) as t (id, name, kind, amount, etv_micro, share, is_bot, seen_at, seen_on, tools)
"""


@pytest.fixture(scope="module")
def rows() -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    connection.execute("set TimeZone = 'UTC'")
    connection.execute(ROWS)
    return connection


def matching(rows: duckdb.DuckDBPyConnection, text: str) -> list[int]:
    condition = parse_filter(text, KNOWN)
    found = rows.execute(f"select id from rows where {condition.sql} order by id", condition.parameters)
    return [row[0] for row in found.fetchall()]


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("", [1, 2, 3, 4]),
        ("   ", [1, 2, 3, 4]),
        ("name = grace", [2]),
        ('name = "Ada Lovelace"', [1]),
        ("name = 'Ada Lovelace'", [1]),
        (r'name = "say \"hi\" or not"', [4]),
        ("name != grace", [1, 3, 4]),
        ("name:ADA", [1]),
        ('name:"hi"', [4]),
        ("name:*", [1, 2, 4]),
        ("NOT name:*", [3]),
        ("kind = FIXES", [1]),
        ("kind = fixes OR kind = TESTS", [1, 2]),
        ("kind != FIXES", [2, 3, 4]),
        ("amount > -4", [1, 2, 4]),
        ("amount = -3", [2]),
        ("amount <= 5", [1, 2]),
        ("NOT amount <= 5", [3, 4]),
        ("etv = 0.25", [2]),
        ("etv >= 1.5", [1, 4]),
        ("etv < 1e1", [1, 2, 3, 4]),
        ("share > 0.3", [1, 4]),
        ("isBot = true", [2]),
        ("is_bot = FALSE", [1, 3, 4]),
        ("seenAt >= 2026-02-01T12:00:00Z", [2, 4]),
        ('seenAt < "2026-02-01T14:00:00+02:00"', [1]),
        ("seenOn = 2026-03-01", [4]),
        ("tools:claude", [1, 3]),
        ("tools:claude AND tools:cursor", [3]),
        # OR binds tighter than AND, as AIP-160 has it: name is grace and (amount 5 or -3).
        ("name = grace AND amount = 5 OR amount = -3", [2]),
        ("(name = grace AND amount = 5) OR amount = -3", [2]),
        ("amount = 9 OR amount = 5 AND isBot = true", []),
        ("(amount = 9) OR (amount = 5 AND isBot = false)", [1, 4]),
        ("NOT (isBot = true OR kind:*)", [3]),
        ("NOT NOT isBot = true", [2]),
        ("etv>1 AND etv<2", [1]),
        ("name = 'x'' OR 1=1 --'", None),
        ("name = \"x' OR '1'='1\"", []),
        ('name = "AND"', []),
    ],
)
def test_filters_match_a_naive_evaluation(
    rows: duckdb.DuckDBPyConnection, text: str, ids: list[int] | None
) -> None:
    if ids is None:
        with pytest.raises(InvalidArgument):
            parse_filter(text, KNOWN)
    else:
        assert matching(rows, text) == ids


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("nothing = 1", "cannot filter by 'nothing'; filter by name"),
        ("name", "expected a comparison after name"),
        ("name =", "expected a value"),
        ("name = = x", "expected a value"),
        ("= x", "expected a column"),
        ("name = x name = y", "expected AND, OR or the end of the filter; found 'name' at character 10"),
        ("(name = x", "expected )"),
        ("name = x)", "expected AND, OR or the end"),
        ("name = x AND", "expected a column"),
        ("and = x", "cannot filter by"),
        ('name = "x', "cannot be read at character 8"),
        ("amount = many", "amount needs a 64-bit integer; 'many' is none"),
        ("amount = 99999999999999999999", "needs a 64-bit integer"),
        ("etv > NaN", "etv needs a number"),
        ("etv > inf", "etv needs a number"),
        ("isBot = yes", "isBot needs the value true or false"),
        ("isBot > true", "allows only the comparisons = and !="),
        ("kind < FIXES", "allows only the comparisons = and !="),
        ("seenAt > 2026-01-01T00:00:00", "seenAt needs an instant"),
        ("seenAt > yesterday", "seenAt needs an instant"),
        ("seenOn > 2026-13-01", "seenOn needs a date"),
        ("tools = claude", "is a list"),
        ("amount:5", "to compare"),
        ("(" * 40 + "name = x" + ")" * 40, "more than 20 nested levels"),
        ("NOT " * 40 + "name = x", "more than 20 nested levels"),
        (" AND ".join(["name = x"] * 51), "more than 50 comparisons"),
        ("name = " + "x" * MAX_LENGTH, f"longer than {MAX_LENGTH}"),
    ],
)
def test_a_malformed_filter_is_refused_with_the_reason(text: str, reason: str) -> None:
    with pytest.raises(InvalidArgument) as refused:
        parse_filter(text, KNOWN)
    assert reason in refused.value.message
    assert refused.value.details[0]["fieldViolations"][0]["field"] == "filter"


WORDS = [
    "name",
    "etv",
    "tools",
    "=",
    ":",
    "*",
    ">",
    "(",
    ")",
    "AND",
    "OR",
    "NOT",
    "'a'",
    '"b"',
    "1",
    "true",
    ";",
    "--",
]


@given(text=st.text(max_size=60) | st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join))
def test_any_text_is_either_refused_or_valid_sql_with_bound_values(
    rows: duckdb.DuckDBPyConnection, text: str
) -> None:
    try:
        condition = parse_filter(text, KNOWN)
    except InvalidArgument:
        return
    assert condition.sql.count("?") == len(condition.parameters)
    try:
        rows.execute(f"select id from rows where {condition.sql}", condition.parameters).fetchall()
    except UnicodeEncodeError:
        assert any("\ud800" <= character <= "\udfff" for character in text)


@pytest.mark.parametrize("resource", ["commits", "repositories", "developers", "capex"])
def test_a_bad_filter_and_a_bad_order_are_invalid_arguments_over_http(
    client: httpx.Client, resource: str
) -> None:
    for name, value in (
        ("filter", "nothing = 1"),
        ("orderBy", "nothing"),
        ("orderBy", "etv sideways"),
        ("orderBy", "etv, etv"),
        ("orderBy", "etv,"),
        ("orderBy", "aiTools, parentShas"),
    ):
        response = client.get(f"{ROOT}/{resource}", params={name: value})
        assert response.status_code == 400, (name, value)
        assert response.json()["details"][0]["fieldViolations"][0]["field"] == name


def values(client: httpx.Client, resource: str, rows_key: str, **params: Any) -> list[dict[str, Any]]:
    response = client.get(f"{ROOT}/{resource}", params=params)
    assert response.status_code == 200, response.text
    rows: list[dict[str, Any]] = response.json()[rows_key]
    return rows


def test_metric_columns_filter_and_sort_like_any_other(client: httpx.Client) -> None:
    rows = values(client, "developers", "developers")
    bound = sorted(row["etv"] for row in rows)[1]
    assert {
        r["id"] for r in values(client, "developers", "developers", filter=f"etv > {bound} AND isBot = false")
    } == {row["id"] for row in rows if row["etv"] > bound and not row["isBot"]}
    for name in (
        "etv",
        "performance",
        "aiShareAtLeast",
        "roadmapAlignment",
        "issueAlignment",
        "commits",
        "linesAdded",
        "name",
        "fixesEtv",
        "lastDeliveredAt",
    ):
        shown = [row[name] for row in values(client, "developers", "developers", orderBy=f"{name} desc")]
        given = [value for value in shown if value is not None]
        assert given == sorted(given, reverse=True)
        assert shown == given + [None] * (len(shown) - len(given))


def test_search_takes_every_word_in_any_column(client: httpx.Client) -> None:
    assert [r["name"] for r in values(client, "repositories", "repositories", search="ACME web")] == [
        "acme/web"
    ]
    assert [r["name"] for r in values(client, "developers", "developers", search="grace@")] == ["Grace"]
    assert values(client, "developers", "developers", search="grace linus") == []
    assert values(client, "developers", "developers", search="%") == []
