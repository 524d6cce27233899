"""`/docs`: the OpenAPI document as one plain page. No script and nothing from elsewhere, so it works offline."""

from html import escape
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse

from api.deps import Anybody

router = APIRouter()

PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title>
<style>body{{font:16px/1.5 system-ui;max-width:60rem;margin:2rem auto;padding:0 1rem}}code{{background:#8882}}
td{{padding:.2rem 1rem .2rem 0;vertical-align:top}}h3{{margin-top:2rem}}</style>
<h1>{title}</h1><p>{introduction}</p>
<p>The whole document with every shape: <a href="/openapi.json">/openapi.json</a></p>{operations}</html>"""


@router.get("/docs", include_in_schema=False)
async def docs(_: Anybody, request: Request) -> HTMLResponse:
    """Every operation with its parameters; the shapes of answers are in the document itself."""
    document = request.app.openapi()
    operations = "".join(
        _operation(path, method, operation)
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    )
    title, introduction = document["info"]["title"], document["info"]["description"]
    page = PAGE.format(title=escape(title), introduction=escape(introduction), operations=operations)
    return HTMLResponse(
        page, headers={"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'"}
    )


def _operation(path: str, method: str, operation: dict[str, Any]) -> str:
    rows = "".join(
        f"<tr><td><code>{escape(parameter['name'])}</code><td>{escape(_described(parameter))}"
        for parameter in operation.get("parameters", [])
    )
    return (
        f"<h3>{escape(operation['summary'])}</h3><p><code>{method.upper()} {escape(path)}</code></p>"
        f"<p>{escape(operation.get('description', ''))}</p><table>{rows}</table>"
    )


def _described(parameter: dict[str, Any]) -> str:
    return str(parameter.get("description") or parameter["schema"].get("description") or "")
