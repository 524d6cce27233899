"""Records the billable developers of a published build on the renewal date of a plan.

Keep out: the rules of billing (the model fct_billable_developers), the record itself (`api.control.plans.renewals`).
"""

from __future__ import annotations

import duckdb

from api.control.plans import renewals
from orchestration.deployment import Deployment
from orchestration.publishing.snapshot import Published

BILLED = """
    select developer_id as id, name, primary_email as email from billable_developers
    where renews_on = ? order by lower(name), developer_id
"""


def record_renewal(deployment: Deployment, organization_id: str, done: Published) -> bool:
    """Record the renewal if the build covers the renewal date. Returns whether it recorded one."""
    with duckdb.connect(str(done.file), read_only=True) as published:
        published.execute("set TimeZone = 'UTC'")
        [(today, renews_on)] = published.execute("select local_date, renews_on from organizations").fetchall()
        # A build of an earlier local date lacks the end of the billing period.
        if renews_on is None or renews_on > today:
            return False
        rows = published.execute(BILLED, [renews_on]).fetchall()
    with deployment.control() as control:
        people = [{"id": key, "name": name, "email": email} for key, name, email in rows]
        return renewals.renew(control, organization_id, renews_on, done.build_id, people)
