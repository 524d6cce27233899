"""The role of a file, by its path and language.

Keep out: syntax (`lexing.languages`), provenance (`provenance`) and the weight of a role (dbt).
"""

import re
from functools import lru_cache
from typing import Final

from ingest.git.files.assistant_folders import is_design, is_text_of_assistants
from ingest.git.files.names import EXPORTS, LOCKS, names
from ingest.git.files.translations import is_translation
from ingest.git.lexing.languages import TEMPLATE_LANGUAGES, UNKNOWN, Language

SOURCE: Final = "source"
TEST: Final = "test"
DOCUMENTATION: Final = "documentation"
BUILD: Final = "build"
CONFIGURATION: Final = "configuration"
LOCK: Final = "lock"
DATA: Final = "data"
EXPORT: Final = "export"
LICENCE: Final = "licence"
SUBMODULE: Final = "submodule"
TOOL_ROLES: Final = (LOCK, EXPORT)
"""Roles of files whose lines nobody wrote."""
ROLES: Final = (SOURCE, TEST, DOCUMENTATION, BUILD, CONFIGURATION, LOCK, DATA, EXPORT, LICENCE, SUBMODULE)


def _directories(*alternatives: str, at_top: str = r"(?!)") -> re.Pattern[str]:
    """A pattern for directories, anywhere in the tree or (`at_top`) at its root."""
    return re.compile(rf"(?:^|/)(?:{'|'.join(alternatives)})/|^(?:{at_top})/")


_TEST_DIRECTORIES: Final = _directories(
    r"tests?|__tests?__|__mocks__|__fixtures__|__snapshots__|specs?|unittests?|testdata|e2e(?:[-_]tests?)?|cypress",
    r"test[-_](?:data|fixtures|utils|support|helpers)|testFixtures|androidTest",
    r"(?:unit|integration|functional|acceptance|regression|system|api|ui)[-_]?tests?",
    # .NET and Swift name the directory after the tested module.
    r"[A-Za-z0-9_.]+\.(?:Unit|Integration)?Tests?|[A-Za-z0-9]*[a-z]Tests",
    # Perl keeps its tests in t, and so does Git. Tests of types stand beside sources; a deeper folder may be a page.
    at_top=r"testing|x?t|(?:packages[\w-]*/(?:[\w.-]+/)?)?(?:test-types?|types?-tests?|tests?-d|dts-tests?|dtslint)",
)
# Perl and scripts of a shell keep their tests in t beside the part that they test, or in files at the top.
# Scripts of people have the same names in the folders of programs, and letters are names of pages.
_SCRIPTED_TESTS: Final = re.compile(
    r"^(?!(?:[^/]+/)*(?:s?bin|scripts?)/)(?!(?:[^/]+/)*(?:app|lib|cgi-bin|www|templates?|views|locales?|i18n|lang)/x?t/)"
    r"(?:(?:[^/]+/)*x?t/|t(?:[-_][\w-]+)?$)"
)
_SCRIPTED_LANGUAGES: Final = frozenset({"Perl", "Raku", "Shell"})
# Production code in Maven's layout stays source, whatever its packages are called.
_NOT_TESTS: Final = re.compile(r"(?:^|/)src/main/")
_TEST_NAMES: Final = names(
    r"conftest\.py|tests?\.(?:py|rs|js|ts|rb|sh|c|cpp|el)|spec_helper\.rb|rails_helper\.rb|test_helper\.exs?",
    r"test[_-][^/]*\.(?:pyx?|rb|c|cc|cpp|cxx|h|hpp|rs|R|r|sh|jl|lua|php|el|js|ts|sql|nim|f90|tcl)|[^/]*_test_[^/]*\.py",
    r"[^/]*[_-]tests?(?:_helpers?)?\.(?:py|go|rb|rs|c|cc|cpp|cxx|h|hpp|[cm]?[jt]sx?|sh|dart|exs?|clj[cs]?|lua|php|jl)",
    r"[^/]*[_-]test_?cases?\.(?:go|py|rb|rs|[jt]s|c|cc|cpp|h)|[^/]*[_-]tests?\.(?:ml|el|zig|sql|erl)|[^/]*[_-]unittest\.(?:cc|cpp|h|py)|[^/]*_SUITE\.erl",
    r"[^/]*\.(?:test|tests|spec|specs|cy|e2e|e2e-spec|int-spec|test-d)\.(?:[cm]?[jt]sx?|vue|svelte|json|lua|php)",
    r"[^/]*[_-]spec\.(?:rb|lua|cr|[jt]sx?)|[^/]*\.tests?\.rs",
    r"(?:Test[A-Z][^/]*|[^/]*[a-z0-9](?:Tests?|TestCase|TestBase|TestSuite|IT|ITCase|Specs?|Suite))"
    r"\.(?:java|kts?|scala|groovy|cs|fs|vb|swift|php|mm?|hs|dart)",
    r"[^/]*\.(?:Tests\.ps1|bats|feature|snap|t|slt)",
)

