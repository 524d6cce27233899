"""What Visual Studio and NuGet write into the files of a project of .NET or C++.

They keep the lists of sources and references, the settings of their dialogs, and versions of libraries. People write
targets, tasks and settings of their own. Keep out: projects in the short form (`<Project Sdk="…">`), which are theirs.
"""

import re
from collections.abc import Iterator
from typing import Final

from ingest.git.machine_text.element_names import SETTINGS

MARK: Final = "<ProjectGuid>"
REDIRECTS: Final = "<bindingRedirect>"

_PROJECT: Final = re.compile(r"\.(?:cs|vb|fs|k|x|vcx)proj$", re.IGNORECASE)
_CONFIGURATION: Final = re.compile(r"\.config$", re.IGNORECASE)
_OF_STUDIO: Final = (b"/msbuild/2003", b"<ProjectGuid>")
_SCHEMA_BYTES: Final = 600
_ELEMENT: Final = re.compile(
    rb"^\s*(?:\xef\xbb\xbf)?(?:<\?xml |</?(?:Project(?! Sdk=)|ImportGroup|ItemGroup|PropertyGroup|ItemDefinitionGroup"
    rb"|Choose|Otherwise|" + SETTINGS + rb")\b[^<>]*>(?:[^<>]*</[\w.]+>)?\s*$)"
)
_OF_TEMPLATES: Final = re.compile(
    rb"^\s*(?:<DefineConstants>(?:DEBUG;)?TRACE;?</DefineConstants>|</When>"
    rb"|<When Condition=\"(?:[ ()]|[Aa]nd|[Oo]r|==|'[\w.]*'"
    rb"|'\$\((?:VisualStudioVersion|IsCodedUITest|TargetFrameworkVersion)\)')+\">"
    rb"|<Import (?:Include=\"[\w.]+\" ?/>|Project=\"(?:"
    rb"\$\((?:MSBuild(?:Tools|Bin)Path|MSBuildExtensionsPath(?:32|64)?|VSToolsPath|VCTargetsPath|UserRootDir)\)"
    rb"[^\"<>]{0,200}[\\/](?:Microsoft|Xamarin)\.[\w.$()]{1,80}\.(?:targets|props)"
    rb"|(?:\.\.[\\/]){0,9}packages[\\/][\w.-]{1,100}\.\d[\w.-]{0,40}[\\/](?:build|tools)[\\/][^\"<>]{1,200}"
    rb"|\$\(SolutionDir\)[\\/]\.nuget[\\/][Nn]u[Gg]et\.targets"
    rb"|\$\(FSharpTargetsPath\))\"[^<>]*>))\s*$"
)
"""Elements in the forms that templates and NuGet write; people write others of the same name."""
_TARGET: Final = re.compile(rb"^\s*<Target\b(?![^>]*/>)")
_OF_PACKAGES: Final = re.compile(rb"^\s*<Target Name=\"Ensure\w*(?:Build)?Import(?:s|ed)\"")
_TARGET_END: Final = b"</Target>"
_REDIRECT: Final = re.compile(
    rb"^\s*</?(?:runtime|assemblyBinding|dependentAssembly|assemblyIdentity|bindingRedirect|publisherPolicy|startup"
    rb"|supportedRuntime)\b[^<>]*>\s*$"
)


def may_be_project(path: str) -> bool:
    """Whether Visual Studio or NuGet may write parts of the file, by its name."""
    return _PROJECT.search(path) is not None or _CONFIGURATION.search(path) is not None


def project_parts(path: str, text: bytes) -> Iterator[tuple[int, int, str]]:
    """First line, line beyond the last and mark of each part that Visual Studio or NuGet wrote."""
    if _PROJECT.search(path) is not None:
        if _OF_STUDIO[0] in text[:_SCHEMA_BYTES] and _OF_STUDIO[1] in text:
            yield from _in_project(text)
    elif _CONFIGURATION.search(path) is not None and b"<bindingRedirect " in text:
        for number, line in enumerate(text.split(b"\n")):
            if _REDIRECT.match(line) is not None:
                yield number, number + 1, REDIRECTS


def _in_project(text: bytes) -> Iterator[tuple[int, int, str]]:
    is_comment = is_own = is_of_packages = False
    for number, line in enumerate(text.split(b"\n")):
        if is_comment or b"<!--" in line:
            is_comment = line.rfind(b"-->") <= line.rfind(b"<!--")
            continue
        if not is_own and _TARGET.match(line) is not None:
            is_of_packages = _OF_PACKAGES.match(line) is not None
            is_own = not is_of_packages
        if is_of_packages or (not is_own and _is_of_studio(line)):
            yield number, number + 1, MARK
        if _TARGET_END in line:
            is_own = is_of_packages = False


def _is_of_studio(line: bytes) -> bool:
    return _ELEMENT.match(line) is not None or _OF_TEMPLATES.match(line) is not None
