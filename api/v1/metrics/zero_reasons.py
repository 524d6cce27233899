"""`/organizations/{organization}/zeroReasons`: work without ETV, by reason."""

from datetime import date
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request
from pydantic import Field
from starlette.responses import Response

from api.access.group_privacy.groups import shown_range
from api.callers.dependencies import ReadService, Viewer
from api.http.responses import Continuation
from api.query.pages import Position
from api.query.parameters import Day, Id, PageQuery
from api.query.periods import Range, refuse_backwards
from api.read.commits.zero_reasons import ZeroReasonName
from api.read.entities import REPOSITORIES, TEAMS
from api.read.figures.figures import Slice
from api.read.figures.series import refuse_fine
from api.read.figures.shapes import SUPPRESSED
from api.read.figures.zero_reasons import WorkSelection, first_day, zero_reasons
from api.read.ids import visible_ids, with_sub_teams
from api.read.organizations import local_date
from api.shapes import Days, Page, Shape
from api.snapshot.build import Build

router = APIRouter(prefix="/organizations/{organization}/zeroReasons", tags=["zeroReasons"])

SHARE = "0 to 1; null when that total is 0."


class ZeroReasonQuery(PageQuery):
    """Parameters of the list of reasons."""

    repository: list[Id] = Field(
        [], max_length=50, description="Ids of repositories. Repeat the parameter for several."
    )
    team: list[Id] = Field(
        [],
        max_length=50,
        description="Ids of teams, each including its sub-teams: work with an author in one of these teams on the day "
        "of writing. Repeat the parameter for several.",
    )
    start_date: Day | None = Field(
        None,
        description="First day of delivery, in the organization's time zone. Default when both days are "
        "missing: all time, or with a minimum group size the last three complete months.",
    )
    end_date: Day | None = Field(None, description="Last day of delivery, included. Default: today.")


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


class ZeroReasonPage(Page, Days):
    """Work without ETV. `counted` and the reasons add up to `total`."""

    total: Work | None = Field(description="All delivered work; null with a `suppressedReason`.")
    counted: Work | None = Field(
        description="Counted work; null with a `suppressedReason`. It includes lines of classes with a weight "
        "of 0 (see the files of a commit)."
    )
    zero_reasons: list[ZeroReason] = Field(description="The reasons, by new lines, most first.")
    warnings: list[ZeroReasonWarning] = Field(
        description="Reasons that apply to more than a tenth of the commits or new lines of a repository that "
        "the caller can see. Merges and excluded repositories give no warning."
    )
    suppressed_reason: Literal["MINIMUM_GROUP_SIZE"] | None = SUPPRESSED


@router.get("", summary="Work without ETV", operation_id="listZeroReasons", response_model=ZeroReasonPage)
async def list_zero_reasons(
    viewer: Viewer, query: Annotated[ZeroReasonQuery, Query()], request: Request, reads: ReadService
) -> Response:
    """Delivered work without ETV, by reason: the number of commits, file changes and new lines, their shares, and the
    five largest commits.

    Each commit, file change and new line has one reason: the first that applies. Work in a sandbox is left out,
    unless `repository` names the sandbox. Work of bots is included.

    In an organization with a minimum group size, the answer covers complete months and lists no commits. It is empty,
    with `suppressedReason`, when it would reveal the work of fewer people.
    """
    refuse_backwards(query.start_date, query.end_date)
    digest = query.digest("zeroReasons", viewer.key)

    def read(build: Build, position: Position | None) -> dict[str, Any]:
        today = local_date(build, viewer)
        asked = Slice(Range(today, today), tuple(query.repository), teams=tuple(query.team))
        refuse_fine(viewer, asked, None)
        teams = visible_ids(build, viewer, TEAMS, query.team)
        selection = WorkSelection(
            _days(build, viewer, query, today),
            visible_ids(build, viewer, REPOSITORIES, query.repository),
            teams,
            with_sub_teams(build, viewer, teams),
        )
        found = zero_reasons(build, viewer, selection)
        reasons = found["zeroReasons"]
        start = int(position.values[0]) if position else 0
        end = start + query.limit
        return found | {
            "startDate": selection.days.first,
            "endDate": selection.days.last,
            "zeroReasons": reasons[start:end],
            "nextPageToken": reads.tokens.next(digest, build.id, [end] if end < len(reasons) else None),
            "totalSize": len(reasons),
        }

    return await reads.answer(request, viewer, read, Continuation(query.page_token, digest))


def _days(build: Build, viewer: Viewer, query: ZeroReasonQuery, today: date) -> Range:
    if not viewer.has_individuals:
        return shown_range(viewer, query.start_date, query.end_date, today)
    last = query.end_date or max(today, query.start_date or today)
    return Range(query.start_date or min(first_day(build, viewer) or last, last), last)
