"""Lists the fixes that earn nothing, with their lines and the rule that applies."""

from collections import Counter
from collections.abc import Iterator, Sequence

from tests.validity.analysed import Analysed
from tests.validity.claims import Result
from tests.validity.effort.effort_points import Fix

_CLASSES = (
    "novel",
    "substituted",
    "comment",
    "returned",
    "moved",
    "copied",
    "layout",
    "removed",
    "taken_back",
)
_FILES = f"""
    select repository_id, commit_sha, path, role, zero_reason, duplicate_of_sha, lines_added, lines_deleted,
        points_micro, {", ".join(f"{name}_lines" for name in _CLASSES)}
    from fct_commit_files order by path
"""


def result(claim: str, set_name: str, fixes: Sequence[Fix], found: Analysed) -> Result:
    """Number of fixes that earn nothing in source files, with a note for each."""
    files: dict[tuple[str, str], list[dict[str, object]]] = {}
    for row in found.rows(_FILES):
        files.setdefault((str(row["repository_id"]), row["commit_sha"]), []).append(row)

    def source_files(fix: Fix) -> Iterator[dict[str, object]]:
        for sha in fix.commits:
            for row in files.get((found.repository_ids[fix.repo], sha), []):
                if row["role"] == "source":
                    yield row

    unpaid = [fix for fix in fixes if not any(row["points_micro"] for row in source_files(fix))]
    reasons = Counter(_reason(list(source_files(fix))) for fix in unpaid)
    return Result(
        claim,
        "fixes that earn nothing in source files",
        set_name,
        len(fixes),
        "fix",
        float(len(unpaid)),
        None,
        found.calculation_version,
        can_show="which rules pay nothing for a change that somebody merged as a fix.",
        cannot_show="whether the rule is wrong: a backport is paid for where it was delivered first.",
        notes=(
            *(f"{count} for {reason}." for reason, count in sorted(reasons.items())),
            *(_told(fix, list(source_files(fix))) for fix in unpaid),
        ),
        is_count=True,
    )


def _reason(files: Sequence[dict[str, object]]) -> str:
    reasons = sorted({str(row["zero_reason"]) for row in files})
    return " and ".join(reasons) or "no source file"


def _told(fix: Fix, files: Sequence[dict[str, object]]) -> str:
    what = "; ".join(_file(row) for row in files) or "no source file"
    return f"{fix.repo} {fix.merge[:12]}, band {fix.band}, {fix.churn} changed lines: {what}."


def _file(row: dict[str, object]) -> str:
    lines = ", ".join(f"{row[f'{name}_lines']} {name}" for name in _CLASSES if row[f"{name}_lines"])
    first = f" (first in {str(row['duplicate_of_sha'])[:12]})" if row["duplicate_of_sha"] else ""
    counts = f"+{row['lines_added']} −{row['lines_deleted']}"
    return f"{row['path']} {counts}, {row['zero_reason']}{first}: {lines or 'no line of a class'}"
