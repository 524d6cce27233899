"""The pages that mailed links open: they hand what follows the `#` to the interface, which a browser sends nowhere.

One script of our own, allowed by its hash; nothing from elsewhere.
"""

import base64
import hashlib
from html import escape

from fastapi import APIRouter
from starlette.responses import HTMLResponse

from api.deps import Anybody

router = APIRouter()

SCRIPT = """
const form = document.querySelector("form"), said = document.querySelector("output"), token = location.hash.slice(1);
history.replaceState(null, "", location.pathname);
async function post(path, body) {
  const answer = await fetch(path, {
    method: "POST", body: JSON.stringify(body), headers: {"Content-Type": "application/json"},
  });
  return [answer.ok, await answer.json()];
}
const typed = form.elements.password, rules = document.querySelector("ul");
typed?.addEventListener("input", async () => {
  const [ok, list] = await post("/auth/checkPassword", {password: typed.value});
  if (ok) rules.replaceChildren(...list.rules.map(rule => {
    const line = document.createElement("li");
    line.textContent = (rule.isMet ? "\\u2713 " : "\\u2717 ") + rule.description;
    return line;
  }));
});
form.addEventListener("submit", async event => {
  event.preventDefault();
  const [ok, body] = await post(location.pathname, typed ? {token, password: typed.value} : {token});
  said.textContent = ok ? form.dataset.done : body.message;
});
"""
PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title>
<style>body{{font:16px/1.5 system-ui;max-width:30rem;margin:3rem auto;padding:0 1rem}}input,button{{font:inherit}}
ul{{list-style:none;padding:0}}</style><h1>{title}</h1><form data-done="{done}">{fields}<button>{title}</button></form>
<p><output></output></p><script>{script}</script></html>"""
PASSWORD = (
    '<p><label>New password<br><input type="password" name="password" autocomplete="new-password" required></label>'
    "</p><ul></ul>"
)
POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'; script-src 'sha256-"
    + base64.b64encode(hashlib.sha256(SCRIPT.encode()).digest()).decode()
    + "'"
)


def _page(title: str, done: str, fields: str = "") -> HTMLResponse:
    page = PAGE.format(title=escape(title), done=escape(done), fields=fields, script=SCRIPT)
    headers = {
        "Content-Security-Policy": POLICY,
        "Referrer-Policy": "no-referrer",
        "Cache-Control": "no-store",
    }
    return HTMLResponse(page, headers=headers)


@router.get("/resetPassword", include_in_schema=False)
async def reset_password_page(_: Anybody) -> HTMLResponse:
    """A form for the new password."""
    return _page("Choose a new password", "Done. Sign in with the new password.", PASSWORD)


@router.get("/verifyEmail", include_in_schema=False)
async def verify_email_page(_: Anybody) -> HTMLResponse:
    """A button, because programs that look at mails follow links, and one that they follow would be used up."""
    return _page("Confirm your address", "Thank you, the address is confirmed.")
