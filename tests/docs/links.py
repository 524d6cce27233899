"""Links of the documentation: `python -m tests.docs.links` names those that lead nowhere and ends with 1.

Checked without network: files and folders of this checkout, headings of pages, images. Keep out: other sites.
"""

from __future__ import annotations

import itertools
import re
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from urllib.parse import unquote, urlsplit

from markdown_it import MarkdownIt
from markdown_it.token import Token

CHECKOUT = Path(__file__).parents[2]


def pages(root: Path) -> list[Path]:
    """The README and every page below docs/."""
    return [root / "README.md", *sorted((root / "docs").rglob("*.md"))]


def broken(root: Path) -> list[str]:
    """Every link that leads nowhere, as `page:line: target`."""
    return [
        f"{page.relative_to(root)}:{line}: {target}" for page in pages(root) for line, target in _wrong(page)
    ]


def _wrong(page: Path) -> Iterator[tuple[int, str]]:
    for line, target in _targets(page):
        link = urlsplit(target)
        if link.scheme in ("http", "https", "mailto"):
            continue
        file = (page.parent / unquote(link.path)).resolve() if link.path else page.resolve()
        if not file.exists() or (
            link.fragment and file.suffix == ".md" and link.fragment not in _anchors(file)
        ):
            yield line, target


def _targets(page: Path) -> Iterator[tuple[int, str]]:
    """Targets of links and images, each with the line on which its block begins."""
    for block in _blocks(page):
        for token in block.children or ():
            target = token.attrGet("href") if token.type == "link_open" else token.attrGet("src")
            if target:
                yield (block.map or [0])[0] + 1, str(target)


@cache
def _anchors(page: Path) -> frozenset[str]:
    """The names under which a Git host offers the headings of a page."""
    blocks = _blocks(page)
    seen: Counter[str] = Counter()
    found = set()
    for before, block in itertools.pairwise(blocks):
        if before.type != "heading_open":
            continue
        text = "".join(token.content for token in block.children or ())
        name = re.sub(r"[^\w\- ]", "", text.strip().lower()).replace(" ", "-")
        found.add(f"{name}-{seen[name]}" if seen[name] else name)
        seen[name] += 1
    return frozenset(found)


@cache
def _blocks(page: Path) -> list[Token]:
    return MarkdownIt("commonmark").enable("table").parse(page.read_text())


def main() -> int:
    """Print what is broken; the exit code."""
    found = broken(CHECKOUT)
    for line in found:
        sys.stderr.write(f"{line} leads nowhere\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
