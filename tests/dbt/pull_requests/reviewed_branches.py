"""Real repositories into which Git delivers the same reviewed branch in every way that hosts offer.

Each repository has the branch's head as the host's review ref, as the clone of a connection has it. Keep out: the rows
of the host (invented_pull_requests.py) and what the warehouse makes of them.
"""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from ingest.git.extract import extract_repository
from ingest.git.objects.refs import REVIEWS
from ingest.lake import Lake
from tests.dbt.invented.invented_history import ORGANIZATION_ID, Repository
from tests.dbt.invented.invented_pull_requests import Row, pull_request, source_commit
from tests.ingest.git.extraction import source_of

ADA, GRACE, LINUS, KEN = (
    ("Ada Lovelace", "ada@example.org"),
    ("Grace Hopper", "grace@example.org"),
    ("Linus Pauling", "linus@example.org"),
    ("Ken Iverson", "ken@example.org"),
)
HOST = ("Merge Button", "noreply@host.example")
START = datetime(2025, 3, 3, 8, 0, tzinfo=UTC)
Person = tuple[str, str]


@dataclass
class Reviewed:
    """A repository under construction, with a work tree."""

    name: str
    folder: Path
    now: datetime = START
    pull_requests: list[Row] = field(default_factory=list)
    repository: Repository = field(init=False)

    def __post_init__(self) -> None:
        self.repository = Repository(self.name)
        self.folder.mkdir(parents=True)
        self.git("init", "-q", "-b", "main")
        self.commit({"README.md": f"{self.name}\n"}, "Begin", KEN)

    @property
    def id(self) -> str:
        return self.repository.id

    def git(self, *arguments: str, author: Person = HOST, text: str | None = None) -> str:
        """Output of a Git command at the present time of this repository."""
        person = {"NAME": author[0], "EMAIL": author[1], "DATE": f"{int(self.now.timestamp())} +0000"}
        committer = {"NAME": HOST[0], "EMAIL": HOST[1], "DATE": person["DATE"]}
        names = {f"GIT_AUTHOR_{key}": value for key, value in person.items()}
        names |= {f"GIT_COMMITTER_{key}": value for key, value in committer.items()}
        command = ["git", "-C", str(self.folder), *arguments]
        done = subprocess.run(
            command, check=True, capture_output=True, text=True, input=text, env=os.environ | names
        )
        return done.stdout.strip()

    def tick(self, minutes: int = 60) -> datetime:
        self.now += timedelta(minutes=minutes)
        return self.now

    def commit(self, files: dict[str, str], message: str, author: Person) -> str:
        """A commit on the checked out branch."""
        self.tick()
        for path, content in files.items():
            file = self.folder / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(content)
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-F", "-", author=author, text=message)
        return self.head()

    def head(self, ref: str = "HEAD") -> str:
        return self.git("rev-parse", ref)

    def start(self, branch: str, at: str = "main") -> None:
        self.git("checkout", "-q", "-b", branch, at)

    def listed(self, branch: str) -> list[str]:
        """Commits of a branch that the default branch lacks, oldest first, as a host lists them."""
        return self.git("rev-list", "--reverse", "--topo-order", f"main..{branch}").split()

    def deliver(self, way: str, branch: str, number: int, title: str, **given: Any) -> Row:
        """Deliver a branch, keep its head as a review ref, delete it, and note the host's row."""
        sources, head = self.listed(branch), self.head(branch)
        self.tick()
        self.git("checkout", "-q", "main")
        end: dict[str, str | None] = {"head_sha": head}
        if way == "merge":
            message = f"Merge pull request #{number} from acme/{branch}\n\n{title}"
            self.git("merge", "-q", "--no-ff", "--no-edit", "-m", message, branch)
        elif way == "squash":
            self.git("merge", "-q", "--squash", branch)
            self.git("commit", "-q", "-F", "-", author=ADA, text=f"{title} (#{number})\n")
        elif way == "rebase":
            self.git("checkout", "-q", "-b", "rebased", branch)
            self.git("rebase", "-q", "--force-rebase", "main")
            self.git("checkout", "-q", "main")
            self.git("merge", "-q", "--ff-only", "rebased")
            self.git("branch", "-q", "-D", "rebased")
        else:
            self.git("merge", "-q", "--ff-only", branch)
        end["merge_sha"] = self.head("main")
        self.git("update-ref", f"{REVIEWS}{number}", head)
        self.git("branch", "-q", "-D", branch)
        row = pull_request(
            self.id, number, title=title, state="merged", created_at=self.now - timedelta(hours=2),
            updated_at=self.now, merged_at=self.now, closed_at=self.now, source_branch=branch,
            # The host names the commits alone: everything about them comes from the review ref.
            commits=[source_commit(sha) for sha in sources], **(end | given),
        )  # fmt: skip
        self.pull_requests.append(row)
        return row

    def extract(self, lake: Lake) -> None:
        """Read it as the product reads the clone of a connection."""
        names = {
            "organization_id": ORGANIZATION_ID,
            "repository_id": self.id,
            "origin": f"git.example.org/{self.name}",
        }
        extract_repository(source_of(self.folder, **names), lake, workers=1)


def lines(word: str, name: str, number: int, first: int = 0) -> str:
    """Distinct lines of code. The name of the repository keeps repositories from being copies of each other."""
    tag = name.rpartition("/")[2]
    return "".join(
        f"def {word}_{tag}_{at}(value, other_{at}):\n    return {word}_{tag}[value + {at}] * other_{at}\n\n"
        for at in range(first, first + number)
    )


def feature(one: Reviewed) -> None:
    """A branch by three authors, with a co-author and two AI tools in trailers."""
    one.start("feature/parser")
    name = one.name
    one.commit(
        {"src/parser.py": lines("parse", name, 12)},
        "Add a parser\n\nCo-authored-by: Grace Hopper <grace@example.org>\n",
        ADA,
    )
    one.commit(
        {"src/printer.py": lines("emit", name, 8)},
        "Print what was parsed\n\nWhy.\n\nCo-Authored-By: Claude <noreply@anthropic.com>\n",
        LINUS,
    )
    one.commit(
        {"src/parser.py": lines("parse", name, 20)},
        "Parse numbers\n\nCo-authored-by: Cursor <cursoragent@cursor.com>\n",
        GRACE,
    )
