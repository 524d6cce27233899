"""The authors of the synthetic commits: people with one or more addresses, and bots."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from ingest.git.rows.commit_rows import EXTRACTOR_VERSION
from ingest.schemas import git
from tests.benchmarks.synthetic.columns import Ints
from tests.benchmarks.synthetic.vocabulary import FAMILY_ENDS, FAMILY_STARTS, FIRST_NAMES

_BOTS = (
    ("dependabot[bot]", "49699333+dependabot[bot]@users.noreply.github.com"),
    ("renovate[bot]", "29139614+renovate[bot]@users.noreply.github.com"),
    ("github-actions[bot]", "41898282+github-actions[bot]@users.noreply.github.com"),
)
_SECOND_ADDRESS_SHARE = 0.25


@dataclass(frozen=True)
class People:
    """Addresses of the organization; bots come last.

    `first` and `second` are the positions of each person's addresses, equal where there is only one.
    """

    names: pa.Array
    emails: pa.Array
    first: Ints
    second: Ints
    bots: Ints

    @property
    def count(self) -> int:
        return len(self.first)


def invent(addresses: int, seed: int) -> People:
    """People with `addresses` addresses together, every full name used by one person only."""
    rng = np.random.default_rng([seed, 1])
    persons = max(1, round(addresses / (1 + _SECOND_ADDRESS_SHARE)))
    combinations = len(FIRST_NAMES) * len(FAMILY_STARTS) * len(FAMILY_ENDS)
    if persons > combinations:
        raise ValueError(f"at most {combinations} people have a name of their own; ask for fewer addresses")
    names: list[str] = []
    emails: list[str] = []
    first: list[int] = []
    second: list[int] = []
    for person, code in enumerate(rng.permutation(combinations)[:persons].tolist()):
        rest, given_number = divmod(code, len(FIRST_NAMES))
        end, start = divmod(rest, len(FAMILY_STARTS))
        given, family = FIRST_NAMES[given_number], FAMILY_STARTS[start] + FAMILY_ENDS[end]
        first.append(len(names))
        second.append(len(names))
        names.append(f"{given} {family}")
        emails.append(f"{given}.{family}@example.com".lower())
        if person < addresses - persons:
            second[-1] = len(names)
            names.append(f"{given} {family}" if person % 3 else f"{given}{family}".lower())
            emails.append(f"{1000 + person}+{given}{family}@users.noreply.github.com".lower())
    bots = np.arange(len(names), len(names) + len(_BOTS))
    names += [name for name, _ in _BOTS]
    emails += [email for _, email in _BOTS]
    return People(pa.array(names), pa.array(emails), np.array(first), np.array(second), bots)


def mailmap(crowd: People, source: dict[str, str]) -> pa.Table:
    """Mailmap entries that join the two addresses of every fifth person with two addresses."""
    pairs = [(one, other) for one, other in zip(crowd.first, crowd.second, strict=True) if one != other][::5]
    rows = [
        source
        | {
            "commit_address": crowd.emails[int(other)].as_py(),
            "proper_address": crowd.emails[int(one)].as_py(),
            "proper_name": crowd.names[int(one)].as_py(),
            "extractor_version": EXTRACTOR_VERSION,
        }
        for one, other in pairs
    ]
    return pa.Table.from_pylist(rows, schema=git.MAILMAP_ENTRIES)
