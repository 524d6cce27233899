"""Rules of duplicates, restored lines and original paths in plain loops."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.dbt.naive.naive_scores import Commit

Row = dict[str, Any]


def at_home(commits: dict[str, Commit], row: Row, sha: str) -> bool:
    """Whether the commit counts in the repository of the row."""
    return sha in commits and commits[sha].repository == row["repository_id"]


def duplicates(
    lines: list[Row], commits: dict[str, Commit], settings: dict[str, Row], left_out: set[str]
) -> set[tuple[str, str, str]]:
    """(repository, delivery, path) of changes that an earlier delivery holds and that no person excluded."""
    credited = defaultdict(set)
    for row in lines:
        if row["novel_lines"] >= 5 and row["content_hash"] and at_home(commits, row, row["credited_sha"]):
            credited[row["content_hash"], row["delivery_sha"], row["path"]].add(row["credited_sha"])
    seen: dict[str, set[tuple[Any, ...]]] = defaultdict(set)
    for row in lines:
        if row["novel_lines"] >= 5 and row["content_hash"] and at_home(commits, row, row["credited_sha"]):
            given = settings[row["repository_id"]]
            delivery = commits[row["delivery_sha"]]
            seen[row["content_hash"]].add(
                (credited[row["content_hash"], row["delivery_sha"], row["path"]] <= left_out,
                 given["is_excluded"], given["is_sandbox"], delivery.at, row["repository_id"],
                 delivery.delivery["position"], row["path"], row["delivery_sha"])
            )  # fmt: skip
    return {(k[4], k[7], k[6]) for keys in seen.values() for k in sorted(keys)[1:]}


def restored(
    delivered: list[Row], gone: dict[tuple[Any, ...], list[Row]], is_own: Callable[[str, str, Row], bool]
) -> None:
    """Remove from the removed lines those that their remover delivered again within the window."""
    back: dict[tuple[Any, ...], list[str]] = defaultdict(list)
    for row in delivered:
        if row["removal_sha"] and is_own(row["credited_sha"], row["removal_sha"], row):
            for line in row["lines"]:
                if line["class"] == "returned":
                    kind = (
                        line["original_class"],
                        line["tokens"],
                        line["own_tokens"],
                        line["rank"],
                        line["in_test"],
                    )
                    back[row["removal_sha"], row["birth_sha"], kind] += [row["path"]] * line["lines"]
    for key, paths in back.items():
        elsewhere = 0
        for path in paths:
            here = [row for row in gone[key] if row["path"] == path]
            if here:
                gone[key].remove(here[0])
            elsewhere += not here
        gone[key] = sorted(gone[key], key=lambda row: str(row["path"]))[elsewhere:]


def origins(changes: list[Row], deliveries: list[Row]) -> dict[tuple[str, int], dict[str, str]]:
    """The original name of each path after each delivery of a repository."""
    events: dict[tuple[str, int], list[tuple[int, str, str]]] = defaultdict(list)
    place = {
        (d["repository_id"], sha): (d["position"], n)
        for d in deliveries
        for n, sha in enumerate(d["commit_shas"])
    }
    for row in changes:
        if row["status"] == "R":
            at = place[row["repository_id"], row["commit_sha"]]
            events[row["repository_id"], at[0]].append((at[1], row["path"], row["previous_path"]))
    found: dict[tuple[str, int], dict[str, str]] = {}
    now: dict[str, dict[str, str]] = defaultdict(dict)
    for delivery in sorted(deliveries, key=lambda d: d["position"]):
        repository, position = delivery["repository_id"], delivery["position"]
        for _, path, previous in sorted(events[repository, position]):
            now[repository][path] = now[repository].get(previous, previous)
        found[repository, position] = dict(now[repository])
    return found


def undelivered(commit: Row, added: int, *, is_passed_on: bool) -> str:
    """The reason of a change without delivered lines, whose credit others may have."""
    if commit["is_merge"]:
        return "MERGE"
    if added and is_passed_on:
        return "NO_COUNTED_LINES"
    return "NOT_IN_DELIVERY" if added else "NO_NEW_LINES"
