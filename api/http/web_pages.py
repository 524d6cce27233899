"""Pages for browsers: the frame of all of them, and their content security policy.

A page may have one inline script, which the policy names by its hash, and reaches no other host. Keep out: what a page
says (auth, pages).
"""

import base64
import hashlib
from html import escape

from fastapi import Request
from starlette.responses import HTMLResponse

STYLE = """body{font:16px/1.5 system-ui,sans-serif;max-width:30rem;margin:3rem auto;padding:0 1rem;\
overflow-wrap:anywhere}
input,button{font:inherit;max-width:100%}small{opacity:.8}ul{padding-left:1.2em}code{background:#eee;padding:.1em .3em}
"""
FRAME = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>{style}</style></head>
<body><h1>{title}</h1>{body}{script}</body></html>"""
POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; connect-src {connect}; base-uri 'none'; "
    "form-action {form}; frame-ancestors 'none'; script-src {script}"
)


def web_page(
    title: str,
    body: str,
    status: int = 200,
    *,
    style: str = "",
    script: str = "",
    posts: bool = False,
    headers: dict[str, str] | None = None,
) -> HTMLResponse:
    """A page; `body` is HTML and the title text. Only a page with a script asks this service for more, and
    only one that `posts` sends its form there without a script.
    """
    content = FRAME.format(
        title=escape(title),
        style=STYLE + style,
        body=body,
        script=f"<script>{script}</script>" if script else "",
    )
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = POLICY.format(
        connect="'self'" if script else "'none'",
        form="'self'" if posts else "'none'",
        script=f"'sha256-{digest}'" if script else "'none'",
    )
    always = {
        "Content-Security-Policy": policy,
        "Referrer-Policy": "no-referrer",
        "Cache-Control": "no-store",
        "X-Content-Type-Options": "nosniff",
    }
    return HTMLResponse(content, status, headers=always | (headers or {}))


def wants_page(request: Request) -> bool:
    """Whether a browser asks, and not a program."""
    return "text/html" in request.headers.get("accept", "").lower()
