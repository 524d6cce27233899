"""Describes a file: language, role and provenance, by attributes, names, marks and content, in this order.

Keep out: the rules themselves (`attributes`, `roles`, `provenance`, `names`, `machine_text`).
"""

import re
from typing import Final, NamedTuple

from ingest.git.files import provenance, roles
from ingest.git.files.attributes import FileAttributes
from ingest.git.files.names import is_frozen_list, is_licence_text
from ingest.git.files.text_pages import is_text_page
from ingest.git.files.translations import is_translation
from ingest.git.lexing.languages import LANGUAGES, TEMPLATE_LANGUAGES, UNKNOWN, Language, language_of
from ingest.git.machine_text import content
from ingest.git.machine_text.marks import find_mark
from ingest.git.machine_text.words import Finder

_BOM: Final = b"\xef\xbb\xbf"
_XML: Final = b"<?xml"
_QT_TRANSLATION: Final = b"<!DOCTYPE TS"
_SNIFFED_BYTES: Final = 300
# Templates of the settings of a program: most of their first lines are comments, and the others names with values.
_SETTINGS_TEMPLATES: Final = (".j2", ".jinja", ".jinja2", ".erb", ".tmpl", ".tpl")
_COMMENT: Final = re.compile(rb"[ \t]*#+(?:[ \t]|$)")
_TEMPLATE_LINE: Final = (b"{%", b"{{", b"{#", b"<%")
_SETTING: Final = re.compile(rb"[ \t]*[A-Za-z][\w.-]*(?:[ \t]*=.*|[ \t]+[^\s=]\S*(?<![.:;,?!(){}]))\s*$")
# Tags, and what programs have: those of C write their macros behind a sign of comments.
_NO_SETTINGS: Final = re.compile(
    rb"(?m)^[ \t]*(?:<|#!|#[ \t]*(?:define|ifdef|ifndef|undef|endif|pragma)\b|#[ \t]*include[ \t]+[<\"]"
    rb"|(?:def|class|module|import|from|return|function|func|fn|export|local|var|let|const|package|require|elif|else|end|fi"
    rb"|done|for|while|try|if)\b)"
)
# The long explanation of a program's settings, before the first of them
_SETTINGS_TITLE: Final = re.compile(
    rb"(?i)\s{0,9}#{1,99}[ \t]{1,40}(?:(?:sample|default|main|example) )?configuration file (?:for|of) "
    rb"[\w.-]{1,40}(?: [\w.-]{1,20})?[ \t]{0,40}(?:\r?\n|$)"
)
_FEWEST_LINES, _MOSTLY = 10, 2 / 3
_FEWEST_SETTINGS = 2
_XML_FAMILY: Final = frozenset({"XML", "SVG", "HTML"}) | TEMPLATE_LANGUAGES
_MARKUP: Final = frozenset(
    {"XML", "SVG", "HTML", "YAML", "JSON", "SQL", "CSV", "unknown", "Configuration", "INI"}
)


_SETTLED: Final = frozenset((*roles.TOOL_ROLES, roles.LICENCE, roles.BUILD))


class Description(NamedTuple):
    """The facts of one file version. `evidence` has the words that say that a program wrote it, or how they show it."""

    language: Language
    role: str
    is_generated: bool
    is_vendored: bool
    is_minified: bool
    evidence: str | None = None

    @property
    def is_open(self) -> bool:
        """Whether the content may still say that a program wrote the file."""
        return not (self.is_generated or self.is_minified or self.is_vendored or self.role in _SETTLED)


def describe(
    path: str, head: bytes, tail: bytes, attributes: FileAttributes, *, is_added: bool, find_words: Finder
) -> Description:
    """Describe a file by its path and its first and last bytes (`marks.MARK_BYTES`)."""
    language = _language(path, head)
    is_qt_translation = _QT_TRANSLATION in head[:_SNIFFED_BYTES]
    if attributes.is_documentation:
        role = roles.DOCUMENTATION
    elif is_qt_translation:
        role = roles.DATA
    else:
        role = roles.role_of(path, language)
        if role == roles.SOURCE and language.name == "HTML" and is_text_page(path, head):
            role = roles.DOCUMENTATION
    is_generated, evidence = bool(attributes.is_generated), None
    if attributes.is_generated is None:
        if provenance.is_generated_path(path):
            is_generated = True
        elif head:
            evidence = find_mark(
                path,
                head,
                tail,
                is_prose=language.is_prose,
                is_markup=language.name in _MARKUP,
                is_added=is_added,
                find_words=find_words,
            )
            is_generated = evidence is not None
    if role == roles.BUILD and is_frozen_list(path, head):
        role = roles.LOCK
    if not is_generated and is_licence_text(path, head, is_text=language.is_prose or language is UNKNOWN):
        role = roles.LICENCE
    is_vendored = attributes.is_vendored
    return Description(
        LANGUAGES["Translation"]
        if role == roles.DATA and (is_qt_translation or is_translation(path))
        else language,
        role,
        is_generated,
        provenance.is_vendored(path) if is_vendored is None else is_vendored,
        provenance.is_minified(path, head),
        evidence,
    )


def judged(description: Description, path: str, data: bytes) -> Description:
    """The description after a look at the whole content, for a file that comes or goes."""
    saved = provenance.saved_mail(description.language.name, data)
    if saved is None and description.role == roles.TEST:
        saved = provenance.saved_page(description.language.name, data)
    if saved is None and description.language is UNKNOWN and b"\0" in data:
        # Git looks for them in the first 8,000 bytes alone.
        saved = "holds zero bytes, as no text does"
    if saved is not None:
        return description._replace(role=roles.EXPORT, evidence=saved)
    return _with_finding(description, content.judge(path, description.language, data))


def judged_growth(description: Description, path: str, data: bytes, added: list[bytes]) -> Description:
    """The description after a look at the lines that a change adds, and at the content where they ask for it."""
    return _with_finding(description, content.judge_growth(path, description.language, data, added))


def _with_finding(description: Description, found: content.Finding | None) -> Description:
    if found is None:
        return description
    # Lines of prose are compared word by word; those of data by their form, so that equal forms fade.
    language = LANGUAGES["Data"] if description.language.is_prose else description.language
    role = roles.EXPORT if found.is_record else roles.DATA
    return description._replace(language=language, role=role, evidence=found.evidence)


def _language(path: str, head: bytes) -> Language:
    language = language_of(path, head.partition(b"\n")[0])
    if head.removeprefix(_BOM).lstrip().startswith(_XML) and language.name not in _XML_FAMILY:
        return LANGUAGES["XML"]
    if language.name in TEMPLATE_LANGUAGES and path.endswith(_SETTINGS_TEMPLATES) and _are_settings(head):
        return LANGUAGES["Configuration"]
    return language


def _are_settings(head: bytes) -> bool:
    if _NO_SETTINGS.search(head) is not None:
        return False
    lines = [
        line for line in head.split(b"\n") if (text := line.strip()) and not text.startswith(_TEMPLATE_LINE)
    ]
    others = [line for line in lines if _COMMENT.match(line) is None and not line.startswith(b"[")]
    if len(lines) < _FEWEST_LINES or len(lines) - len(others) < _MOSTLY * len(lines):
        return False
    if not others:
        return _SETTINGS_TITLE.match(head) is not None
    settings = sum(_SETTING.match(line) is not None for line in others)
    return settings >= max(_FEWEST_SETTINGS, len(others) / 2)
