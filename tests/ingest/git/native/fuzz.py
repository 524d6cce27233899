"""Search for differences and crashes: `python -m tests.ingest.git.native.fuzz [--seconds 600] [--inputs N] [--seed N]`.

Reads random changes with both engines, and gives damaged patches and recounts to the compiled one, which has to
answer or to raise ValueError. Prints the seed of what fails. `--library` takes modules built with sanitizers.
"""

from __future__ import annotations

import argparse
import importlib.util
import sys
import time
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any
from unittest import mock

from ingest.git import native
from ingest.git.changes.native_reading import NativeReader, compile_language
from ingest.git.diff.hunks import make_patch
from ingest.git.lexing.languages import LANGUAGES
from ingest.git.lexing.token_diff import own_tokens
from tests.ingest.git.native.delivery_fuzzer import DeliveryFuzzer
from tests.ingest.git.native.file_changes import (
    Memory,
    hunk_of,
    random_change,
    read_with_native,
    read_with_python,
)


def module_of(folder: Path | None, name: str) -> Any:
    """A compiled module: the usual one, or one from another folder."""
    if folder is None:
        return native.load(name)
    spec = importlib.util.spec_from_file_location(name, folder / native.library(name).name)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Fuzzer:
    """Tries one random input after the other."""

    def __init__(self, module: Any) -> None:
        self._module = module
        self._reader = NativeReader(module)
        self._one_hunk = module.OneHunk()
        self._languages = [compile_language(module, language) for language in LANGUAGES.values()]

    def try_one(self, seed: int) -> None:
        """Raises AssertionError where the engines differ."""
        random = Random(seed)
        change = random_change(random)
        expected, found = read_with_python(change), read_with_native(self._reader, change)
        assert found == expected, f"seed {seed}: {change}\n{expected}\n{found}"
        for recount in [] if found.lines is None else found.lines.recounts:
            removed = int.from_bytes(recount[:4], sys.byteorder)
            fresh = bytes(random.choice((0, 1)) for _ in range(removed))
            if any(fresh):
                counts = own_tokens(recount, list(map(bool, fresh)))
                assert list(self._module.own_tokens(recount, fresh)) == counts, (
                    f"seed {seed}: {recount!r} {fresh!r}"
                )
            self._survive(self._module.own_tokens, _damaged(random, recount), fresh)
        if change.old is not None and change.new is not None:
            whole = make_patch(Memory(change.old), Memory(change.new), 6).data
            drawn = self._one_hunk.draw(change.old, change.new, 6)
            assert drawn is None or drawn == hunk_of(whole), f"seed {seed}: {change}\n{whole!r}\n{drawn!r}"
            patch = _damaged(random, whole)
            language = random.choice(self._languages)
            self._survive(
                self._module.Reader().read,
                language,
                patch,
                change.new,
                change.old,
                random.random() < 0.8,
                False,
                True,
            )

    def _survive(self, function: Any, *arguments: object) -> None:
        with suppress(ValueError):
            function(*arguments)


def _damaged(random: Random, data: bytes) -> bytes:
    """`data` with bytes that were changed, cut out or repeated."""
    made = bytearray(data)
    for _ in range(random.choice((1, 1, 2, 8))):
        if not made:
            break
        at = random.randrange(len(made))
        kind = random.random()
        if kind < 0.5:
            made[at] = random.choice((random.randrange(256), 0, 255, 64, 43, 45, 48, 57))
        elif kind < 0.75:
            del made[at : at + random.choice((1, 4, 40))]
        else:
            made[at:at] = made[at : at + random.choice((1, 4, 40))]
    return bytes(made)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--inputs", type=int, default=sys.maxsize, help="how many at most")
    parser.add_argument("--seed", type=int, default=Random().getrandbits(60))
    parser.add_argument("--library", type=Path)
    chosen = parser.parse_args()
    modules = {name: module_of(chosen.library, name) for name in native.MODULES}
    if None in modules.values():
        raise SystemExit(f"There is no compiled engine: {native.engine().reason}.")
    seed, stop = chosen.seed, time.monotonic() + chosen.seconds
    with mock.patch.object(native, "load", modules.get):
        fuzzer, deliveries = Fuzzer(modules["_changes"]), DeliveryFuzzer()
        while time.monotonic() < stop and seed - chosen.seed < chosen.inputs:
            fuzzer.try_one(seed)
            # A history of deliveries takes as long as a hundred file changes.
            if seed % 100 == 0:
                deliveries.try_one(seed)
            seed += 1
    print(f"{seed - chosen.seed:,} inputs from seed {chosen.seed}: no difference and no crash")


if __name__ == "__main__":
    main()
