"""Shapes of commits: in lists, and explained down to the line class."""

from datetime import date, datetime
from typing import Annotated, Literal

from pydantic import Field

from api.query.columns import Kind
from api.query.fields import NOT_STORED, EnumName, Id, Micro, Stored
from api.read.ai_usage.shapes import CONFIDENCE_OF_COST
from api.read.alignment.issue_shapes import CommitIssue
from api.read.commits.line_shapes import MICROS, CommitLines, LineClass
from api.read.zero_reasons.names import ZeroReasonName
from api.shapes import Shape

CategoryName = Literal["FEATURES", "MAINTENANCE", "TESTS", "DOCUMENTATION", "FIXES"]
METHODS = (
    "The method that chose the category: decided (a person), path, content, declared_type "
    "(such as `fix:` in the subject), overruled_type (a declared chore or refactoring that "
    "looks like a feature), model, endpoint (the answer of a model endpoint), default."
)


class Commit(Shape):
    """A commit and its score. A commit without ETV has null or 0 as amounts, and the reason in `zeroReason`."""

    id: Annotated[Id, Stored("commit_id")] = Field(examples=["3c2f8a59-5a0e-5a3f-8a55-90c1c0ac35e2"])
    sha: Annotated[str, Stored("commit_sha")] = Field(examples=["9fceb02d0ae598e95dc970b74767f19372d61af8"])
    repository_id: Id
    repository_name: str = Field(examples=["acme/web"])
    developer_id: Id | None
    developer_name: str | None = Field(examples=["Ada Lovelace"])
    is_bot: bool = Field(description="true: the developer is an automatic account.")
    author_name: str = Field(description="Name of the author as written in the commit.")
    author_email: str = Field(description="Email address of the author as written in the commit.")
    authored_at: datetime
    committed_at: datetime
    subject: str = Field(
        examples=["Page tokens survive a republish"], description="First paragraph of the commit message."
    )
    is_merge: bool = Field(description="true: the commit has two or more parents.")
    parent_shas: list[str]
    delivery_sha: str | None = Field(
        description="SHA of the commit on the default branch that delivered this one (itself or a merge); "
        "null: not delivered."
    )
    delivered_at: datetime | None = Field(
        description="Instant of the delivery to the default branch; null: not delivered."
    )
    delivered_on: date | None = Field(description="Day of delivery, in the organization's time zone.")
    pull_request_id: Id | None = Field(
        description="The pull request that delivered the commit (`…/pullRequests/{id}`); null without one."
    )
    pull_request_number: int | None = Field(
        description="Number of that pull request within the repository.", examples=[417]
    )
    is_counted: bool = Field(description="true: the commit counts in totals.")
    zero_reason: ZeroReasonName | None = Field(
        description="The reason for no ETV, as in `…/zeroReasons`: EXCLUDED_BY_HAND (see `exclusionReason`), "
        "EXCLUDED (the repository is excluded), BEFORE_START (before the start of the analysis), "
        "WAITING (for the license, the payment or the limit of the plan), UPSTREAM (of the parent of a fork), BOT, "
        "IMPORT, IMPORT_WAITING (an import that rework within two weeks can still show to be own work), "
        "REPOSITORY_COPY (counts in the repository of which this one is a copy), MERGE, NOT_DELIVERED, or the reason "
        "for most of its new lines, such as GENERATED, LOCK, DUPLICATE, NO_COUNTED_LINES. Null for a "
        "counted commit.",
        examples=["NOT_DELIVERED"],
    )
    import_burst_id: Id | None = Field(
        description="The import burst of the commit (`…/importBursts/{id}`); null when the commit is in none."
    )
    exclusion_reason: str | None = Field(
        description="The reason for a manual exclusion; null without one, and for callers who may not list "
        "exclusions."
    )
    exclusion_note: str | None = Field(description="The reason in words.")
    duplicate_of_sha: str | None = Field(
        description="SHA of the earlier delivery with the same change; null without one."
    )
    category: CategoryName | None = Field(description="The category with the most ETV.")
    category_label: str | None = Field(
        description="The category in words, after the purpose of the commit where most ETV is elsewhere.",
        examples=["bug fix, mostly tests"],
    )
    category_method: str | None = Field(description=METHODS)
    category_confidence: float | None = Field(
        ge=0,
        le=1,
        description="The measured share of correct categories among all with this confidence, 0 to 1.",
    )
    points: Micro = Field(description="Sum of the weights of counted lines.")
    effort: Micro = Field(description="Points ÷ 58, in approximate hours.")
    etv: Micro = Field(examples=[1.25], description="ETV: effort times the factor for fixes of costly bugs.")
    features_etv: Micro = Field(description="ETV of file changes of the category features.")
    maintenance_etv: Micro = Field(description="ETV of file changes of the category maintenance.")
    tests_etv: Micro = Field(description="ETV of file changes of the category tests.")
    documentation_etv: Micro = Field(description="ETV of file changes of the category documentation.")
    fixes_etv: Micro = Field(description="ETV of file changes of the category fixes.")
    files_changed: int = Field(description="Number of changed files.")
    lines_added: int = Field(description="Added lines, as Git counts them.")
    lines_deleted: int = Field(description="Deleted lines, as Git counts them.")
    is_ai_assisted: bool = Field(description="true: there is evidence that an AI tool wrote or assisted.")
    ai_tools: list[str] = Field(description="The AI tools in the evidence.")
    ai_cost: Micro | None = Field(
        description="Cost of AI tools that is linked to the commit, in US dollars, whoever used "
        "them; null where none is. Sessions name it, or use of an author is recorded at that time: a cost needs no "
        "sign of AI. `…/aiSpend/work` has the rest.",
        examples=[1.25],
    )
    ai_cost_confidence: Micro | None = CONFIDENCE_OF_COST
    is_aligned: bool = Field(description="true: the commit belongs to an issue of a tracker.")
    reaches_objective: bool = Field(description="true: an issue of the commit reaches an objective.")
    alignment_reason: EnumName | None = Field(
        description="The reason why the commit is not aligned: NO_TRACKER (no connected tracker has items; an owner or "
        "admin connects one), NO_REFERENCE (nothing in the commit, its pull request or its branch names an issue) or "
        "UNKNOWN_ISSUE (it names only issues that no connected tracker has). Null for an aligned commit.",
        examples=["NO_REFERENCE"],
    )
    is_credit_estimated: bool = Field(
        description="true: the credit is split among the people in the trailers of the commit, because the "
        "original commits are unknown."
    )
    is_provisional: bool = Field(
        description="true: rework within 14 days after the delivery can still reduce the credit."
    )
    provisional_until: datetime | None = Field(
        description="The end of the 14 days in which rework can reduce the credit; null: not delivered."
    )
    calculation_version: str = Field(description="Version of the calculation rules.")


