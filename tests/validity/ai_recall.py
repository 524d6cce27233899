"""Recall of AI evidence: of the pull requests that an agent opened, how many have a commit that is flagged."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from tests.validity import bootstrap
from tests.validity.ai_names import CUT_AT, NAMES, Sign
from tests.validity.claims import Bar, Baseline, Outcome, Result
from tests.validity.labelled_sets import Row

# What known signs reached from commits alone in a larger sample of such pull requests; the aim needs text and branch.
IN_LARGER_SAMPLE = {
    "Copilot": 0.995,
    "Devin": 0.99,
    "Cursor": 0.98,
    "Claude_Code": 0.89,
    "OpenAI_Codex": 0.01,
}


def results(
    rows: Sequence[Row], signs: Sequence[Sign], pull_requests: Sequence[Row], version: str
) -> Iterator[Outcome]:
    """A line per tool. `signs` belong to the commits of `rows`."""
    for tool, wanted in IN_LARGER_SAMPLE.items():
        commits = [(row, sign) for row, sign in zip(rows, signs, strict=True) if row["agent"] == tool]
        every = _pull_requests(commits, [row for row in pull_requests if row["agent"] == tool])
        yield _result(tool, wanted, commits, every, version)


# What the names that the product has for the tool's accounts have in common.
TOOL_WORDS = {
    "Copilot": "Copilot",
    "Devin": "Devin",
    "Cursor": "Cursor",
    "Claude_Code": "Claude",
    "OpenAI_Codex": "Codex",
}


@dataclass
class _PullRequest:
    """Whether a commit bears the tool's sign, whether a sampled one does, and what was found in the sampled ones."""

    has_one: bool = False
    in_sample: bool = False
    found: bool = False
    named: bool = False


def _pull_requests(commits: Sequence[tuple[Row, Sign]], known: Sequence[Row]) -> list[_PullRequest]:
    """Those of which is known whether any of all their commits bears a sign."""
    by_id = {row["id"]: _PullRequest(has_one=row["any_commit"] == "True") for row in known}
    for row, sign in commits:
        if row["pr_id"] not in by_id:
            continue
        one = by_id[row["pr_id"]]
        one.in_sample |= _is_signed(row) and not _is_cut(row)
        one.has_one |= _is_signed(row)
        one.found |= any(TOOL_WORDS[row["agent"]] in found or found == "disclosed" for found, _ in sign)
        one.named |= bool(NAMES.search(row["message"] + row["author"]))
    return list(by_id.values())


def _is_signed(row: Row) -> bool:
    return "True" in (row["author_sig"], row["msg_sig"])


def _is_cut(row: Row) -> bool:
    return row["author_sig"] != "True" and len(row["message"]) >= CUT_AT


def _result(
    tool: str, wanted: float, commits: Sequence[tuple[Row, Sign]], every: Sequence[_PullRequest], version: str
) -> Result:
    def found(picks: Iterable[int]) -> float:
        return _estimated([every[pick] for pick in picks], lambda one: one.found)

    # More than the signs in their commits show cannot be asked of these rows.
    noted = bootstrap.mean([one.has_one for one in every])
    signed = [bool(sign) for row, sign in commits if _is_signed(row) and not _is_cut(row)]
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
        bar=Bar(at_least=wanted, aim=1.0),
        baselines=(
            Baseline("signs noted in the set", noted),
            Baseline("tool named", _estimated(every, lambda one: one.named)),
        ),
        notes=(
            (
                f"Of {len(commits):,} sampled commits {len(signed):,} bear a sign that the set notes; the product "
                f"finds {sum(signed):,} of these. The others are people's commits in the agent's pull request, or bear "
                "no trace."
            ),
            f"In a larger sample the noted signs reached {wanted:g}, which is the bar, on these rows {noted:.4f}.",
        ),
    )


def _estimated(drawn: Sequence[_PullRequest], hit: Callable[[_PullRequest], bool]) -> float:
    """Share found; pull requests whose agent's commit is not in the sample count as the others on average."""
    sampled = [hit(one) for one in drawn if one.in_sample]
    likely = sum(sampled) / len(sampled) if sampled else 0.0
    unseen = [one.has_one and not one.in_sample for one in drawn]
    values = [1.0 if hit(one) else likely * missing for one, missing in zip(drawn, unseen, strict=True)]
    return bootstrap.mean(values)
