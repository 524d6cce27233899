"""Layers of the warehouse: what each may read, and how many models stand below a mart."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import pytest

from tests.dbt import warehouse

# Layers that the models of a layer may read.
READS = {
    "staging": frozenset({"source"}),
    "intermediate": frozenset({"staging", "intermediate", "seed"}),
    "core": frozenset({"intermediate", "core", "seed"}),
    "api": frozenset({"intermediate", "core", "api", "seed"}),
    "published": frozenset({"api", "published", "seed"}),
}
# Models below a mart: those of the longest path from a staging model to it. A reader walks them to
# find the reason of a figure.
# New versions of files are told from those that imports brought, and imports by developers: four
# of the steps.
MAX_BELOW_COMMITS = 23
# Performance and CapEx shares are made of the facts about commits, days and periods: four steps more.
MAX_BELOW_ANY = 27


class Graph:
    """Models and seeds of the parsed project by name, with what they read."""

    def __init__(self, manifest: Mapping[str, Any]) -> None:
        nodes = [n for n in manifest["nodes"].values() if n["resource_type"] in ("model", "seed")]
        self.layers = {node["name"]: _layer(node) for node in nodes}
        self.reads = {
            node["name"]: [
                (one.split(".")[2], "source")
                if one.startswith("source.")
                else (one.split(".")[2], self.layers[one.split(".")[2]])
                for one in node["depends_on"].get("nodes", [])
            ]
            for node in nodes
        }
        self.path = cache(self._path)

    def _path(self, name: str) -> tuple[str, ...]:
        """The longest path to a model, which is its last."""
        paths = [self.path(read) for read, layer in self.reads[name] if layer != "source"]
        return (*max(paths, key=len, default=()), name)


def _layer(node: Mapping[str, Any]) -> str:
    if node["resource_type"] == "seed":
        return "seed"
    folders = node["fqn"][1:-1]
    return str(folders[1] if folders[0] == "marts" else folders[0])


@pytest.fixture(scope="module")
def graph() -> Graph:
    return Graph(warehouse.project().to_dict())


def test_models_read_the_layers_below_them(graph: Graph) -> None:
    read_wrongly = [
        f"{name} ({graph.layers[name]}) reads {read} ({layer})"
        for name, reads in graph.reads.items()
        if graph.layers[name] != "seed"
        for read, layer in reads
        if layer not in READS[graph.layers[name]]
    ]
    assert not read_wrongly


def test_no_more_than_twenty_three_models_stand_below_a_commit(graph: Graph) -> None:
    path = graph.path("api_v1__commits")
    assert len(path) - 1 <= MAX_BELOW_COMMITS, " > ".join(path)


def test_no_mart_stands_deeper_than_capex(graph: Graph) -> None:
    marts = [name for name, layer in graph.layers.items() if layer in ("core", "api", "published")]
    deepest = max((graph.path(name) for name in marts), key=len)
    assert len(deepest) - 1 <= MAX_BELOW_ANY, " > ".join(deepest)
