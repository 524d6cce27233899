"""The pages that mailed links open. They hand the secret after the `#`, which a browser never sends, to the interface.

Keep out: pages that people open themselves (sign_in_pages.py, password_pages.py).
"""

from html import escape

from fastapi import APIRouter
from starlette.responses import HTMLResponse

from api.callers.dependencies import Anybody
from api.http.web_pages import web_page

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
# Shows the rules while a new password is typed.
RULES = """
const typed = form.elements.password, rules = document.querySelector("ul");
typed.addEventListener("input", async () => {
  const [ok, list] = await post("/auth/checkPassword", {password: typed.value});
  if (ok) rules.replaceChildren(...list.rules.map(rule => {
    const line = document.createElement("li");
    line.textContent = (rule.isMet ? "\\u2713 " : "\\u2717 ") + rule.description;
    return line;
  }));
});
"""
USE_LINK = (
    START
    + RULES
    + """
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
STYLE = """ul{list-style:none;padding:0}#ways span{display:block;margin:.5rem 0}#kept>*{margin:0 .5rem .5rem 0}
bdi{display:block;font-size:smaller;opacity:.7;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
"""
SAID = "<p><output></output></p>"
FORM = '<form data-done="{done}"{hidden}>{fields}</form>'
REST = '<p id="kept"></p><noscript><p>This page needs JavaScript.</p></noscript>'
TO_SIGN_IN = '<p><a href="signIn">Sign in</a></p>'
BUTTON = "<button>Go on</button>"
OWN_PASSWORD = (
    '<p id="ways"><label>The password of your account<br><input type="password" name="password" '
    'autocomplete="current-password"></label></p>' + BUTTON
)
NEW_PASSWORD = (
    '<p><label>New password<br><input type="password" name="password" autocomplete="new-password" required></label>'
    "</p><ul></ul>" + BUTTON
)


def page(
    title: str, done: str, fields: str, script: str, *, after: str = "", is_told_first: bool = False
) -> HTMLResponse:
    """A page with one form; `fields` and `after` are HTML.

    `is_told_first`: the form stays hidden until the script has told above it what it is about.
    """
    form = FORM.format(done=escape(done), hidden=" hidden" if is_told_first else "", fields=fields)
    body = f"{SAID}{form}" if is_told_first else f"{form}{SAID}"
    return web_page(title, f"{body}{REST}{after}", style=STYLE, script=script)


@router.get("/resetPassword", include_in_schema=False)
async def reset_password_page(_: Anybody) -> HTMLResponse:
    """A form for the new password."""
    done = "Done. Sign in with the new password."
    return page("Choose a new password", done, NEW_PASSWORD, USE_LINK, after=TO_SIGN_IN)


@router.get("/verifyEmail", include_in_schema=False)
async def verify_email_page(_: Anybody) -> HTMLResponse:
    """A form for the password of the account. Mail scanners open links: a page without a form would use up the link."""
    done = "Thank you, the address is confirmed."
    return page("Confirm your address", done, OWN_PASSWORD, VERIFY, after=TO_SIGN_IN)
