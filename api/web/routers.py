"""The routers of the dashboard."""

from api.web import files
from api.web.details import benchmarks
from api.web.details import commits as commit
from api.web.details import developers as developer
from api.web.details import repositories as repository
from api.web.drawing import assets
from api.web.money import ai_spend, capex
from api.web.pages import commits, developers, me, overview, reports, repositories
from api.web.running import connections, manage, root
from api.web.sessions import (
    callbacks,
    first_page,
    former_addresses,
    invitations,
    local_link,
    passwords,
    providers,
    root_logins,
    sign_in,
    sign_up,
    unsubscribe,
    verification,
    welcome,
)
from api.web.settings import audit, members, organization, plan, tokens
from api.web.work import checks, objectives, pull_requests, teams

ROUTERS = (
    first_page.router,
    assets.router,
    sign_in.router,
    sign_up.router,
    passwords.router,
    verification.router,
    welcome.router,
    invitations.router,
    providers.router,
    callbacks.router,
    unsubscribe.router,
    root_logins.router,
    former_addresses.router,
    local_link.router,
    files.router,
    overview.router,
    developers.router,
    me.router,
    repositories.router,
    commits.router,
    commit.router,
    developer.router,
    repository.router,
    benchmarks.router,
    connections.router,
    manage.router,
    root.router,
    organization.router,
    members.router,
    tokens.router,
    plan.router,
    audit.router,
    ai_spend.router,
    capex.router,
    reports.router,
    pull_requests.router,
    objectives.router,
    checks.router,
    teams.router,
)
