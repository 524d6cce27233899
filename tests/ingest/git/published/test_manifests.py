"""Manifests and titles that name the project."""

import pytest

from ingest.git.published.manifests import is_manifest, named_library

LIBRARIES = ["Chart.js", "Commons IO", "Slick", "Spectre.css"]


@pytest.mark.parametrize(
    ("path", "text", "library"),
    [
        ("package.json", '{\n  "name": "chart.js",\n', "Chart.js"),
        ("package.json", '{"name": "chart"}', "Chart.js"),
        ("package.json", '{"name": "slick.js"}', "Slick"),
        ("package.json", '{"name": "js"}', None),
        ("README.md", "# Spectre\n", "Spectre.css"),
        ("bower.json", '{"name": "@acme/slick"}', "Slick"),
        ("composer.json", '{"name": "acme/slick"}', "Slick"),
        ("setup.py", 'setup(\n    name="slick",\n', "Slick"),
        ("setup.cfg", "[metadata]\nname = slick\n", "Slick"),
        ("pyproject.toml", '[project]\nname = "slick"\n', "Slick"),
        ("pom.xml", "<artifactId>parent</artifactId>\n<artifactId>commons-io</artifactId>", "Commons IO"),
        ("pom.xml", "<parent><artifactId>slick</artifactId></parent><artifactId>a</artifactId>", None),
        ("pom.xml", "<dependencies><dependency><artifactId>slick</artifactId></dependency>", None),
        ("slick.gemspec", "Gem::Specification.new do |s|\n  s.name = 'slick'\n", "Slick"),
        ("CMakeLists.txt", "project(slick C)\n", "Slick"),
        ("configure.ac", "AC_INIT([slick], [1.0])\n", "Slick"),
        ("README.md", "# Slick - a carousel\n", "Slick"),
        ("README.rst", "=====\nSlick\n=====\n", "Slick"),
        ("README.md", "# A shop with Slick\n", None),
        ("README.md", "# Slick themes\n", None),
        ("package.json", '{"name": "shop", "dependencies": {"slick": "1"}}', None),
        ("package.json", '{"name": "slick-theme"}', None),
    ],
)
def test_a_manifest_names_the_project(path: str, text: str, library: str | None) -> None:
    assert is_manifest(path)
    assert named_library(path, text.encode(), LIBRARIES) == library


@pytest.mark.parametrize("path", ["web/package.json", "src/readme.c", "main.py", "docs/README.md"])
def test_other_files_name_no_project(path: str) -> None:
    assert not is_manifest(path)