class CommitFile(Shape):
    """A file change. Its line classes add up to its points, and points times factors give its ETV, all in integer
    millionths.
    """

    path: str = Field(description="Path after the change; for a deletion, the path before.")
    previous_path: str | None = Field(description="Path before a rename; null without one.")
    delivery_sha: str | None = Field(
        description="SHA of the commit on the default branch that delivered the change."
    )
    status: Literal["ADDED", "COPIED", "DELETED", "MODIFIED", "RENAMED", "TYPE_CHANGED"] = Field(
        description="The kind of the file change."
    )
    language: str | None
    role: EnumName | None = Field(
        description="SOURCE, TEST, DOCUMENTATION, BUILD, CONFIGURATION, LOCK, DATA, EXPORT, LICENCE or SUBMODULE."
    )
    zero_reason: ZeroReasonName | None = Field(
        description="The reason for no ETV; null for a counted file change."
    )
    category: CategoryName | None = Field(description="The category of the file change.")
    category_method: str | None = Field(description=METHODS)
    category_confidence: float | None = Field(
        description="The measured share of correct categories among all with this confidence, 0 to 1."
    )
    category_evidence: str | None = Field(
        description="The evidence for the category: the role of the path, the declared type, or the word and "
        "the structural feature with the largest weight in the model.",
        examples=['"support" in the subject; new lines: 161 to 320'],
    )
    machine_evidence: str | None = Field(
        description="Words of the file, or a sentence about its lines, that say that a program wrote it, or the "
        "sign that another project did; null without.",
        examples=["1,190 of 1,200 lines follow the line before them as earlier in the file"],
    )
    copied_from: str | None = Field(
        description="A file that contains copied lines, the first by name: the file itself where it repeats its own "
        "lines; null without any."
    )
    etv: Micro = Field(description="ETV of the file change.")
    line_points_micros: int = Field(description=f"Points of added lines. {MICROS}")
    removed_points_micros: int = Field(description=f"Points of removed lines. {MICROS}")
    file_bonus_micros: int = Field(description=f"Bonus points for a change of an existing file. {MICROS}")
    role_factor_micros: int = Field(
        description=f"Factor of the role: tests and documentation have a smaller one. {MICROS}"
    )
    points_micros: int = Field(description=f"Points of the file change. {MICROS}")
    effort_micros: int = Field(description=f"Points ÷ 58: approximate hours. {MICROS}")
    multiplier_micros: int = Field(description=f"Factor for fixes of costly bugs: 1.0 to 2.0. {MICROS}")
    etv_micros: int = Field(description=f"Effort × multiplier. {MICROS}")
    inline_tests_points_micros: int = Field(
        description=f"The part of the points that counts for tests: lines inside tests of the file. {MICROS}"
    )
    inline_tests_effort_micros: int = Field(
        description=f"The part of the effort that counts for tests. {MICROS}"
    )
    inline_tests_etv_micros: int = Field(
        description=f"The part of the ETV that counts for tests; the rest counts for the category. {MICROS}"
    )
    line_classes: Annotated[list[LineClass], Kind.LIST]


