"""Further scripting and functional languages: those of editors, of statistics, of proofs and of older machines.

Add: a language whose comments are not C's. Keep out: the common ones (scripting.py), grammars and rules (grammars.py).
"""

from typing import Final

from ingest.git.lexing.languages import keywords
from ingest.git.lexing.languages.model import (
    CHARACTER,
    DOUBLE,
    RAW_DOUBLE,
    RAW_SINGLE,
    SINGLE,
    Language,
    Names,
    any_case,
    words,
)

_HASH: Final = (b"#",)
_DASHES: Final = (b"--",)
_SLASHES: Final = (b"//",)
_TRIPLE: Final = ((b'"""', b'"""'), (b"'''", b"'''"))
_C_BLOCK: Final = ((b"/*", b"*/"),)
_HASKELL_BLOCK: Final = ((b"{-", b"-}"),)

LANGUAGES: Final = (
    Language(
        "Vyper", _HASH, long_strings=_TRIPLE, keywords=words(keywords.PYTHON + " event interface struct")
    ),
    Language(
        "Mojo", _HASH, long_strings=_TRIPLE, keywords=words(keywords.PYTHON + " fn struct var trait alias")
    ),
    Language("LiveScript", _HASH, block_comments=_C_BLOCK, keywords=words(keywords.COFFEESCRIPT)),
    Language("MoonScript", _DASHES, keywords=words(keywords.LUA + " class extends import from with unless")),
    Language(
        "Raku",
        _HASH,
        comment_needs_space=True,
        keywords=words(keywords.PERL + " method class role has multi"),
    ),
    Language(
        "Nushell",
        _HASH,
        comment_needs_space=True,
        keywords=words(keywords.SHELL + " def let mut use export match"),
    ),
    Language(
        "Elvish", _HASH, comment_needs_space=True, keywords=words(keywords.SHELL + " fn var use try catch")
    ),
    Language("Standard ML", block_comments=((b"(*", b"*)"),), strings=DOUBLE, keywords=words(keywords.OCAML)),
    Language(
        "Idris", _DASHES, block_comments=_HASKELL_BLOCK, strings=DOUBLE, keywords=words(keywords.HASKELL)
    ),
    Language(
        "Agda", _DASHES, block_comments=_HASKELL_BLOCK, strings=DOUBLE, keywords=words(keywords.HASKELL)
    ),
    Language(
        "Lean",
        _DASHES,
        block_comments=((b"/-", b"-/"),),
        strings=DOUBLE,
        keywords=words(
            keywords.HASKELL + " def theorem lemma example by have show fun match with end variable"
        ),
    ),
    Language("Prolog", (b"%",), block_comments=_C_BLOCK, strings=DOUBLE + b"|" + SINGLE),
    Language(
        "COBOL",
        (b"*>",),
        strings=RAW_DOUBLE + b"|" + RAW_SINGLE,
        keywords=any_case(keywords.COBOL),
        joins_lines=False,
    ),
    Language("ABAP", (b'"',), strings=RAW_SINGLE, keywords=any_case(keywords.ABAP), names=Names.COMMANDS),
    Language(
        "SAS",
        block_comments=_C_BLOCK,
        keywords=any_case("data set run proc quit if then else do end by where"),
    ),
    Language(
        "Stata",
        (b"*", b"//"),
        comment_is_whole_line=True,
        block_comments=_C_BLOCK,
        strings=RAW_DOUBLE,
        names=Names.COMMANDS,
    ),
    Language("Smalltalk", strings=RAW_SINGLE, keywords=words("self super true false nil thisContext")),
    Language("Forth", (b"\\ ",), strings=b"", names=Names.COMMANDS, joins_lines=False),
    Language("AppleScript", _DASHES, block_comments=((b"(*", b"*)"),), strings=DOUBLE, names=Names.COMMANDS),
    Language(
        "AutoHotkey",
        (b";",),
        comment_needs_space=True,
        block_comments=_C_BLOCK,
        strings=RAW_DOUBLE,
        names=Names.COMMANDS,
    ),
    Language(
        "AutoIt", (b";",), strings=RAW_DOUBLE + b"|" + RAW_SINGLE, keywords=any_case(keywords.POWERSHELL)
    ),
    Language(
        "NSIS",
        (b";", b"#"),
        comment_needs_space=True,
        block_comments=_C_BLOCK,
        strings=RAW_DOUBLE,
        names=Names.COMMANDS,
    ),
    Language(
        "Inno Setup", (b";", b"//"), comment_is_whole_line=True, strings=RAW_DOUBLE, names=Names.COMMANDS
    ),
    Language("SuperCollider", _SLASHES, block_comments=_C_BLOCK, strings=DOUBLE + b"|" + CHARACTER),
)
