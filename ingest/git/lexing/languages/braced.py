"""Languages with braces and C's comments.

Add: a language whose comments are `//` and `/* */`. Keep out: style sheets (data.py).
"""

from dataclasses import replace
from typing import Any, Final

from ingest.git.lexing.languages import keywords
from ingest.git.lexing.languages.model import (
    CHARACTER,
    DOUBLE,
    MAX_PLAIN,
    RAW_SINGLE,
    SINGLE,
    Language,
    words,
)

_BLOCK: Final = ((b"/*", b"*/"),)
_C_LIKE: Final = Language("C", (b"//",), block_comments=_BLOCK)
_TRIPLE: Final = ((b'"""', b'"""'),)
_BACKTICK: Final = ((b"`", b"`"),)
VERBATIM: Final = rb'@"(?:[^"\n]|""){0,%d}+"' % MAX_PLAIN


def _language(name: str, keywords: str, **syntax: Any) -> Language:
    return replace(_C_LIKE, name=name, keywords=words(keywords), **syntax)


LANGUAGES: Final = (
    _language("C", keywords.C),
    _language("C++", keywords.CPP),
    _language(
        "Objective-C",
        keywords.C + " id self super nil YES NO interface implementation end property protocol selector",
    ),
    _language("CUDA", keywords.CPP),
    _language("Java", keywords.JAVA, long_strings=_TRIPLE),
    _language("Kotlin", keywords.KOTLIN, long_strings=_TRIPLE, strings=DOUBLE + b"|" + CHARACTER),
    _language("Scala", keywords.SCALA, long_strings=_TRIPLE, strings=DOUBLE + b"|" + CHARACTER),
    _language("Groovy", keywords.GROOVY, long_strings=(*_TRIPLE, (b"'''", b"'''"))),
    _language("JavaScript", keywords.JAVASCRIPT, long_strings=_BACKTICK, has_markup=True),
    _language("JSX", keywords.JAVASCRIPT, long_strings=_BACKTICK, has_markup=True),
    _language("TypeScript", keywords.TYPESCRIPT, long_strings=_BACKTICK, has_markup=True),
    _language("TSX", keywords.TYPESCRIPT, long_strings=_BACKTICK, has_markup=True),
    _language("Vue", keywords.TYPESCRIPT, block_comments=(*_BLOCK, (b"<!--", b"-->")), has_markup=True),
    _language("Svelte", keywords.TYPESCRIPT, block_comments=(*_BLOCK, (b"<!--", b"-->")), has_markup=True),
    _language("Go", keywords.GO, long_strings=_BACKTICK),
    _language("Rust", keywords.RUST, strings=DOUBLE + b"|" + CHARACTER),
    _language(
        "C#",
        keywords.CSHARP,
        long_strings=_TRIPLE,
        strings=VERBATIM + b"|" + DOUBLE + b"|" + CHARACTER,
    ),
    _language("Swift", keywords.SWIFT, long_strings=_TRIPLE, strings=DOUBLE),
    # `#[` opens an attribute, so a comment with `#` is recognised by what usually follows.
    _language("PHP", keywords.PHP, line_comments=(b"//", b"# ", b"##", b"#!")),
    _language("Dart", keywords.DART, long_strings=(*_TRIPLE, (b"'''", b"'''"))),
    _language("Zig", keywords.ZIG, block_comments=(), strings=DOUBLE + b"|" + CHARACTER),
    _language(
        "D",
        keywords.D,
        block_comments=(*_BLOCK, (b"/+", b"+/")),
        long_strings=_BACKTICK,
        strings=DOUBLE + b"|" + CHARACTER,
    ),
    _language("Protocol Buffers", keywords.PROTOBUF),
    _language(
        "Thrift", keywords.PROTOBUF + " struct exception list set void throws", line_comments=(b"//", b"#")
    ),
    _language("Solidity", keywords.SOLIDITY),
    _language(
        "Verilog", "always assign begin case else end endcase endmodule if input module output reg wire"
    ),
    _language("GLSL", keywords.C + " attribute in out uniform varying vec2 vec3 vec4 mat3 mat4 sampler2D"),
    _language("Terraform", keywords.TERRAFORM, line_comments=(b"#", b"//"), strings=DOUBLE),
    _language(
        "Nix",
        "assert else false if in inherit let null or rec then true with",
        line_comments=(b"#",),
        long_strings=((b"''", b"''"),),
        strings=DOUBLE,
    ),
    _language(
        "Jsonnet",
        "assert else error false for function if import in local null self super then true",
        line_comments=(b"//", b"#"),
        strings=DOUBLE + b"|" + RAW_SINGLE,
    ),
    _language("ActionScript", keywords.JAVASCRIPT, strings=DOUBLE + b"|" + SINGLE),
    _language("QML", keywords.JAVASCRIPT + " property signal alias", long_strings=_BACKTICK),
    _language("Haxe", keywords.JAVASCRIPT + " abstract enum inline macro typedef using"),
    _language("Vala", keywords.CSHARP + " construct owned signal unowned weak"),
    _language("Processing", keywords.JAVA),
    _language("OpenCL", keywords.C + " __kernel __global __local kernel global local"),
    _language("Gleam", keywords.GLEAM, block_comments=(), strings=DOUBLE),
    _language("Odin", keywords.GO + " proc when using distinct foreign", long_strings=_BACKTICK),
    _language("ReScript", keywords.OCAML + " async await switch", long_strings=_BACKTICK, has_markup=True),
    _language("ReasonML", keywords.OCAML + " switch", has_markup=True),
    _language("Move", keywords.RUST + " module public entry script address has acquires"),
    _language("Cairo", keywords.RUST + " felt func end"),
    _language(
        "Ballerina", keywords.JAVA + " function service resource remote check returns", block_comments=()
    ),
    _language(
        "Chapel", "proc var const config for forall coforall in if else return class record module use"
    ),
    _language("Hack", keywords.PHP, line_comments=(b"//",)),
    _language("Stan", "data parameters model int real vector matrix for in if else return functions"),
    _language("1C", "", block_comments=(), strings=DOUBLE),
)
