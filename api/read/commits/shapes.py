"""Shapes of commits: in lists, and explained down to the line class."""

from datetime import date, datetime
from typing import Annotated, Literal

from pydantic import Field

from api.query.columns import Kind
from api.query.fields import NOT_STORED, EnumName, Id, Micro, Stored
from api.shapes import Shape

CategoryName = Literal["FEATURES", "MAINTENANCE", "TESTS", "DOCUMENTATION", "FIXES"]
MICROS = "Integer millionths."
METHODS = (
    "The source of the category: decided (by a person), path, content, declared_type, overruled_type "
    "(a declared chore or refactoring that reads like a feature), model, default."
)


class Commit(Shape):
    """A commit and its score. Without a score all amounts are null or 0, and `zeroReason` says why."""

    id: Annotated[Id, Stored("commit_id")] = Field(examples=["3c2f8a59-5a0e-5a3f-8a55-90c1c0ac35e2"])
    sha: Annotated[str, Stored("commit_sha")] = Field(examples=["9fceb02d0ae598e95dc970b74767f19372d61af8"])
    repository_id: Id
    repository_name: str = Field(examples=["acme/web"])
    developer_id: Id | None
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
        description="The step of the default branch that delivered the commit; null: not delivered."
    )
    delivered_at: datetime | None
    delivered_on: date | None = Field(description="Day of delivery, in the organization's time zone.")
    is_counted: bool
    zero_reason: EnumName | None = Field(
        description="Why the commit does not count, as in `…/zeroReasons`: EXCLUDED_BY_HAND (see "
        "`exclusionReason`), EXCLUDED (its repository), BEFORE_START, WAITING (over the "
        "limit of the plan), BOT, IMPORT, IMPORT_WAITING (zero until rework shows own "
        "work), MERGE, NOT_DELIVERED, or the reason of most of its new lines, such as "
        "GENERATED, LOCK, DUPLICATE, NO_COUNTED_LINES; null for a counted commit.",
        examples=["NOT_DELIVERED"],
    )
    import_burst_id: Id | None = Field(
        description="The import burst of the commit (`…/importBursts/{id}`); null for own work."
    )
    exclusion_reason: str | None = Field(
        description="The reason of a manual exclusion; null without one, and for callers who may not "
        "list exclusions."
    )
    exclusion_note: str | None = Field(description="The reason in words.")
    duplicate_of_sha: str | None
    category: CategoryName | None = Field(description="The category with the most ETV.")
    category_method: str | None = Field(description=METHODS)
    category_confidence: float | None = Field(
        ge=0, le=1, description="The share of correct decisions among those with this confidence."
    )
    points: Micro
    effort: Micro = Field(description="Approximate hours.")
    etv: Micro = Field(examples=[1.25])
    features_etv: Micro
    maintenance_etv: Micro
    tests_etv: Micro
    documentation_etv: Micro
    fixes_etv: Micro
    files_changed: int
    lines_added: int
    lines_deleted: int
    is_ai_assisted: bool
    ai_tools: list[str]
    is_credit_estimated: bool = Field(
        description="The credit is split by trailers, because the source commits are unknown."
    )
    is_provisional: bool = Field(description="Changes within 14 days can still reduce the credit.")
    provisional_until: datetime | None
    calculation_version: str


class LineClass(Shape):
    """Lines of a file change with the same weight and the same reason."""

    class_: EnumName = Field(
        alias="class",
        description="LAYOUT, MOVED, RETURNED, COPIED, SUBSTITUTED, COMMENT, NOVEL, REMOVED, or a "
        "later class.",
        examples=["NOVEL"],
    )
    original_class: EnumName | None = Field(description="Its class before a later rule changed it.")
    tokens: int | None
    rank: int | None = Field(description="The rank among the lines of the same shape in the delivery.")
    lines: Annotated[int, NOT_STORED]
    weight_micros: Annotated[int, NOT_STORED] | None = Field(description=f"Weight of one line. {MICROS}")
    points_micros: Annotated[int, NOT_STORED] = Field(description=MICROS)
    note: str | None


class CommitFile(Shape):
    """A file change. Line classes add up to points, and points times factors to ETV, in integers."""

    path: str
    previous_path: str | None
    delivery_sha: str | None
    status: Literal["ADDED", "COPIED", "DELETED", "MODIFIED", "RENAMED", "TYPE_CHANGED"]
    language: str | None
    role: EnumName | None
    zero_reason: EnumName | None
    category: CategoryName | None
    category_method: str | None = Field(description=METHODS)
    category_confidence: float | None = Field(
        description="The share of correct decisions among those with this confidence."
    )
    category_evidence: str | None = Field(
        description="What decided the category: the role of the path, the declared type, or the word "
        "and the structural feature with the largest weight.",
        examples=['"support" in the subject; new lines: 161 to 320'],
    )
    copied_from: str | None
    etv: Micro
    line_points_micros: int = Field(description=f"Points of added lines. {MICROS}")
    removed_points_micros: int = Field(description=f"Points of removed lines. {MICROS}")
    file_bonus_micros: int = Field(description=f"For touching an existing file. {MICROS}")
    role_factor_micros: int = Field(description=f"Test files count less. {MICROS}")
    points_micros: int = Field(description=MICROS)
    effort_micros: int = Field(description=f"Points ÷ 58. {MICROS}")
    multiplier_micros: int = Field(description=f"1.0 to 2.0, fixes of costly bugs only. {MICROS}")
    etv_micros: int = Field(description=MICROS)
    line_classes: Annotated[list[LineClass], Kind.LIST]


class Credit(Shape):
    """A developer's share of a commit. The shares add up to the whole."""

    developer_id: str
    developer_name: Annotated[str, NOT_STORED] | None
    role: Literal["AUTHOR", "CO_AUTHOR"]
    share: Micro
    etv: Micro
    effort: Micro


class AiEvidence(Shape):
    """Evidence that an AI tool contributed to the commit."""

    tool: str = Field(examples=["claude_code"])
    role: EnumName = Field(description="AUTHORED, ASSISTED or REVIEWED.")
    signal: EnumName
    matched_text: str
    confidence: float


class LikelyOrigin(Shape):
    """A possible bug-introducing commit. The likelihood is about code, not a verdict on its author."""

    commit_id: Annotated[str, Stored("origin_commit_id")]
    commit_sha: Annotated[str, Stored("origin_sha")]
    likelihood: Micro = Field(description="The share of correct answers of this kind, 0 to 1.")
    age_days: int = Field(description="Days between the deliveries of that commit and the fix.")
    basis: Literal["REMOVED_LINES", "SURROUNDINGS"] = Field(
        description="The evidence: lines that the fix removes, or without removed lines those around "
        "its changes."
    )


class ExplainedCommit(Commit):
    """A commit with the explanation of its score."""

    explanation: str | None = Field(description="The explanation of the score in one sentence.")
    files: Annotated[list[CommitFile], NOT_STORED]
    file_total: Annotated[int, NOT_STORED] = Field(description="The number of all its file changes.")
    credits: Annotated[list[Credit], NOT_STORED]
    ai_evidence: Annotated[list[AiEvidence], NOT_STORED]
    likely_origins: Annotated[list[LikelyOrigin], NOT_STORED] = Field(
        description="For a fix: the bug-introducing commits, most likely first. Empty for other "
        "commits and without evidence."
    )