# Folders are compared one by one, in lower case: a pattern for a whole path takes the square of its length.
_DOCUMENT_FOLDERS: Final = frozenset(
    {"doc", "docs", "documentation", "man", "manpages", "javadoc", "apidoc"}
    | {"changelog.d", "newsfragments", ".changeset"}
)
# Words of many businesses. At the top they hold documents; a program further down is no example of a document.
_BUSINESS_FOLDERS: Final = frozenset({"manual", "wiki", "guides", "changelog"})
_SOURCE_FOLDERS: Final = frozenset({"src", "lib", "app", "internal", "pkg", "cmd"})
_PAGE_LANGUAGES: Final = frozenset({"HTML", "CSS", "SCSS", "Sass", "Less", "Stylus"}) | TEMPLATE_LANGUAGES
# The text of a package stands among its classes, where Javadoc looks for it: below the folder of the sources of Java.
# Elsewhere a page of this name belongs to the program.
_PACKAGE_PAGES: Final = re.compile(r"(?:^|/)src/(?:main/|test/)?java/(?:(?:[\w-]+/)+package|overview)\.html$")
# Pages of Maven's sites. Programs have folders of the same names, so only texts count, and not below those of code.
_SITE_PAGES: Final = re.compile(
    r"(?:^|/)src/site/(?:xdoc|apt|fml)/|^(?:(?!(?:src|source|lib|app|web|tests?)/)[\w.-]+/){0,2}xdocs?/"
)
_SITE_LANGUAGES: Final = frozenset({"XML", "HTML", "unknown"})
_DOCUMENT_NAMES: Final = re.compile(
    r"(?:^|/)(?:readme|changelog|changes|history|news|release[-_]?notes|roadmap|todo|faq"
    r"|authors|contributors|contributing|maintainers|credits|thanks|governance|code[-_]of[-_]conduct|security|support"
    r"|copying|copyright|licen[cs]e|notice|patents|install|upgrad(?:e|ing))"
    r"(?:[._-][^/.]*)?(?:\.(?:md|markdown|mdx|rst|txt|adoc|asciidoc|html|org))?$",
    re.IGNORECASE,
)

