"""AI evidence: recall on commits of agents, precision on commits of people, and the role of the tool."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from tests.validity import bootstrap, labelled_sets
from tests.validity.ai import ai_pull_requests, ai_recall, ai_squashes
from tests.validity.ai.ai_names import CUT_AT, NAMES, VENDORS, Sign
from tests.validity.analysed import Analysed, analyse
from tests.validity.categories.labelled_history import LabelledHistory
from tests.validity.claims import NO_BAR, Bar, Baseline, Inputs, Outcome, Part, Result
from tests.validity.labelled_sets import Row

CLAIM = "AI evidence"
# The set holds logins only. These are the addresses of their commits, from the vendors' documentation.
_ADDRESSES = {
    "Copilot": "198982749+Copilot@users.noreply.github.com",
    "devin-ai-integration[bot]": "158243242+devin-ai-integration[bot]@users.noreply.github.com",
    "cursoragent": "cursoragent@cursor.com",
    "claude": "noreply@anthropic.com",
    "web-flow": "noreply@github.com",
}
_ROLES = {"ai_authored": "authored", "ai_assisted": "assisted", "ai_review_suggestion": "reviewed"}
_PEOPLE = ("human", "human_hard")

Evidence = Mapping[str, Sign]
"""By commit."""


def results(inputs: Inputs) -> Iterator[Outcome]:
    """Recall by tool, precision, roles, traps, and unmeasured claims. Raises Missing."""
    agents, pull_requests = (labelled_sets.rows(inputs, f"aidev_{name}.csv") for name in ("commits", "prs"))
    mixed = labelled_sets.rows(inputs, "commits_ai_vs_human.csv")
    traps = [row["branch"] for row in labelled_sets.rows(inputs, "branch_mentions_not_agent.csv")]
    observed = labelled_sets.rows(inputs, "branch_prefixes_observed.csv")
    names = ("agents", "squashes", "mixed", "traps", "branches")
    histories = {name: LabelledHistory(inputs.work / f"{name}.git") for name in names}
    of_agents = [_said(histories["agents"], row, _accounts(row)) for row in agents]
    of_squashes = [
        histories["squashes"].say(
            ai_squashes.message(row), author=_account(row["user"]), committer=_account("web-flow")
        )
        for row in pull_requests
    ]
    of_mixed = [_said(histories["mixed"], row, _people(row)) for row in mixed]
    of_traps = [histories["traps"].say("Change the parser", branch=branch) for branch in traps]
    prefixes = [(row["branch_prefix"], branch) for row in observed for branch in _examples(row)]
    of_branches = [histories["branches"].say("Change the parser", branch=branch) for _, branch in prefixes]
    repositories = {name: history.finish() for name, history in histories.items()}
    select = ["+api_v1__commit_ai_evidence", "+api_v1__commits", "+int_pull_requests__own_signs"]
    found = analyse(
        repositories,
        inputs.work / "analysed",
        select=select,
        pull_requests=lambda ids: {
            ai_pull_requests.CONNECTION: ai_pull_requests.table(pull_requests, ids["squashes"])
        },
    )
    evidence = _evidence(found)
    version = found.calculation_version
    yield from ai_recall.results(agents, [evidence[sha] for sha in of_agents], pull_requests, version)
    yield from ai_squashes.results(pull_requests, [evidence[sha] for sha in of_squashes], version)
    yield from _precision(mixed, [evidence[sha] for sha in of_mixed], version)
    yield _traps(traps, [evidence[sha] for sha in of_traps], version)
    yield _branches([prefix for prefix, _ in prefixes], [bool(evidence[sha]) for sha in of_branches], version)
    yield from ai_pull_requests.results(pull_requests, _shown(found), version)


def _said(history: LabelledHistory, row: Row, people: tuple[str, str]) -> str:
    return history.say(row["message"], author=people[0], committer=people[1])


def _accounts(row: Row) -> tuple[str, str]:
    return _account(row["author"]), _account(row["committer"])


def _account(login: str) -> str:
    name = login or "unknown"
    return f"{name} <{_ADDRESSES.get(name, f'{name}@users.noreply.github.com')}>"


def _people(row: Row) -> tuple[str, str]:
    author, committer = (f"{row[f'{who}_name']} <{row[f'{who}_email']}>" for who in ("author", "committer"))
    return author, committer


def _evidence(found: Analysed) -> Evidence:
    query = "select commit_sha, tool, role from commit_ai_evidence join commits_by_time using (commit_id)"
    by_commit: dict[str, Sign] = defaultdict(set)
    for row in found.rows(query):
        by_commit[row["commit_sha"]].add((row["tool"], row["role"]))
    return by_commit


def _shown(found: Analysed) -> dict[int, Sign]:
    """Signs of the pull requests themselves, by number."""
    query = (
        "select number, tool, role from int_pull_requests__own_signs "
        "join stg_hosts__pull_requests using (pull_request_id)"
    )
    by_number: dict[int, Sign] = defaultdict(set)
    for row in found.rows(query):
        by_number[row["number"]].add((row["tool"], row["role"]))
    return by_number


def _precision(rows: Sequence[Row], signs: Sequence[Sign], version: str) -> Iterator[Outcome]:
    labels = [row["label"] for row in rows]
    flagged = [any(role != "reviewed" for _, role in sign) for sign in signs]
    named = [bool(NAMES.search(_text(row))) for row in rows]
    vendors = [bool(VENDORS.search(_text(row))) for row in rows]
    is_ai = [label in ("ai_authored", "ai_assisted") for label in labels]
    keys = [row["repo"] for row in rows]

    def precision(chosen: Sequence[bool], numbers: Iterable[int]) -> float:
        return bootstrap.mean([is_ai[n] for n in numbers if chosen[n]])

    def part(repo: str) -> Part:
        own = [n for n, key in enumerate(keys) if key == repo]
        size = sum(flagged[n] for n in own)
        plain = (precision(named, own), precision(vendors, own))
        return Part(repo, size, precision(flagged, own), baselines=plain)

    every = range(len(rows))
    positives = [n for n in every if flagged[n]]
    yield Result(
        CLAIM,
        "precision of the flag",
        "commits_ai_vs_human",
        len(positives),
        "project",
        precision(flagged, every),
        bootstrap.share([is_ai[n] for n in positives], [keys[n] for n in positives]),
        version,
        can_show="whether a flag is right where people, bots and tools commit side by side.",
        cannot_show="recall: the labels of AI come from the same kind of signs; without any, a commit counts as human.",
        bar=Bar(at_least=0.99, aim=1.0),
        baselines=(
            Baseline("tool named", precision(named, every)),
            Baseline("vendor or [bot] address", precision(vendors, every)),
        ),
        parts=tuple(part(repo) for repo in sorted({keys[n] for n in positives})),
    )
    for label in _PEOPLE:
        those = [n for n in range(len(rows)) if labels[n] == label]
        yield Result(
            CLAIM,
            f"flags on {label}",
            "commits_ai_vs_human",
            len(those),
            "commit",
            float(sum(bool(signs[n]) for n in those)),
            None,
            version,
            can_show="that people who are called like a tool, work at a vendor or write about cursors are not flagged.",
            cannot_show="traps of kinds that nobody has thought of.",
            bar=Bar(at_most=0),
            baselines=(
                Baseline("tool named", float(sum(named[n] for n in those))),
                Baseline("vendor or [bot] address", float(sum(vendors[n] for n in those))),
            ),
            is_count=True,
        )
    yield _roles(rows, signs, version)


def _roles(rows: Sequence[Row], signs: Sequence[Sign], version: str) -> Result:
    labels, keys = [row["label"] for row in rows], [row["repo"] for row in rows]
    whole = [len(row["message"]) < CUT_AT for row in rows]
    those = [n for n, label in enumerate(labels) if label in _ROLES and whole[n]]
    right = {n: _strongest(signs[n]) == _ROLES[labels[n]] for n in those}
    detected = Counter((labels[n], _strongest(signs[n])) for n in those)
    return Result(
        CLAIM,
        "role (authored, assisted, reviewed)",
        "commits_ai_vs_human",
        len(those),
        "project",
        bootstrap.mean(list(right.values())),
        bootstrap.share(list(right.values()), [keys[n] for n in those]),
        version,
        can_show="whether an accepted suggestion is told from co-authorship, and both from the agent's own commits.",
        cannot_show=f"how much of a commit the tool wrote; messages that the set cuts (at {CUT_AT:,} characters).",
        bar=NO_BAR,
        baselines=(Baseline("always assisted", bootstrap.mean([labels[n] == "ai_assisted" for n in those])),),
        parts=tuple(
            Part(
                label,
                sum(labels[n] == label for n in those),
                bootstrap.mean([right[n] for n in those if labels[n] == label]),
                baselines=(float(role == "assisted"),),
            )
            for label, role in _ROLES.items()
        ),
        notes=(
            "Label and role told: "
            + ", ".join(
                f"{label} as {role or 'nothing'} {count:,}" for (label, role), count in detected.most_common()
            )
            + ".",
        ),
    )


def _strongest(sign: Sign) -> str:
    roles = {role for _, role in sign}
    return next((role for role in ("authored", "assisted", "reviewed") if role in roles), "")


def _traps(branches: Sequence[str], signs: Sequence[Sign], version: str) -> Result:
    return Result(
        CLAIM,
        "flags on branches that only mention a tool",
        "branch_mentions_not_agent",
        len(branches),
        "branch",
        float(sum(map(bool, signs))),
        None,
        version,
        can_show="that work on a tool's connector, or by somebody of its name, is not flagged by its branch.",
        cannot_show="whether an agent's branches are recognized.",
        bar=Bar(at_most=0),
        baselines=(Baseline("tool named", float(sum(bool(NAMES.search(branch)) for branch in branches))),),
        is_count=True,
    )


def _examples(row: Row) -> list[str]:
    return [example.partition(":")[2] for example in row["examples"].split(" ; ")]


def _branches(prefixes: Sequence[str], hits: Sequence[bool], version: str) -> Result:
    def part(prefix: str) -> Part:
        own = [hit for of, hit in zip(prefixes, hits, strict=True) if of == prefix]
        return Part(prefix, len(own), bootstrap.mean(own))

    return Result(
        CLAIM,
        "branches of agents' shapes recognized",
        "branch_prefixes_observed",
        len(hits),
        "branch",
        bootstrap.mean(hits),
        bootstrap.share(hits),
        version,
        can_show="which shapes of branches the product takes for an agent's.",
        cannot_show="who made them: the set lists them by their beginning only, and people use the same beginnings.",
        parts=tuple(part(prefix) for prefix in dict.fromkeys(prefixes)),
    )


def _text(row: Row) -> str:
    return "\n".join(row[key] for key in ("author_name", "author_email", "committer_email", "message"))
