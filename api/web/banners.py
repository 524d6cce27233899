"""What stands above every page while new analysis waits, or soon will: pause, trial, license and payment, with the next
step.

A pause concerns everybody who reads figures of the whole organization, because they stop at it. Owners and admins also
see what leads to one. Keep out: the states and their sentences (control/pauses.py, operator/license.py).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from api.control.permissions import ADMINISTRATORS, Role
from api.control.plans.notices import WARNED_DAYS
from api.web.reading import Answer

ACTING = frozenset(role.name for role in ADMINISTRATORS)
UPGRADED = ("TRIAL", "LIMIT")
"""Reasons of a pause that an upgrade ends."""


@dataclass(frozen=True, slots=True)
class Banner:
    """A sentence with its consequence, and a link to the next step on the page of the plan. `kind` is warn or bad."""

    kind: str
    text: str
    step: str


def banners(
    role: str | None, plan: Answer, license_: Answer | None, now: datetime, zone: ZoneInfo
) -> list[Banner]:
    """The banners of somebody with a role, from the answers about the plan and the license; the worst first.

    None where the role may not read the plan. `license_` is None where the deployment needs none. The day of a trial's
    end is one of `zone`.
    """
    if not plan.is_there:
        return []
    found = []
    pause = plan.body["pause"]
    if pause is not None:
        found.append(Banner("bad", pause["message"], _step(pause["reason"], role)))
    if role not in ACTING:
        return found
    if pause is None:
        found += _of_trial(plan.body, role, now, zone)
    if plan.body["payment"]["state"] == "IN_GRACE":
        found.append(Banner("warn", plan.body["payment"]["message"], "See the payment"))
    if license_ is not None and license_.is_there:
        found += _of_license(license_.body, plan.body["billableDeveloperCount"])
    return found


def _step(reason: str, role: str | None) -> str:
    if reason == "LICENSE":
        return "See the license"
    if reason in UPGRADED and role == Role.OWNER.name:
        return "Ask for an upgrade"
    return "See the payment" if reason in ("PAYMENT", "SUBSCRIPTION") else "See the plan"


def _of_trial(shown: Mapping[str, Any], role: str | None, now: datetime, zone: ZoneInfo) -> list[Banner]:
    """The end of a trial, from the day on which its owners get the mail about it."""
    if shown["plan"] != "TRIAL" or shown["trialEndTime"] is None:
        return []
    end = datetime.fromisoformat(shown["trialEndTime"])
    if not now < end <= now + timedelta(days=WARNED_DAYS):
        return []
    text = f"the free trial ends on {end.astimezone(zone).date()}: from then on, new commits wait for another plan"
    asked = shown["upgrade"] is not None
    return [Banner("warn", text, "See the plan" if asked else _step("TRIAL", role))]


def _of_license(shown: Mapping[str, Any], developers: int | None) -> list[Banner]:
    found = []
    if shown["state"] in ("APPROACHING_EXPIRY", "IN_GRACE"):
        found.append(Banner("warn", shown["message"], "See the license"))
    agreed = shown["limits"].get("developers")
    if agreed is not None and developers is not None and developers > agreed:
        text = (
            f"{developers:,} developers are billable, and the license is for {agreed:,}: the analysis goes on. Ask the "
            "provider for a license of that number"
        )
        found.append(Banner("warn", text, "See who is billable"))
    return found
