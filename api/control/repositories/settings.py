"""The settings of a repository, and the consequences of a change.

Keep out: the database (repositories.py).
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from datetime import datetime
from difflib import get_close_matches
from typing import Any

from api.control.audit import logged
from api.control.changes import Unchanged
from api.control.errors import InvalidSetting
from api.control.names import checked_branch, checked_name

MAX_TAGS = 50
MAX_TAG_LENGTH = 64
MAX_BRANCH_LENGTH = 255
MAX_NEAR = 3


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a repository. `chosen_branch` is None for the host's default branch."""

    name: str
    analysis_start_at: datetime | None = None
    chosen_branch: str | None = None
    tags: tuple[str, ...] = ()
    is_sandbox: bool = False
    is_excluded: bool = False
    is_disabled: bool = False
    is_stopped: bool = False


@dataclass(frozen=True, slots=True)
class SettingsChange:
    """New values of some settings."""

    name: str | Unchanged = Unchanged.UNCHANGED
    analysis_start_at: datetime | Unchanged | None = Unchanged.UNCHANGED
    chosen_branch: str | Unchanged | None = Unchanged.UNCHANGED
    tags: tuple[str, ...] | Unchanged = Unchanged.UNCHANGED
    is_sandbox: bool | Unchanged = Unchanged.UNCHANGED
    is_excluded: bool | Unchanged = Unchanged.UNCHANGED
    is_disabled: bool | Unchanged = Unchanged.UNCHANGED
    is_stopped: bool | Unchanged = Unchanged.UNCHANGED


def changed(before: Settings, change: SettingsChange) -> Settings:
    """The settings after an edit. Any edit lets a stopped repository be read again, unless it stops it."""
    given = {
        each.name: value
        for each in fields(change)
        if not isinstance(value := getattr(change, each.name), Unchanged)
    }
    return replace(before, **{"is_stopped": False, **given})


def checked(
    settings: Settings, before: Settings | None = None, branches: Mapping[str, str] | None = None
) -> Settings:
    """The settings with normalized names and tags. Raises InvalidSetting.

    Values equal to `before` are not validated, because an earlier release may have had other rules. `branches` are
    those of the last reading, None where nobody knows them.
    """
    name, branch, tags = settings.name, settings.chosen_branch, settings.tags
    if before is None or name != before.name:
        name = checked_name(name, "name", max_length=255)
    if branch is not None and (before is None or branch != before.chosen_branch):
        branch = checked_branch(branch, "defaultBranch", max_length=MAX_BRANCH_LENGTH)
        if branches and branch not in branches:
            raise _unknown(branch, branches)
    if before is None or tags != before.tags:
        tags = _checked_tags(tags, before.tags if before else ())
    return replace(settings, name=name, chosen_branch=branch, tags=tags)


def _unknown(branch: str, branches: Mapping[str, str]) -> InvalidSetting:
    near = get_close_matches(branch, sorted(branches), MAX_NEAR) or sorted(branches)[:MAX_NEAR]
    return InvalidSetting(
        "defaultBranch",
        f"the last reading found no branch {branch!r}; near names are {', '.join(near)}. If the branch is newer, "
        "read the repository first (POST …:analyze)",
    )


def _checked_tags(tags: tuple[str, ...], before: tuple[str, ...]) -> tuple[str, ...]:
    if len(tags) > max(MAX_TAGS, len(before)):
        raise InvalidSetting("tags", f"give at most {MAX_TAGS} tags")
    tidy = {tag if tag in before else checked_name(tag, "tags", max_length=MAX_TAG_LENGTH) for tag in tags}
    return tuple(sorted(tidy))


def is_read(settings: Settings) -> bool:
    """Whether runs read the repository."""
    return not (settings.is_disabled or settings.is_stopped)


def reads_anew(before: Settings, after: Settings) -> bool:
    """Whether an edit asks for a new reading: after a pause, or of another default branch."""
    return not is_read(before) or before.chosen_branch != after.chosen_branch


def restates(before: Settings, after: Settings) -> bool:
    """Whether an edit changes figures without reading the repository."""
    return any(
        getattr(before, name) != getattr(after, name)
        for name in ("is_sandbox", "is_excluded", "analysis_start_at")
    )


def as_json(settings: Settings) -> dict[str, Any]:
    called = {"analysis_start_at": "analysisStartTime", "chosen_branch": "defaultBranch"}
    return logged(asdict(settings) | {"tags": list(settings.tags)}, called)
