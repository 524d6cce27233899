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
history.replaceState(null, "", location.pathname);
async function post(path, body, session) {
  const headers = {"Content-Type": "application/json"};
  if (session) headers.Authorization = "Bearer " + session;
  const answer = await fetch(path, {method: "POST", body: JSON.stringify(body), headers});
  return [answer.ok, await answer.json()];
}
"""
USE_LINK = (
    START
    + """
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
)
ACCEPT = (
    START
    + """
post("/auth/lookUpInvitation", {token}).then(([ok, found]) => said.textContent = ok
  ? `${found.invitedBy} invites ${found.emailHint} to ${found.organizationName} as ${found.role.toLowerCase()}.`
  : found.message);
form.addEventListener("submit", async event => {
  event.preventDefault();
  const {email, password, name} = Object.fromEntries(new FormData(form));
  if (event.submitter.value === "signUp") {
    const [ok, body] = await post("/auth/signUp", {email, password, name});
    said.textContent = ok
      ? "Your account is ready. Confirm your address by the link in the mail, then open the invitation again."
      : body.message;
    return;
  }
  const [ok, body] = await post("/auth/signIn", {email, password, invitation: token});
  said.textContent = !ok ? body.message : body.invitation.problem ?? form.dataset.done;
});
"""
)
PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title>
<style>body{{font:16px/1.5 system-ui;max-width:30rem;margin:3rem auto;padding:0 1rem}}input,button{{font:inherit}}
ul{{list-style:none;padding:0}}</style><h1>{title}</h1><form data-done="{done}">{fields}</form>
<p><output></output></p><script>{script}</script></html>"""
BUTTON = "<button>Go on</button>"
NEW_PASSWORD = (
    '<p><label>New password<br><input type="password" name="password" autocomplete="new-password" required></label>'
    "</p><ul></ul>" + BUTTON
)
SIGN_IN = (
    '<p><label>E-mail<br><input type="email" name="email" autocomplete="username" required></label></p>'
    '<p><label>Password<br><input type="password" name="password" required></label></p>'
    '<p><label>Name, to sign up<br><input name="name" autocomplete="name"></label></p>'
    '<button name="do" value="signIn">Sign in and accept</button> <button name="do" value="signUp">Sign up</button>'
)


def _page(title: str, done: str, fields: str, script: str) -> HTMLResponse:
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    headers = {
        "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; connect-src 'self'; "
        f"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; script-src 'sha256-{digest}'",
        "Referrer-Policy": "no-referrer",
        "Cache-Control": "no-store",
    }
    page = PAGE.format(title=escape(title), done=escape(done), fields=fields, script=script)
    return HTMLResponse(page, headers=headers)


@router.get("/resetPassword", include_in_schema=False)
async def reset_password_page(_: Anybody) -> HTMLResponse:
    """A form for the new password."""
    return _page("Choose a new password", "Done. Sign in with the new password.", NEW_PASSWORD, USE_LINK)


@router.get("/verifyEmail", include_in_schema=False)
async def verify_email_page(_: Anybody) -> HTMLResponse:
    """A page with a button. Mail scanners open links, so a page without one would use up the link unseen."""
    return _page("Confirm your address", "Thank you, the address is confirmed.", BUTTON, USE_LINK)


@router.get("/invitation", include_in_schema=False)
async def invitation_page(_: Anybody) -> HTMLResponse:
    """Signing in or up with the invitation in context."""
    return _page("Join an organization", "Welcome, you are a member now.", SIGN_IN, ACCEPT)
