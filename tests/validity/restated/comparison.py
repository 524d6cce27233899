"""Tells the figures of one history before and after, as Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from api.control.categories import CATEGORIES
from tests.validity.restated.published_figures import TOP, Commit, Figures

# So many people are named. Shares and reasons that move less are left out.
PEOPLE = 5
MIN_POINTS = 0.005
MIN_LINES = 100


def told(name: str, before: Figures, after: Figures) -> str:
    """A table of sums, and lists of moved commits, people, robots and reasons."""
    parts = [f"### {name}", "", *_sums(before, after), "", *_people(before, after), *_commits(before, after)]
    names = _moved_keys(before.robots, after.robots)
    robots = [_moved(who, before.robots.get(who, 0), after.robots.get(who, 0)) for who in names]
    parts += [f"- Robots, in commits: {'; '.join(robots) or 'the same'}."]
    reasons = [
        _moved(reason, before.reasons.get(reason, 0), after.reasons.get(reason, 0))
        for reason in _moved_keys(before.reasons, after.reasons)
        if abs(before.reasons.get(reason, 0) - after.reasons.get(reason, 0)) >= MIN_LINES
    ]
    parts += [f"- New lines without ETV, by reason: {'; '.join(reasons) or 'the same'}."]
    return "\n".join(parts)


def _sums(before: Figures, after: Figures) -> Iterator[str]:
    told_of = ("ETV", *CATEGORIES, "imported commits")
    sides = {"before": _values(before), "after": _values(after)}
    yield f"| | {' | '.join(told_of)} |"
    yield f"|---|{'---:|' * len(told_of)}"
    for side, values in sides.items():
        yield f"| {side} | {' | '.join(f'{value:,.0f}' for value in values)} |"
    moves = (_percent(*pair) for pair in zip(*sides.values(), strict=True))
    yield f"| moved | {' | '.join(moves)} |"


def _values(figures: Figures) -> tuple[float, ...]:
    return (figures.etv, *(figures.categories[category] for category in CATEGORIES), figures.imported)


def _people(before: Figures, after: Figures) -> Iterator[str]:
    points = {
        who: round(abs(after.share(who) - before.share(who)), 6) for who in {*before.people, *after.people}
    }
    names = sorted(points, key=lambda who: (-points[who], who))
    moved = [who for who in names if points[who] >= MIN_POINTS][:PEOPLE]
    told_of = "; ".join(f"{who} {before.share(who):.1%} → {after.share(who):.1%}" for who in moved)
    yield f"- Shares of people that moved by half a point or more: {told_of or 'none'}."


def _commits(before: Figures, after: Figures) -> Iterator[str]:
    old = {one.sha: one for one in before.top}
    new = {one.sha: one for one in after.top}
    yield f"- Of the {TOP} most valuable commits {len(old.keys() & new.keys())} stay."
    for word, ones in (("left", old.keys() - new.keys()), ("came", new.keys() - old.keys())):
        known: Mapping[str, Commit] = old if word == "left" else new
        found = sorted((known[sha] for sha in ones), key=lambda one: (-one.etv, one.sha))
        if found:
            said = "; ".join(
                f"`{one.sha[:8]}` {one.subject[:60]} ({one.category}, {one.etv:.1f})" for one in found
            )
            yield f"  - {word}: {said}"


def _moved_keys(before: Mapping[str, int], after: Mapping[str, int]) -> list[str]:
    return [name for name in sorted({*before, *after}) if before.get(name, 0) != after.get(name, 0)]


def _moved(name: str, before: int, after: int) -> str:
    return f"{name} {before:,} → {after:,}"


def _percent(before: float, after: float) -> str:
    return f"{(after - before) / before:+.1%}" if before else "" if not after else "new"
