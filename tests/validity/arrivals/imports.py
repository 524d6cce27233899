"""Imports: bursts that the product excludes, compared with judgements by hand and with the former rule.

The list is part of the project: import_bursts.csv has commits of public histories and of this one, each judged by its
message, its files, their licence headers, and where the same code stands elsewhere.
"""

import csv
import subprocess
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.validity import bootstrap, labelled_sets
from tests.validity.analysed import Analysed, analyse
from tests.validity.arrivals.import_baseline import FORMER_BURSTS
from tests.validity.claims import NO_BAR, Bar, Baseline, Inputs, Missing, NotMeasured, Outcome, Part, Result

CLAIM = "imports"
LIST = Path(__file__).with_name("import_bursts.csv")
SET = LIST.name
THIS = "this repository"
PROJECT = Path(__file__).parents[3]
MODELS = (
    "+int_exclusions__commits",
    "+int_exclusions__foreign_files",
    "+int_exclusions__tools",
    "int_repositories",
)
JUDGEMENTS = ("import", "own", "ambiguous")
_SHOWS = "whether what earns nothing as an import is code that somebody brought in."
_NOT_SHOWN = (
    "imports of fewer lines than were judged, histories of other kinds than these, and whether another person would "
    "judge as we did: one did. Vendored and generated files and copies within a repository earn nothing anyway and are "
    "not counted here."
)
# All novel lines of a commit: its arrivals leave files out that are foreign by their own signs.
_LINES = """
    select commits.commit_sha, repository_id, delivery_sha, developer_id, authored_micros, sizes.lines
    from int_delivered_commits as commits
    inner join (
        select commit_sha, sum(files.novel_lines * roles.factor_micro) / 1e6 as lines
        from int_files as files
        inner join role_factors as roles on files.role = roles.role
        group by commit_sha
    ) as sizes on commits.commit_sha = sizes.commit_sha
    where not is_bot and not is_upstream
"""
# No rule takes fewer lines in two weeks as an import.
_LARGE = 5_000
_FORTNIGHT = 14 * 86_400 * 1_000_000
_MERGE = "merge:"
# A merge with more imported commits is an imported history.
_MAX_OF_A_BRANCH = 20
# Nobody judged what came later: 16,923 of DPDK's 45,205 commits were read for the list, until 30 March 2019.
JUDGED_UNTIL_MICROS = {"DPDK/dpdk": 1_553_904_000 * 1_000_000}
_FOUND = "select commit_sha, burst_id as burst from int_exclusions__commits where burst_id is not null"
# Of commits in no burst, single files of other projects earn nothing.
_FOREIGN = """
    select files.commit_sha, sum(files.novel_lines * roles.factor_micro) / 1e6 as lines
    from int_files as files
    inner join role_factors as roles on files.role = roles.role
    inner join (
        select commit_sha, path from int_exclusions__foreign_files
        union
        select commit_sha, path from int_exclusions__tools
    ) as foreign_files on files.commit_sha = foreign_files.commit_sha and files.path = foreign_files.path
    group by files.commit_sha
"""


@dataclass(frozen=True)
class Judged:
    """Commits of one repository, by abbreviated ids, and what they are; `merge:` and an id stand for what it merged."""

    repository: str
    judgement: str
    reason: str
    commits: Sequence[str]


@dataclass(frozen=True)
class Commit:
    """The novel lines of a commit, times the factors of their roles."""

    sha: str
    repository: str
    delivery: str
    developer: str
    at: int
    lines: float


@dataclass
class Burst:
    """A burst found by a rule: its lines by judgement of their commits. Lines without a judgement count as own."""

    repository: str
    lines: dict[str, float] = field(default_factory=lambda: dict.fromkeys(JUDGEMENTS, 0.0))

    @property
    def is_ambiguous(self) -> bool:
        """Whether most of its lines are ambiguous."""
        return 2 * self.lines["ambiguous"] > sum(self.lines.values())

    @property
    def is_import(self) -> bool:
        """Whether at least half of the lines, without ambiguous ones, are imported."""
        return self.lines["import"] > 0 and self.lines["import"] >= self.lines["own"]


def judged() -> list[Judged]:
    """Read the list of judgements."""
    with LIST.open(encoding="utf-8", newline="") as file:
        return [
            Judged(row["repository"], row["judgement"], row["reason"], row["commits"].split())
            for row in csv.DictReader(file)
        ]


