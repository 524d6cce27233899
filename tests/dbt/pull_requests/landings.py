"""A repository whose host calls pull requests closed: some of them landed by other means, others were given up."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

from tests.dbt.invented.invented_pull_requests import event, pull_request, source_commit
from tests.dbt.pull_requests.reviewed_branches import ADA, GRACE, KEN, START, Reviewed, lines

ROBOT = ("Import Robot", "import@example.org")
CLOSER = "Queue[bot]"
# By number: the delivered commits that belong to the pull request, as subjects.
TRUE = {
    1: ["Add the first part (#1)"],
    2: [],
    3: ["Add the second part (#3)"],
    4: [],
    5: ["PR #5: Add the fifth part"],
    6: ["Part 6", "Part 6 again"],
    7: ["Part 7", "Part 7 again"],
    8: ["Take over the work of Ada"],
    9: [],
    10: [],
    11: [],
    12: ["Add the twelfth part (#12)"],
    14: ["Add the fourteenth part (#14)"],
    16: [],
    17: ["Take the seventeenth part, with changes"],
    18: ["Add the eighteenth part (#18)"],
    19: ["Part 19"],
    20: [],
    21: [],
}
WAYS = {
    1: "squash",
    5: "squash",
    6: "rebase",
    7: "rebase",
    8: "squash",
    12: "squash",
    14: "squash",
    17: "squash",
    18: "squash",
    19: "rebase",
}
RELEASE = 15


def landed(folder: Path) -> Reviewed:
    """Queues, imports, and maintainers who push by hand; beside them what was replaced, written anew or copied back."""
    one = Reviewed("acme/landed", folder, now=START)

    def branch(number: int, commits: int = 1, base: str = "main") -> list[str]:
        one.start(f"topic-{number}", base)
        shas = [
            one.commit(
                {f"src/{number}_{at}.py": lines("part", one.name, 9, number * 1000 + at * 100)},
                f"Part {number}{' again' * at}",
                ADA,
            )
            for at in range(commits)
        ]
        one.tick()
        one.git("update-ref", f"refs/eas/review/{number}", shas[-1])
        one.git("checkout", "-q", "main")
        return shas

    def close(number: int, shas: list[str], title: str, **given: Any) -> None:
        ended = one.tick(1)
        row = {
            "title": title, "state": "closed", "closed_at": ended, "updated_at": ended, "head_sha": shas[-1],
            "created_at": opened[number], "url": f"https://git.example.org/{one.name}/pulls/{number}",
            "source_branch": f"topic-{number}", "commits": [source_commit(sha) for sha in shas],
            "events": [event("closed", ended, CLOSER, "bot")],
        }  # fmt: skip
        one.pull_requests.append(pull_request(one.id, number, **(row | given)))

    opened = {}

    def opening(number: int, commits: int = 1, base: str = "main") -> list[str]:
        shas = branch(number, commits, base)
        opened[number] = one.now
        return shas

    def squash(number: int, message: str, author: tuple[str, str] = ADA, into: str = "main") -> None:
        one.git("checkout", "-q", into)
        one.git("merge", "-q", "--squash", f"topic-{number}")
        one.commit({}, message, author)
        one.git("checkout", "-q", "main")

    def pick(shas: list[str], trailer: str = "") -> None:
        for sha in shas:
            one.tick()
            one.git("cherry-pick", sha)
            if trailer:
                text = one.git("log", "-1", "--format=%B")
                one.git("commit", "-q", "--amend", "-F", "-", text=f"{text}\n\n{trailer}\n")

    shas = opening(1)
    squash(1, "Add the first part (#1)")
    close(1, shas, "[Merged by Bors] - Add the first part")
    one.commit({"src/a.py": lines("a", one.name, 2)}, 'Revert "Add the first part (#1)"', GRACE)

    # Replaced by another one with the same work, which the host merged.
    shas = opening(2)
    close(2, shas, "Add the second part")
    one.git("branch", "-q", "topic-3", "topic-2")
    one.deliver("squash", "topic-3", 3, "Add the second part", body="Replaces #2")

    # Written anew by another person.
    shas = opening(4)
    one.commit(
        {"src/4.py": lines("anew", one.name, 3)}, "Add the fourth part\n\nCloses #4, done otherwise", KEN
    )
    close(4, shas, "Add the fourth part")

    shas = opening(5)
    address = f"https://git.example.org/{one.name}/pulls/5"
    squash(5, f"PR #5: Add the fifth part\n\nImported from {address}\n\nCopy of the project:\n", ROBOT)
    close(5, shas, "Add the fifth part")

    shas = opening(6, commits=2)
    pick(shas, f"PR-URL: https://git.example.org/{one.name}/pulls/6")
    close(6, shas, "Add the sixth part")

    shas = opening(7, commits=2)
    pick(shas)
    close(7, shas, "Add the seventh part")

    shas = opening(8)
    squash(
        8,
        f"Take over the work of Ada\n\nCloses #8\n\nSquashed commit of the following:\n\ncommit {shas[0]}\n",
        KEN,
    )
    close(8, shas, "Add the eighth part")

    # A backport copies what the default branch had before.
    sha = one.commit({"src/9.py": lines("nine", one.name, 9)}, "Mend nine", ADA)
    one.git("checkout", "-q", "-b", "topic-9", "main~3")
    one.tick()
    one.git("cherry-pick", sha)
    one.git("update-ref", "refs/eas/review/9", "topic-9")
    opened[9] = one.tick()
    shas = [one.head("topic-9")]
    one.git("checkout", "-q", "main")
    close(9, shas, "Mend nine on the release branch", target_branch="release")

    # Given up; much later another person does the same.
    shas = opening(10)
    close(10, shas, "Add the tenth part")
    one.now += timedelta(days=60)
    one.commit({"src/10.py": lines("ten", one.name, 9)}, "Add the tenth part (#10)", GRACE)

    # Both are closed, and the later one has the work of the earlier one.
    shas = opening(11)
    close(11, shas, "Add the twelfth part")
    one.git("branch", "-q", "topic-12", "topic-11")
    one.git("update-ref", "refs/eas/review/12", "topic-12")
    opened[12] = one.tick()
    squash(12, "Add the twelfth part (#12)\n\nReplaces #11\n")
    close(12, shas, "[Merged by Bors] - Add the twelfth part")

    # Landed on a branch for the next release, which the host merges.
    one.git("branch", "-q", "develop")
    shas = opening(14, base="develop")
    squash(14, "Add the fourteenth part (#14)", into="develop")
    close(14, shas, "Add the fourteenth part", target_branch="develop")
    one.commit({"src/b.py": lines("b", one.name, 2)}, "Go on", KEN)
    one.deliver("merge", "develop", RELEASE, "Release")

    # A message that only mentions it.
    shas = opening(16)
    one.commit({"src/16.py": lines("other", one.name, 2)}, "Prepare for #16", ADA)
    close(16, shas, "Add the sixteenth part")

    # A maintainer wrote it anew, and says so in a comment that abbreviates the commit.
    def told(number: int, sha: str, shas: list[str], is_reopened: bool = False) -> None:
        comment = event("landed", one.tick(), "ken", "person", sha)
        ended = one.tick()
        again = [event("reopened", ended + timedelta(minutes=1), "ada")] if is_reopened else []
        events = [comment, event("closed", ended, "ken"), *again]
        close(number, shas, f"Add the part {number}", events=events)

    shas = opening(17)
    anew = {"src/17.py": lines("otherwise", one.name, 4)}
    told(17, one.commit(anew, "Take the seventeenth part, with changes", KEN)[:9], shas)

    # Landed three weeks after the close, as a squash and as a copy.
    shas = opening(18)
    close(18, shas, "Add the eighteenth part")
    one.now += timedelta(days=21)
    squash(18, "Add the eighteenth part (#18)")
    shas = opening(19)
    close(19, shas, "Add the nineteenth part")
    one.now += timedelta(days=21)
    pick(shas)

    # The comment names a commit of no default branch, or the pull request was opened again since.
    told(20, "0123456789", opening(20))
    shas = opening(21)
    told(21, one.commit({"src/21.py": lines("more", one.name, 4)}, "Take more", KEN), shas, is_reopened=True)
    return one
