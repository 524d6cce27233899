"""Recall of AI evidence: of the pull requests that an agent opened, how many have a commit that is flagged."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from tests.validity import bootstrap
from tests.validity.ai_names import NAMES, Sign
from tests.validity.claims import Bar, Baseline, Outcome, Result
from tests.validity.labelled_sets import Row

# Measured from commits alone over a larger sample of the same pull requests; the aim needs their text and branch.
BARS = {
    "Copilot": Bar(at_least=0.995, aim=1.0),
    "Devin": Bar(at_least=0.99, aim=1.0),
    "Cursor": Bar(at_least=0.98, aim=1.0),
    "Claude_Code": Bar(at_least=0.89, aim=1.0),
    "OpenAI_Codex": Bar(at_least=0.01, aim=1.0),
}


def results(
    rows: Sequence[Row], signs: Sequence[Sign], pull_requests: Sequence[Row], version: str
) -> Iterator[Outcome]:
    """A line per tool. `signs` belong to the commits of `rows`."""
    for tool, bar in BARS.items():
        commits = [(row, sign) for row, sign in zip(rows, signs, strict=True) if row["agent"] == tool]
        every = _pull_requests(commits, [row for row in pull_requests if row["agent"] == tool])
        yield _result(tool, bar, commits, every, version)


@dataclass
class _PullRequest:
    """Whether a commit of the tool is known, whether it is in the sample, and what was found among the sampled."""

    has_one: bool = False
    in_sample: bool = False
    found: bool = False
    named: bool = False


def _pull_requests(commits: Sequence[tuple[Row, Sign]], known: Sequence[Row]) -> list[_PullRequest]:
    by_id: dict[str, _PullRequest] = defaultdict(_PullRequest)
    for row in known:
        by_id[row["id"]].has_one = row["any_commit"] == "True"
    for row, sign in commits:
        one = by_id[row["pr_id"]]
        one.in_sample |= _is_signed(row)
        one.has_one |= _is_signed(row)
        one.found |= any(role != "reviewed" for _, role in sign)
        one.named |= bool(NAMES.search(row["message"] + row["author"]))
    return list(by_id.values())


def _is_signed(row: Row) -> bool:
    return "True" in (row["author_sig"], row["msg_sig"])


def _result(
    tool: str, bar: Bar, commits: Sequence[tuple[Row, Sign]], every: Sequence[_PullRequest], version: str
) -> Result:
    def found(picks: Iterable[int]) -> float:
        return _estimated([every[pick] for pick in picks], lambda one: one.found)

    signed = [bool(sign) for row, sign in commits if _is_signed(row)]
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
            "what commits beyond the sample say: where the agent's commit is known and not in the sample, the share "
            "found among the others is taken. Accounts are known by login only; their address is filled in. An agent "
            "that leaves no trace in its commits (Codex) cannot be found in them."
        ),
        bar=bar,
        baselines=(
            Baseline("signs noted in the set", float(np.mean([one.has_one for one in every]))),
            Baseline("tool named", _estimated(every, lambda one: one.named)),
        ),
        notes=(
            (
                f"Of {len(commits):,} sampled commits {len(signed):,} bear a sign that the set notes; the product "
                f"finds {sum(signed):,} of these. The others are people's commits in the agent's pull request, or bear "
                "no trace."
            ),
        ),
    )


def _estimated(drawn: Sequence[_PullRequest], hit: Callable[[_PullRequest], bool]) -> float:
    """Share found; pull requests whose agent's commit is not in the sample count as the others on average."""
    sampled = [hit(one) for one in drawn if one.in_sample]
    likely = sum(sampled) / len(sampled) if sampled else 0.0
    unseen = [one.has_one and not one.in_sample for one in drawn]
    values = [1.0 if hit(one) else likely * missing for one, missing in zip(drawn, unseen, strict=True)]
    return float(np.mean(values))
