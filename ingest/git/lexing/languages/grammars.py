"""Grammars, descriptions of interfaces and data models, and rules that tools run.

Add: a notation from which a tool makes a program, or that it runs as one. Keep out: configuration and data (data.py).
"""

from dataclasses import replace
from typing import Any, Final

from ingest.git.lexing.languages import keywords
from ingest.git.lexing.languages.model import CHARACTER, DOUBLE, RAW_SINGLE, Language, any_case, words

_HASH: Final = (b"#",)
_SLASHES: Final = (b"//",)
_C_BLOCK: Final = ((b"/*", b"*/"),)
_TRIPLE: Final = ((b'"""', b'"""'),)
_C_LIKE: Final = Language("C", _SLASHES, block_comments=_C_BLOCK)


def _language(name: str, keywords: str, **syntax: Any) -> Language:
    return replace(_C_LIKE, name=name, keywords=words(keywords), **syntax)


LANGUAGES: Final = (
    _language("Yacc", keywords.C + " token type left right nonassoc start prec expect"),
    _language("Lex", keywords.C + " option state x s"),
    _language("Ragel", keywords.C + " action machine write data init exec alphtype"),
    _language(
        "ANTLR", "grammar lexer parser fragment mode channel import options tokens returns throws skip"
    ),
    _language("PEG", "returns", line_comments=(b"//", b"#")),
    _language("FlatBuffers", keywords.PROTOBUF + " table struct root_type namespace include"),
    _language("Smithy", keywords.PROTOBUF + " namespace use structure list resource operation trait with"),
    _language("TypeSpec", keywords.TYPESCRIPT + " model op scalar using", long_strings=_TRIPLE),
    _language("Prisma", "model enum datasource generator type view", block_comments=()),
    _language("CUE", keywords.GO, block_comments=(), long_strings=_TRIPLE),
    _language(
        "Bicep",
        "param var resource module output targetScope existing if for in import func type",
        long_strings=((b"'''", b"'''"),),
    ),
    _language("Device Tree", keywords.C),
    _language("OpenSCAD", "module function if else for let include use each assert true false undef"),
    _language("Linker Script", "SECTIONS MEMORY ENTRY PROVIDE KEEP ASSERT INCLUDE", line_comments=()),
    Language("Cap'n Proto", _HASH, keywords=words(keywords.PROTOBUF + " struct interface using annotation")),
    Language(
        "Rego", _HASH, keywords=words("package import default not with as some in every if contains else")
    ),
    Language("SPARQL", _HASH, keywords=any_case("select where filter optional prefix construct ask union")),
    Language(
        "Kconfig", _HASH, keywords=words("config menu endmenu bool depends on select if endif choice help")
    ),
    Language(
        "VCL",
        (b"#", b"//"),
        block_comments=_C_BLOCK,
        keywords=words("sub if else elseif set unset return call backend acl import include"),
    ),
    Language(
        "Puppet",
        _HASH,
        strings=DOUBLE + b"|" + RAW_SINGLE,
        keywords=words(
            "class define node inherits include if elsif else unless case default undef and or in"
        ),
    ),
    Language(
        "jq",
        _HASH,
        strings=DOUBLE,
        keywords=words("def if then elif else end as reduce foreach try catch import include and or not"),
    ),
    Language(
        "Dhall",
        (b"--",),
        block_comments=((b"{-", b"-}"),),
        strings=DOUBLE,
        keywords=words("let in if then else merge forall as using"),
    ),
    Language(
        "XQuery", (), block_comments=((b"(:", b":)"),), keywords=words("for let where return declare if")
    ),
    Language("WDL", _HASH, keywords=words("workflow task call input output command runtime if scatter as")),
    Language(
        "WebAssembly", (b";;",), strings=DOUBLE, keywords=words("module func param result local global")
    ),
    Language("RPM Spec", _HASH, comment_needs_space=True, joins_lines=False),
    Language("BitBake", _HASH, strings=DOUBLE + b"|" + CHARACTER, joins_lines=False),
)
