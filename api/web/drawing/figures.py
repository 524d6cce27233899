"""Figures as the dashboard writes them: with signs, thousands and units; a dash where there is no value.

Keep out: what the summaries write (presentation/formats.py, which this extends).
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any

from markupsafe import Markup

from api.presentation.charts.texts import label
from api.presentation.formats import number, share_at_least
from api.presentation.page_words import page_words
from api.presentation.rounding import shown_difference
from api.presentation.sentences import ai_cost_basis, how_sure
from api.web.drawing.axes import vertical_axis

# A true minus, and a space that never breaks before a unit.
MINUS, SPACE = "−", "\u00a0"
# Screen readers would read the dash as nothing.
DASH = Markup('<span class="dash"><span aria-hidden="true">–</span><span class="said">no data</span></span>')
HUNDRED_DOLLARS = 100
LEAST_AMOUNT = 0.01
# Less would read as 0.0 %.
LEAST_SHARE = 0.0005


def etv(value: float | None) -> str:
    """ETV with one decimal."""
    return DASH if value is None else number(value)


def count(value: int | None) -> str:
    """A count with thousands."""
    return DASH if value is None else f"{value:,}"


def issues_done(row: Mapping[str, Any]) -> str:
    """The done issues of an objective, of those that progress counts: `4 of 4, and 1 cancelled`."""
    canceled = row["canceledIssueCount"]
    told = f"{row['doneIssueCount']:,} of {row['issueCount'] - canceled:,}"
    return f"{told}, and {canceled:,} cancelled" if canceled else told


def percent(value: float | None) -> str:
    """A share in per cent, with a decimal below 1 %; a measured zero is `0 %`, and less than a tenth is `< 0.1 %`."""
    if value is None:
        return DASH
    if 0 < value < LEAST_SHARE:
        return f"<{SPACE}0.1{SPACE}%"
    shown = f"{100 * value:.1f}" if 0 < value < 0.00995 else f"{100 * value:.0f}"
    return f"{shown}{SPACE}%"


def at_least(value: float | None) -> str:
    """A share that is a lower bound; `no sign` for zero, which is that use is recorded and no commit has a sign."""
    if value is None:
        return DASH
    return f"no{SPACE}sign" if value == 0 else share_at_least(value).replace(" ", SPACE)


def bound(value: float | None) -> str:
    """A share that is a lower bound, after the words “at least”."""
    return DASH if value is None else share_at_least(value).replace(" ", SPACE).removeprefix(f"≥{SPACE}")


def difference(value: float | None) -> str:
    """A difference with its sign; one that rounds to zero has none."""
    if value is None:
        return DASH
    shown = number(abs(value))
    if shown == "0.0":
        return shown
    return f"{MINUS if value < 0 else '+'}{shown}"


def difference_from(now: float | None, before: float | None) -> str:
    """The difference of two figures that stand beside it, as they are shown there."""
    return DASH if now is None or before is None else difference(shown_difference(now, before))


def change(now: float | None, before: float | None) -> str:
    """The relative difference to an earlier value; a dash where the earlier one is zero or unknown."""
    if now is None or not before:
        return DASH
    shown = round(100 * (now - before) / before)
    return f"{'+' if shown > 0 else MINUS if shown < 0 else ''}{abs(shown):,}{SPACE}%"


def dollars(value: float | None) -> str:
    """US dollars: whole ones from a hundred on."""
    if value is None:
        return DASH
    return f"${value:,.0f}" if value >= HUNDRED_DOLLARS or value == 0 else f"${value:,.2f}"


def money(value: float | None, currency: str | None = "USD") -> str:
    """An amount with its currency: `$9.34`, `EUR 12.50`; whole units from a hundred on, a cent is the least."""
    if value is None:
        return DASH
    sign = "$" if currency in (None, "USD") else f"{currency}{SPACE}"
    if 0 < value < LEAST_AMOUNT:
        return f"<{SPACE}{sign}{LEAST_AMOUNT}"
    amount = abs(value)
    shown = f"{amount:,.0f}" if amount >= HUNDRED_DOLLARS or amount == 0 else f"{amount:,.2f}"
    return f"{MINUS if value < 0 else ''}{sign}{shown}"


def hours(value: float | None) -> str:
    """Hours with one decimal."""
    return DASH if value is None else f"{value:,.1f}"


def duration(value: float | None) -> str:
    """Hours of the calendar as days of 24 hours: `6 d 4 h`, `4 h`, and minutes below an hour."""
    if value is None:
        return DASH
    minutes = round(value * 60)
    if minutes < 60:
        return f"{minutes}{SPACE}min"
    days, hours_left = divmod(round(value), 24)
    return f"{days:,}{SPACE}d {hours_left}{SPACE}h" if days else f"{hours_left}{SPACE}h"


SINGULARS = {"repositories": "repository", "sandboxes": "sandbox"}


def of_number(noun: str, number: int) -> str:
    """A noun in the plural as it stands after a number: `1 row`, `2 rows`."""
    return SINGULARS.get(noun, noun.removesuffix("s")) if number == 1 else noun


def joined(texts: Sequence[str]) -> str:
    """Several texts in a sentence: `a, b and c`."""
    return " and ".join(part for part in (", ".join(texts[:-1]), texts[-1] if texts else "") if part)


NAMES = {"claude code": "Claude Code", "github copilot": "GitHub Copilot", "gemini cli": "Gemini CLI"}
"""Names within codes that are written otherwise than other words."""


def words(code: str | None) -> str:
    """A code of the interface as words: `FIRST_REVIEW` as `First review`, and `CLAUDE_CODE` as `Claude Code`."""
    if not code:
        return DASH
    told = code.replace("_", " ").lower()
    for plain, name in NAMES.items():
        told = told.replace(plain, name)
    # The code has the spelling of trackers.
    told = told.replace("canceled", "cancelled")
    return told[:1].upper() + told[1:]


UNITS = {"ETV": "ETV", "USD": "US dollars", "MULTIPLE": "times the usual"}


def unit(code: str, value: float | None = None) -> str:
    """A unit of the interface as words: `WORKING_HOURS` as `working hours`, of one of them `working hour`."""
    told = UNITS.get(code) or words(code).lower()
    return told.removesuffix("s") if value == 1 and code not in UNITS else told


def measured(value: float | None) -> str:
    """A value or limit of a check: one decimal from ten on, two below, and none that is zero."""
    if value is None:
        return DASH
    shown = f"{value:,.1f}" if abs(value) >= 10 else f"{value:.2f}"
    told = shown.rstrip("0").rstrip(".")
    return "0" if told == "-0" else told.replace("-", "−")


def points(value: float | None) -> str:
    """Points of lines, with two decimals and a true minus; what rounds to zero has no sign."""
    if value is None:
        return DASH
    shown = f"{value:,.2f}"
    return "0.00" if shown == "-0.00" else shown.replace("-", "−")


NO_PERFORMANCE = {
    "NO_COMPARISON_YET": "too little work in the year before the range to compare with; a single month "
    "or a shorter range can have one",
    "NO_ETV": "nothing was delivered",
    "NOT_SEEN": "it would contain work that you may not see",
    "NO_WHOLE_WEEK": "the range has no whole week",
    "PARTIAL": "the range has parts of weeks",
    "MIXTURE": "of people with differing references",
}


def no_performance(reason: str | None) -> str:
    """Why there is no performance, in words; empty where there is one."""
    return NO_PERFORMANCE.get(reason or "", "")


def cost_basis(row: dict[str, Any]) -> str:
    """Why a commit or pull request has a cost of AI; empty without a cost."""
    return ai_cost_basis(row["aiCostConfidence"]).replace(" %", f"{SPACE}%") if row["aiCost"] else ""


def sure(row: dict[str, Any]) -> str:
    """How sure the links between a cost of AI and its work are; empty without a cost."""
    known = row["aiCostConfidence"] if row["aiCost"] else None
    return "" if known is None else how_sure(known).replace(" %", f"{SPACE}%")


def score(value: float | None) -> str:
    """A performance without decimals."""
    return DASH if value is None else f"{value:.0f}"


def day(value: str | None) -> str:
    """An ISO date or time as `24 Aug 2026`."""
    if not value:
        return DASH
    found = date.fromisoformat(value[:10])
    return f"{found.day} {found:%b %Y}"


def last_day(value: str | None) -> str:
    """The last day, in UTC, on which something works that ends at this ISO time: a midnight ends the day before."""
    if not value:
        return DASH
    found = (datetime.fromisoformat(value).astimezone(UTC) - timedelta(microseconds=1)).date()
    return f"{found.day} {found:%b %Y}"


def moment(value: str | None) -> str:
    """An ISO time in UTC as `24 Aug 2026, 06:40`."""
    if not value:
        return DASH
    found = datetime.fromisoformat(value).astimezone(UTC)
    return f"{found.day} {found:%b %Y, %H:%M}"


def month(value: str) -> str:
    """The month of an ISO date as `August`."""
    return f"{date.fromisoformat(value[:10]):%B}"


def bucket(start: str, interval: str) -> str:
    """The bucket that starts on an ISO date: `Aug 2026`, and a week with its Monday, `W34 2026, 17 Aug`."""
    named = " ".join(filter(None, tick(start, interval)))
    # A day and its month stay on one line.
    return f"{named}, {day(start)[:-5].replace(' ', SPACE)}" if interval == "WEEK" else named


def tick(start: str, interval: str) -> tuple[str, str]:
    """The two lines of a bucket below the axis of a chart: its name and its year."""
    return label(interval, date.fromisoformat(start))


def share(part: float | None, whole: float | None) -> float | None:
    """A part of a whole; None where either is unknown or the whole is zero."""
    return part / whole if part is not None and whole else None


def sentence(text: str) -> str:
    """A message of the interface as a sentence: a capital first, unless it begins with an address, and a full stop.

    Pages stand in the place of operations.
    """
    text = page_words(text)
    first = text[:1] if "@" in text.partition(" ")[0] else text[:1].upper()
    return f"{first}{text[1:].rstrip('.')}." if text else ""


def chart_notes(svg: str) -> Markup:
    """The notes in the metadata of a drawn chart, which are escaped there."""
    return Markup(svg.partition("<metadata>")[2].partition("</metadata>")[0])


def combine(first: dict[str, Any], second: dict[str, Any]) -> dict[str, Any]:
    """The entries of two dicts."""
    return first | second


FILTERS: dict[str, Any] = {
    "etv": etv,
    "count": count,
    "issues_done": issues_done,
    "percent": percent,
    "at_least": at_least,
    "bound": bound,
    "difference": difference,
    "difference_from": difference_from,
    "dollars": dollars,
    "money": money,
    "hours": hours,
    "duration": duration,
    "words": words,
    "in_words": joined,
    "of_number": of_number,
    "unit": unit,
    "score": score,
    "no_performance": no_performance,
    "cost_basis": cost_basis,
    "sure": sure,
    "day": day,
    "last_day": last_day,
    "points": points,
    "measured": measured,
    "moment": moment,
    "combine": combine,
    "month": month,
    "bucket": bucket,
    "tick": tick,
    "chart_notes": chart_notes,
    "vertical_axis": vertical_axis,
    "sentence": sentence,
}
