"""The pages that mailed links open. They hand the secret after the `#`, which a browser never sends, to the interface.

The content security policy allows one inline script by its hash and no other host.
"""

import base64
import hashlib
from html import escape

from fastapi import APIRouter
from starlette.responses import HTMLResponse

from api.callers.dependencies import Anybody

router = APIRouter()

# The start of every page: it removes the secret from the address bar; requests are JSON.
START = """
const form = document.querySelector("form"), said = document.querySelector("output"), token = location.hash.slice(1);
history.replaceState(null, "", location.pathname + location.search);
async function post(path, body, session) {
  const headers = {"Content-Type": "application/json"};
  if (session) headers.Authorization = "Bearer " + session;
  const answer = await fetch(path, {method: "POST", body: JSON.stringify(body), headers});
  return [answer.ok, await answer.json()];
}
async function present() {
  const session = localStorage.getItem("session");
  if (!session) return null;
  const answer = await fetch("/auth/account", {headers: {Authorization: "Bearer " + session}});
  if (answer.status === 401) localStorage.removeItem("session");
  return answer.ok ? {token: session, account: await answer.json()} : null;
}
"""
USE_LINK = (
    START
    + """
const typed = form.elements.password, rules = document.querySelector("ul");
typed.addEventListener("input", async () => {
  const [ok, list] = await post("/auth/checkPassword", {password: typed.value});
  if (ok) rules.replaceChildren(...list.rules.map(rule => {
    const line = document.createElement("li");
    line.textContent = (rule.isMet ? "\\u2713 " : "\\u2717 ") + rule.description;
    return line;
  }));
});
form.addEventListener("submit", async event => {
  event.preventDefault();
  const [ok, body] = await post(location.pathname, {token, password: typed.value});
  said.textContent = ok ? form.dataset.done : body.message;
});
"""
)
# A session of this account needs no password; a session of another account proves nothing.
VERIFY = (
    START
    + """
const asked = document.querySelector("#ways");
let now = null;
present().then(found => { now = found; asked.hidden = now !== null; });
form.addEventListener("submit", async event => {
  event.preventDefault();
  const {password} = Object.fromEntries(new FormData(form));
  const [ok, body] = await post(location.pathname, password ? {token, password} : {token}, now?.token);
  said.textContent = ok ? form.dataset.done : body.message;
  asked.hidden = ok;
});
"""
)
PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title>
<style>body{{font:16px/1.5 system-ui;max-width:30rem;margin:3rem auto;padding:0 1rem}}input,button{{font:inherit}}
ul{{list-style:none;padding:0}}#ways span{{display:block;margin:.5rem 0}}
bdi{{display:block;font-size:smaller;opacity:.7;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}}</style>
<h1>{title}</h1><form data-done="{done}">{fields}</form>
<p><output></output></p><p id="kept"></p><script>{script}</script></html>"""
BUTTON = "<button>Go on</button>"
OWN_PASSWORD = (
    '<p id="ways"><label>The password of your account<br><input type="password" name="password" '
    'autocomplete="current-password"></label></p>' + BUTTON
)
NEW_PASSWORD = (
    '<p><label>New password<br><input type="password" name="password" autocomplete="new-password" required></label>'
    "</p><ul></ul>" + BUTTON
)


def page(title: str, done: str, fields: str, script: str) -> HTMLResponse:
    """A page with one form, whose only script is this one."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    headers = {
        "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; connect-src 'self'; "
        f"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; script-src 'sha256-{digest}'",
        "Referrer-Policy": "no-referrer",
        "Cache-Control": "no-store",
    }
    content = PAGE.format(title=escape(title), done=escape(done), fields=fields, script=script)
    return HTMLResponse(content, headers=headers)


@router.get("/resetPassword", include_in_schema=False)
async def reset_password_page(_: Anybody) -> HTMLResponse:
    """A form for the new password."""
    return page("Choose a new password", "Done. Sign in with the new password.", NEW_PASSWORD, USE_LINK)


@router.get("/verifyEmail", include_in_schema=False)
async def verify_email_page(_: Anybody) -> HTMLResponse:
    """A form for the password of the account. Mail scanners open links: a page without a form would use up the link."""
    return page("Confirm your address", "Thank you, the address is confirmed.", OWN_PASSWORD, VERIFY)
