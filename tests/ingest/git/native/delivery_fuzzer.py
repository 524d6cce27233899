"""Random deliveries for both engines, damaged ones for the compiled engine, and random trees for the tree parser."""

from __future__ import annotations

from random import Random
from typing import Any

from ingest.git import native
from ingest.git.classify.changed_lines import FileVersions
from ingest.git.classify.classifier import Classifier
from ingest.git.classify.compiled import CompiledClassifier
from ingest.git.diff.hunks import Hunk
from ingest.git.objects import trees
from ingest.git.objects.trees import Folder
from tests.ingest.git.native.deliveries import Deliveries, Replay, results_of

STEPS = 12


class DeliveryFuzzer:
    """Tries one random history after the other."""

    def __init__(self) -> None:
        self.refused = 0
        """Number of damaged deliveries that raised ValueError."""
        self.parsed = 0
        """Number of pairs of trees that the compiled engine read."""
        self._trees = native.load("_trees")

    def try_one(self, seed: int) -> None:
        """Raises AssertionError where the engines differ."""
        random = Random(seed)
        self._compare_trees(random)
        history, plain, compiled = Deliveries(random), Replay(Classifier), Replay(CompiledClassifier)
        for _ in range(STEPS):
            delivery = history.next()
            expected, found = plain.settle(delivery), compiled.settle(delivery)
            assert results_of(found) == results_of(expected), f"seed {seed}"
        assert compiled.save() == plain.save(), f"seed {seed}"
        try:
            compiled.settle(history.next(), Damage(random).apply)
        except (ValueError, IndexError):
            self.refused += 1

    def _compare_trees(self, random: Random) -> None:
        assert self._trees is not None
        one = random_tree(random)
        for old, new in (
            (one, random_tree(random)),
            (one, changed_tree(random, one)),
            (one, b""),
            (b"", one),
        ):
            found = self._trees.difference(old, new)
            assert found in (None, trees.difference(old, new)), (old, new)
            self.parsed += found is not None
            listed = self._trees.folders(new, trees.ATTRIBUTES)
            assert listed is None or Folder(*listed) == trees.folder_of(new), new


def random_tree(random: Random) -> bytes:
    """A tree as Git writes it, in nine of ten cases."""
    names = {
        bytes(random.choice(b"ab./-0A\xff") for _ in range(random.randint(1, 4)))
        for _ in range(random.randint(0, 9))
    }
    if random.random() < 0.4:
        names.add(trees.ATTRIBUTES)
    made = [(random.choice((b"40000", b"100644", b"120000", b"160000")), name) for name in names]
    made.sort(key=lambda entry: entry[1] + b"/" * (entry[0] == b"40000"))
    data = b"".join(b"%b %b\0%b" % (mode, name, bytes([random.randrange(3)]) * 20) for mode, name in made)
    return data if random.random() < 0.9 else changed_tree(random, data)


def changed_tree(random: Random, tree: bytes) -> bytes:
    """A tree with another byte, or without a part."""
    changed = bytearray(tree)
    if changed and random.random() < 0.7:
        changed[random.randrange(len(changed))] = random.choice((0, 32, 47, 48, 52, 97))
    elif changed:
        start = random.randrange(len(changed))
        del changed[start : start + random.choice((1, 20, 30))]
    return bytes(changed)


class Damage:
    """Damages one fact of each file: columns and hunks get other lengths or other numbers."""

    def __init__(self, random: Random) -> None:
        self._random = random

    def apply(self, files: list[FileVersions]) -> None:
        for file in files:
            facts = file.lines._asdict()
            name = self._random.choice([*facts, "hunks", "old_ids", "new_ids"])
            if name == "hunks":
                file.hunks = [self._hunk(hunk) for hunk in file.hunks]
            elif name in ("old_ids", "new_ids"):
                ids = getattr(file, name)[: self._random.choice((None, -1))].copy()
                ids[: self._random.randrange(2)] = self._random.choice((-1, 1 << 20))
                setattr(file, name, ids)
            elif isinstance(facts[name], bytes):
                damaged: dict[str, Any] = {name: self._bytes(facts[name])}
                file.lines = file.lines._replace(**damaged)

    def _hunk(self, hunk: Hunk) -> Hunk:
        a, b, c, d = (self._random.choice((n, n, n + 1, 0, -1, (1 << 31) - 2)) for n in hunk)
        return a, b, c, d

    def _bytes(self, data: bytes) -> bytes:
        damaged = bytearray(data)
        for _ in range(3 if damaged else 0):
            damaged[self._random.randrange(len(damaged))] = self._random.choice((0, 1, 127, 255))
        return bytes(damaged[: self._random.choice((-1, -4, None))])
