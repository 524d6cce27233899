"""Scripting, functional and query languages, whose comments are not C's.

Add: a language with commands, `#`, `--`, `;` or `%` comments. Keep out: markup and data (data.py).
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
_TRIPLE: Final = ((b'"""', b'"""'),)
_C_BLOCK: Final = ((b"/*", b"*/"),)


LANGUAGES: Final = (
    Language(
        "Python",
        _HASH,
        docstrings=(b'"""', b"'''"),
        long_strings=(*_TRIPLE, (b"'''", b"'''")),
        keywords=words(keywords.PYTHON),
        braces_are_blocks=False,
    ),
    Language(
        "Cython",
        _HASH,
        docstrings=(b'"""', b"'''"),
        long_strings=(*_TRIPLE, (b"'''", b"'''")),
        keywords=words(keywords.PYTHON + " cdef cpdef cimport ctypedef nogil"),
        braces_are_blocks=False,
    ),
    Language(
        "Starlark",
        _HASH,
        docstrings=(b'"""',),
        long_strings=_TRIPLE,
        keywords=words(keywords.PYTHON + " load"),
        braces_are_blocks=False,
    ),
    Language(
        "Ruby",
        _HASH,
        comment_needs_space=True,
        block_comments=((b"\n=begin", b"\n=end"),),
        keywords=words(keywords.RUBY),
        names=Names.COMMANDS,
    ),
    Language("Crystal", _HASH, comment_needs_space=True, keywords=words(keywords.RUBY), names=Names.COMMANDS),
    Language(
        "Perl",
        _HASH,
        comment_needs_space=True,
        block_comments=tuple(
            (b"\n=" + word, b"\n=cut") for word in (b"pod", b"head", b"over", b"item", b"begin")
        ),
        keywords=words(keywords.PERL),
    ),
    Language(
        "Shell",
        _HASH,
        comment_needs_space=True,
        strings=DOUBLE + b"|" + RAW_SINGLE,
        keywords=words(keywords.SHELL),
        names=Names.NESTED_COMMANDS,
    ),
    Language(
        "PowerShell",
        _HASH,
        comment_needs_space=True,
        block_comments=((b"<#", b"#>"),),
        strings=RAW_DOUBLE + b"|" + RAW_SINGLE,
        keywords=any_case(keywords.POWERSHELL),
        names=Names.COMMANDS,
    ),
    Language(
        "Batch",
        (b"::", b"REM ", b"rem ", b"Rem ", b"@REM ", b"@rem "),
        comment_is_whole_line=True,
        strings=RAW_DOUBLE,
        keywords=any_case("call do echo else exit for goto if in not set"),
        names=Names.COMMANDS,
        joins_lines=False,
    ),
    # Parentheses hold whole queries and column lists there, as braces do elsewhere.
    Language(
        "SQL",
        _DASHES,
        block_comments=_C_BLOCK,
        strings=RAW_SINGLE + b"|" + RAW_DOUBLE,
        keywords=any_case(keywords.SQL),
        joins_lines=False,
    ),
    Language(
        "Lua",
        _DASHES,
        block_comments=((b"--[[", b"]]"), (b"--[=[", b"]=]")),
        long_strings=((b"[[", b"]]"),),
        keywords=words(keywords.LUA),
    ),
    Language("R", _HASH, keywords=words(keywords.R)),
    Language(
        "Julia",
        _HASH,
        block_comments=((b"#=", b"=#"),),
        docstrings=(b'"""',),
        long_strings=_TRIPLE,
        strings=DOUBLE + b"|" + CHARACTER,
        keywords=words(keywords.JULIA),
    ),
    Language(
        "Nim",
        _HASH,
        block_comments=((b"#[", b"]#"),),
        long_strings=_TRIPLE,
        strings=DOUBLE + b"|" + CHARACTER,
        keywords=words(keywords.NIM),
        braces_are_blocks=False,
    ),
    Language(
        "Haskell",
        _DASHES,
        block_comments=((b"{-", b"-}"),),
        strings=DOUBLE + b"|" + CHARACTER,
        keywords=words(keywords.HASKELL),
        names=Names.COMMANDS,
    ),
    Language(
        "Elm",
        _DASHES,
        block_comments=((b"{-", b"-}"),),
        long_strings=_TRIPLE,
        strings=DOUBLE + b"|" + CHARACTER,
        keywords=words(keywords.HASKELL),
        names=Names.COMMANDS,
    ),
    Language(
        "Elixir",
        _HASH,
        docstrings=(b'"""',),
        long_strings=_TRIPLE,
        keywords=words(keywords.ELIXIR),
        names=Names.COMMANDS,
    ),
    Language("Erlang", (b"%",), strings=DOUBLE + b"|" + SINGLE, keywords=words(keywords.ERLANG)),
    # Parentheses are the blocks of a Lisp.
    Language(
        "Clojure",
        (b";",),
        strings=DOUBLE,
        keywords=words(keywords.CLOJURE),
        names=Names.NESTED_COMMANDS,
        joins_lines=False,
    ),
    Language(
        "Lisp",
        (b";",),
        block_comments=((b"#|", b"|#"),),
        strings=DOUBLE,
        keywords=words(keywords.CLOJURE + " defun setq lambda"),
        names=Names.NESTED_COMMANDS,
        joins_lines=False,
    ),
    Language(
        "OCaml",
        block_comments=((b"(*", b"*)"),),
        strings=DOUBLE + b"|" + CHARACTER,
        keywords=words(keywords.OCAML),
        names=Names.COMMANDS,
    ),
    Language(
        "F#",
        (b"//",),
        block_comments=((b"(*", b"*)"),),
        long_strings=_TRIPLE,
        strings=DOUBLE + b"|" + CHARACTER,
        keywords=words(keywords.OCAML),
        names=Names.COMMANDS,
    ),
    Language(
        "Pascal",
        (b"//",),
        block_comments=((b"{", b"}"), (b"(*", b"*)")),
        strings=RAW_SINGLE,
        keywords=any_case(keywords.OCAML + " program procedure unit uses var implementation"),
    ),
    Language(
        "Tcl",
        _HASH,
        comment_needs_space=True,
        strings=DOUBLE,
        keywords=words(keywords.TCL),
        names=Names.NESTED_COMMANDS,
    ),
    Language(
        "Vim script",
        (b'"',),
        comment_is_whole_line=True,
        strings=RAW_SINGLE + b"|" + DOUBLE,
        keywords=words(keywords.VIM),
        names=Names.COMMANDS,
    ),
    Language(
        "Dockerfile", _HASH, comment_is_whole_line=True, keywords=words(keywords.DOCKER), names=Names.COMMANDS
    ),
    Language(
        "Makefile",
        _HASH,
        comment_needs_space=True,
        keywords=words(keywords.MAKE),
        names=Names.COMMANDS,
        joins_lines=False,
    ),
    Language(
        "CMake", _HASH, block_comments=((b"#[[", b"]]"),), strings=DOUBLE, keywords=any_case(keywords.CMAKE)
    ),
    Language(
        "Meson",
        _HASH,
        long_strings=((b"'''", b"'''"),),
        keywords=words("if elif else endif foreach endforeach and or not true false"),
    ),
    Language(
        "GraphQL",
        _HASH,
        docstrings=(b'"""',),
        long_strings=_TRIPLE,
        strings=DOUBLE,
        keywords=words(keywords.GRAPHQL),
    ),
    Language(
        "Assembly",
        (b";", b"#", b"//", b"@"),
        comment_needs_space=True,
        block_comments=_C_BLOCK,
        names=Names.COMMANDS,
        joins_lines=False,
    ),
    Language("Fortran", (b"!",), keywords=any_case(keywords.FORTRAN)),
    Language(
        "Ada",
        _DASHES,
        strings=RAW_DOUBLE + b"|" + CHARACTER,
        keywords=any_case(keywords.FORTRAN + " package procedure body begin loop"),
    ),
    Language(
        "VHDL",
        _DASHES,
        strings=RAW_DOUBLE + b"|" + CHARACTER,
        keywords=any_case(keywords.FORTRAN + " entity architecture signal port begin"),
    ),
    Language(
        "MATLAB",
        (b"%",),
        block_comments=((b"\n%{", b"\n%}"),),
        strings=RAW_DOUBLE,
        keywords=words(keywords.JULIA),
    ),
    Language(
        "Awk",
        _HASH,
        strings=DOUBLE,
        keywords=words(
            "BEGIN END if else for in while do function return print printf next exit delete getline"
        ),
    ),
    Language(
        "Visual Basic",
        (b"'",),
        strings=RAW_DOUBLE,
        keywords=any_case(keywords.POWERSHELL + " dim sub as new next loop property"),
    ),
    Language(
        "CoffeeScript",
        _HASH,
        block_comments=((b"\n###", b"###"),),
        long_strings=(*_TRIPLE, (b"'''", b"'''")),
        keywords=words(keywords.COFFEESCRIPT),
        names=Names.COMMANDS,
        braces_are_blocks=False,
    ),
    Language(
        "GDScript", _HASH, long_strings=_TRIPLE, keywords=words(keywords.GDSCRIPT), braces_are_blocks=False
    ),
)
