"""Lines by class from the lake and from the naive loops, in one form for comparison."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from tests.ingest.git.extraction import Extraction
from tests.ingest.git.naive.history import Delivery, NaiveGit
from tests.ingest.git.naive.judge import NaiveLines
from tests.ingest.git.naive.lines import Judged

_ADDED = ("delivery_sha", "predecessor_sha", "path", "previous_path", "status")
_COMMITS = ("credited_sha", "birth_sha", "removal_sha", "replaced_sha")
_FACTS = ("class", "original_class", "tokens", "own_tokens", "rank", "in_test")
_DEATH = (
    "delivery_sha",
    "remover_sha",
    "path",
    "birth_sha",
    "birth_delivery_sha",
    "is_file_deleted",
    "is_revert",
)
_DEAD_FACTS = (
    "class",
    "tokens",
    "own_tokens",
    "rank",
    "in_test",
    "has_token_gone",
    "is_replaced",
    "is_alive_elsewhere",
)
# No language of the random histories has tests inside files of source (`classify/test_inline_tests.py` has them).
_IN_TEST = False

Key = tuple[Any, ...]


@dataclass
class LineFacts:
    """Number of lines of each kind; novel code lines by delivery and path."""

    added: Counter[Key] = field(default_factory=Counter)
    removed: Counter[Key] = field(default_factory=Counter)
    novel: dict[Key, int] = field(default_factory=dict)
    copied_from: list[tuple[Key, str | None, int]] = field(default_factory=list)
    """Delivery and path, the path that is named, lines."""

    def until(self, deliveries: set[str]) -> "LineFacts":
        """The facts of some deliveries."""
        return LineFacts(
            Counter({key: n for key, n in self.added.items() if key[0] in deliveries}),
            Counter({key: n for key, n in self.removed.items() if key[0] in deliveries}),
            {key: n for key, n in self.novel.items() if key[0] in deliveries},
            [entry for entry in self.copied_from if entry[0][0] in deliveries],
        )

    def renames(self, delivery: str) -> set[Key]:
        """Path and previous path of the renamed files of a delivery that added lines."""
        return {key[2:4] for key in self.added if key[0] == delivery and key[4] == "R"}

    def differences(self, other: "LineFacts") -> list[str]:
        """Facts that only one of the two has; empty if they agree."""
        found = []
        for name, mine, theirs in (
            ("added", self.added, other.added),
            ("removed", self.removed, other.removed),
            ("novel", Counter(self.novel), Counter(other.novel)),
        ):
            found += [
                f"only first, {name}: {key} × {n}" for key, n in sorted((mine - theirs).items(), key=repr)
            ]
            found += [
                f"only second, {name}: {key} × {n}" for key, n in sorted((theirs - mine).items(), key=repr)
            ]
        return found


def stored_facts(extraction: Extraction) -> LineFacts:
    """The facts in the lake about deliveries on the mainline."""
    facts = LineFacts()
    mainline = set(extraction.column("deliveries", "delivery_sha"))
    for row in extraction.rows("delivered_lines"):
        if row["delivery_sha"] not in mainline:
            continue
        key = tuple(row[name] for name in (*_ADDED, *_COMMITS))
        for line in row["lines"]:
            facts.added[key + tuple(line[name] for name in _FACTS)] += line["lines"]
        facts.novel[row["delivery_sha"], row["path"]] = row["novel_lines"]
        copied = sum(line["lines"] for line in row["lines"] if line["class"] == "copied")
        if copied:
            facts.copied_from.append(((row["delivery_sha"], row["path"]), row["copied_from"], copied))
    for row in extraction.rows("line_deaths"):
        if row["delivery_sha"] not in mainline:
            continue
        key = tuple(row[name] for name in _DEATH)
        for line in row["lines"]:
            facts.removed[key + tuple(line[name] for name in _DEAD_FACTS)] += line["lines"]
    return facts


def compare(extraction: Extraction) -> tuple[list[str], int]:
    """Differences between the lake and the plain loops, and how many deliveries were compared.

    libgit2 and Git measure similarity differently at the border of what is a rename. From the first delivery on
    in which they pair other files the two speak of different lines, and nothing is compared.
    """
    judged = judge_naively(extraction)
    stored, naive = stored_facts(extraction), naive_facts(extraction, judged)
    compared: set[str] = set()
    for one in judged:
        if stored.renames(one.delivery.sha) != naive.renames(one.delivery.sha):
            break
        compared.add(one.delivery.sha)
    differences = naive.until(compared).differences(stored.until(compared))
    return differences + _wrong_sources(stored.until(compared), judged), len(compared)


def _wrong_sources(stored: LineFacts, judged: list[Judged]) -> list[str]:
    """Copied lines that name a file in which none of their blocks stands."""
    places: dict[Key, list[set[str]]] = {}
    for one in judged:
        for file in one.files:
            places[one.delivery.sha, file.pair.path] = [
                line.copied_from for line in file.added if line.klass == "copied"
            ]
    return [
        f"copied from {source}: {key} × {lines}"
        for key, source, lines in stored.copied_from
        if source is not None and sum(source in known for known in places[key]) < lines
    ]


def naive_deliveries(extraction: Extraction) -> list[Delivery]:
    """The mainline as the lake has it."""
    rows = sorted(extraction.rows("deliveries"), key=lambda row: row["position"])
    return [
        Delivery(
            row["delivery_sha"],
            row["predecessor_sha"],
            int(row["delivered_at"].timestamp()),
            row["commit_shas"],
        )
        for row in rows
    ]


def judge_naively(extraction: Extraction) -> list[Judged]:
    """Every delivery of the repository, judged by plain loops."""
    tables = ("delivered_lines", "line_deaths", "file_changes")
    tool_made = {
        (row.get("delivery_sha") or row["commit_sha"], row["path"])
        for row in (row for table in tables for row in extraction.rows(table))
        if row["role"] in ("lock", "export") or row["is_generated"] or row["is_minified"]
    }
    return NaiveLines(NaiveGit(extraction.repository), naive_deliveries(extraction), tool_made).judge_all()


def naive_facts(extraction: Extraction, judged: list[Judged]) -> LineFacts:
    """The results of the plain loops, in the form of the lake."""
    reverting = {
        row["commit_sha"] for row in extraction.rows("commits") if row["subject"].startswith("Revert ")
    }
    facts = LineFacts()
    for one in judged:
        for file in one.files:
            _add_file(facts, one, file, reverting)
    return facts


def _add_file(facts: LineFacts, judged: Judged, file: Any, reverting: set[str]) -> None:
    delivery, pair = judged.delivery, file.pair
    previous = pair.old_path if pair.status == "R" else None
    place = (delivery.sha, delivery.predecessor, pair.path, previous, pair.status)
    for mine in file.added:
        commits = (mine.credited, mine.birth, mine.removal, mine.replaced)
        said = (_name(mine.klass), _name(mine.original), mine.tokens, mine.own_tokens, mine.rank, _IN_TEST)
        facts.added[place + commits + said] += 1
    if file.added:
        facts.novel[delivery.sha, pair.path] = sum(
            mine.klass == "novel" and mine.line.is_code and mine.tokens > 0 for mine in file.added
        )
    for gone in file.removed:
        line = gone.line
        is_revert = bool(reverting & {delivery.sha, gone.remover})
        key = (
            delivery.sha, gone.remover, pair.old_path, line.birth, line.delivery, pair.status == "D", is_revert,
            _name(line.klass), line.tokens, line.own_tokens, line.rank, _IN_TEST,
            gone.is_gone, gone.is_replaced, gone.is_claimed or gone.is_standing,
        )  # fmt: skip
        facts.removed[key] += 1


def _name(klass: str) -> str:
    return "layout" if klass == "unread" else klass
