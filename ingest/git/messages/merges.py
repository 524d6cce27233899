"""Merge messages: the branches and the pull request that a merge brought in, and where they came from.

Known forms are those of Git itself and of the usual hosts. As in `parse`, every pattern takes time linear in the
text.
"""

import re
from typing import NamedTuple

from ingest.errors import UnsupportedTarget
from ingest.git.messages.parse import BLANK
from ingest.git.remote import url

# The forms below are matched against the beginning of the subject only: merges and pull requests have short
# subjects.
_SUBJECT_LIMIT = 1000
_MERGED_SIDE = re.compile(
    r"(?:, | and |(?: of [^\s;]++)?; )?+"
    r"(?:(?P<remote>remote-tracking branch(?:es)?|remote branch) |(?P<local>branch(?:es)?|topic) |(?P<other>\w+) )?+"
    r"'(?P<name>[^'\n]*+)'"
)
# `branch` is empty where the form does not name it. The owner before a slash does not belong to the branch.
_PULL_REQUEST = (
    # GitHub, Gitea
    re.compile(r"Merge pull request #(?P<number>\d{1,9}) from (?:[^/\s]+/)?(?P<branch>\S+)"),
    re.compile(r"Merge pull request '.*' \(#(?P<number>\d{1,9})\) from (?:[^/\s]+/)?(?P<branch>\S+)"),
    # Bitbucket Data Center and Cloud
    re.compile(r"Merge pull request #(?P<number>\d{1,9}) in \S+ from (?P<branch>\S+) to \S"),
    re.compile(r"Pull request #(?P<number>\d{1,9}): (?P<branch>)"),
    re.compile(r"Merged in (?P<branch>\S+) \(pull request #(?P<number>\d{1,9})\)"),
    # Azure DevOps, the first for merges and squashes alike
    re.compile(r"Merged PR (?P<number>\d{1,9}): (?P<branch>)"),
    re.compile(r"Merge pull request (?P<number>\d{1,9}) from (?P<branch>\S+) into \S"),
    # bors
    re.compile(r"Auto merge of #(?P<number>\d{1,9}) - [^:\s]+:(?P<branch>\S+), r="),
    re.compile(r"Merge #(?P<number>\d{1,9})(?P<branch>)(?![\w-])"),
)
_SQUASHED = re.compile(r"\((?:pull request )?[#!](\d{1,9})\)$|^(?:Merged PR|Pull request #?) ?(\d{1,9}): ")
_MERGE_REQUEST = re.compile(r"^See merge request (?:\S*?)!(\d{1,9})\r?$", re.MULTILINE)
_BITBUCKET_BODY = re.compile(r"^Merge in \S+ from (\S+) to \S+$", re.MULTILINE)

_DEFAULT_MERGED = re.compile(
    r"Merge (?:branch '(?P<local>[^'\n]+)'|remote(?:-tracking)? branch '(?:refs/remotes/)?"
    r"(?P<remote>origin|upstream)/(?P<tracked>[^'\n]+)')"
    r"(?: of (?P<place>\S+))?(?: into (?P<into>\S+))?[ \t\r]*(?:\n|$)"
)
_RENAMED = ("main", "master")
_UPSTREAM_MERGED = re.compile(
    # Git, for the usual name of the remote of a fork's parent, or for a branch of that name
    r"Merge (?:remote-tracking branch|remote branch|branch|tag|commit) '(?:refs/remotes/)?upstream(?:[/-][^'\n]*)?'"
    # GitHub's button that updates a fork
    r"|Merge branch '[\w.-]++:[^'\n]++'(?: into \S++)?[ \t\r]*(?:\n|$)"
    # People
    r"|(?i:(?:merge|sync)(?:d|ed|ing)? (?:(?:with|from|in|the|fork|latest|changes|back) ){0,5}upstream(?=$|[/:\s]))"
)


class MergeFacts(NamedTuple):
    """The branches and the pull request that a commit brought in, according to its message.

    `is_squash_hint` is True where the subject has the form of a squashed pull request.
    """

    branches: list[str]
    pull_request: str | None
    is_squash_hint: bool


def merge_facts(subject: str, body: str) -> MergeFacts:
    """Branches and pull request that a message names, in the forms of Git and of the usual hosts."""
    subject = subject[:_SUBJECT_LIMIT]
    squashed = _SQUASHED.search(subject)
    number = (squashed[1] or squashed[2]) if squashed else None
    branches: list[str] = []
    if subject.startswith(("Merge", "Auto merge", "Pull request")):
        match = next((m for form in _PULL_REQUEST if (m := form.match(subject))), None)
        if match:
            number = match["number"]
            branches = [match["branch"]] if match["branch"] else []
            if not branches and (found := _BITBUCKET_BODY.search(body)):
                branches = [found[1]]
        else:
            branches = _merged_branches(subject)
    if number is None and (found := _MERGE_REQUEST.search(body)):
        number = found[1]
    return MergeFacts(branches, number, squashed is not None)


def _merged_branches(subject: str) -> list[str]:
    """Branches of Git's own merge message, without the name of their remote; tags and commits are left out."""
    branches: list[str] = []
    position = len("Merge ")
    is_branch = is_remote = False
    while subject.startswith("Merge ") and (match := _MERGED_SIDE.match(subject, position)):
        if (
            match["remote"] or match["local"] or match["other"]
        ):  # the kind applies until the message names another one
            is_branch, is_remote = match["other"] is None, match["remote"] is not None
        if is_branch:
            branches.append(match["name"].partition("/")[2] if is_remote else match["name"])
        position = match.end()
    return branches


def names_upstream_as_merged_side(message: str) -> bool:
    """Whether the message declares a merge of the repository of which this one is a fork.

    No proof of a fork: a contributor's push to the parent may carry such a merge too, so whoever judges the history
    compares the people on both sides.
    """
    return _UPSTREAM_MERGED.match(message.lstrip(BLANK)[:_SUBJECT_LIMIT]) is not None


def names_default_branch_as_merged_side(
    message: str, default_branch: str, remote_url: str | None = None
) -> bool:
    """Whether the message declares a merge of the default branch into another branch.

    True for `Merge branch 'main' [of <this repository>] [into work]` and `Merge remote-tracking branch
    'origin/main' [into main]`; `master` and `main` count as the same, since branches get renamed. Developers of a
    fork call this repository `upstream`; that counts where they merged it into one of their own branches.

    Never True for a pull request, for another remote's branch, or for a branch of another repository: an address
    must be that of this repository (the normalized `remote_url`). Where that is unknown, no address matches.
    """
    match = _DEFAULT_MERGED.match(message.lstrip(BLANK)[:_SUBJECT_LIMIT])
    if match is None or _MERGE_REQUEST.search(message):
        return False
    names = {default_branch, *(_RENAMED if default_branch in _RENAMED else ())}
    place, into = match["place"], match["into"]
    if (match["local"] or match["tracked"]) not in names:
        return False
    if match["remote"] == "upstream":
        return place is None and into is not None and into.strip("'") not in names
    if place is None:
        # A branch merged into a branch of the same name comes from a fork.
        return match["local"] is None or into is None or into.strip("'") not in names
    return place == "." or (remote_url is not None and _is_same_repository(place, remote_url))


def _is_same_repository(address: str, remote_url: str) -> bool:
    """Compare owner and name only: an ssh configuration may give the host another name."""
    try:
        normalized = url.normalize(address)
    except UnsupportedTarget:
        return False
    return url.display_name(normalized).lower() == url.display_name(remote_url).lower()
