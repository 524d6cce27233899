"""Shapes of work without ETV."""

from datetime import date
from typing import Literal

from pydantic import Field

from api.read.zero_reasons.names import ZeroReasonName
from api.shapes import Shape

SHARE = "0 to 1; null when that total is 0."


class Work(Shape):
    """An amount of delivered work."""

    commits: int = Field(
        description="The number of commits; in `total` and the reasons, excluded ones included."
    )
    files: int = Field(description="The number of file changes.")
    lines_added: int = Field(description="New lines, as `git log --numstat` counts them.")


class LargeCommit(Shape):
    """A commit with many new lines without ETV."""

    id: str
    sha: str
    repository_id: str
    repository_name: str = Field(examples=["acme/web"])
    author_name: str
    subject: str
    delivered_on: date
    files: int = Field(description="The number of its file changes with this reason.")
    lines_added: int = Field(description="The new lines in these file changes.")
    link: str = Field(
        description="URL of the commit on its Git host; when the host is unknown, its path in this API.",
        examples=["https://github.com/acme/web/commit/9fceb02d0ae598e95dc970b74767f19372d61af8"],
    )


class ZeroReason(Work):
    """A reason with the affected work."""

    zero_reason: ZeroReasonName = Field(
        description="The `zeroReason` of commits and files.", examples=["GENERATED"]
    )
    level: Literal["COMMIT", "FILE"] = Field(
        description="COMMIT: the reason applies to whole commits. FILE: the reason applies to single file "
        "changes, also in counted commits; `commits` is then the number of commits without a "
        "counted file change for which most new lines have this reason."
    )
    title: str = Field(examples=["Generated file"])
    description: str = Field(examples=["A tool wrote the file."])
    commit_share: float | None = Field(description=f"Share of all delivered commits. {SHARE}")
    line_share: float | None = Field(description=f"Share of all new lines. {SHARE}")
    largest: list[LargeCommit] = Field(
        description="The five commits with the most such lines. Empty in an organization that hides "
        "individual figures."
    )


class ZeroReasonWarning(Shape):
    """A reason that applies to an unusually large part of a repository."""

    zero_reason: ZeroReasonName = Field(description="The reason for no ETV.")
    title: str = Field(description="The reason in words.")
    repository_id: str
    repository_name: str
    commit_share: float = Field(description="Share of the repository's delivered commits, 0 to 1.")
    line_share: float = Field(description="Share of its new lines, 0 to 1.")
