"""Invented facts of a scope and a period, of every kind and with every gap."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from random import Random
from typing import Any

from hypothesis import strategies as st

from api.control.categories import CATEGORIES
from api.presentation.summaries.facts import Fact

ENDS = {"week": date(2026, 8, 23), "month": date(2026, 8, 31), "quarter": date(2026, 9, 30)}
STARTS = {"week": date(2026, 8, 17), "month": date(2026, 8, 1), "quarter": date(2026, 7, 1)}
# Without digits, so that every digit of a text is a number's or the period's.
PLAIN_TITLES = ("Mend the parser", "", "a", "many words " * 30, "Read every page of the answer")
HOSTILE = (
    "",
    " \t\n ",
    "# Injected heading",
    "x\n\n# Injected heading\n\n[here](https://evil.example)",
    "[click](https://evil.example/?a=1) ![image](https://evil.example/i.png)",
    "https://evil.example/login and www.evil.example and mail@evil.example",
    "<script>alert(1)</script><img src=x onerror=alert(1)>",
    "</a></td></table><h1>Injected</h1><a href='https://evil.example'>x",
    "&lt;b&gt; &amp; &#60;",
    "`code` | cell | ~~gone~~ **bold** _it_ $x$ <b>",
    "\x1b[31mred\x1b[0m \x07 \x9b2J",
    "\u202egnp.exe \u2066x\u2069 \u200b\u200f",
    '#let x = sys.inputs; #image("/etc/passwd") $a^2$ @label <label> \\ "quoted"',
    "e" + "\u0301" * 200,
    "word " * 2_000,
    "x" * 10_000,
    "解析器を直す 🧑‍🚀 مرحبا",
    "\ud800 half",
    "1. first - 2) second + third",
    "\x00null",
)
URLS = (
    None,
    "https://host.example/p/pull/12?a=1&b=2",
    "javascript:alert(1)",
    "https://host.example/a(b)<c>",
    "//x",
)


def fact(fact_id: str, period: str = "week", **columns: Any) -> Fact:
    """A fact of an organization in August 2026. Values are in units, as `value`, `previous`, `low` and `high`."""
    for name in ("value", "previous", "low", "high"):
        if name in columns:
            value = columns.pop(name)
            columns[f"{name}_micro"] = None if value is None else round(value * 1_000_000)
    family, _, key = fact_id.partition(".")
    position = int(key) if key.isdecimal() else None
    values: dict[str, Any] = {
        "is_draft": False,
        "position": position,
        "calculation_version": "0.5.0",
        **columns,
    }
    return Fact(
        scope_kind="ORGANIZATION",
        scope_id="o",
        period=period,
        period_start=STARTS[period],
        period_end=ENDS[period],
        fact_id=fact_id,
        kind=family,
        **values,
    )


def facts_of(
    period: str, titles: Sequence[str] = PLAIN_TITLES, urls: Sequence[str | None] = (None,)
) -> st.SearchStrategy[list[Fact]]:
    """Facts of a period; each kind may be missing, and each value. One draw each: hundreds would take a second."""
    return st.integers(0, 2**40).map(lambda seed: _Inventor(Random(seed), period, titles, urls).facts())


class _Inventor:
    def __init__(
        self, random: Random, period: str, titles: Sequence[str], urls: Sequence[str | None]
    ) -> None:
        self._random, self._period, self._titles, self._urls = random, period, titles, urls
        self._is_draft = random.random() < 0.5
        self._missing = random.choice([0, 0.1, 0.5])
        self._found: list[Fact] = []

    def facts(self) -> list[Fact]:
        self._measures()
        for place in range(1, self._random.randint(0, 6) + 1):
            self._add(f"delivery.{place}", "ETV", **self._about("PULL_REQUEST"))
            note = self._random.choice([None, "REVIEWER", "AUTHOR", "OWNER"])
            self._add(f"check_open.{place}", "WORKING_HOURS", note=note, **self._about("ISSUE"))
            self._add(f"check_open_kind.{place}", "WORKING_HOURS", **self._about("CHECK_KIND"))
            self._add(f"unaligned_delivery.{place}", "ETV", **self._about("COMMIT"))
        self._objectives()
        for place in range(1, 5):
            start = STARTS[self._period] - timedelta(days=91 * place)
            self._add(f"etv_quarter.{place}", "ETV", on_date=start)
        for place in (1, 2):
            for kind in ("joined", "left"):
                self._add(f"{kind}.{place}", "DATE", **self._about("DEVELOPER"), on_date=STARTS[self._period])
        for key in ("sandbox", "import", "excluded_repositories", "something_new"):
            self._add(f"uncounted.{key}", "COUNT")
        self._add("uncounted.provisional", "ETV", on_date=ENDS[self._period])
        for key in ("uncertain_commits", "merge_suggestions"):
            self._add(f"decision.{key}", "COUNT")
        return self._found or [fact("etv", self._period, unit="ETV")]

    def _measures(self) -> None:
        for key in ("changes", "mix", "size", "rework", "value"):
            self._add(f"cause.{key}", "ETV", least=-900)
        for name in (
            "commits",
            "merged_pull_requests",
            "people",
            "checks_opened",
            "checks_ended",
            "young_fixes",
            "bug_origins",
        ):
            self._add(name, "COUNT")
        shares = ["ai_share", "alignment", "rework_share", "capex_share"]
        for name in [*shares, *(f"category_share.{name}" for name in CATEGORIES)]:
            self._add(name, "SHARE")
            self._add(f"three_months.{name}", "SHARE")
        for name in ("etv", "three_months.etv", "unaligned"):
            self._add(name, "ETV")
        for name in ("ai_spend", "three_months.ai_spend", "ai_unit_cost", "ai_spend_unattributed"):
            self._add(name, "USD")
        self._add("ai_spend_other.EUR", "EUR", subject_type="CURRENCY", subject_id="EUR")
        self._add("ai_users", "COUNT")
        self._add("performance", "SCORE")
        self._add("capex_hours", "HOURS")
        self._add("pickup_hours", "WORKING_HOURS")
        self._add("cycle_hours", "WORKING_HOURS")

    def _objectives(self) -> None:
        for place in range(1, self._random.randint(0, 9) + 1):
            self._add(f"objective.{place}", "ETV", **self._about("OBJECTIVE"))
            self._add(f"objective_progress.{place}", "COUNT")
            day = STARTS[self._period] + timedelta(days=self._random.randint(0, 400))
            self._add(f"objective_target.{place}", "DATE", on_date=day)
            for name in CATEGORIES:
                self._add(f"objective_category.{place}.{name}", "ETV")

    def _add(self, fact_id: str, unit: str, *, least: float = 0, **more: Any) -> None:
        random = self._random
        if random.random() < self._missing:
            return
        drawn: dict[str, Any] = {"basis": random.choice([None, 0, 3, 9, 10, 40]), "people": None}
        drawn["people"] = random.choice([None, 0, 1, 4, 5, 9])
        drawn["usual_people"] = random.choice([None, 1, 4, 9])
        if unit != "DATE":
            top = {"SHARE": 1.0, "SCORE": 100.0, "COUNT": 3_000.0}.get(unit, 20_000.0)
            digits = 0 if unit == "COUNT" else 4

            def value() -> float:
                return round(random.uniform(least, top), digits)

            edge = random.choice([0, 1])
            drawn["value"] = random.choice([None, edge, value(), value(), value()])
            drawn["previous"] = random.choice([None, edge, value(), value()])
            if random.random() < 0.7:
                drawn["low"], drawn["high"] = sorted([value(), random.choice([edge, value()])])
        self._found.append(fact(fact_id, self._period, is_draft=self._is_draft, unit=unit, **drawn | more))

    def _about(self, kind: str) -> dict[str, Any]:
        random = self._random
        return {
            "subject_type": kind,
            "subject_id": f"{kind}{random.randint(0, 99)}",
            "subject_title": random.choice(self._titles),
            "subject_reference": random.choice([None, "#ab", "EAS-x"]),
            "url": random.choice(self._urls),
        }
