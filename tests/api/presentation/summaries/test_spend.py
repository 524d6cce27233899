"""AI spend in the sentences of a week and a month."""

from __future__ import annotations

from typing import Any

from api.presentation.summaries.facts import Fact
from tests.api.presentation.summaries.invented_facts import fact
from tests.api.presentation.summaries.test_weekly import etv, text


def spent(value: float, **more: Any) -> Fact:
    """The AI spend of a week."""
    columns: dict[str, Any] = {"unit": "USD", "value": value, "previous": 350.0, "basis": 4}
    return fact("ai_spend", **columns | more)


def test_spend_is_told_beside_the_share_of_ai() -> None:
    share = fact("ai_share", unit="SHARE", value=0.34, basis=30)
    told = text(etv(12), share, spent(412.4, low=120, high=380))
    assert told.endswith(
        "AI: ≥ 34 % of the ETV, by signs in commits. "
        "AI spend: $412, above the usual $120 to $380; the week before: $350."
    )
    assert told.startswith("Delivered: 12.0 ETV, usually 10.0 to 20.0; the week before: 15.0.")
    as_usual = text(etv(12), spent(300, low=120, high=380))
    assert as_usual.startswith("A usual week: 12.0 ETV")
    assert "usual 120" not in as_usual


def test_small_amounts_have_cents() -> None:
    assert text(etv(12), spent(12.345, previous=None)).endswith("AI spend: $12.35.")


def test_nothing_is_said_of_spend_without_a_source_of_usage() -> None:
    assert "spend" not in text(etv(12), fact("ai_share", unit="SHARE", value=0.34, basis=30))
    assert "spend" not in text(etv(12), spent(0, previous=0))


def test_usage_without_a_sign_in_commits_is_no_missing_use() -> None:
    share = fact("ai_share", unit="SHARE", note="NO_RECORDED_USE")
    assert "AI: no commit shows its use. AI spend: $412" in text(etv(12), share, spent(412))
    assert "AI: no use is recorded." in text(etv(12), share)


def test_currencies_and_unknown_people_are_told_apart() -> None:
    apart = [
        fact("ai_spend_unattributed", unit="USD", value=62.1),
        fact("ai_spend_other.EUR", unit="EUR", value=20, position=1),
        fact("ai_spend_other.GBP", unit="GBP", value=7.5, position=2),
    ]
    assert text(etv(12), spent(412), *apart).endswith(
        "AI spend: $412; the week before: $350. Further AI spend without a known person: $62.10. "
        "AI spend in other currencies: 20 EUR and 7.50 GBP."
    )


def test_a_month_tells_what_an_etv_cost_and_who_used_ai() -> None:
    facts = [
        fact("etv", "month", unit="ETV", value=310, previous=290),
        fact("ai_share", "month", unit="SHARE", value=0.34, basis=30),
        fact("ai_spend", "month", unit="USD", value=410, previous=350, basis=4),
        fact("three_months.ai_spend", "month", unit="USD", value=300),
        fact("ai_unit_cost", "month", unit="USD", value=1.32, previous=1.21, basis=4),
        fact("ai_users", "month", unit="COUNT", value=7, previous=5, basis=12),
    ]
    assert (
        "What did AI bring, and what did it cost? - AI: ≥ 34 % of the ETV, by signs in commits. "
        "- AI spend: $410; on average in the three months before: $300. "
        "- AI spend per total ETV: $1.32; the month before: $1.21. "
        "- People with recorded use of AI tools: 7 of 12 who delivered; the month before: 5."
    ) in text(*facts)


def test_a_check_in_calendar_days_reads_in_whole_days() -> None:
    about = {"subject_type": "AI_SEAT", "subject_title": "Cursor: ada", "note": "ADMINISTRATOR"}
    kind = {
        "subject_type": "CHECK_KIND",
        "subject_id": "idle_ai_seat",
        "subject_title": "Paid AI seat without use",
    }
    told = text(
        etv(12),
        fact("check_open.1", unit="DAYS", value=47.3, **about),
        fact("check_open_kind.1", unit="DAYS", value=30, **kind),
    )
    assert "Paid AI seat without use: Cursor: ada, 47 days (limit 30); next: administrator." in told
