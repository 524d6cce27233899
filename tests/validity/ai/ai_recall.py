"""Recall of AI evidence, for the signs in the set and for the pull requests of agents."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from tests.validity import bootstrap
from tests.validity.ai.ai_names import CUT_AT, NAMES, Sign
from tests.validity.claims import Bar, Baseline, NotMeasured, Outcome, Result
from tests.validity.labelled_sets import Row

# The common part of the product's names for the accounts of the tool.
TOOL_WORDS = {
    "Copilot": "Copilot",
    "Devin": "Devin",
    "Cursor": "Cursor",
    "Claude_Code": "Claude",
    "OpenAI_Codex": "Codex",
}
# The set notes a sign if a login names the vendor. These logins belong to people who work there.
_EMPLOYEE = re.compile(r"[a-z0-9]-(?:openai|anthropic)$", re.IGNORECASE)


def results(
    rows: Sequence[Row], signs: Sequence[Sign], pull_requests: Sequence[Row], version: str
) -> Iterator[Outcome]:
    """Two lines per tool: signs (with a bar) and pull requests. `signs` are those of the commits in `rows`."""
    for tool in TOOL_WORDS:
        commits = [(row, sign) for row, sign in zip(rows, signs, strict=True) if row["agent"] == tool]
        every = _pull_requests(commits, [row for row in pull_requests if row["agent"] == tool])
        yield _of_signs(tool, commits, version)
        if every:
            yield _of_pull_requests(tool, every, version)


@dataclass
class _PullRequest:
    """Whether any commit has the tool's sign, whether a sampled one does, and the signs found in sampled ones."""

    has_one: bool = False
    in_sample: bool = False
    found: bool = False
    named: bool = False


def _pull_requests(commits: Sequence[tuple[Row, Sign]], known: Sequence[Row]) -> list[_PullRequest]:
    """The pull requests for which the set says whether any of their commits has a sign."""
    by_id = {row["id"]: _PullRequest(has_one=row["any_commit"] == "True") for row in known}
    for row, sign in commits:
        if row["pr_id"] not in by_id:
            continue
        one = by_id[row["pr_id"]]
        # From the set, including logins of people: it has no more about commits outside the sample.
        one.in_sample |= _is_noted(row) and not _is_cut(row)
        one.has_one |= _is_noted(row)
        one.found |= _is_found(row, sign)
        one.named |= bool(NAMES.search(row["message"] + row["author"]))
    return list(by_id.values())


def _is_found(row: Row, sign: Sign) -> bool:
    return any(TOOL_WORDS[row["agent"]] in found or found == "disclosed" for found, _ in sign)


def _is_noted(row: Row) -> bool:
    return "True" in (row["author_sig"], row["msg_sig"])


def _is_signed(row: Row) -> bool:
    return row["msg_sig"] == "True" or (_is_noted(row) and not _is_employee(row))


def _is_employee(row: Row) -> bool:
    return bool(_EMPLOYEE.search(row["author"]))


def _is_cut(row: Row) -> bool:
    return row["author_sig"] != "True" and len(row["message"]) >= CUT_AT


def _of_signs(tool: str, commits: Sequence[tuple[Row, Sign]], version: str) -> Outcome:
    labelled = [(row, sign) for row, sign in commits if _is_signed(row) and not _is_cut(row)]
    name = f"signs noted in commits that are found, {tool.replace('_', ' ')}"
    if not labelled:
        return NotMeasured("AI evidence", name, f"give commits of {tool} on which the set notes a sign")
    found = [_is_found(row, sign) for row, sign in labelled]
    people = sum(_is_employee(row) and row["author_sig"] == "True" for row, _ in commits)
    return Result(
        "AI evidence",
        name,
        "aidev_commits",
        len(labelled),
        "pull request",
        bootstrap.mean(found),
        bootstrap.share(found, [row["pr_id"] for row, _ in labelled]),
        version,
        can_show="whether every sign that the set notes on a commit is evidence for the product too.",
        cannot_show="agents that leave no sign in their commits, and signs that the set cuts off.",
        bar=Bar(at_least=1.0),
        baselines=(
            Baseline(
                "tool named",
                bootstrap.mean([bool(NAMES.search(row["message"] + row["author"])) for row, _ in labelled]),
            ),
        ),
        notes=(
            (
                f"Of {len(commits):,} sampled commits {len(labelled):,} bear a sign that the set notes. The others are "
                "people's commits in the agent's pull request, or bear no trace."
            ),
            *(
                [f"Not counted: {people} where the set takes a person's login (`…-vendor`) for the tool's."]
                if people
                else []
            ),
        ),
    )


def _of_pull_requests(tool: str, every: Sequence[_PullRequest], version: str) -> Result:
    def found(picks: Iterable[int]) -> float:
        return _estimated([every[pick] for pick in picks], lambda one: one.found)

    return Result(
        "AI evidence",
        f"recall per pull request, {tool.replace('_', ' ')}",
        "aidev_commits",
        len(every),
        "pull request",
        found(range(len(every))),
        bootstrap.interval(bootstrap.grouped(range(len(every))), found, draws=300),
        version,
        can_show="whether a pull request that an agent opened has a commit that the product flags.",
        cannot_show=(
            "what commits beyond the sample say: where the agent's sign is known and not in the sample, or cut off, "
            "the share found among the others is taken. Accounts are known by login only; their address is filled in. "
            "An agent that leaves no trace in its commits (Codex) cannot be found in them."
        ),
        baselines=(
            # These rows show no more than the signs in their commits.
            Baseline("signs noted in the set", bootstrap.mean([one.has_one for one in every])),
            Baseline("tool named", _estimated(every, lambda one: one.named)),
        ),
    )


def _estimated(drawn: Sequence[_PullRequest], hit: Callable[[_PullRequest], bool]) -> float:
    """Share found. A pull request without a sampled commit of the agent counts as the average of the others."""
    sampled = [hit(one) for one in drawn if one.in_sample]
    likely = sum(sampled) / len(sampled) if sampled else 0.0
    unseen = [one.has_one and not one.in_sample for one in drawn]
    values = [1.0 if hit(one) else likely * missing for one, missing in zip(drawn, unseen, strict=True)]
    return bootstrap.mean(values)