_BUILD_DIRECTORIES: Final = _directories(
    r"m4|cmake",
    at_top=r"\.github/(?:workflows|actions)|\.(?:gitea|forgejo)/workflows|\.circleci|\.buildkite|\.gitlab|\.ci|ci"
    r"|\.azure-pipelines|\.teamcity|\.woodpecker|debian|buildSrc|gradle",
)
_BUILD_NAMES: Final = names(
    # Images and make
    r"(?:[^/]*\.)?(?:[Dd]ocker|Container)file(?:[._-][^/]*)?|(?:docker-)?compose[^/]*\.ya?ml|\.dockerignore",
    r"(?:GNU|BSD)?[Mm]akefile(?:[._-][^/]*)?|[Jj]ustfile|Taskfile\.ya?ml|Earthfile|Tiltfile|Vagrantfile|Procfile",
    r"[^/]*\.(?:mk|mak|cmake|m4|ac|am|ninja|bzl|bazel|gradle(?:\.kts)?|sbt|gemspec|podspec|rockspec|cabal|opam|nuspec|nimble|spec)",
    r"CMakeLists\.txt|CMakePresets\.json|meson\.build|meson[._]options(?:\.txt)?|configure(?:\.in)?|autogen\.sh",
    r"SCons(?:truct|cript)|wscript|BUILD|WORKSPACE|\.bazel(?:rc|version)|dune(?:-project)?|build\.(?:rs|sc|zig(?:\.zon)?)",
    # Manifests
    r"package\.json|pnpm-workspace\.yaml|(?:lerna|nx|turbo|rush|bower|jsr|elm)\.json|deno\.jsonc?|\.(?:npm|yarn|nvm)rc",
    r"\.yarnrc\.yml|pyproject\.toml|setup\.(?:py|cfg)|MANIFEST\.in|tox\.ini|noxfile\.py|Pipfile|\.python-version",
    r"(?:[^/]*[_-])?(?:requirements|constraints)(?:[._-][^/]*)?\.(?:txt|in)|requirements/(?:[^/]+/)*[^/]*\.(?:txt|in|pip)|environment\.ya?ml|meta\.ya?ml",
    r"pom\.xml|build\.xml|ivy\.xml|gradle\.properties|Cargo\.toml|rust-toolchain(?:\.toml)?|go\.(?:mod|work)",
    r"Gemfile|Rakefile|Brewfile|Podfile|Cartfile|Fastfile|Dangerfile|Guardfile|Capfile|\.ruby-version|composer\.json",
    r"mix\.exs|rebar\.config(?:\.script)?|project\.clj|deps\.edn|shadow-cljs\.edn|stack\.yaml|cabal\.project",
    r"pubspec\.yaml|Package(?:@swift-[\d.]+)?\.swift|Project\.toml|DESCRIPTION|NAMESPACE|(?:flake|shell|default)\.nix",
    r"[^/]*\.(?:cs|fs|vb|vcx|sql|wix)proj|[^/]*\.(?:slnx|props|targets|xcconfig)",
    r"dub\.(?:json|sdl)|packages\.config|[Nn]u[Gg]et\.[Cc]onfig|global\.json|paket\.(?:dependencies|references)",
    # Continuous integration and bots
    r"Jenkinsfile[^/]*|\.gitlab-ci[^/]*\.ya?ml|\.travis\.yml|\.?appveyor\.ya?ml|azure-pipelines[^/]*\.ya?ml",
    r"bitbucket-pipelines\.ya?ml|\.drone\.(?:yml|star)|cloudbuild\.ya?ml|\.cirrus\.yml|\.?codecov\.ya?ml",
    r"\.goreleaser\.ya?ml|\.readthedocs\.ya?ml|netlify\.toml|vercel\.json|renovate\.json5?|dependabot\.ya?ml",
    r"\.releaserc[^/]*|release-please-config\.json|\.pre-commit-config\.yaml",
    # Bundlers and similar tools
    r"(?!app\.)[\w-]+(?:\.[\w-]+)?\.config\.[cm]?[jt]s|[Gg]ulpfile\.[cm]?[jt]s|Gruntfile\.[cm]?[jt]s|[jt]sconfig[^/]*\.json",
    r"angular\.json|\.babelrc(?:\.js(?:on)?)?|\.swcrc|typedoc\.json|api-extractor\.json",
)

_CONFIGURATION_LANGUAGES: Final = frozenset(
    {"YAML", "TOML", "INI", "Properties", "Configuration", "Ignore List", "Nginx", "XML"}
)
_CONFIGURATION_PATHS: Final = re.compile(
    r"(?:^|/)(?:config|configs|configuration|conf|settings|\.vscode|\.idea|\.config|\.devcontainer|\.github)/"
    r"(?:[^/]*/)?[^/]*\.(?:json[5c]?|xml)$"
    r"|(?:^|/)[\w.-]*(?:config|[Ss]ettings|rc)\.json[5c]?$|(?:^|/)appsettings[^/]*\.json$"
    r"|(?:^|/)\.[\w-]+(?:rc|ignore|config|attributes)(?:\.(?:json[5c]?|ya?ml|toml|[cm]?js))?$"
)
# XML that people write as programs or pages.
_SOURCE_XML: Final = re.compile(
    r"\.(?:xsl|xslt|xsd|wsdl|xaml)$|(?:^|/)res/(?:layout|menu|navigation)[^/]*/[^/]*\.xml$"
)

