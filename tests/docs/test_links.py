"""The documentation has no link that leads nowhere, and the checker finds one that does."""

from pathlib import Path

from tests.docs import links


def test_every_link_of_the_documentation_leads_somewhere() -> None:
    assert len(links.pages(links.CHECKOUT)) > 10
    assert links.broken(links.CHECKOUT) == []


def test_missing_files_headings_and_images_are_found(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "guide.md").write_text("# Two words, `code`\n\n## Again\n\n## Again\n")
    (tmp_path / "README.md").write_text(
        "[a](docs/guide.md) [b](docs/guide.md#two-words-code) [c](docs/guide.md#again-1) [d](https://example.org/x)\n\n"
        "[e](docs/gone.md) [f](docs/guide.md#gone)\n\n| table |\n|---|\n| [g](#gone) ![h](gone.svg) |\n\n"
        "`[i](gone.md)`\n"
    )
    assert links.broken(tmp_path) == [
        "README.md:3: docs/gone.md",
        "README.md:3: docs/guide.md#gone",
        "README.md:7: #gone",
        "README.md:7: gone.svg",
    ]
