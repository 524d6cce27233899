"""Bug-introducing commits: the commit that a fix names, compared with the commits found from lines around the fix.

The product reads no such commit from a message. `Fixes:` only marks a commit as a fix.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from tests.validity import bootstrap, labelled_sets
from tests.validity.analysed import Analysed, analyse
from tests.validity.claims import NO_BAR, Bar, Baseline, Inputs, Missing, Outcome, Part, Result

CLAIM = "bug origin"
SET = "fixes_pairs"
_SHOWS = "whether the edges from a fix to an origin are those that the fix's author names in its message."
_NOT_SHOWN = (
    "other projects than this one, fixes whose authors name no origin, and whether the author is right: an author may "
    "name the commit that made a bug visible, or the first of several."
)

Edges = Mapping[str, frozenset[str]]
"""Origins by fix."""


def results(inputs: Inputs) -> Iterator[Outcome]:
    """F1 with two baselines, coverage, and the share of right answers by likelihood. Raises Missing."""
    rows = labelled_sets.rows(inputs, "fixes_pairs.csv")
    names = sorted({row["repo"] for row in rows})
    clones = {name: labelled_sets.repository(inputs, name) for name in names}
    found = analyse(clones, inputs.work / "analysed", select=["+fct_bug_fixes", "+fct_bug_origins"])
    yield from measured(found, [(row["fix_sha"], row["bic_sha"]) for row in rows])


def measured(found: Analysed, pairs: Sequence[tuple[str, str]]) -> Iterator[Outcome]:
    """Results from a warehouse of the repositories of the pairs. Raises Missing."""
    delivered = {row["commit_sha"] for row in found.rows("select commit_sha from int_delivered_commits")}
    labels = _grouped(pair for pair in pairs if delivered.issuperset(pair))
    if not labels:
        raise Missing("no fix of fixes_pairs.csv is on the default branch of its clone")
    fixes = sorted(labels)
    outside = len(set(pairs)) - sum(map(len, labels.values()))
    answers = found.rows("select commit_sha, origin_sha, share_micro, likelihood_micro from fct_bug_origins")
    answered = _grouped((row["commit_sha"], row["origin_sha"]) for row in answers)
    plain = {"most-blamed commit": _most_blamed(found), "last commit to the file": _last_touching(found)}
    f1 = _f1(labels, answered, fixes)
    yield Result(
        CLAIM,
        "pairwise F1 of the edges",
        SET,
        len(fixes),
        "fix",
        f1(range(len(fixes))),
        bootstrap.interval(bootstrap.grouped(fixes), f1),
        found.calculation_version,
        can_show=_SHOWS,
        cannot_show=_NOT_SHOWN,
        bar=Bar(at_least=0.60, aim=0.65),
        baselines=tuple(
            Baseline(name, _f1(labels, edges, fixes)(range(len(fixes)))) for name, edges in plain.items()
        ),
        parts=_by_basis(found, labels, answered, list(plain.values())),
        notes=(
            f"{outside:,} pairs are not measured: one of their commits is not on the default branch of the clone.",
        ),
    )
    yield _coverage(found, labels, fixes)
    yield _calibration(found, labels, [row for row in answers if row["commit_sha"] in labels])


def _grouped(pairs: Iterator[tuple[str, str]]) -> Edges:
    edges: dict[str, set[str]] = defaultdict(set)
    for fix, origin in pairs:
        edges[fix].add(origin)
    return {fix: frozenset(origins) for fix, origins in edges.items()}


def _f1(labels: Edges, answered: Edges, fixes: Sequence[str]) -> Callable[[Collection[int]], float]:
    """F1 over all edges of the fixes with the given numbers."""
    nothing: frozenset[str] = frozenset()
    counts = [
        (len(labels[fix] & answered.get(fix, nothing)), len(labels[fix]) + len(answered.get(fix, nothing)))
        for fix in fixes
    ]

    def figure(numbers: Collection[int]) -> float:
        right, either = (sum(counts[n][side] for n in numbers) for side in (0, 1))
        return 2 * right / either if either else float("nan")

    return figure


def _by_basis(found: Analysed, labels: Edges, answered: Edges, plain: Sequence[Edges]) -> tuple[Part, ...]:
    bases = found.rows("select commit_sha, coalesce(basis, no_answer_reason) as basis from fct_bug_fixes")
    by_basis: dict[str, list[str]] = defaultdict(list)
    for row in bases:
        if row["commit_sha"] in labels:
            by_basis[row["basis"].lower().replace("_", " ")].append(row["commit_sha"])
    return tuple(
        Part(
            name,
            len(fixes),
            _f1(labels, answered, fixes)(range(len(fixes))),
            baselines=tuple(_f1(labels, edges, fixes)(range(len(fixes))) for edges in plain),
        )
        for name, fixes in sorted(by_basis.items())
    )


def _coverage(found: Analysed, labels: Edges, fixes: Sequence[str]) -> Result:
    known = {
        row["commit_sha"]: row["origins"]
        for row in found.rows("select commit_sha, origins from fct_bug_fixes")
    }
    answered = [known.get(fix, 0) > 0 for fix in fixes]
    recognized = sum(fix in known for fix in fixes)
    return Result(
        CLAIM,
        "fixes that have an answer",
        SET,
        len(fixes),
        "fix",
        sum(answered) / len(answered),
        bootstrap.share(answered),
        found.calculation_version,
        can_show="how many fixes any figure about origins rests on.",
        cannot_show="whether the answers are right.",
        notes=(f"{recognized:,} of {len(fixes):,} are taken for fixes.",),
    )


def _calibration(found: Analysed, labels: Edges, answers: Sequence[Mapping[str, object]]) -> Result:
    right = [row["origin_sha"] in labels[str(row["commit_sha"])] for row in answers]
    expected = [float(str(row["likelihood_micro"])) / 1e6 for row in answers]
    bands: dict[float, list[int]] = defaultdict(list)
    for number, likelihood in enumerate(expected):
        bands[likelihood].append(number)
    gaps = [len(ns) * abs(sum(right[n] for n in ns) / len(ns) - band) for band, ns in bands.items()]
    return Result(
        CLAIM,
        "distance of the stated likelihood from the share that is right",
        SET,
        len(answers),
        "answer",
        sum(gaps) / len(answers),
        None,
        found.calculation_version,
        can_show="whether an answer of likelihood p is right in p of the cases; parts hold the share that is right.",
        cannot_show="another project: the likelihoods were counted on this one.",
        bar=NO_BAR,
        baselines=(Baseline("one likelihood for all", _spread(bands, right)),),
        parts=tuple(
            Part(f"stated {band:.2f}", len(ns), sum(right[n] for n in ns) / len(ns))
            for band, ns in sorted(bands.items())
        ),
    )


def _spread(bands: Mapping[float, Sequence[int]], right: Sequence[bool]) -> float:
    """The calibration error of a constant answer, the overall share, in the same bands."""
    overall = sum(right) / len(right)
    return sum(len(ns) * abs(sum(right[n] for n in ns) / len(ns) - overall) for ns in bands.values()) / len(
        right
    )


def _most_blamed(found: Analysed) -> Edges:
    """The commit that wrote most of the lines that the fix removes; no answer if it removes none."""
    query = """
        with blamed as (
            select remover_sha, origin_sha, sum(list_sum(list_transform(lines, line -> line.lines))) as lines
            from raw_line_deaths where origin_sha <> remover_sha group by all
        )
        select remover_sha, origin_sha from blamed
        qualify row_number() over (partition by remover_sha order by lines desc, origin_sha) = 1
    """
    return _grouped((row["remover_sha"], row["origin_sha"]) for row in found.rows(query))


def _last_touching(found: Analysed) -> Edges:
    """The last commit before the fix that changed the file of which it changes most lines."""
    query = """
        with changes as (
            select f.repository_id, f.commit_sha, f.path, coalesce(f.previous_path, f.path) as path_before,
                d.delivery_number, d.commit_number, f.lines_added + f.lines_deleted as lines
            from raw_file_changes as f inner join int_commit_deliveries as d using (repository_id, commit_sha)
        ),
        largest as (
            select * from changes
            qualify row_number() over (partition by commit_sha order by lines desc, path) = 1
        )
        select l.commit_sha, c.commit_sha as origin_sha
        from largest as l
        inner join changes as c
            on l.repository_id = c.repository_id and l.path_before = c.path
            and (c.delivery_number, c.commit_number) < (l.delivery_number, l.commit_number)
        qualify row_number() over (
            partition by l.commit_sha order by c.delivery_number desc, c.commit_number desc
        ) = 1
    """
    return _grouped((row["commit_sha"], row["origin_sha"]) for row in found.rows(query))
