"""The routers of the dashboard."""

from api.web import files
from api.web.drawing import assets
from api.web.pages import commits, developers, overview, repositories
from api.web.sessions import first_page, sign_in

ROUTERS = (
    first_page.router,
    assets.router,
    sign_in.router,
    files.router,
    overview.router,
    developers.router,
    repositories.router,
    commits.router,
)
