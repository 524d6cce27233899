"""The alert rules and the dashboard that ship: their metrics exist, and each alert has its runbook."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import promql_parser
import pytest
import yaml
from prometheus_client import REGISTRY

from api import instruments
from api.monitoring.directory import DirectoryFigures
from api.monitoring.endpoint import Workers
from tests.api.monitoring.recorded_runs import record_runs

RULES = Path("api/monitoring/alerts.yaml")
DASHBOARD = Path("api/monitoring/dashboard.json")
RUNBOOKS = Path("docs/operations/runbooks.md")
MONITORING = Path("docs/operations/monitoring.md")
METRIC = re.compile(r"\beas_\w+")


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """Names of the samples that an endpoint offers once everything happened."""
    data_dir = tmp_path_factory.mktemp("data")
    pointer = data_dir / "published" / "a" / "current.json"
    pointer.parent.mkdir(parents=True)
    pointer.write_text("{}")
    record_runs(data_dir)
    instruments.REQUESTS.labels("client", "GET", "none", "2xx").inc(0)
    instruments.REQUEST_SECONDS.labels("client", "GET", "none")
    collectors = [REGISTRY, DirectoryFigures(data_dir), Workers(1)]
    return {sample.name for one in collectors for metric in one.collect() for sample in metric.samples}


def _rules() -> Iterator[dict[str, Any]]:
    for group in yaml.safe_load(RULES.read_text())["groups"]:
        yield from group["rules"]


def test_each_metric_of_a_rule_is_offered(samples: set[str]) -> None:
    for rule in _rules():
        named = set(METRIC.findall(rule["expr"]))
        assert named <= samples, rule["alert"]
        assert named or rule["expr"].startswith("up{")


def test_each_panel_asks_for_what_is_offered(samples: set[str]) -> None:
    dashboard = json.loads(DASHBOARD.read_text())
    expressions = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
    for expression in expressions:
        promql_parser.parse(expression)
        assert (named := set(METRIC.findall(expression))), expression
        assert named <= samples, expression
    places = [(panel["gridPos"]["x"], panel["gridPos"]["y"]) for panel in dashboard["panels"]]
    assert len(set(places)) == len(places)
    assert len({panel["title"] for panel in dashboard["panels"]}) == len(places)


def test_rules_are_formed_as_prometheus_reads_them() -> None:
    names = [rule["alert"] for rule in _rules()]
    assert len(names) == len(set(names))
    for rule in _rules():
        assert set(rule) <= {"alert", "expr", "for", "labels", "annotations"}, rule["alert"]
        assert rule["labels"]["severity"] in ("page", "ticket")
        assert re.fullmatch(r"\d+[mh]", rule.get("for", "1m"))
        # The parser follows Prometheus' own, and raises ValueError.
        promql_parser.parse(rule["expr"])
        # A counter without its increase would alert for ever.
        for counter in re.findall(r"\w+_total", rule["expr"]):
            assert re.search(rf"(rate|increase)\({counter}(\{{[^}}]*\}})?\[\d+m\]\)", rule["expr"])


def test_each_alert_has_a_runbook_with_a_first_command() -> None:
    parts = re.split(r"^## ", RUNBOOKS.read_text(), flags=re.MULTILINE)[1:]
    by_name = {part.partition("\n")[0]: part for part in parts}
    assert list(by_name) == [rule["alert"] for rule in _rules()]
    for rule in _rules():
        assert rule["annotations"]["runbook"] == rule["alert"].lower()
        assert "First: " in by_name[rule["alert"]]


def test_each_metric_is_in_the_docs(samples: set[str]) -> None:
    ends = re.compile(r"_(bucket|sum|count|created)$")
    offered = {
        ends.sub("", name) for name in samples if name.startswith("eas_") and not name.endswith("_created")
    }
    listed = set(re.findall(r"`(eas_\w+)`", MONITORING.read_text()))
    assert offered - listed == set()
