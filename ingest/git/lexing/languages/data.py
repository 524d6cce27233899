"""Markup, style sheets, configuration, data and prose.

Add: a notation without statements. Keep out: programming languages.
"""

from typing import Final

from ingest.git.lexing.languages.model import ATTRIBUTES, DOUBLE, RAW_SINGLE, SINGLE, Language, Names, words

_HASH: Final = (b"#",)
_C_BLOCK: Final = ((b"/*", b"*/"),)
_MARKUP_BLOCK: Final = ((b"<!--", b"-->"),)
# The end of the last tag stays: it has two forms.
_COMMENT_TAG: Final = tuple(
    (opener, b"endcomment")
    for opener in (
        *(b"{% comment %}", b"{%- comment -%}", b"{%- comment %}", b"{% comment -%}"),
        # Django's may have a note.
        *(b'{% comment "', b"{% comment '"),
    )
)
_TEMPLATE_COMMENTS: Final = (
    *_MARKUP_BLOCK,
    *_COMMENT_TAG,
    (b"{{!--", b"--}}"),
    (b"{{! ", b"}}"),
    (b"{{/*", b"*/}}"),
    (b"<#--", b"-->"),
    (b"<%#", b"%>"),
    (b"<%!--", b"--%>"),
    (b"<%--", b"--%>"),
    (b"@*", b"*@"),
)
_TRIPLE: Final = ((b'"""', b'"""'), (b"'''", b"'''"))
_YAML_STRINGS: Final = DOUBLE + b"|" + RAW_SINGLE


def _prose(
    name: str, *, comments: tuple[tuple[bytes, bytes], ...] = (), lines: tuple[bytes, ...] = ()
) -> Language:
    return Language(
        name,
        lines,
        block_comments=comments,
        strings=b"",
        is_prose=True,
        joins_lines=False,
        comment_is_whole_line=True,
    )


def _template(name: str, *comments: tuple[bytes, bytes]) -> Language:
    return Language(
        name,
        # Haml, and scripts in pages
        (b"-#", b"//"),
        comment_is_whole_line=True,
        block_comments=(*_TEMPLATE_COMMENTS, *comments),
        strings=ATTRIBUTES,
        names=Names.TAGS,
        joins_lines=False,
    )


UNKNOWN: Final = Language("unknown", joins_lines=False)
"""The language of all other files: every line that is not blank is code, and its shape is its text."""

TEMPLATE_LANGUAGES: Final = frozenset({"Jinja", "Templates", "Smarty", "Blade"})
"""Names of the languages of pages that an engine fills."""

LANGUAGES: Final = (
    UNKNOWN,
    # Pages of Handlebars and Django too. Their sections begin with `{{#`, so that Django's `{#` begins no comment here.
    Language(
        "HTML",
        block_comments=(*_MARKUP_BLOCK, (b"{{!--", b"--}}"), (b"{{! ", b"}}"), *_COMMENT_TAG),
        strings=ATTRIBUTES,
        names=Names.TAGS,
        joins_lines=False,
    ),
    Language("XML", block_comments=_MARKUP_BLOCK, strings=ATTRIBUTES, names=Names.TAGS, joins_lines=False),
    Language("SVG", block_comments=_MARKUP_BLOCK, strings=ATTRIBUTES, names=Names.TAGS, joins_lines=False),
    Language(
        "Jinja",
        block_comments=(*_MARKUP_BLOCK, (b"{#", b"#}"), *_COMMENT_TAG),
        strings=ATTRIBUTES,
        names=Names.TAGS,
        joins_lines=False,
    ),
    _template("Templates"),
    # Elsewhere these begin rules of a style sheet and expressions: `@media print {* { … }`, `{{--i }}`.
    _template("Smarty", (b"{* ", b"*}")),
    _template("Blade", (b"{{--", b"--}}")),
    Language("CSS", block_comments=_C_BLOCK, names=Names.KEYS, joins_lines=False),
    Language("SCSS", (b"//",), block_comments=_C_BLOCK, names=Names.KEYS, joins_lines=False),
    Language("Sass", (b"//",), block_comments=_C_BLOCK, names=Names.KEYS, joins_lines=False),
    Language("Less", (b"//",), block_comments=_C_BLOCK, names=Names.KEYS, joins_lines=False),
    Language("Stylus", (b"//",), block_comments=_C_BLOCK, names=Names.KEYS, joins_lines=False),
    Language(
        "YAML", _HASH, comment_needs_space=True, strings=_YAML_STRINGS, names=Names.KEYS, joins_lines=False
    ),
    Language(
        "TOML",
        _HASH,
        long_strings=_TRIPLE,
        strings=DOUBLE + b"|" + RAW_SINGLE,
        names=Names.KEYS,
        keywords=words("true false"),
        braces_are_blocks=False,
    ),
    Language("INI", (b"#", b";"), comment_needs_space=True, strings=b"", names=Names.KEYS, joins_lines=False),
    Language(
        "Properties",
        (b"#", b"!"),
        comment_is_whole_line=True,
        strings=b"",
        names=Names.KEYS,
        joins_lines=False,
    ),
    Language(
        "JSON",
        (b"//",),
        comment_is_whole_line=True,
        block_comments=(),
        strings=DOUBLE,
        names=Names.KEYS,
        joins_lines=False,
    ),
    Language("Jupyter Notebook", strings=DOUBLE, names=Names.KEYS, joins_lines=False),
    Language(
        "Gherkin", _HASH, comment_is_whole_line=True, strings=DOUBLE, names=Names.COMMANDS, joins_lines=False
    ),
    Language("CSV", strings=b"", joins_lines=False),
    # Text whose lines programs wrote (files.content).
    Language("Data", strings=b"", joins_lines=False),
    # Texts of a program in a language of its users (files.translations), in any format: keys hold no work.
    Language("Translation", strings=b"", joins_lines=False),
    Language("Diff", strings=b"", joins_lines=False),
    Language("Nginx", _HASH, comment_needs_space=True, names=Names.COMMANDS, joins_lines=False),
    Language(
        "Ignore List", _HASH, comment_is_whole_line=True, strings=b"", names=Names.KEYS, joins_lines=False
    ),
    Language(
        "Configuration",
        _HASH,
        comment_is_whole_line=True,
        strings=DOUBLE + b"|" + SINGLE,
        names=Names.COMMANDS,
        joins_lines=False,
    ),
    _prose("Markdown", comments=_MARKUP_BLOCK),
    _prose("reStructuredText"),
    _prose("AsciiDoc", lines=(b"//",)),
    _prose("Org"),
    _prose("TeX", lines=(b"%",)),
    _prose("Typst", lines=(b"//",)),
    _prose("Roff", lines=(b'.\\"', b"'\\\"")),
    _prose("Text"),
)
