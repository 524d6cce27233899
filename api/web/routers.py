"""The routers of the dashboard."""

from api.web import assets, commits, developers, first_page, overview, repositories, sign_in

ROUTERS = (
    first_page.router,
    assets.router,
    sign_in.router,
    overview.router,
    developers.router,
    repositories.router,
    commits.router,
)
