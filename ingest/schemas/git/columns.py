"""Columns that several tables of `git` share."""

from ingest.schemas.fields import flag, text

SOURCE = [
    text("organization_id", "UUID of the organization."),
    text("repository_id", "UUIDv5 of the repository."),
]

VERSION = text("extractor_version", "Version of the extractor that wrote the row.")

FILE_FACTS = [
    text("language", "Language by file name or shebang; `unknown` if no rule names one."),
    text(
        "role",
        "Role by path and content: source, test, documentation, build, configuration, lock, data, export, licence or submodule.",
    ),
    flag("is_binary", "True if Git treats the content as binary, or the file is too large to compare."),
    flag("is_generated", "True for generated code, by `.gitattributes`, a marker in the file or its path."),
    flag("is_vendored", "True for third-party code, by `.gitattributes` or its path."),
    flag("is_minified", "True for a minified file, by its name or the length of its lines."),
]
