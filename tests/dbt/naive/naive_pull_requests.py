"""Which commits of the default branch are a pull request's, by asking Git itself in plain loops.

Covers the ways in which hosts merge when they name the commit with which the merge ended.
"""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

Row = dict[str, Any]


class Written(NamedTuple):
    """What a rebase keeps of a commit."""

    author: str
    authored_at: str
    subject: str


def git(folder: Path, *arguments: str) -> list[str]:
    done = subprocess.run(["git", "-C", str(folder), *arguments], check=True, capture_output=True, text=True)
    return done.stdout.splitlines()


def written(folder: Path, sha: str) -> Written:
    author, at, subject = git(folder, "show", "-s", "--format=%ae%n%at%n%s", sha)
    return Written(author, at, subject)


def links(folder: Path, row: Row) -> dict[str, str]:
    """By delivered commit of a pull request: the way in which it was merged."""
    main = set(git(folder, "rev-list", "main"))
    named = [row["merge_sha"], row["squash_sha"], row["head_sha"]]
    end = next((sha for sha in named if sha in main), None)
    if row["state"] != "merged" or end is None:
        return {}
    sources = [commit["sha"] for commit in row["commits"]]
    parents = git(folder, "show", "-s", "--format=%P", end)[0].split()
    if len(parents) > 1:
        return dict.fromkeys(git(folder, "rev-list", end, f"^{parents[0]}"), "merge")
    if end in sources:
        return dict.fromkeys((sha for sha in sources if sha in main), "fast_forward")
    plain = [sha for sha in sources if len(git(folder, "show", "-s", "--format=%P", sha)[0].split()) < 2]
    last = git(folder, "rev-list", "--first-parent", f"--max-count={len(plain)}", end)
    if _are_copies(folder, plain, last[::-1]):
        return dict.fromkeys(last, "rebase")
    return {end: "squash"}


def _are_copies(folder: Path, sources: Sequence[str], delivered: Sequence[str]) -> bool:
    return [written(folder, sha) for sha in sources] == [written(folder, sha) for sha in delivered]


def shares(folder: Path, sources: Sequence[str]) -> dict[str, float]:
    """The shares of a squash by address of the person.

    Source commits count by their changed lines; co-authors get half of one.
    """
    total: dict[str, float] = {}
    for sha in sources:
        if len(git(folder, "show", "-s", "--format=%P", sha)[0].split()) > 1:
            continue
        stat = [row.split("\t") for row in git(folder, "show", "--format=", "--numstat", sha) if row]
        weight = max(sum(int(one) for row in stat for one in row[:2] if one.isdigit()), 1)
        author = git(folder, "show", "-s", "--format=%ae", sha)[0]
        trailers = git(folder, "show", "-s", "--format=%(trailers:key=Co-authored-by,valueonly)", sha)
        named = {text[text.index("<") + 1 : text.index(">")] for text in trailers if "<" in text}
        people = sorted(named - {author} - AGENTS)
        total[author] = total.get(author, 0) + weight * (0.5 if people else 1)
        for person in people:
            total[person] = total.get(person, 0) + weight * 0.5 / len(people)
    whole = sum(total.values())
    return {person: share / whole for person, share in total.items()}


AGENTS = {"noreply@anthropic.com", "cursoragent@cursor.com"}
