"""Alignment in plain loops: names of items, the climb to an objective, and the links of each commit."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any
from urllib.parse import urlsplit

from tests.dbt.invented.invented_history import Repository
from tests.dbt.invented.invented_trackers import LEVELS, Trackers, item_id

Row = dict[str, Any]
GOALS = ("sub_objective", "objective")
PLACES = {"subject": "message", "body": "message", "trailer": "trailer", "code": "code"}
CODE = ("source", "test", "build", "configuration")
ORDER = ["message", "trailer", "code"]


class Alignment:
    """The items that exist, what lies above each, and the item that a name stands for."""

    def __init__(self, trackers: Trackers) -> None:
        self.items = trackers.present()
        self.above = {one: self._climb(one) for one in self.items}
        self.known: dict[str, str] = {}
        current = [
            (name, item["connection_id"], one) for one, item in self.items.items() for name in _names(item)
        ]
        former = [
            (key.lower(), item["connection_id"], one)
            for one, item in self.items.items()
            for key in item["previous_keys"]
        ]
        for names in (current, former):
            for name, _, one in sorted(names):
                self.known.setdefault(name, one)

    def level(self, one: str) -> str:
        item = self.items[one]
        return LEVELS[item["connection_id"]].get(item["kind"], "issue")

    def counted(self, one: str) -> str | None:
        """The item, or the nearest one above that is not ignored."""
        return next((each for each in [one, *self.above[one]] if self.level(each) != "ignored"), None)

    def chain(self, one: str) -> tuple[str | None, str | None]:
        """Sub-objective and objective of an item."""
        line = [one, *self.above[one]]
        objective = next((each for each in line if self.level(each) == "objective"), None)
        below = line[: line.index(objective)] if objective else line
        return next((each for each in below if self.level(each) == "sub_objective"), None), objective

    def goals(self, one: str) -> list[str]:
        """Every objective and sub-objective that is the item or above it."""
        return [each for each in [one, *self.above[one]] if self.level(each) in GOALS]

    def _climb(self, one: str) -> list[str]:
        """The items above one, to the end of the line or to the smallest item of a circle."""
        line = [one]
        while (above := self._parent(line[-1])) is not None and above not in line:
            line.append(above)
        if above is not None:
            top = min(line[line.index(above) :])
            line = line[: line.index(top) + 1]
        return line[1:]

    def _parent(self, one: str) -> str | None:
        item = self.items[one]
        parents = [item_id(item["connection_id"], parent) for parent in item["parent_ids"]]
        return next((parent for parent in parents if parent in self.items and parent != one), None)

    def links(self, repository: Repository) -> dict[str, dict[str, str]]:
        """By commit of a repository: its items and where each was found first."""
        rows = repository.rows
        found: dict[str, dict[str, str]] = defaultdict(dict)
        for row in sorted(rows["references"], key=lambda row: _place(row["found_in"])):
            one = self._resolved(_name(row, repository))
            if one and row["found_in"] != "branch" and may_count(row, repository):
                found[row["commit_sha"]].setdefault(one, PLACES[row["found_in"]])
        for delivery in rows["deliveries"]:
            merge = delivery["delivery_sha"]
            names = [f"branch:{name.lower()}" for name in delivery["branch_names"]]
            names += [
                _name(row, repository)
                for row in rows["references"]
                if row["found_in"] == "branch" and row["commit_sha"] == merge
            ]
            resolved = [one for one in map(self._resolved, names) if one]
            for sha in delivery["commit_shas"]:
                if not found.get(sha) and resolved:
                    found[sha] = dict.fromkeys(resolved, "branch")
        return found

    def _resolved(self, name: str) -> str | None:
        one = self.known.get(name)
        return one and self.counted(one)

    def places(self, items: Iterable[str]) -> list[str]:
        """The items of a commit in the order in which they get its millionths."""
        return sorted(items, key=lambda one: (self.chain(one)[1] is None, one))


def may_count(row: Row, repository: Repository) -> bool:
    """Whether a reference stands in a text or in code that people write; there, #333 is a color."""
    if row["found_in"] != "code":
        return True
    [file] = [
        one
        for one in repository.rows["file_changes"]
        if (one["commit_sha"], one["path"]) == (row["commit_sha"], row["path"])
    ][:1]
    is_made = file["is_generated"] or file["is_vendored"] or file["is_minified"]
    return row["shape"] != "number" and not is_made and file["role"] in CODE and file["language"] != "JSON"


def part(first: int, after: int, count: int, place: int) -> int:
    """How many of the millionths from `first` to before `after` go to the issue at a place, from 0."""
    return len(range(first + (place - first) % count, after, count))


def _place(found_in: str) -> int:
    return ORDER.index(PLACES[found_in]) if found_in in PLACES else len(ORDER)


def _names(item: Row) -> Sequence[str]:
    names = [item["key"].lower()] if item["key"] else []
    if item["repository_id"] and item["number"]:
        names.append(f"{item['repository_id']}#{item['number']}")
    if item["url"]:
        names.append(_address(item["url"]))
    if item["branch_name"]:
        names.append(f"branch:{item['branch_name'].lower()}")
    return names


def _name(row: Row, repository: Repository) -> str:
    target = str(row["target"])
    match row["shape"]:
        case "number" | "gh":
            return f"{repository.id}#{target}"
        case "ab":
            return f"ab#{target}"
        case "url":
            return _address(target)
        case "sha":
            return "no issue"
    return target.lower()


def _address(url: str) -> str:
    split = urlsplit(url.lower())
    parts = split.path.strip("/").split("/")
    if split.hostname == "app.asana.com":
        return f"asana {parts[-1]}"
    if split.hostname == "dev.azure.com":
        return f"azure {parts[0]} {parts[-1]}"
    if "-" in parts and parts[-2] in ("work_items", "epics"):
        parts[-2] = "issues"
    address = "/".join([str(split.hostname), *(parts[:3] if split.hostname == "linear.app" else parts)])
    return f"{address}?{split.query}" if split.query else address
