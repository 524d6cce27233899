"""Exceptions from the rules of the source: `python -m tests.rules.exceptions` counts them by kind.

No count may be above the one of exceptions.json. `--write` lowers the counts there and raises none.
Add: a kind of exception. Keep out: the rules themselves (pyproject.toml).
"""

from __future__ import annotations

import ast
import io
import json
import re
import sys
import tokenize
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

CHECKOUT = Path(__file__).parents[2]
FILE = Path(__file__).with_name("exceptions.json")
FOLDERS = ("api", "dbt_project", "ingest", "orchestration", "tests")
# What dbt writes, and what tests install.
NOT_OURS = {"target", ".venv", "node_modules"}
COMMENTS = {"noqa": re.compile(r"#\s*noqa\b"), "type: ignore": re.compile(r"#\s*type:\s*ignore\b")}
# An import within a function or a condition hides a dependency.
INDENTED = "indented imports"
# A release of the other package may change such a module without notice.
PRIVATE = "private modules of other packages"
KINDS = (*COMMENTS, INDENTED, PRIVATE)


def sources(root: Path) -> list[Path]:
    """The Python sources of the project."""
    found = (file for folder in FOLDERS for file in (root / folder).rglob("*.py"))
    return sorted(file for file in found if NOT_OURS.isdisjoint(file.relative_to(root).parts))


def counted(files: Iterable[Path]) -> dict[str, int]:
    """The number of exceptions of each kind."""
    counts = Counter(kind for file in files for kind in _kinds(file.read_text(encoding="utf-8")))
    return {kind: counts[kind] for kind in KINDS}


def lines(found: Mapping[str, int], allowed: Mapping[str, int]) -> list[str]:
    """A line for each kind: its number, and the difference from the allowed one."""
    return [f"{found[kind]:5} {kind}{_difference(found[kind] - allowed[kind])}" for kind in KINDS]


def main(arguments: list[str]) -> int:
    found, allowed = counted(sources(CHECKOUT)), json.loads(FILE.read_text())
    if "--write" in arguments:
        allowed = {kind: min(found[kind], allowed[kind]) for kind in KINDS}
        FILE.write_text(json.dumps(allowed, indent=1) + "\n")
    print("\n".join(["Exceptions from the rules:", *lines(found, allowed)]))
    return int(any(found[kind] > allowed[kind] for kind in KINDS))


def _kinds(source: str) -> Iterator[str]:
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield from (kind for kind, pattern in COMMENTS.items() if pattern.search(token.string))
    tree = ast.parse(source)
    for_types = {id(one) for block in ast.walk(tree) if _is_for_types(block) for one in ast.walk(block)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            if node.col_offset and id(node) not in for_types:
                yield INDENTED
            yield from (PRIVATE for module in _modules(node) if _is_private(module))


def _is_for_types(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)


def _modules(node: ast.Import | ast.ImportFrom) -> list[str]:
    return [one.name for one in node.names] if isinstance(node, ast.Import) else [node.module or ""]


def _is_private(module: str) -> bool:
    package, *below = module.split(".")
    return package not in FOLDERS and any(re.match(r"_(?!_)", part) for part in (package, *below))


def _difference(number: int) -> str:
    if number > 0:
        return f": {number} more than allowed; remove them"
    return f": {-number} fewer than allowed; lower the number with --write" if number else ""


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