class Credit(Shape):
    """A developer's share of a commit. The shares add up to the whole."""

    developer_id: str
    developer_name: Annotated[str, NOT_STORED] | None
    role: Literal["AUTHOR", "CO_AUTHOR"] = Field(description="AUTHOR, or CO_AUTHOR of a trailer.")
    share: Micro = Field(description="Share of the commit, 0 to 1.")
    etv: Micro = Field(description="ETV of the share.")
    effort: Micro = Field(description="Effort of the share, in approximate hours.")


class AiEvidence(Shape):
    """Evidence that an AI tool contributed to the commit."""

    tool: str = Field(examples=["claude_code"])
    role: EnumName = Field(description="AUTHORED, ASSISTED or REVIEWED.")
    signal: EnumName = Field(
        description="The place of the evidence: AUTHOR, COMMITTER, CO_AUTHOR, TRAILER, MARKER or BRANCH; in the pull "
        "request, also PULL_REQUEST_AUTHOR, PULL_REQUEST_TEXT or PULL_REQUEST_LABEL; VENDOR_REPORT where the vendor of "
        "the tool tells how many lines it wrote."
    )
    matched_text: str = Field(description="The text that matched a pattern of the tool.")
    confidence: float = Field(
        description="The measured share of correct matches among matches like this one, 0 to 1."
    )
    pull_request_id: Id | None = Field(
        description="The pull request that shows the sign, itself or in a source commit; null where the commit does."
    )


class LikelyOrigin(Shape):
    """A commit that may have introduced the bug. The likelihood is a statement about code, not about a person."""

    commit_id: Annotated[str, Stored("origin_commit_id")]
    commit_sha: Annotated[str, Stored("origin_sha")]
    likelihood: Micro = Field(
        description="The measured share of correct answers among answers like this one, 0 to 1."
    )
    age_days: int = Field(description="Days from the delivery of this commit to the delivery of the fix.")
    basis: Literal["REMOVED_LINES", "SURROUNDINGS"] = Field(
        description="REMOVED_LINES: the commit wrote lines that the fix removes. SURROUNDINGS: the fix "
        "removes no lines, and the commit wrote lines around its changes."
    )


class PendingDecision(Shape):
    """A decision about a commit by hand that the figures do not have yet."""

    operation_id: str = Field(
        description="Id of the operation, which names the build that includes the decision."
    )
    kind: Literal["CATEGORY", "EXCLUSION", "INCLUSION"] = Field(
        description="CATEGORY: the commit gets `category`. EXCLUSION: it stops counting. INCLUSION: it counts again."
    )
    category: CategoryName | None = Field(
        description="The new category. Null: the rules decide again, or the decision is of another kind."
    )
    at: datetime


class ExplainedCommit(Commit):
    """A commit with the explanation of its score."""

    explanation: str | None = Field(
        description="The explanation of the score in one sentence. For a squash of several people it says whether the "
        "points of their lines in it or the changed lines of their source commits decide the shares."
    )
    files: Annotated[list[CommitFile], NOT_STORED]
    file_total: Annotated[int, NOT_STORED] = Field(
        description="The number of all file changes of the commit."
    )
    credits: Annotated[list[Credit], NOT_STORED]
    ai_evidence: Annotated[list[AiEvidence], NOT_STORED]
    issues: Annotated[list[CommitIssue], NOT_STORED] = Field(
        description="The items of trackers to which the commit belongs, each with its chain: issue, sub-objective, "
        "objective. Empty for a commit that is not aligned (see `alignmentReason`)."
    )
    likely_origins: Annotated[list[LikelyOrigin], NOT_STORED] = Field(
        description="For a fix: likely bug-introducing commits, most likely first. Empty for other commits, "
        "and when there is no evidence."
    )
    lines: Annotated[CommitLines, NOT_STORED] | None = Field(
        description="The lines of the file that the parameter `file` names; null without it."
    )
    pending_decisions: Annotated[list[PendingDecision], NOT_STORED] = Field(
        description="Decisions about the commit that the next build applies: of its category, and whether it counts, "
        "one each at most. Empty when the figures have all of them."
    )