def results(inputs: Inputs) -> Iterator[Outcome]:
    """Precision by burst and recall by lines, with the former rule as baseline. Raises Missing."""
    every = judged()
    clones: dict[str, Path] = {}
    for name in sorted({one.repository for one in every}):
        try:
            clones[name] = _clone(inputs, name)
        except Missing as error:
            yield NotMeasured(CLAIM, name, str(error), has_bar=False)
    if not clones:
        raise Missing("name a folder with clones of the histories of import_bursts.csv (REPOS=…)")
    found = analyse(clones, inputs.work / "imports", select=MODELS)
    yield from measured(found, [one for one in every if one.repository in clones])


def measured(found: Analysed, every: Sequence[Judged]) -> Iterator[Outcome]:
    """Results from a warehouse of the repositories of the list. Raises Missing."""
    names = {key: name for name, key in found.repository_ids.items()}
    commits = {
        row["commit_sha"]: Commit(
            row["commit_sha"],
            names[row["repository_id"]],
            row["delivery_sha"],
            row["developer_id"],
            row["authored_micros"],
            float(row["lines"]),
        )
        for row in found.rows(_LINES)
        if row["repository_id"] in names and _is_judged(names[row["repository_id"]], row["authored_micros"])
    }
    judgements = _by_commit(every, commits)
    if "import" not in judgements.values():
        raise Missing("no commit of import_bursts.csv is on the default branch of its clone")
    ours, former = (_bursts(found.rows(query), commits, judgements) for query in (_FOUND, FORMER_BURSTS))
    yield _precision(found, ours, former)
    yield _strict(found, ours, former)
    brought = [commits[sha] for sha, one in judgements.items() if one == "import" and commits[sha].lines > 0]
    large = [one for group in _arrivals(brought) if sum(c.lines for c in group) >= _LARGE for one in group]
    own = [commits[sha] for sha, one in judgements.items() if one == "own" and commits[sha].lines > 0]
    yield _share_found(found, "imported lines that are left out", large, Bar(at_least=0.9, aim=0.95))
    yield _share_found(found, "the same with imports below 5,000 lines", brought, NO_BAR)
    yield _share_found(found, "own lines that are left out, of the commits judged", own, NO_BAR)


def _clone(inputs: Inputs, name: str) -> Path:
    return own_clone() if name == THIS else labelled_sets.repository(inputs, name)


def own_clone() -> Path:
    """The clone that holds this file. Raises Missing if there is none."""
    command = ["git", "-c", "safe.directory=*", "-C", str(PROJECT), "rev-parse", "--show-toplevel"]
    answer = subprocess.run(command, capture_output=True, check=False, text=True)
    if answer.returncode or Path(answer.stdout.strip()) != PROJECT:
        raise Missing("measure from a clone of the project: its own history is one of the list")
    return PROJECT


def _is_judged(name: str, authored_micros: int) -> bool:
    """Whether the list covers that time of the history."""
    return authored_micros < JUDGED_UNTIL_MICROS.get(name, authored_micros + 1)


def _by_commit(every: Sequence[Judged], commits: Mapping[str, Commit]) -> dict[str, str]:
    """Judgement by full id. A commit's own judgement has precedence over that of its merge."""
    named = {name: one.judgement for one in every for name in one.commits}
    found = {}
    for one in commits.values():
        judgement = named.get(one.sha[:12]) or named.get(_MERGE + one.delivery[:12])
        if judgement:
            found[one.sha] = judgement
    return found


def _arrivals(commits: Sequence[Commit]) -> list[list[Commit]]:
    """Lines of one person with gaps of at most two weeks, or one merge of a history."""
    groups: dict[tuple[str, str], list[list[Commit]]] = defaultdict(list)
    merged = Counter(one.delivery for one in commits)
    for one in sorted(commits, key=lambda commit: (commit.at, commit.sha)):
        is_history = merged[one.delivery] > _MAX_OF_A_BRANCH
        own = groups[one.repository, one.delivery if is_history else one.developer]
        if own and (is_history or one.at - own[-1][-1].at <= _FORTNIGHT):
            own[-1].append(one)
        else:
            own.append([one])
    return [group for own in groups.values() for group in own]


