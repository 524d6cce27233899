"""`/docs`: the OpenAPI document as one page on which every operation can be tried. Nothing from elsewhere, so it works
offline; its one script is allowed by its hash."""

import base64
import hashlib
import json
from html import escape
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse

from api.deps import Anybody

router = APIRouter()

SCRIPT = """
document.addEventListener("submit", async event => {
  event.preventDefault();
  const form = event.target, said = form.querySelector("pre"), query = new URLSearchParams();
  let path = form.dataset.path;
  for (const field of form.querySelectorAll("[data-in]")) {
    if (field.dataset.in === "path") path = path.replace(`{${field.name}}`, encodeURIComponent(field.value));
    else if (field.value !== "") query.append(field.name, field.value);
  }
  const headers = {}, key = document.querySelector("#credential").value, body = form.elements.body;
  if (key) headers.Authorization = "Bearer " + key;
  if (body) headers["Content-Type"] = "application/json";
  const answer = await fetch(path + (query.size ? "?" + query : ""), {
    method: form.dataset.method, headers, body: body?.value,
  });
  const text = await answer.text();
  try { said.textContent = answer.status + "\\n" + JSON.stringify(JSON.parse(text), null, 2); }
  catch { said.textContent = answer.status + "\\n" + text; }
});
"""
PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title>
<style>body{{font:16px/1.5 system-ui;max-width:60rem;margin:2rem auto;padding:0 1rem}}code{{background:#8882}}
td{{padding:.2rem 1rem .2rem 0;vertical-align:top}}h3{{margin-top:2rem}}pre{{overflow:auto;max-height:30rem}}
textarea{{width:100%;font:14px monospace}}</style>
<h1>{title}</h1><p>{introduction}</p>
<p>The whole document with every shape: <a href="/openapi.json">/openapi.json</a></p>
<p><label>API key or session token, sent with every request below:
<input id="credential" type="password" autocomplete="off" size="60"></label></p>{operations}
<script>{script}</script></html>"""
POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'; script-src 'sha256-"
    + base64.b64encode(hashlib.sha256(SCRIPT.encode()).digest()).decode()
    + "'"
)


@router.get("/docs", include_in_schema=False)
async def docs(_: Anybody, request: Request) -> HTMLResponse:
    """Every operation with its parameters and body; the shapes of answers are in the document itself."""
    document = request.app.openapi()
    operations = "".join(
        _operation(path, method, operation, document)
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    )
    title, introduction = document["info"]["title"], document["info"]["description"]
    page = PAGE.format(
        title=escape(title), introduction=escape(introduction), operations=operations, script=SCRIPT
    )
    return HTMLResponse(page, headers={"Content-Security-Policy": POLICY})


def _operation(path: str, method: str, operation: dict[str, Any], document: dict[str, Any]) -> str:
    rows = "".join(_row(parameter) for parameter in operation.get("parameters", []))
    return (
        f"<h3>{escape(operation['summary'])}</h3><p><code>{method.upper()} {escape(path)}</code></p>"
        f"<p>{escape(operation.get('description', ''))}</p>"
        f'<details><summary>Try it</summary><form data-method="{method.upper()}" data-path="{escape(path)}">'
        f"<table>{rows}</table>{_body(operation, document)}<button>Send</button><pre></pre></form></details>"
    )


def _row(parameter: dict[str, Any]) -> str:
    name, where = escape(parameter["name"]), escape(parameter["in"])
    value = escape(_example(parameter)) if where == "path" else ""
    return (
        f'<tr><td><code>{name}</code><td><input name="{name}" data-in="{where}" value="{value}">'
        f"<td>{escape(_described(parameter))}"
    )


def _body(operation: dict[str, Any], document: dict[str, Any]) -> str:
    if "requestBody" not in operation:
        return ""
    schema = operation["requestBody"]["content"]["application/json"]["schema"]
    shape = document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    fields: dict[str, Any] = shape.get("properties", {})
    required = shape.get("required", [])
    example = {name: field.get("examples", [""])[0] for name, field in fields.items() if name in required}
    rows = "".join(
        f"<tr><td><code>{escape(name)}</code><td>{'' if name in required else 'optional'}"
        f"<td>{escape(str(field.get('description', '')))}"
        for name, field in fields.items()
    )
    text = escape(json.dumps(example, indent=2, ensure_ascii=False))
    return f'<table>{rows}</table><textarea name="body" rows="{len(example) + 2}">{text}</textarea>'


def _example(parameter: dict[str, Any]) -> str:
    examples = parameter["schema"].get("examples") or [parameter.get("example", "")]
    return str(examples[0])


def _described(parameter: dict[str, Any]) -> str:
    return str(parameter.get("description") or parameter["schema"].get("description") or "")
