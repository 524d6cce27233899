"""What Visual Studio and NuGet write into a project, and what people add to it."""

import time

import pytest

from ingest.git.files.names import LOCKS
from ingest.git.machine_text.machine_parts import machine_parts, may_have_parts, words_finder

HEAD = """\ufeff<?xml version="1.0" encoding="utf-8"?>
<Project ToolsVersion="12.0" DefaultTargets="Build" xmlns="http://schemas.microsoft.com/developer/msbuild/2003">
"""
GLOBALS = """  <PropertyGroup>
    <Configuration Condition=" '$(Configuration)' == '' ">Debug</Configuration>
    <ProjectGuid>{D0CDC351-9F10-4531-BDFF-D9796487E9CE}</ProjectGuid>
    <OutputType>Library</OutputType>
  </PropertyGroup>
"""
LISTS = """  <ItemGroup>
    <Reference Include="Shop.Core">
      <HintPath>..\\packages\\Shop.1.2.2\\lib\\Shop.Core.dll</HintPath>
    </Reference>
    <Compile Include="Cart.cs" />
    <EmbeddedResource Include="Cart.resx">
      <DependentUpon>Cart.cs</DependentUpon>
    </EmbeddedResource>
  </ItemGroup>
  <Import Project="$(MSBuildToolsPath)\\Microsoft.CSharp.targets" />
  <Target Name="EnsureBclBuildImported" BeforeTargets="BeforeBuild" Condition="'$(BclBuildImported)' == ''">
    <Error Condition="!Exists('..\\packages\\Bcl.targets')" Text="This project references packages that are missing." />
  </Target>
  <Target Name="EnsureNuGetPackageBuildImports" BeforeTargets="PrepareForBuild">
    <PropertyGroup>
      <ErrorText>This project references packages that are missing.</ErrorText>
    </PropertyGroup>
  </Target>
"""
COMMENT = """  <!-- To modify your build process, add your task inside one of the targets below and uncomment it.
  <Target Name="BeforeBuild">
  </Target>
  -->
"""
OWN = """  <Target Name="PackTools" AfterTargets="Build">
    <ItemGroup>
      <None Include="tools\\**" />
    </ItemGroup>
    <Exec Command="pack $(OutDir)" />
  </Target>
  <PropertyGroup>
    <PackedBy>us</PackedBy>
  </PropertyGroup>
"""
REDIRECTS = """  <runtime>
    <assemblyBinding xmlns="urn:schemas-microsoft-com:asm.v1">
      <dependentAssembly>
        <assemblyIdentity name="System.Runtime" publicKeyToken="b03f5f7f11d50a3a" culture="neutral" />
        <bindingRedirect oldVersion="0.0.0.0-2.5.19.0" newVersion="2.5.19.0" />
      </dependentAssembly>
    </assemblyBinding>
  </runtime>
"""


def left(path: str, text: str) -> str:
    """The lines that people wrote."""
    lines = text.encode().split(b"\n")
    taken = {n for start, stop, _ in machine_parts(path, text.encode()) for n in range(start, stop)}
    assert may_have_parts(path, text.encode(), words_finder()) or not taken
    return b"\n".join(line for number, line in enumerate(lines) if number not in taken).decode()


@pytest.mark.parametrize("ending", ["csproj", "vbproj", "fsproj", "kproj", "vcxproj"])
def test_lists_and_settings_of_a_project_are_written_by_its_editor(ending: str) -> None:
    text = HEAD + GLOBALS + LISTS + COMMENT + "</Project>"
    assert left(f"src/Shop/Shop.{ending}", text) == COMMENT.removesuffix("\n")


def test_targets_and_own_settings_of_a_project_are_of_people() -> None:
    found = left("Shop.csproj", HEAD + GLOBALS + LISTS + OWN + COMMENT + OWN + "</Project>").splitlines()
    own = [
        line for line in OWN.splitlines() if "<PropertyGroup>" not in line and line != "  </PropertyGroup>"
    ]
    assert found == [*own, *COMMENT.splitlines(), *own]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("Shop.csproj", '<Project Sdk="Microsoft.NET.Sdk">\n' + GLOBALS + LISTS + "</Project>"),
        # A build that people wrote has no identity in a solution.
        ("build.csproj", HEAD + LISTS + "</Project>"),
        ("build.targets", HEAD + GLOBALS + LISTS + "</Project>"),
        (
            "app.config",
            "<configuration>\n  <appSettings>\n    <add key='a' />\n  </appSettings>\n</configuration>",
        ),
        ("app.xml", REDIRECTS),
    ],
)
def test_other_descriptions_of_builds_are_of_people(path: str, text: str) -> None:
    assert left(path, text) == text