def _bursts(
    rows: Sequence[Mapping[str, object]],
    commits: Mapping[str, Commit],
    judgements: Mapping[str, str],
) -> list[Burst]:
    """The bursts with lines that could count."""
    found: dict[str, Burst] = {}
    for row in rows:
        sha = str(row["commit_sha"])
        if sha in commits:
            burst = found.setdefault(str(row["burst"]), Burst(commits[sha].repository))
            burst.lines[judgements.get(sha, "own")] += commits[sha].lines
    return [burst for burst in found.values() if sum(burst.lines.values()) > 0]


def _precision(found: Analysed, ours: Sequence[Burst], former: Sequence[Burst]) -> Result:
    clear, clear_before = ([one for one in rule if not one.is_ambiguous] for rule in (ours, former))
    hits = [one.is_import for one in clear]
    return Result(
        CLAIM,
        "bursts that are imports",
        SET,
        len(clear),
        "burst",
        bootstrap.mean(hits),
        bootstrap.share(hits),
        found.calculation_version,
        can_show=_SHOWS,
        cannot_show=_NOT_SHOWN,
        bar=Bar(at_least=0.75, aim=0.9),
        baselines=(
            Baseline("two weeks by delivery", bootstrap.mean([one.is_import for one in clear_before])),
        ),
        parts=_parts(clear, clear_before),
        notes=(
            (
                f"The former rule finds {len(clear_before):,} bursts. {len(ours) - len(clear):,} of ours and "
                f"{len(former) - len(clear_before):,} of its bursts are ambiguous and left out; see the next line."
            ),
        ),
    )


def _strict(found: Analysed, ours: Sequence[Burst], former: Sequence[Burst]) -> Result:
    hits, hits_before = ([one.is_import and not one.is_ambiguous for one in rule] for rule in (ours, former))
    return Result(
        CLAIM,
        "bursts that are imports, ambiguous ones counted against",
        SET,
        len(hits),
        "burst",
        bootstrap.mean(hits),
        bootstrap.share(hits),
        found.calculation_version,
        can_show=_SHOWS,
        cannot_show=_NOT_SHOWN,
        bar=NO_BAR,
        baselines=(Baseline("two weeks by delivery", bootstrap.mean(hits_before)),),
    )


def _parts(ours: Sequence[Burst], former: Sequence[Burst]) -> tuple[Part, ...]:
    def right(rule: Sequence[Burst], name: str) -> list[bool]:
        return [one.is_import for one in rule if one.repository == name]

    names = sorted({one.repository for one in (*ours, *former)})
    return tuple(
        Part(
            name,
            len(right(ours, name)),
            bootstrap.mean(right(ours, name)),
            baselines=(bootstrap.mean(right(former, name)),),
        )
        for name in names
    )


def _share_found(found: Analysed, name: str, commits: Sequence[Commit], bar: Bar) -> Result:
    """Share of the lines of these commits that each rule excludes. The interval draws whole histories."""
    bursts, former = (
        {str(row["commit_sha"]) for row in found.rows(query)} for query in (_FOUND, FORMER_BURSTS)
    )
    in_files = {str(row["commit_sha"]): float(row["lines"]) for row in found.rows(_FOREIGN)}
    ours = [one.lines if one.sha in bursts else in_files.get(one.sha, 0.0) for one in commits]
    before = [one.lines if one.sha in former else 0.0 for one in commits]

    def share(excluded: Sequence[float], numbers: Iterable[int]) -> float:
        own = list(numbers)
        total = sum(commits[number].lines for number in own)
        return sum(excluded[number] for number in own) / total if total else float("nan")

    groups = bootstrap.grouped(one.repository for one in commits)
    whole = range(len(commits))
    return Result(
        CLAIM,
        name,
        SET,
        len(commits),
        "commit",
        share(ours, whole),
        bootstrap.interval(groups, lambda rows: share(ours, rows)),
        found.calculation_version,
        can_show=_SHOWS,
        cannot_show=_NOT_SHOWN,
        bar=bar,
        baselines=(Baseline("two weeks by delivery", share(before, whole)),),
        parts=tuple(
            Part(commits[own[0]].repository, len(own), share(ours, own), baselines=(share(before, own),))
            for own in sorted(groups, key=lambda own: commits[own[0]].repository)
        ),
        notes=("Single files that are known as those of other projects count as left out, too.",),
    )
