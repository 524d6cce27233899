"""The language of a file, by name, extension or shebang.

Keep out: the syntax of languages (the family modules) and the role of a file (`files.roles`).
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from ingest.git.lexing.languages import braced, data, scripting
from ingest.git.lexing.languages.data import UNKNOWN
from ingest.git.lexing.languages.model import Language

LANGUAGES: Final[Mapping[str, Language]] = {
    language.name: language for language in (*data.LANGUAGES, *braced.LANGUAGES, *scripting.LANGUAGES)
}
"""Every known language by its name."""


def _by_word(table: Mapping[str, str]) -> dict[str, Language]:
    return {word: LANGUAGES[name] for name, listed in table.items() for word in listed.split()}


_BY_EXTENSION: Final = _by_word(
    {
        "ActionScript": "as",
        "Ada": "adb ads",
        "AsciiDoc": "adoc asc asciidoc",
        "Assembly": "asm s nasm inc",
        "Awk": "awk",
        "Batch": "bat cmd",
        "C": "c h",
        "C#": "cs csx",
        "C++": "cc cpp cxx c++ hh hpp hxx h++ ipp inl tpp ino",
        "CMake": "cmake",
        "CSS": "css pcss postcss",
        "CSV": "csv tsv psv",
        "CUDA": "cu cuh",
        "Clojure": "clj cljs cljc edn bb",
        "Configuration": "conf cnf config",
        "Crystal": "cr",
        "Cython": "pyx pxd pxi",
        "D": "d di",
        "Dart": "dart",
        "Diff": "diff patch",
        "Dockerfile": "dockerfile containerfile",
        "Elixir": "ex exs",
        "Elm": "elm",
        "Erlang": "erl hrl escript",
        "F#": "fs fsi fsx",
        "Fortran": "f f77 f90 f95 f03 f08 for",
        "GLSL": "glsl vert frag hlsl wgsl",
        "Gherkin": "feature",
        "Go": "go",
        "GraphQL": "graphql gql graphqls",
        "Groovy": "groovy gradle gvy gy",
        "HTML": "html htm xhtml shtml",
        "Haskell": "hs lhs hsc purs",
        "INI": "ini cfg desktop editorconfig gitconfig service socket timer",
        "JSON": "json json5 jsonc jsonl ndjson geojson webmanifest avsc har map",
        "JSX": "jsx",
        "Java": "java",
        "JavaScript": "js mjs cjs es6",
        "Jsonnet": "jsonnet libsonnet",
        "Julia": "jl",
        "Jupyter Notebook": "ipynb",
        "Kotlin": "kt kts",
        "Less": "less",
        "Lisp": "lisp lsp el scm rkt ss cl",
        "Lua": "lua luau",
        "MATLAB": "matlab",
        "Makefile": "mk mak make",
        "Markdown": "md markdown mdown mkd mdx qmd rmd",
        "Meson": "meson",
        "Nim": "nim nims nimble",
        "Nix": "nix",
        "OCaml": "ml mli mll mly",
        "Objective-C": "m mm",
        "Org": "org",
        "PHP": "php php3 php4 php5 php7 phtml phps",
        "Pascal": "pas pp dpr lpr",
        "Perl": "pl pm t pod perl",
        "PowerShell": "ps1 psm1 psd1",
        "Properties": "properties env",
        "Protocol Buffers": "proto",
        "Python": "py pyi pyw pyt",
        "R": "r",
        "Roff": "1 2 3 4 5 6 7 8 9 roff man mdoc",
        "Ruby": "rb rake gemspec ru podspec jbuilder",
        "Rust": "rs",
        "SCSS": "scss",
        "SQL": "sql ddl dml pgsql plsql psql",
        "SVG": "svg",
        "Sass": "sass",
        "Scala": "scala sbt sc",
        "Shell": "sh bash zsh ksh dash fish bats command",
        "Solidity": "sol",
        "Starlark": "bzl star bazel",
        "Stylus": "styl",
        "Svelte": "svelte",
        "Swift": "swift",
        "TOML": "toml",
        "TSX": "tsx",
        "Tcl": "tcl tk itcl exp",
        "TeX": "tex sty cls bib latex",
        "Templates": "hbs handlebars mustache ejs erb haml j2 jinja jinja2 njk liquid twig pug jade tmpl tpl astro"
        " eex heex leex ftl vm tt",
        "Terraform": "tf tfvars hcl nomad",
        "Text": "txt text log",
        "Thrift": "thrift",
        "TypeScript": "ts mts cts",
        "VHDL": "vhd vhdl",
        "Verilog": "v sv svh vh",
        "Vim script": "vim",
        "Visual Basic": "vb bas vbs",
        "Vue": "vue",
        "XML": "xml xsd xsl xslt wsdl plist csproj fsproj vbproj vcxproj props targets resx xaml storyboard xib rss pom"
        " filters",
        "YAML": "yaml yml eyaml sls",
        "Zig": "zig zon",
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
        "Makefile": "makefile gnumakefile bsdmakefile makefile.am makefile.in kbuild",
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
    if (
        extension
        in {"in", "tmpl", "tpl", "template", "dist", "example", "sample", "erb", "j2", "inc", "eex", "heex"}
        and "." in stem
    ):
        # `config.h.in` is a template of a C header.
        inner = _BY_EXTENSION.get(stem.rpartition(".")[2])
        if inner is not None:
            return inner
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