_DATA_LANGUAGES: Final = frozenset({"JSON", "CSV", "SVG", "Jupyter Notebook", "Diff"})
_EXTENSIONS: Final = (
    "7z aac aof avi avif avro bin bmp br bz2 cer class crt csr dat db dll dmg doc docx dylib eot eps "
    "exe fbx flac gif glb golden gltf gpg gz h5 hdf5 icns ico ics jar jpeg jpg key lib lz4 mo mov "
    "mp3 mp4 mpg npy npz o obj odt ogg onnx otf out parquet pb pcap pdf pem pfx pickle pkl png po "
    "pot ppm ppt pptx psd rar rdb safetensors so sqlite sqlite3 srt stl swf tar tga tgz tif tiff ttf "
    "vtt war wasm wav webm webp whl woff woff2 xcf xls xlsx xz zip zst "
    # Surfaces that people draw in an editor
    "storyboard xib"
)
_DATA_EXTENSIONS: Final = frozenset(_EXTENSIONS.split())


@lru_cache(maxsize=65_536)
def role_of(path: str, language: Language = UNKNOWN) -> str:
    """The role of the file at `path`, one of `ROLES`; `language` is the result of `language_of`."""
    if LOCKS.search(path):
        return LOCK
    if EXPORTS.search(path):
        return EXPORT
    if is_translation(path):
        return DATA
    if is_text_of_assistants(path, language):
        return DOCUMENTATION
    if _TEST_NAMES.search(path):
        return TEST
    if _DOCUMENT_NAMES.search(path) and (language is UNKNOWN or language.is_prose or language.name == "HTML"):
        return DOCUMENTATION
    if _TEST_DIRECTORIES.search(path) and not _NOT_TESTS.search(path):
        return DOCUMENTATION if is_design(path, language) else TEST
    if language.name in _SCRIPTED_LANGUAGES and _SCRIPTED_TESTS.search(path):
        return TEST
    if _BUILD_DIRECTORIES.search(path) or _BUILD_NAMES.search(path):
        return BUILD
    if language.is_prose or is_in_documents(path, language) or _PACKAGE_PAGES.search(path):
        return DOCUMENTATION
    if language.name in _SITE_LANGUAGES and _SITE_PAGES.search(path):
        return DOCUMENTATION
    return _of_contents(path, language)


def is_in_documents(path: str, language: Language) -> bool:
    """Whether the place of a file makes it a document, whatever it holds."""
    folders = path.lower().split("/")[:-1]
    if not _DOCUMENT_FOLDERS.isdisjoint(folders):
        return True
    business = next((at for at, folder in enumerate(folders) if folder in _BUSINESS_FOLDERS), None)
    if business is None:
        return False
    if language.name in _PAGE_LANGUAGES:
        # Beside the program, pages belong to it.
        return _SOURCE_FOLDERS.isdisjoint(folders[:business])
    is_program = language is not UNKNOWN and language.name not in _CONFIGURATION_LANGUAGES | _DATA_LANGUAGES
    return business == 0 or not is_program


def _of_contents(path: str, language: Language) -> str:
    if _CONFIGURATION_PATHS.search(path):
        return CONFIGURATION
    is_data = path.rpartition(".")[2].lower() in _DATA_EXTENSIONS
    if language.name in _CONFIGURATION_LANGUAGES and not is_data:
        return SOURCE if _SOURCE_XML.search(path) else CONFIGURATION
    # What no language claims is no program that people of the field know.
    if is_data or language is UNKNOWN or language.name in _DATA_LANGUAGES:
        return DATA
    return SOURCE
