"""What a process counts of its requests, queries and telemetry."""

import httpx

from tests.api.conftest import ROOT
from tests.api.monitoring.reading import here, value

COMMIT = "/api/v1/organizations/{organization}/commits/{commit}"


def test_requests_are_counted_by_route_and_status(client: httpx.Client) -> None:
    asked = {
        (COMMIT, "4xx"): f"{ROOT}/commits/zaphod",
        ("/healthz", "2xx"): "/healthz",
        ("/auth/options", "2xx"): "/auth/options",
        ("none", "4xx"): "/zaphod/beeblebrox",
    }
    before = {key: _requests(*key) for key in asked}
    timed = value(here(), "eas_http_request_seconds_count")
    for _ in range(3):
        for path in asked.values():
            client.get(path)
    assert {key: _requests(*key) - before[key] for key in asked} == dict.fromkeys(asked, 3)
    assert value(here(), "eas_http_request_seconds_count") == timed + 3 * len(asked)
    assert value(here(), "eas_http_requests_running") == 0


def test_a_page_counts_its_inner_reads_apart(client: httpx.Client) -> None:
    before = value(here(), "eas_http_requests_total", source="inner")
    outer = value(here(), "eas_http_requests_total", source="client")
    question = {"jsonrpc": "2.0", "id": 1, "method": "tools/call"}
    called = {**question, "params": {"name": "list_teams", "arguments": {}}}
    headers = {"Accept": "application/json, text/event-stream"}
    client.post("/mcp", json=called, headers=headers)
    assert value(here(), "eas_http_requests_total", source="inner") > before
    assert value(here(), "eas_http_requests_total", source="client") == outer + 1


def test_queries_builds_and_the_control_database_are_timed(client: httpx.Client) -> None:
    names = ("eas_duckdb_query_seconds_count", "eas_control_database_seconds_count")
    before = [value(here(), name) for name in names]
    client.get(f"{ROOT}/commits", params={"search": "never asked before"}).raise_for_status()
    client.get(f"{ROOT}/repositories:managed").raise_for_status()
    assert all(value(here(), name) > old for name, old in zip(names, before, strict=True))
    assert value(here(), "eas_open_builds") >= 1


def test_no_label_has_text_of_a_request(client: httpx.Client) -> None:
    client.request("ZAPHOD", "/healthz")
    client.get(f"{ROOT}/developers/zaphod", params={"search": "zaphod"})
    client.get("/zaphod", headers={"Authorization": "Bearer zaphod", "User-Agent": "zaphod"})
    client.get("/api/v1/organizations/zaphod/teams")
    labels = {text for metric in here() for one in metric.samples for text in one.labels.values()}
    assert not [text for text in labels if "zaphod" in text.lower() or "acme" in text.lower()]


def _requests(route: str, status: str) -> float:
    return value(here(), "eas_http_requests_total", source="client", method="GET", route=route, status=status)
