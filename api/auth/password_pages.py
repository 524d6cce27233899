"""The pages for signing up with a password and for asking for a new one.

Keep out: the page that the mailed link opens (mailed_links.py), the routes that the scripts call.
"""

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse

from api.auth.mailed_links import RULES, START, TO_SIGN_IN, page
from api.auth.sign_in_pages import ABOUT, SHARED
from api.callers.dependencies import Anybody
from api.http.web_pages import web_page
from api.services import services

router = APIRouter()

SIGN_UP = (
    SHARED
    + RULES
    + """
form.addEventListener("submit", async event => {
  event.preventDefault();
  const {email, password, name} = Object.fromEntries(new FormData(form));
  const body = {email, password, name};
  if (asked) body.organization = asked;
  const [ok, answer] = await post("/auth/signUp", body);
  if (ok) signedIn(answer, form.dataset.done); else said.textContent = answer.message;
});
"""
)
REQUEST_RESET = (
    START
    + """
form.addEventListener("submit", async event => {
  event.preventDefault();
  const {email} = Object.fromEntries(new FormData(form));
  const [ok, answer] = await post("/auth/requestPasswordReset", {email});
  said.textContent = ok ? form.dataset.done : answer.message;
});
"""
)
EMAIL = '<p><label>E-mail<br><input type="email" name="email" autocomplete="username" required></label></p>'
ACCOUNT = (
    '<p><label>Your name<br><input name="name" autocomplete="name" required></label></p>'
    f"{EMAIL}<p><label>Password<br>"
    '<input type="password" name="password" autocomplete="new-password" required></label></p><ul></ul>'
    '<p><button>Make an account</button></p><p>Have an account? <a href="signIn">Sign in</a></p>'
)
NO_PASSWORDS = "<p>This deployment takes no passwords: sign in with an identity provider.</p>"


@router.get("/signUp", include_in_schema=False)
async def sign_up_page(_: Anybody, request: Request) -> HTMLResponse:
    """Making an account with a password."""
    if not services(request).offers_passwords:
        return web_page("Sign up", NO_PASSWORDS + TO_SIGN_IN)
    done = "Your account is ready. Confirm your address by the link in the mail; it works within three days."
    return page("Sign up", done, ACCOUNT, SIGN_UP, after=ABOUT)


@router.get("/requestPasswordReset", include_in_schema=False)
async def request_password_reset_page(_: Anybody, request: Request) -> HTMLResponse:
    """Asking for a mail with a link to a new password."""
    if not services(request).offers_passwords:
        return web_page("Forgot your password?", NO_PASSWORDS + TO_SIGN_IN)
    done = "If an account has this address, a mail with a link is on its way. The link works once, within an hour."
    fields = f"{EMAIL}<p><button>Send a link</button></p>"
    return page("Forgot your password?", done, fields, REQUEST_RESET, after=TO_SIGN_IN)
