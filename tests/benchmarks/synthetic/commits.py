"""Rows of the tables `commits`, `deliveries`, `references`, `refs`, `reachability` and `repository_runs`."""

import uuid

import numpy as np
import pyarrow as pa

from ingest.schemas import git
from tests.benchmarks.synthetic.columns import (
    Bools,
    Ints,
    digits,
    either,
    hexes,
    instants,
    join,
    lists,
    masked,
    numbers,
    structs,
    table,
    take,
)
from tests.benchmarks.synthetic.history import DAY, KINDS, MERGE, SQUASH, History
from tests.benchmarks.synthetic.people import People
from tests.benchmarks.synthetic.vocabulary import ASSISTANTS, CIRCUMSTANCES, NOUNS, SENTENCES, VERBS

EXTRACTOR_VERSION = "synthetic"
_DELIVERIES_PER_TAG = 40
_TYPES = list(VERBS)
_TYPE_SHARES = [0.34, 0.26, 0.1, 0.1, 0.07, 0.06, 0.03, 0.02, 0.02]


def commits(
    rng: np.random.Generator, history: History, people: People, source: dict[str, str], sums: dict[str, Ints]
) -> tuple[pa.Table, pa.Table]:
    """Tables `commits` and `references`; `sums` are the counts of file_changes per commit."""
    count, namespace = history.count, uuid.UUID(source["organization_id"])
    ids = [str(uuid.uuid5(namespace, f"commit:{sha}")) for sha in history.shas.to_pylist()]
    parents = np.stack((history.first_parent, history.second_parent), 1)
    subject, numbered, keyed = _subjects(rng, history)
    body, trailers = _bodies(rng, history, people)
    offset = numbers(rng.choice([-480, -300, 0, 60, 120, 330, 540], len(people.names))[history.author])
    author = {"name": take(people.names, history.author), "email": take(people.emails, history.author)}
    columns = source | {
        "commit_id": pa.array(ids),
        "commit_sha": history.shas,
        "parent_shas": lists((parents >= 0).sum(1), take(history.shas, parents[parents >= 0])),
        "tree_sha": hexes(rng, count),
        "is_merge": pa.array(history.is_merge),
        "author_name": author["name"],
        "author_email": author["email"],
        "authored_at": instants(history.authored_at),
        "author_offset_minutes": offset,
        "committer_name": either(history.is_merge, "GitHub", author["name"]),
        "committer_email": either(history.is_merge, "noreply@github.com", author["email"]),
        "committed_at": instants(history.committed_at),
        "committer_offset_minutes": offset,
        "is_time_clamped": False,
        "is_malformed": False,
        "subject": subject,
        "body": body,
        "trailers": trailers,
        "patch_id": pa.nulls(count, pa.string()),
        "extractor_version": EXTRACTOR_VERSION,
    }
    columns |= {name: numbers(values) for name, values in sums.items()}
    return table(git.COMMITS, columns), _references(history, source, numbered, keyed)


def deliveries(rng: np.random.Generator, history: History, source: dict[str, str]) -> pa.Table:
    steps = len(history.sizes)
    merged = history.kinds == MERGE
    branch = join("feature/", take(NOUNS, rng.integers(0, len(NOUNS), int(merged.sum()))))
    numbers_of_pulls = digits(_pull_numbers(history)[history.last])
    columns = source | {
        "delivery_sha": take(history.shas, history.last),
        "predecessor_sha": take(history.shas, np.roll(history.last, 1), np.arange(steps) > 0),
        "position": numbers(np.arange(steps)),
        "kind": take(KINDS, history.kinds),
        "delivered_at": instants(history.delivered_at),
        "branch_names": lists(merged.astype(np.int64), branch),
        "pull_request": masked(numbers_of_pulls, history.kinds >= SQUASH),
        "is_revert": pa.array(history.is_revert),
        "is_unrelated_root": False,
        "commit_shas": lists(history.sizes, history.shas[: history.delivered]),
        "unrelated_shas": lists(np.zeros(steps, np.int64), history.shas[:0]),
        "joining_shas": lists(np.zeros(steps, np.int64), history.shas[:0]),
        "upstream_shas": lists(np.zeros(steps, np.int64), history.shas[:0]),
        "upstream_base": pa.nulls(steps, pa.int32()),
        "extractor_version": EXTRACTOR_VERSION,
    }
    return table(git.DELIVERIES, columns)


def refs(history: History, source: dict[str, str]) -> dict[str, pa.Table]:
    """Tables `refs` and `reachability`: the default branch, open branches, a tag every 40 deliveries."""
    tagged = history.last[_DELIVERIES_PER_TAG - 1 :: _DELIVERIES_PER_TAG]
    branches = [f"refs/heads/work-{n}" for n in range(len(history.open_heads))]
    tags = [f"refs/tags/v0.{n}" for n in range(len(tagged))]
    heads = np.concatenate(([history.delivered - 1], history.open_heads, tagged))
    listing = source | {
        "name": pa.array(["refs/heads/main", *branches, *tags]),
        "kind": pa.array(["branch"] * (1 + len(branches)) + ["tag"] * len(tags)),
        "head_sha": take(history.shas, heads),
        "is_default": pa.array(np.arange(len(heads)) == 0),
        "extractor_version": EXTRACTOR_VERSION,
    }
    position = np.arange(history.count)
    reach = source | {
        "commit_sha": history.shas,
        "from_default": pa.array(history.delivery >= 0),
        "from_branch": True,
        "from_review": pa.array(position < 0),
        "from_upstream": pa.array(position < 0),
        "from_tag": pa.array(position <= (tagged[-1] if len(tagged) else -1)),
        "extractor_version": EXTRACTOR_VERSION,
    }
    return {"refs": table(git.REFS, listing), "reachability": table(git.REACHABILITY, reach)}


