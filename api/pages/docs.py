"""`/docs`: Swagger UI over the OpenAPI document. Its files come from a wheel, so it works without network.

The content security policy allows no inline script and no request to another host. Keep out: the texts of the
document (http/openapi/texts.py).
"""

from html import escape
from importlib.resources import files

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, Response

from api.callers.dependencies import Anybody

router = APIRouter(include_in_schema=False)

# Swagger UI sets styles through the DOM, which a policy allows, and draws its icons from data URLs.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
# An upgrade of the service changes the files under the same names: browsers ask again after an hour.
CACHING = "public, max-age=3600"
# Relative addresses: the service may stand below a path prefix of a proxy.
PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,"><link rel="stylesheet" href="docs/swagger-ui.css"></head>
<body><div id="swagger-ui"></div>
<script src="docs/swagger-ui-bundle.js"></script><script src="docs/start.js"></script></body></html>
"""
# validatorUrl: none, or Swagger UI would send the address of this service to a public validator.
START = """SwaggerUIBundle({
  url: "openapi.json",
  dom_id: "#swagger-ui",
  deepLinking: true,
  docExpansion: "none",
  filter: true,
  tryItOutEnabled: true,
  persistAuthorization: false,
  defaultModelsExpandDepth: 0,
  validatorUrl: null,
});
"""
BUNDLE = files("fastapi_offline") / "static"


@router.get("/docs")
async def docs(_: Anybody, request: Request) -> HTMLResponse:
    """The page, which loads the three files below."""
    return HTMLResponse(
        PAGE.format(title=escape(request.app.title)), headers={"Content-Security-Policy": POLICY}
    )


@router.get("/docs/swagger-ui-bundle.js")
def swagger_ui_script(_: Anybody) -> Response:
    """The program of Swagger UI."""
    return _file((BUNDLE / "swagger-ui-bundle.js").read_bytes(), "text/javascript")


@router.get("/docs/swagger-ui.css")
def swagger_ui_styles(_: Anybody) -> Response:
    """The styles of Swagger UI."""
    return _file((BUNDLE / "swagger-ui.css").read_bytes(), "text/css")


@router.get("/docs/start.js")
async def start(_: Anybody) -> Response:
    """The settings of Swagger UI."""
    return _file(START.encode(), "text/javascript")


def _file(content: bytes, media_type: str) -> Response:
    headers = {"Cache-Control": CACHING, "X-Content-Type-Options": "nosniff"}
    return Response(content, headers=headers, media_type=media_type)
