"""The classifier's memory between runs, from which it continues as if it had never stopped.

Lines get new ids: first the lines of all files after the last delivery, then the removed lines that may still
return.
"""

from __future__ import annotations

import io
import json

import numpy as np
from numpy.typing import NDArray

from ingest.git.blame.file_tree import NO_LINES, LineIds
from ingest.git.classify.classifier import Classifier
from ingest.git.classify.line_table import COLUMNS, LineTable

VERSION = "5"
"""Raised when the content changes: everything is then extracted again."""


Tree = dict[str, LineIds]
"""Ids of the lines of every file on the mainline."""


def save(classifier: Classifier, tree: Tree) -> bytes:
    """The memory after the last settled delivery; `tree` holds the files of that delivery."""
    store, blocks = classifier.store, classifier.blocks
    paths = sorted(tree)
    live = np.concatenate([NO_LINES, *(tree[path] for path in paths)])
    removal_hash, removal_time, dead, removal_commit, removal_place = classifier.removals()
    replaced = list(classifier.replaced_words())
    arrays: dict[str, NDArray[np.generic]] = {
        "lengths": np.asarray([len(tree[path]) for path in paths], np.int64),
        "times": np.asarray(classifier.times),
        "removal_hash": removal_hash,
        "removal_time": removal_time,
        "removal_commit": removal_commit,
        "removal_place": removal_place,
        "replacement_key": np.asarray([k for k, _ in replaced], np.uint64),
        "replacement_time": np.asarray([t for _, t in replaced], np.int64),
    }
    arrays |= {f"live_{name}": column for name, column in store.select(live).items()}
    arrays |= {f"dead_{name}": column for name, column in store.select(dead).items()}
    for name, grain in blocks.grains.items():
        arrays |= {f"{name}_{part}": column for part, column in grain.index.arrays().items()}
    texts = {
        "paths": paths,
        "commits": store.commits,
        "places": blocks.paths,
        "positions": blocks.positions,
    }
    arrays["texts"] = np.frombuffer(json.dumps(texts).encode(), np.uint8)
    target = io.BytesIO()
    np.savez(target, **arrays)  # type: ignore[arg-type]  # the stub names allow_pickle among the keywords
    return target.getvalue()


def restore(payload: bytes, classify_with: type[Classifier] = Classifier) -> tuple[Classifier, Tree]:
    """The classifier and the files as they were saved. Raises ValueError, KeyError or OSError."""
    with np.load(io.BytesIO(payload), allow_pickle=False) as arrays:
        texts = json.loads(arrays["texts"].tobytes())
        store = LineTable()
        for sha in texts["commits"]:
            store.position(sha)
        lengths = arrays["lengths"]
        live = store.reserve(int(lengths.sum()))
        dead = store.reserve(len(arrays["removal_hash"]))
        store.assign(live, {name: arrays[f"live_{name}"] for name in COLUMNS})
        store.assign(dead, {name: arrays[f"dead_{name}"] for name in COLUMNS})
        # Splitting an empty array gives one empty part.
        parts = np.split(live, np.cumsum(lengths)[:-1])[: len(lengths)]
        tree = dict(zip(texts["paths"], parts, strict=True))
        classifier = classify_with(store)
        classifier.times.extend(arrays["times"].tolist())
        classifier.restore_removals(
            (
                arrays["removal_hash"],
                arrays["removal_time"],
                dead,
                arrays["removal_commit"],
                arrays["removal_place"],
            )
        )
        for key, time in zip(
            arrays["replacement_key"].tolist(), arrays["replacement_time"].tolist(), strict=True
        ):
            classifier.replacements[key] = (*classifier.replacements.get(key, ()), time)
        for name, grain in classifier.blocks.grains.items():
            grain.index.restore(*(arrays[f"{name}_{part}"] for part in ("hashes", "counts", "places")))
        classifier.blocks.restore(texts["places"], texts["positions"])
    return classifier, tree
