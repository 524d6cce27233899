"""Folders in which assistants keep plans, tickets and instructions: texts of people and tools, never tests.

Add: a folder that one kind of assistant has, or what its installer puts there. Keep out: marks in the content
(`machine_text`), and scripts, which have the role of their language.
"""

import re
from typing import Final

from ingest.git.lexing.languages import UNKNOWN, Language

_FOLDERS: Final = re.compile(
    r"(?:^|/)(?:\.(?:flow|specify|claude|cursor|kiro|windsurf|clinerules|roo|trae|qoder|junie|augment|codex|gemini"
    r"|opencode|agents?|taskmaster|planning|superpowers)|docs/superpowers|openspec|memory-bank)/"
)
# Folders above or below designs that say that a test reads the text.
_OF_TESTS: Final = frozenset(
    {
        "test",
        "tests",
        "__tests__",
        "e2e",
        "cypress",
        "fixture",
        "fixtures",
        "__fixtures__",
        "support",
        "data",
        "testdata",
    }
    | {
        "mocks",
        "__mocks__",
        "snapshots",
        "sample",
        "samples",
        "input",
        "inputs",
        "output",
        "outputs",
        "cases",
    }
)
_DOCUMENTS: Final = frozenset({"doc", "docs", "documentation"})

STATE: Final = (
    r"(?:^|/)\.flow/(?:(?:epics|tasks|specs|memory)/[^/]+|meta|config|\.checkpoint-[^/]+)\.json$"
    r"|(?:^|/)\.taskmaster/(?:(?:tasks|reports)/[^/]+|state)\.json$|(?:^|/)\.beads/[^/]+\.(?:json|ya?ml|db)$"
)
"""What programs of assistants keep of tickets, in a form that people are told not to edit."""
INSTALLED: Final = (
    r"(?:^|/)(?:\.specify/(?:templates|scripts)|\.flow/bin|\.bmad-core|\.taskmaster/templates)/"
    r"|(?:^|/)\.[\w.-]+/(?:commands|prompts|agents|workflows|skills)/speckit[.-][\w./-]+\.(?:md|toml)$"
)
"""Programs, templates and commands that an installer copies into the folders, the same in every project."""


def is_text_of_assistants(path: str, language: Language) -> bool:
    """Whether a text stands where assistants keep plans and instructions. Rules of some have endings of their own."""
    return (language.is_prose or language is UNKNOWN) and _FOLDERS.search(path) is not None


def is_design(path: str, language: Language) -> bool:
    """Whether a text stands among designs, in a folder whose name tests have too.

    Designs stand in `specs/` in words, and below documents also in `spec/`. Ruby keeps its tests in `spec/`, beside
    which texts are what a test reads.
    """
    if not language.is_prose:
        return False
    folders = path.lower().split("/")[:-1]
    is_told = "specs" in folders or ("spec" in folders and not _DOCUMENTS.isdisjoint(folders))
    return is_told and _OF_TESTS.isdisjoint(folders)
