"""Identity: addresses of one person are joined, those of different people are not, generic ones never."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations

import numpy as np

from tests.validity import bootstrap, labelled_sets
from tests.validity.analysed import analyse
from tests.validity.bootstrap import Interval, Rows
from tests.validity.categories.labelled_history import LabelledHistory
from tests.validity.claims import NO_BAR, Bar, Baseline, Inputs, Outcome, Result
from tests.validity.labelled_sets import Row

CLAIM = "Identity"
SET = "mailmap_identities"
# A complete list: people in different lines are different people. The list of the other project is partial.
_COMPLETE = "DPDK/dpdk"
_PRECISION, _RECALL = Bar(at_least=0.98, aim=0.985), Bar(at_least=0.98, aim=0.99)
# fmt: off
_GENERIC = frozenset((
    "root", "admin", "administrator", "user", "users", "noreply", "no-reply", "nobody", "devnull", "none", "unknown",
    "git", "dev", "developer", "info", "mail", "support", "build", "ubuntu", "test", "localhost",
))
# fmt: on
_LIMITS = (
    "joins that need what Git does not hold (logins, a directory), and people whom the list itself misses."
)

Clusters = Sequence[Hashable]
"""What each row is assigned to; equal means joined."""


def results(inputs: Inputs) -> Iterator[Outcome]:
    """Pairwise precision and recall on each project, and joins through generic addresses. Raises Missing."""
    rows = labelled_sets.rows(inputs, f"{SET}.csv")
    joined_wrongly: list[str] = []
    generic = 0
    for repo in sorted({row["repo"] for row in rows}):
        own = [row for row in rows if row["repo"] == repo]
        found, version = _found(own, inputs, repo)
        yield from _pairwise(repo, own, found, version)
        generic += sum(map(bool, map(_generic_parts, own)))
        joined_wrongly += _generic_joins(own, found)
    yield Result(
        CLAIM,
        "people joined through a generic name or address",
        SET,
        generic,
        "address",
        float(len(joined_wrongly)),
        None,
        version,
        can_show="that root, admin, nobody and the like, as they stand in these histories, join nobody.",
        cannot_show="generic words of other languages and companies.",
        bar=Bar(at_most=0),
        is_count=True,
    )


def _found(rows: Sequence[Row], inputs: Inputs, repo: str) -> tuple[Clusters, str]:
    """The developer of every row. Each project is an organization of its own: names join within one only."""
    folder = inputs.work / repo.replace("/", "-")
    history = LabelledHistory(folder / "people.git")
    for row in rows:
        history.say("Change the parser", author=f"{row['raw_name']} <{row['raw_email']}>")
    found = analyse({repo: history.finish()}, folder / "analysed", select=["+int_identity__developers"])
    query = "select name, address, developer_id from int_identity__developers"
    developers = {(row["name"], row["address"]): row["developer_id"] for row in found.rows(query)}
    developer_ids = [developers[row["raw_name"].strip(), row["raw_email"].strip().lower()] for row in rows]
    return developer_ids, found.calculation_version


def _pairwise(repo: str, rows: Sequence[Row], found: Clusters, version: str) -> Iterator[Outcome]:
    people = [row["person_id"] for row in rows]
    plain = {name: rule(rows) for name, rule in PLAIN.items()}
    is_complete = repo == _COMPLETE
    for position, (name, bar) in enumerate((("precision", _PRECISION), ("recall", _RECALL))):
        figures = {rule: pairwise(people, clusters)[position] for rule, clusters in plain.items()}
        is_judged = is_complete or name == "recall"
        yield Result(
            CLAIM,
            f"pairwise {name}, {repo}",
            SET,
            len(rows),
            "person",
            pairwise(people, found)[position],
            _interval(people, found, position),
            version,
            can_show=(
                "whether pairs of addresses belong to one person, as the maintainers' own list says."
                if is_judged
                else "little: the list is partial, so that right joins of people who are not in it count as wrong."
            ),
            cannot_show=_LIMITS,
            bar=bar if is_complete else NO_BAR,
            baselines=tuple(Baseline(rule, figure) for rule, figure in figures.items()),
        )


def pairwise(people: Clusters, found: Clusters) -> tuple[float, float]:
    """Precision and recall over pairs of rows."""
    right, joined, wanted = (_pairs(keys) for keys in (zip(people, found, strict=True), found, people))
    return (right / joined if joined else float("nan")), (right / wanted if wanted else float("nan"))


def _pairs(keys: Iterable[Hashable]) -> int:
    return sum(count * (count - 1) // 2 for count in Counter(keys).values())


def _interval(people: Clusters, found: Clusters, position: int) -> Interval:
    """Draw people. A wrong pair counts with the average number of draws of its two people."""
    numbers = {person: number for number, person in enumerate(dict.fromkeys(people))}
    right = np.zeros(len(numbers))
    wanted = np.zeros(len(numbers))
    for person, count in Counter(people).items():
        wanted[numbers[person]] = count * (count - 1) / 2
    for (person, _), count in Counter(zip(people, found, strict=True)).items():
        right[numbers[person]] += count * (count - 1) / 2
    wrong = np.zeros(len(numbers))
    for one, other in _joined_pairs(found):
        if people[one] != people[other]:
            wrong[numbers[people[one]]] += 0.5
            wrong[numbers[people[other]]] += 0.5

    def statistic(drawn: Rows) -> float:
        lower = right[drawn].sum() + wrong[drawn].sum() if position == 0 else wanted[drawn].sum()
        return float(right[drawn].sum() / lower) if lower else float("nan")

    return bootstrap.interval(bootstrap.grouped(range(len(numbers))), statistic)


def _joined_pairs(found: Clusters) -> Iterator[tuple[int, int]]:
    for rows in bootstrap.grouped(found):
        yield from combinations(map(int, rows), 2)


def _generic_joins(rows: Sequence[Row], found: Clusters) -> list[str]:
    """Joins of different people through a shared generic address or name."""
    joined: list[str] = []
    for one, other in _joined_pairs(found):
        if rows[one]["person_id"] != rows[other]["person_id"]:
            joined += _generic_parts(rows[one]) & _generic_parts(rows[other])
    return joined


def _generic_parts(row: Row) -> set[str]:
    """The address and the name if they are generic."""
    address, name = row["raw_email"].strip().lower(), row["raw_name"].strip().lower()
    parts = {address} if address.partition("@")[0] in _GENERIC else set()
    return parts | ({name} & _GENERIC)


def _by_address(rows: Sequence[Row]) -> Clusters:
    return [row["raw_email"].strip().lower() for row in rows]


def _by_name(rows: Sequence[Row]) -> Clusters:
    return [row["raw_name"].strip().lower() for row in rows]


def _by_either(rows: Sequence[Row]) -> Clusters:
    """Baseline: join equal addresses or full names, transitively."""
    leaders = list(range(len(rows)))

    def leader(row: int) -> int:
        while leaders[row] != row:
            row = leaders[row]
        return row

    for keys in (_by_address(rows), _by_name(rows)):
        for numbers in bootstrap.grouped(keys):
            for other in numbers[1:]:
                leaders[leader(int(other))] = leader(int(numbers[0]))
    return [leader(row) for row in range(len(rows))]


PLAIN: Mapping[str, Callable[[Sequence[Row]], Clusters]] = {
    "address": _by_address,
    "name": _by_name,
    "address or name": _by_either,
}
