"""The language of a file, by name, extension or shebang.

Keep out: the syntax of languages (the family modules) and the role of a file (`files.roles`).
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from ingest.git.lexing.languages import braced, data, further, grammars, scripting
from ingest.git.lexing.languages.data import UNKNOWN
from ingest.git.lexing.languages.model import Language

LANGUAGES: Final[Mapping[str, Language]] = {
    language.name: language
    for family in (data, braced, scripting, further, grammars)
    for language in family.LANGUAGES
}
"""Every known language by its name."""


def _by_word(table: Mapping[str, str]) -> dict[str, Language]:
    return {word: LANGUAGES[name] for name, listed in table.items() for word in listed.split()}


_BY_EXTENSION: Final = _by_word(
    {
        "1C": "bsl",
        "ABAP": "abap",
        "ANTLR": "g4",
        "ActionScript": "as",
        "Ada": "adb ads",
        "Agda": "agda lagda",
        "AppleScript": "applescript",
        "AsciiDoc": "adoc asc asciidoc",
        "Assembly": "asm s nasm inc",
        "AutoHotkey": "ahk ahk2",
        "AutoIt": "au3",
        "Awk": "awk",
        "Ballerina": "bal",
        "Batch": "bat cmd",
        "Bicep": "bicep",
        "BitBake": "bb bbclass bbappend",
        "C": "c h ispc",
        "C#": "cs csx",
        "C++": "cc cpp cxx c++ hh hpp hxx h++ ipp inl tpp ino",
        "CMake": "cmake",
        "COBOL": "cob cbl cobol cpy",
        "CSS": "css pcss postcss wxss acss",
        "CSV": "csv tsv psv",
        "CUDA": "cu cuh",
        "CUE": "cue",
        "Cairo": "cairo",
        "Cap'n Proto": "capnp",
        "Chapel": "chpl",
        "Clojure": "clj cljs cljc edn",
        "CoffeeScript": "coffee litcoffee cjsx iced",
        "Configuration": "conf cnf config pro pri",
        "Crystal": "cr",
        "Cython": "pyx pxd pxi",
        "D": "d di",
        "Dart": "dart",
        "Device Tree": "dts dtsi",
        "Dhall": "dhall",
        "Diff": "diff patch",
        "Dockerfile": "dockerfile containerfile",
        "Elixir": "ex exs",
        "Elm": "elm",
        "Elvish": "elv",
        "Erlang": "erl hrl escript",
        "F#": "fs fsi fsx",
        "FlatBuffers": "fbs",
        "Forth": "fth 4th forth",
        "Fortran": "f f77 f90 f95 f03 f08 for",
        "GDScript": "gd",
        "GLSL": "glsl vert frag hlsl wgsl hlsli cginc shader compute metal comp tesc tese geom",
        "Gherkin": "feature",
        "Gleam": "gleam",
        "Go": "go",
        "GraphQL": "graphql gql graphqls",
        "Groovy": "groovy gradle gvy gy nf",
        "HTML": "html htm xhtml shtml wxml hbs handlebars mustache",
        "Hack": "hack hhi",
        "Haskell": "hs lhs hsc purs",
        "Haxe": "hx",
        "INI": "ini cfg desktop editorconfig gitconfig service socket timer",
        "Idris": "idr lidr",
        "Inno Setup": "iss",
        "JSON": "json json5 jsonc jsonl ndjson geojson webmanifest avsc har map",
        "JSX": "jsx",
        "Java": "java",
        "JavaScript": "js mjs cjs es6 gs jsm gjs",
        "Jsonnet": "jsonnet libsonnet",
        "Jinja": "j2 jinja jinja2 njk twig volt",
        "Julia": "jl",
        "Jupyter Notebook": "ipynb",
        "Kconfig": "kconfig",
        "Kotlin": "kt kts",
        "Lean": "lean",
        "Less": "less",
        "Lex": "l lex flex jflex",
        "Linker Script": "ld lds",
        "Lisp": "lisp lsp el scm rkt ss fnl hy lfe sld",
        "LiveScript": "ls",
        "Lua": "lua luau tl nse rockspec",
        "MATLAB": "matlab",
        "Makefile": "mk mak make just",
        "Markdown": "md markdown mdown mkd mdx qmd rmd",
        "Meson": "meson",
        "Mojo": "mojo",
        "MoonScript": "moon",
        "Move": "move",
        "NSIS": "nsi nsh",
        "Nim": "nim nims nimble",
        "Nix": "nix",
        "Nushell": "nu",
        "OCaml": "ml mli mll mly",
        "Objective-C": "m mm",
        "Odin": "odin",
        "OpenCL": "opencl cl",
        "OpenSCAD": "scad",
        "Org": "org",
        "PEG": "peg pegjs peggy pest",
        "PHP": "php php3 php4 php5 php7 phtml phps phpt ctp module",
        "Pascal": "pas dpr lpr",
        "Perl": "pl pm t pod perl",
        "PowerShell": "ps1 psm1 psd1",
        "Prisma": "prisma",
        "Processing": "pde",
        "Prolog": "prolog",
        "Properties": "properties env",
        "Protocol Buffers": "proto",
        "Puppet": "pp",
        "Python": "py pyi pyw pyt smk sage",
        "QML": "qml",
        "R": "r",
        "RPM Spec": "spec",
        "Ragel": "rl",
        "Raku": "raku rakumod rakutest p6 pm6",
        "ReScript": "res resi",
        "ReasonML": "re rei",
        "Rego": "rego",
        "Roff": "1 2 3 4 5 6 7 8 9 roff man mdoc",
        "Ruby": "rb rake gemspec ru podspec jbuilder rbi rbs rabl thor arb",
        "Rust": "rs",
        "SAS": "sas",
        "SCSS": "scss",
        "SPARQL": "rq sparql",
        "SQL": "sql ddl dml pgsql plsql psql pks pkb pck pls plb tsql hql cql cypher",
        "SVG": "svg",
        "Sass": "sass",
        "Scala": "scala sbt sc",
        "Shell": "sh bash zsh ksh dash fish bats command csh tcsh ebuild eclass zsh-theme",
        "Smalltalk": "st",
        "Smarty": "tpl smarty latte",
        "Smithy": "smithy",
        "Solidity": "sol",
        "Stan": "stan",
        "Standard ML": "sml",
        "Starlark": "bzl star bazel",
        "Stata": "do ado",
        "Stylus": "styl",
        "SuperCollider": "scd",
        "Svelte": "svelte",
        "Swift": "swift",
        "TOML": "toml",
        "TSX": "tsx",
        "Tcl": "tcl tk itcl exp",
        "TeX": "tex sty cls bib latex",
        "Templates": "ejs erb haml liquid pug jade tmpl astro"
        " eex heex leex ftl vm tt jsp jspf aspx ascx asp master cshtml razor vbhtml cfm cfml cfc ecr slim marko riot"
        " rhtml gohtml gotmpl mjml ep epl",
        "Terraform": "tf tfvars hcl nomad tofu",
        "Text": "txt text log",
        "Thrift": "thrift",
        "TypeScript": "ts mts cts ets gts",
        "TypeSpec": "tsp",
        "VCL": "vcl",
        "VHDL": "vhd vhdl",
        "Typst": "typ",
        "Vala": "vala vapi",
        "Verilog": "v sv svh vh",
        "Vim script": "vim",
        "Visual Basic": "vb bas vbs",
        "Vue": "vue nvue uvue",
        "Vyper": "vy",
        "WDL": "wdl",
        "WebAssembly": "wat wast",
        "XML": "xml xsd xsl xslt wsdl plist csproj fsproj vbproj kproj xproj vcxproj props targets resx"
        " xaml storyboard xib rss pom filters fxml axaml jelly",
        "XQuery": "xq xql xqm xquery xqy",
        "YAML": "yaml yml eyaml sls cwl",
        "Yacc": "y yy ypp yxx jison",
        "Zig": "zig zon",
        "jq": "jq",
        "reStructuredText": "rst rest",
    }
)

_BY_NAME: Final = _by_word(
    {
        "CMake": "cmakelists.txt",
        "Configuration": "redis.conf sentinel.conf httpd.conf .htaccess",
        "Dockerfile": "dockerfile containerfile",
        "Go": "go.mod go.work",
        "Groovy": "jenkinsfile",
        "INI": ".gitconfig .editorconfig .npmrc .coveragerc .flake8 .pylintrc .gitmodules pipfile",
        "Ignore List": ".gitignore .dockerignore .npmignore .eslintignore .prettierignore .gitattributes .hgignore"
        " .helmignore .ignore .rgignore .fdignore codeowners .mailmap",
        "JSON": ".babelrc .eslintrc .jshintrc .swcrc .prettierrc pipfile.lock composer.lock flake.lock",
        "Kconfig": "kconfig",
        "Makefile": "makefile gnumakefile bsdmakefile makefile.am makefile.in kbuild justfile",
        "Meson": "meson.build meson_options.txt",
        "Nginx": "nginx.conf",
        "Properties": ".env",
        "Ruby": "gemfile rakefile vagrantfile guardfile podfile fastfile brewfile dangerfile capfile",
        "Shell": ".bashrc .bash_profile .profile .zshrc configure.ac pkgbuild",
        "Starlark": "build workspace tiltfile build.bazel workspace.bazel",
        "TOML": "cargo.lock poetry.lock uv.lock pdm.lock",
        "Text": "readme license licence copying authors contributors changelog changes news todo install notice history"
        " credits copyright maintainers bugs citation 00-releasenotes requirements.txt",
        "Vim script": ".vimrc _vimrc",
        "YAML": ".clang-format .clang-tidy .yamllint pnpm-lock.yaml",
    }
)

_BY_INTERPRETER: Final = _by_word(
    {
        "Awk": "awk gawk mawk",
        "Elixir": "elixir",
        "Groovy": "groovy",
        "JavaScript": "node nodejs deno bun",
        "Julia": "julia",
        "Lua": "lua luajit",
        "Makefile": "make",
        "PHP": "php",
        "Perl": "perl",
        "PowerShell": "pwsh",
        "Python": "python pypy",
        "R": "rscript",
        "Ruby": "ruby jruby",
        "Scala": "scala",
        "Shell": "sh bash zsh ksh dash ash fish bats",
        "Swift": "swift",
        "Tcl": "tclsh wish expect",
        "TypeScript": "ts-node tsx",
    }
)

_SHEBANG: Final = re.compile(
    rb"#!\s*(?:\S*/)?(?:env\s+(?:-\S+\s+|\w+=\S+\s+)*)?(?:\S*/)?([a-z-]+)", re.IGNORECASE
)


_OF_TEMPLATES: Final = (
    "in",
    "tmpl",
    "tpl",
    "template",
    "dist",
    "example",
    "sample",
    "erb",
    "j2",
    "inc",
    "eex",
    "heex",
    "ep",
)
"""Endings behind that of the file which a template makes."""


_BLADE: Final = ".blade.php"
"""The ending of pages of Laravel, which are no programs in PHP."""


@lru_cache(maxsize=65_536)
def _by_path(path: str) -> Language | None:
    """The language by the path alone; None where the path does not determine it."""
    name = path.rpartition("/")[2].lower()
    found = _BY_NAME.get(name)
    if found is not None:
        return found
    stem, dot, extension = name.rpartition(".")
    if not dot:
        return None
    if name.endswith(_BLADE):
        return LANGUAGES["Blade"]
    if extension in _OF_TEMPLATES and "." in stem:
        # `config.h.in` is a template of a C header.
        inner = _BY_EXTENSION.get(stem.rpartition(".")[2])
        if inner is not None:
            # The comments of a page's template are those of its engine.
            return _BY_EXTENSION.get(extension, LANGUAGES["Templates"]) if inner.name == "HTML" else inner
    found = _BY_EXTENSION.get(extension)
    if found is not None:
        return found
    # `Dockerfile.alpine`, `Makefile.linux`, `README.foo`.
    return _BY_NAME.get(stem.partition(".")[0])


def language_of(path: str, first_line: bytes = b"") -> Language:
    """The language of the file at `path`, else by a shebang in its first line, else `UNKNOWN`."""
    found = _by_path(path)
    if found is not None:
        return found
    if first_line.startswith(b"#!"):
        match = _SHEBANG.match(first_line)
        if match is not None:
            return _BY_INTERPRETER.get(match[1].decode("ascii").lower(), UNKNOWN)
    return UNKNOWN
