"""Times and keys in JQL."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from ingest.errors import ProviderRefused
from ingest.providers.jira.cloud import JiraCloud
from ingest.providers.jira.queries import jql, minute, zone_of
from tests.ingest.providers.runs import connection


@pytest.mark.parametrize(
    ("zone", "expected"),
    [
        ("UTC", "2026/10/25 00:30"),
        ("America/New_York", "2026/10/24 20:30"),
        ("Asia/Kathmandu", "2026/10/25 06:15"),
    ],
)
def test_a_time_is_spelled_in_the_zone_of_the_account_without_seconds(zone: str, expected: str) -> None:
    assert minute(datetime(2026, 10, 25, 0, 30, 59, tzinfo=UTC), ZoneInfo(zone)) == expected


@pytest.mark.parametrize("hour", [0, 1])
def test_an_hour_that_comes_twice_is_read_from_its_start(hour: int) -> None:
    # 02:30 comes at 00:30 and at 01:30 UTC.
    spelled = minute(datetime(2026, 10, 25, hour, 30, tzinfo=UTC), ZoneInfo("Europe/Berlin"))
    earliest = datetime.strptime(spelled, "%Y/%m/%d %H:%M").replace(tzinfo=ZoneInfo("Europe/Berlin"))
    for fold in (0, 1):
        assert earliest.replace(fold=fold).astimezone(UTC) <= datetime(2026, 10, 25, hour, 30, tzinfo=UTC)


@pytest.mark.parametrize("name", ["Mars/Base", "../../etc/passwd", "Europe", "", None, 5, "GMT+05:30"])
def test_an_unknown_zone_reads_a_day_more(name: object) -> None:
    zone = zone_of({"timeZone": name})
    assert zone is None
    assert minute(datetime(2026, 10, 25, 0, 30, tzinfo=UTC), zone) == "2026/10/24 00:30"


def test_every_query_has_a_limit_and_an_order_that_no_change_moves() -> None:
    of = connection(JiraCloud(), "https://a.atlassian.net", projects=["ABC", "order"])
    assert jql(of, None, None) == (
        'project in ("ABC", "order") AND updated >= "1970/01/02 00:00" ORDER BY created ASC, key ASC'
    )


@pytest.mark.parametrize("key", ['ABC") OR project in ("SECRET', "A B", "1A"])
def test_a_project_that_is_no_key_is_refused(key: str) -> None:
    of = connection(JiraCloud(), "https://a.atlassian.net", projects=[key])
    with pytest.raises(ProviderRefused, match="is no key of a Jira project"):
        jql(of, None, None)
