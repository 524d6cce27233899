"""Shapes of commits: in lists, and explained down to the line class."""

from datetime import date, datetime
from typing import Literal

from pydantic import Field

from api.http.shapes import Page, Shape

CategoryName = Literal["FEATURES", "MAINTENANCE", "TESTS", "DOCUMENTATION", "FIXES"]
MICROS = "Integer millionths."
METHODS = (
    "How the category was decided: decided (by a person), path, content, declared_type, overruled_type (a declared "
    "chore or refactoring that reads as a feature), model, default."
)


class Commit(Shape):
    """A commit and its value. Everything is null or 0 where it has none, and `zeroReason` says why."""

    id: str = Field(examples=["3c2f8a59-5a0e-5a3f-8a55-90c1c0ac35e2"])
    sha: str = Field(examples=["9fceb02d0ae598e95dc970b74767f19372d61af8"])
    repository_id: str
    repository_name: str = Field(examples=["acme/web"])
    developer_id: str | None
    developer_name: str | None = Field(examples=["Ada Lovelace"])
    is_bot: bool
    author_name: str
    author_email: str
    authored_at: datetime
    committed_at: datetime
    subject: str = Field(examples=["Page tokens survive a republish"])
    is_merge: bool
    parent_shas: list[str]
    delivery_sha: str | None = Field(
        description="Step of the default branch that brought it; null: not delivered."
    )
    delivered_at: datetime | None
    delivered_on: date | None = Field(description="Day of delivery, local to the organization.")
    is_counted: bool
    zero_reason: str | None = Field(
        description="Why nothing of it counts, as `…/zeroReasons` explains: EXCLUDED_BY_HAND (see `exclusionReason`), "
        "EXCLUDED (its repository), BEFORE_START, WAITING (over the limit of the plan), BOT, IMPORT, IMPORT_WAITING "
        "(zero until rework shows that it is own work), MERGE, NOT_DELIVERED, or the reason of most of its new lines, "
        "such as GENERATED, LOCK, DUPLICATE, NO_COUNTED_LINES; null when it counts.",
        examples=["NOT_DELIVERED"],
    )
    import_burst_id: str | None = Field(
        description="The burst that brought it in with code from elsewhere (`…/importBursts/{id}`); null for own work."
    )
    exclusion_reason: str | None = Field(
        description="Why somebody left it out; null where nobody did, and for whom may not list exclusions."
    )
    exclusion_note: str | None = Field(description="The same in words.")
    duplicate_of_sha: str | None
    category: CategoryName | None = Field(description="The category with most ETV.")
    category_method: str | None = Field(description=METHODS)
    category_confidence: float | None = Field(
        ge=0, le=1, description="Share of decisions this sure that are right."
    )
    points: float
    effort: float = Field(description="About hours.")
    etv: float = Field(examples=[1.25])
    features_etv: float
    maintenance_etv: float
    tests_etv: float
    documentation_etv: float
    fixes_etv: float
    files_changed: int
    lines_added: int
    lines_deleted: int
    is_ai_assisted: bool
    ai_tools: list[str]
    is_credit_estimated: bool = Field(description="Shared by trailers, as the source commits are unknown.")
    is_provisional: bool = Field(description="What comes within 14 days may still take credit back.")
    provisional_until: datetime | None
    calculation_version: str


class CommitPage(Page):
    """A page of commits."""

    commits: list[Commit]


class LineClass(Shape):
    """Lines of a file change that weigh the same for the same reason."""

    class_: str = Field(
        alias="class",
        description="LAYOUT, MOVED, RETURNED, COPIED, SUBSTITUTED, COMMENT, NOVEL, REMOVED and what they became.",
        examples=["NOVEL"],
    )
    original_class: str | None = Field(description="Its class before a later rule changed it.")
    tokens: int | None
    rank: int | None = Field(description="Which of the lines of this shape it is in the delivery.")
    lines: int
    weight_micros: int | None = Field(description=f"Weight of one line. {MICROS}")
    points_micros: int = Field(description=MICROS)
    note: str | None


class CommitFile(Shape):
    """A file change: line classes add up to points, points times factors to ETV, in integers."""

    path: str
    previous_path: str | None
    delivery_sha: str | None
    status: Literal["ADDED", "COPIED", "DELETED", "MODIFIED", "RENAMED", "TYPE_CHANGED"]
    language: str | None
    role: str | None
    zero_reason: str | None
    category: CategoryName | None
    category_method: str | None = Field(description=METHODS)
    category_confidence: float | None = Field(description="Share of decisions this sure that are right.")
    category_evidence: str | None = Field(
        description="What decided: the role of the path, the declared type, or the word and the part of the change "
        "that weighed most.",
        examples=['"support" in the subject; new lines: 161 to 320'],
    )
    copied_from: str | None
    etv: float
    line_points_micros: int = Field(description=f"Points of added lines. {MICROS}")
    removed_points_micros: int = Field(description=f"Points of removed lines. {MICROS}")
    file_bonus_micros: int = Field(description=f"For touching an existing file. {MICROS}")
    role_factor_micros: int = Field(description=f"Test files count less. {MICROS}")
    points_micros: int = Field(description=MICROS)
    effort_micros: int = Field(description=f"Points ÷ 58. {MICROS}")
    multiplier_micros: int = Field(description=f"1.0 to 2.0, fixes of costly bugs only. {MICROS}")
    etv_micros: int = Field(description=MICROS)
    line_classes: list[LineClass]


class FilePage(Page):
    """A page of file changes of one commit."""

    files: list[CommitFile]


class Credit(Shape):
    """A developer's part in a commit. Parts add up to the whole."""

    developer_id: str
    developer_name: str | None
    role: Literal["AUTHOR", "CO_AUTHOR"]
    share: float
    etv: float
    effort: float


class AiEvidence(Shape):
    """A sign that an AI tool had a part in the commit."""

    tool: str = Field(examples=["claude_code"])
    role: str = Field(description="AUTHORED, ASSISTED or REVIEWED.")
    signal: str
    matched_text: str
    confidence: float


class LikelyOrigin(Shape):
    """A commit from which the bug that is fixed may have come: a likelihood about code, no verdict on its author."""

    commit_id: str
    commit_sha: str
    likelihood: float = Field(description="How often an answer like this is right, 0 to 1.")
    age_days: int = Field(description="Days from the delivery of that commit to that of the fix.")
    basis: Literal["REMOVED_LINES", "SURROUNDINGS"] = Field(
        description="What tells it: lines that the fix removes, or where it removes none, those around its changes."
    )


class ExplainedCommit(Commit):
    """A commit with everything that makes its value."""

    explanation: str | None = Field(description="One sentence: what makes its value.")
    files: list[CommitFile]
    file_total: int = Field(description="All its file changes, shown here or not.")
    credits: list[Credit]
    ai_evidence: list[AiEvidence]
    likely_origins: list[LikelyOrigin] = Field(
        description="Of a fix, the likeliest first. Empty for other commits, and where nothing can be told."
    )
