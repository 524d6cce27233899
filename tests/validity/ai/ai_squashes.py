"""AI evidence in squashes: an agent's pull request as one commit with its title and text, as hosts write it."""

from collections.abc import Iterable, Iterator, Sequence

from tests.validity import bootstrap
from tests.validity.ai.ai_names import NAMES, Sign
from tests.validity.ai.ai_recall import TOOL_WORDS
from tests.validity.claims import NO_BAR, Baseline, Outcome, Result
from tests.validity.labelled_sets import Row


def message(row: Row) -> str:
    """The message that a host proposes for the squash."""
    return f"{row['title']} (#{row['number']})\n\n{row['body']}"


def results(rows: Sequence[Row], signs: Sequence[Sign], version: str) -> Iterator[Outcome]:
    """A line per tool. `signs` are those of the squashes of `rows`."""
    for tool in TOOL_WORDS:
        own = [(row, sign) for row, sign in zip(rows, signs, strict=True) if row["agent"] == tool]
        if own:
            yield _result(tool, own, version)


def _result(tool: str, own: Sequence[tuple[Row, Sign]], version: str) -> Result:
    found = [any(TOOL_WORDS[tool] in name or name == "disclosed" for name, _ in sign) for _, sign in own]
    labelled = ["True" in (row["user_sig"], row["body_sig"]) for row, _ in own]
    named = [bool(NAMES.search(f"{row['user']} {message(row)}")) for row, _ in own]
    both = sum(1 for has, is_found in zip(labelled, found, strict=True) if has and is_found)

    def share(picks: Iterable[int]) -> float:
        return bootstrap.mean([found[pick] for pick in picks])

    return Result(
        "AI evidence",
        f"recall of squashes with the pull request's text, {tool.replace('_', ' ')}",
        "aidev_prs",
        len(own),
        "pull request",
        share(range(len(own))),
        bootstrap.interval(bootstrap.grouped(range(len(own))), share, draws=300),
        version,
        can_show="whether the commit that a host makes of an agent's pull request, with its title, text and author, is "
        "flagged.",
        cannot_show="pull requests themselves, which have lines of their own; branch names, which the set "
        "lacks; signs behind 1,200 characters, where the set cuts texts; squashes whose message somebody shortened.",
        bar=NO_BAR,
        baselines=(
            Baseline("signs noted in the set", bootstrap.mean(labelled)),
            Baseline("tool named", bootstrap.mean(named)),
        ),
        notes=(
            f"The set notes a sign of {sum(labelled):,} of these, cut texts included; {both:,} of them are flagged.",
        ),
    )
