"""A repository whose messages name pull requests that they do not belong to."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from tests.dbt.invented.invented_pull_requests import OTHER_CONNECTION, pull_request, source_commit
from tests.dbt.pull_requests.reviewed_branches import ADA, GRACE, KEN, START, Reviewed, lines

UNKNOWN = {"head_sha": None, "merge_sha": None, "squash_sha": None}
# By number: the delivered commits that belong to the pull request, as subjects.
TRUE = {
    1: ["Add the first part (#1)"],
    2: ['Revert "Add the first part (#1)" (#2)'],
    3: [],
    4: [],
    5: [],
    6: [],
    8: ["Add the eighth part (#8)"],
    9: ["Add the ninth part (#9)"],
    10: [],
}


def misleading(folder: Path) -> Reviewed:
    """Copied numbers, reverts, merges of other hosts and repositories, re-used numbers, and what belongs in truth."""
    one = Reviewed("acme/misleading", folder, now=START - timedelta(days=900))
    for number in (1, 6, 8, 10):
        text = lines("copied", one.name, 3, number * 10)
        one.commit({f"old/{number}.py": text}, f"Import of another host (#{number})", KEN)
    one.now = START

    def branch(number: int) -> str:
        one.start(f"topic-{number}")
        one.commit({f"src/{number}.py": lines("part", one.name, 4, number * 100)}, f"Part {number}", ADA)
        return f"topic-{number}"

    def direct(message: str, number: int) -> None:
        one.git("checkout", "-q", "main")
        one.commit({f"direct/{number}.py": lines("direct", one.name, 2, number * 100)}, message, GRACE)

    one.deliver("squash", branch(1), 1, "Add the first part")
    direct('Revert "Add the first part (#1)"\n\nThis reverts a commit.', 1)
    direct("Mend what acme/other#1 broke\n\nSee merge request acme/other!1", 2)
    one.deliver("squash", branch(2), 2, 'Revert "Add the first part (#1)"')

    # Merged into another branch, of which the clone knows the commit.
    one.git("checkout", "-q", "main")
    one.git("checkout", "-q", "-b", "release")
    sha = one.commit({"src/3.py": lines("part", one.name, 4, 300)}, "Add the third part (#3)", ADA)
    merged = {"state": "merged", "merged_at": one.now, "closed_at": one.now, "updated_at": one.now}
    one.pull_requests.append(
        pull_request(one.id, 3, target_branch="release", **(merged | {"merge_sha": sha}), source_branch="topic-3")
    )  # fmt: skip
    direct("Update everything (#3)", 3)

    # Open and closed ones have no delivered commits, whatever a message says.
    direct("Mention an open one (#4)", 4)
    one.pull_requests.append(pull_request(one.id, 4, state="open"))
    one.start("topic-5")
    one.commit({"src/5.py": lines("part", one.name, 4, 500)}, "Part 5", ADA)
    one.git("checkout", "-q", "main")
    one.git("merge", "-q", "--no-ff", "--no-edit", "-m", "Merged in topic-5 (pull request #5)", "topic-5")
    one.pull_requests.append(pull_request(one.id, 5, state="closed", closed_at=one.now, updated_at=one.now))

    # The host names no commit, and only the copied history has the number.
    one.tick()
    merged = {"state": "merged", "merged_at": one.now, "closed_at": one.now, "updated_at": one.now}
    one.pull_requests.append(pull_request(one.id, 6, **merged, source_branch="topic-6"))

    # The host names no commit: the message nearest to the merge counts.
    direct("Mend another repository\n\nSee merge request acme/other!8", 8)
    one.tick(90)
    one.deliver("squash", branch(8), 8, "Add the eighth part", **UNKNOWN)

    # The older host of the same repository used the number as well.
    early = START - timedelta(days=400)
    one.pull_requests.append(
        pull_request(
            one.id, 9, state="merged", title="Of the older host", merged_at=early, closed_at=early, updated_at=early,
            created_at=early, connection_id=OTHER_CONNECTION, provider_id="older/9",
            commits=[source_commit(one.head("main"))], merge_sha=one.head("main~1"),
        )
    )  # fmt: skip
    one.deliver("squash", branch(9), 9, "Add the ninth part")

    # A merge of another host names another branch.
    one.start("elsewhere")
    one.commit({"src/10.py": lines("part", one.name, 4, 1000)}, "Part 10", ADA)
    one.git("checkout", "-q", "main")
    one.tick()
    one.git(
        "merge",
        "-q",
        "--no-ff",
        "--no-edit",
        "-m",
        "Merge pull request #10 from theirs/elsewhere",
        "elsewhere",
    )
    merged = {"state": "merged", "merged_at": one.now, "closed_at": one.now, "updated_at": one.now}
    one.pull_requests.append(pull_request(one.id, 10, **merged, source_branch="topic-10"))
    return one
