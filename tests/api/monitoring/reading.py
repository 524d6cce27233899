"""Reads the format of Prometheus with the parser of its own client."""

import time
from collections.abc import Iterable

from prometheus_client import REGISTRY, Metric
from prometheus_client.parser import text_string_to_metric_families


def parsed(text: str) -> list[Metric]:
    """The metrics of an answer."""
    return list(text_string_to_metric_families(text))


def here() -> list[Metric]:
    """The metrics that this process counts, once it has counted every request: clients have their answers before."""
    deadline = time.monotonic() + 20
    while value(REGISTRY.collect(), "eas_http_requests_running"):
        assert time.monotonic() < deadline, "a request does not end"
        time.sleep(0.005)
    return list(REGISTRY.collect())


def value(metrics: Iterable[Metric], name: str, **labels: str) -> float:
    """The sum of the samples with this name and these labels."""
    return sum(
        sample.value
        for metric in metrics
        for sample in metric.samples
        if sample.name == name and labels.items() <= sample.labels.items()
    )
