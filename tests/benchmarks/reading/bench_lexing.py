"""Microseconds per line of the lexer, over the standard library or the directories given as arguments.

`python tests/benchmarks/reading/bench_lexing.py [DIRECTORY …]`. Each file is cut into hunks of eight changed lines with
six lines before. Figures are CPU times, the best of five passes. Caches are emptied before each pass ("cold") or kept
("warm").
"""

import itertools
import sys
import sysconfig
import time
from collections.abc import Callable
from pathlib import Path

from ingest.git.lexing import tokens
from ingest.git.lexing.comments import open_comments
from ingest.git.lexing.languages import UNKNOWN, Language, language_of
from ingest.git.lexing.line_features import _lexer_of, count_kinds, features
from ingest.git.lexing.token_diff import compare

HUNK = 8
AROUND = 6
LINES = 60_000

Hunk = tuple[Language, list[bytes], range, bytes | None]


def hunks(directories: list[Path]) -> list[Hunk]:
    found: list[Hunk] = []
    count = 0
    for directory in directories:
        for path in sorted(directory.rglob("*")):
            language = language_of(path.name)
            if language is UNKNOWN or not path.is_file() or path.stat().st_size > 300_000:
                continue
            data = path.read_bytes()
            lines = data.split(b"\n")
            offsets = [0]
            for line in lines:
                offsets.append(offsets[-1] + len(line) + 1)
            firsts = list(range(0, len(lines), HUNK * 2))
            begins = [max(0, first - AROUND) for first in firsts]
            inside = open_comments(language, data, [offsets[begin] for begin in begins])
            for first, begin, state in zip(firsts, begins, inside, strict=True):
                end = min(len(lines), first + HUNK)
                found.append((language, lines[begin:end], range(first - begin, end - begin), state))
                count += end - first
            if count > LINES:
                return found
    return found


def forget() -> None:
    tokens.LINES.clear()
    tokens.TOKENS.clear()
    _lexer_of.cache_clear()


def measure(name: str, lines: int, run: Callable[[], object], before: Callable[[], None]) -> None:
    seconds = []
    for _ in range(5):
        before()
        start = time.process_time()
        run()
        seconds.append(time.process_time() - start)
    print(f"{name:<34}{min(seconds) / lines * 1e6:6.2f} µs per changed line")


def main() -> None:
    directories = [Path(argument) for argument in sys.argv[1:]] or [Path(sysconfig.get_path("stdlib"))]
    found = hunks(directories)
    lines = sum(len(changed) for _, _, changed, _ in found)
    print(f"{lines} changed lines in {len(found)} hunks")

    def run() -> None:
        for hunk in found:
            features(*hunk)

    measure("features, cold", lines, run, forget)
    measure("features, warm", lines, run, lambda: None)
    measure("kinds", lines, lambda: [count_kinds(*hunk) for hunk in found], lambda: None)
    measure(
        "features without shapes, cold",
        lines,
        lambda: [features(*hunk, with_shapes=False) for hunk in found],
        forget,
    )
    sides = [features(*hunk) for hunk in found]
    pairs = list(itertools.pairwise(sides))
    measure("compare (neighbouring hunks)", lines, lambda: [compare(a, b) for a, b in pairs], lambda: None)


if __name__ == "__main__":
    main()
