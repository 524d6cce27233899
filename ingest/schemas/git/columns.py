"""Columns that several tables of `git` share."""

from ingest.schemas.fields import flag, text

SOURCE = [
    text("organization_id", "UUID of the organization."),
    text("repository_id", "UUIDv5 of the repository."),
]

VERSION = text("extractor_version", "Version of the extractor that wrote the row.")

FILE_FACTS = [
    text("language", "Language by name or shebang, `unknown` otherwise."),
    text("role", "source, test, documentation, build, configuration, lock or data; by path rules."),
    flag("is_binary", "Git sees binary content, or the file is too large to compare."),
    flag("is_generated", "Marked by `.gitattributes`, a content marker or a path rule."),
    flag("is_vendored", "Marked by `.gitattributes` or a path rule."),
    flag("is_minified", "Minified by name or by line length."),
]