def test_versions_of_libraries_in_settings_are_written_by_their_manager() -> None:
    settings = "  <appSettings>\n    <add key='bindingRedirect ' />\n  </appSettings>\n"
    text = "<configuration>\n" + settings + REDIRECTS + "</configuration>"
    assert left("src/Shop/App.config", text) == "<configuration>\n" + settings + "</configuration>"


def elements(*lines: str) -> list[str]:
    """Of lines in a project, those that people wrote."""
    text = HEAD + GLOBALS + "".join(f"  {line}\n" for line in lines) + "</Project>"
    return [line.strip() for line in left("Shop.csproj", text).splitlines()]


OWN_ELEMENTS = [
    "<DefineConstants>TRACE;OWN_FEATURE;WITH_GPU</DefineConstants>",
    "<When Condition=\"'$(WithGpu)' == 'true'\">",
    "<When Condition=\"Exists('gpu.h')\">",
    '<Import Project="..\\build\\Own.targets" />',
    '<Import Project="$(SolutionDir)build\\Microsoft.Own.targets" />',
    '<Import Project="$(MSBuildThisFileDirectory)Own.props" />',
]
ELEMENTS_OF_TEMPLATES = [
    "<DefineConstants>DEBUG;TRACE</DefineConstants>",
    "<Choose>",
    "<When Condition=\"'$(VisualStudioVersion)' == '10.0' And '$(IsCodedUITest)' == 'True'\">",
    "<When Condition=\"('$(VisualStudioVersion)' == '10.0' or '$(VisualStudioVersion)' == '')\">",
    "</When>",
    "</Choose>",
    '<Import Project="$(MSBuildToolsPath)\\Microsoft.CSharp.targets" />',
    '<Import Project="$(VSToolsPath)\\TeamTest\\Microsoft.TestTools.targets" Condition="Exists(\'x\')" />',
    '<Import Project="$(VCTargetsPath)\\Microsoft.Cpp.Default.props" />',
    '<Import Project="..\\packages\\xunit.core.2.1.0\\build\\xunit.core.props" Condition="Exists(\'x\')" />',
    '<Import Project="$(SolutionDir)\\.nuget\\NuGet.targets" />',
]


def test_own_symbols_conditions_and_imports_are_of_people() -> None:
    assert elements(*OWN_ELEMENTS, *ELEMENTS_OF_TEMPLATES) == OWN_ELEMENTS


@pytest.mark.parametrize(
    ("path", "is_lock"),
    [
        ("src/Shop/packages.config", True),
        ("src/packages.Shop.config", True),
        ("packages/repositories.config", True),
        ("src/config/repositories.config", False),
        ("src/Shop/Web.config", False),
        ("src/Shop/my-packages.config.cs", False),
    ],
)
def test_packages_that_were_installed_are_a_lock(path: str, is_lock: bool) -> None:
    assert (LOCKS.search(path) is not None) is is_lock


@pytest.mark.parametrize(
    "line",
    [
        "<Compile " + ">" * 100_000,
        "<Compile " + "> " * 50_000,
        "<Compile>" + "</a>" * 25_000,
        '<When Condition="' + "and or '' " * 10_000,
        '<Import Project="$(VSToolsPath)' + "\\Microsoft.a" * 8_000,
        '<Import Project="' + "..\\" * 33_000,
        '<Import Project="packages\\a' + ".1" * 50_000,
    ],
    ids=lambda line: line[:30],
)
def test_a_hostile_line_takes_no_time(line: str) -> None:
    start = time.process_time()
    machine_parts("a.csproj", (HEAD + GLOBALS + line + "\n").encode())
    machine_parts("a.config", ("<bindingRedirect \n<runtime " + line + "\n").encode())
    assert time.process_time() - start < 0.5


def test_a_hostile_project_takes_no_time() -> None:
    start = time.process_time()
    for line in (
        "<ItemGroup " * 5_000,
        "<!--" * 20_000,
        "<Compile Include='a'>" + "x" * 50_000,
        " " * 50_000,
    ):
        machine_parts("a.csproj", (HEAD + GLOBALS + f"{line}\n" * 20).encode())
    assert time.process_time() - start < 5
