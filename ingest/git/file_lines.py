"""What a worker found in the changed lines of one delivered file; plain lists, because it is pickled."""

from __future__ import annotations

from dataclasses import dataclass, field

from ingest.git.lexing import Features

NO_SOURCE = -1


@dataclass(slots=True)
class BlockLines:
    """Neighbouring hunks: which of the file's removed and added lines they hold.

    The features are kept where both sides changed: tokens are counted anew once it is known which of the
    removed lines were fresh.
    """

    removed_start: int
    removed_stop: int
    added_start: int
    added_stop: int
    removed: Features | None = None
    added: Features | None = None


@dataclass(slots=True)
class FileLines:
    """Added lines and removed lines of one file, each in file order."""

    kinds: list[int] = field(default_factory=list)
    heads: list[bool] = field(default_factory=list)
    tokens: list[int] = field(default_factory=list)
    """New tokens per added line, 0–31, 0 on continuation lines."""
    sizes: list[int] = field(default_factory=list)
    """All tokens per added line, 0–255."""
    line_hashes: list[int] = field(default_factory=list)
    shapes: list[int] = field(default_factory=list)
    is_layout: list[bool] = field(default_factory=list)
    layout_from: list[int] = field(default_factory=list)
    """For heads of layout lines: index among the removed lines; NO_SOURCE for all other lines."""
    removed_gone: list[bool] = field(default_factory=list)
    """At least one token of the removed line does not come back in its block."""
    removed_layout: list[bool] = field(default_factory=list)
    """A layout line carries the removed line on."""
    blocks: list[BlockLines] = field(default_factory=list)
    substitutions: dict[int, tuple[int, ...]] = field(default_factory=dict)
    """Added line → hashes of the word replacements that make it of a removed line."""