def run(history: History, source: dict[str, str], name: str) -> pa.Table:
    """The one row of `repository_runs`."""
    row = source | {
        "name": name,
        "origin": f"https://git.example.com/{name}",
        "default_branch": "main",
        "head_sha": history.shas[history.delivered - 1].as_py(),
        "is_shallow": False,
        "is_partial": False,
        "commit_count": history.count,
        "skipped_objects": 0,
        "misdated_deliveries": 0,
        "clamped_times": 0,
        "extractor_version": EXTRACTOR_VERSION,
    }
    return pa.Table.from_pylist([row], schema=git.REPOSITORY_RUNS)


def _pull_numbers(history: History) -> Ints:
    """The pull request that each commit belongs to; undelivered commits share the next number."""
    return np.where(history.delivery >= 0, history.delivery, len(history.sizes)) + 1


def _subjects(rng: np.random.Generator, history: History) -> tuple[pa.Array, Ints, Ints]:
    """Subjects, and which commits name a pull request or an issue key in them."""
    count = history.count
    kind = rng.choice(len(_TYPES), count, p=_TYPE_SHARES)
    verbs = pa.array([verb for name in _TYPES for verb in VERBS[name]])
    verb = take(verbs, kind * 6 + rng.integers(0, 6, count))
    noun = take(NOUNS, np.minimum(rng.geometric(0.06, count), len(NOUNS)) - 1)
    text = join(verb, noun, take(CIRCUMSTANCES, rng.integers(0, len(CIRCUMSTANCES), count)), separator=" ")
    is_conventional = rng.random() < 0.5
    subject = join(take(_TYPES, kind), "(", noun, "): ", text) if is_conventional else text
    keyed = (rng.random(count) < 0.15) & ~history.is_merge
    subject = either(keyed, join("APP-", digits(1 + np.arange(count) % 5000), " ", subject), subject)

    delivery = history.delivery
    is_squash = (delivery >= 0) & (history.kinds[delivery] == SQUASH)
    reverts = (delivery >= 0) & history.is_revert[delivery] & ~history.is_merge
    pull = digits(_pull_numbers(history))
    subject = either(reverts, join('Revert "', subject, '"'), subject)
    subject = either(is_squash, join(subject, " (#", pull, ")"), subject)
    merge = join("Merge pull request #", pull, " from someone/feature-", noun)
    subject = either(history.is_merge, merge, subject)
    return subject, np.flatnonzero(is_squash | history.is_merge), np.flatnonzero(keyed)


def _bodies(rng: np.random.Generator, history: History, people: People) -> tuple[pa.Array, pa.Array]:
    """Bodies with their trailers as text, and the same trailers as lists."""
    count = history.count
    age = (history.authored_at.max() - history.authored_at) / DAY
    is_ours = ~history.is_merge & ~np.isin(history.author, people.bots)
    assisted = (rng.random(count) < 0.35 * np.exp(-age / 400)) & is_ours
    shared = (rng.random(count) < 0.04) & is_ours
    other = people.first[rng.integers(0, people.count, count)]
    helper = take(ASSISTANTS, rng.choice(len(ASSISTANTS), count, p=[0.5, 0.2, 0.3]))
    partner = join(take(people.names, other), " <", take(people.emails, other), ">")

    present = np.stack((assisted, shared), 1)
    who = either(np.tile([True, False], count), _repeat(helper), _repeat(partner))
    flat = np.flatnonzero(present.reshape(-1))
    keys = pa.repeat("Co-authored-by", len(flat))
    trailers = lists(present.sum(1), structs(git.TRAILER, {"key": keys, "value": who.take(pa.array(flat))}))

    prose = take(SENTENCES, rng.integers(0, len(SENTENCES), count))
    parts = [
        either(rng.random(count) < 0.35, join(prose, "\n\n"), ""),
        either(assisted, join("Co-authored-by: ", helper, "\n"), ""),
        either(shared, join("Co-authored-by: ", partner, "\n"), ""),
    ]
    return join(*parts), trailers


def _repeat(values: pa.Array) -> pa.Array:
    return values.take(pa.array(np.repeat(np.arange(len(values)), 2)))


def _references(history: History, source: dict[str, str], numbered: Ints, keyed: Ints) -> pa.Table:
    commit = np.concatenate((numbered, keyed))
    is_number: Bools = np.arange(len(commit)) < len(numbered)
    pull = digits(_pull_numbers(history)[commit])
    key = join("APP-", digits(1 + commit % 5000))
    columns = source | {
        "commit_sha": take(history.shas, commit),
        "found_in": "subject",
        "trailer_key": pa.nulls(len(commit), pa.string()),
        "path": pa.nulls(len(commit), pa.string()),
        "shape": either(is_number, "number", "key"),
        "reference": either(is_number, join("#", pull), key),
        "target": either(is_number, pull, key),
        "extractor_version": EXTRACTOR_VERSION,
    }
    return table(git.REFERENCES, columns)
