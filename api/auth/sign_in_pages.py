"""The pages for signing in: `/auth/signIn`, the end of a way to a provider, and the page of an invitation.

They keep the session in the browser's storage for this address, so that an invitation's page knows who is signed in.
Keep out: pages of other mailed links (mailed_links.py), signing up and forgotten passwords (password_pages.py), the
routes that the scripts call.
"""

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse

from api.auth.mailed_links import START, page
from api.callers.dependencies import Anybody
from api.services import services

router = APIRouter()

# The shared frame of all three pages. Text of people and providers goes into the page as text, never as markup.
SHARED = (
    START
    + """
const way = document.querySelector("#ways"), kept = document.querySelector("#kept");
const asked = new URLSearchParams(location.search).get("organization");
function keep(session) { localStorage.setItem("session", session); }
function button(label, work) {
  const made = document.createElement("button");
  made.type = "button";
  made.textContent = label;
  made.addEventListener("click", work);
  return made;
}
function link(text, address) {
  const made = document.createElement("a");
  made.href = address;
  made.textContent = text;
  return made;
}
function signedIn(body, told) {
  keep(body.token);
  form.hidden = true;
  said.textContent = told ?? `You are signed in as ${body.account.email}.`;
  const shown = document.createElement("input");
  shown.readOnly = true;
  shown.value = body.token;
  kept.replaceChildren(
    button("Show the session for programs", () => kept.append(shown)),
    button("Sign out", async () => {
      await post("/auth/signOut", {}, body.token);
      localStorage.removeItem("session");
      location.assign("/auth/signIn");
    }));
}
async function ways(organization, invitation) {
  const query = organization ? "?organization=" + encodeURIComponent(organization) : "";
  const options = await (await fetch("/auth/options" + query)).json();
  const typed = document.querySelector("details");
  if (typed && !options.password.isOffered) typed.open = false;
  if (!typed && !(options.identityProviders ?? []).length) {
    said.textContent = "No way to sign in is set up here. The command eas doctor tells the operator what to set.";
  }
  way.replaceChildren(...(options.identityProviders ?? []).map(one => {
    // An admin of the organization chose the name, so it is no part of the button.
    const line = document.createElement("span"), name = document.createElement("bdi");
    name.textContent = one.name;
    line.append(button(`Go to ${one.host}`, async () => {
      const body = {provider: one.id};
      if (organization) body.organization = organization;
      if (invitation) body.invitation = invitation;
      const [ok, begun] = await post("/auth/startSignIn", body);
      if (ok) leave(one.host, begun.authorizationUrl); else said.textContent = begun.message;
    }), name);
    return line;
  }));
}
function leave(shown, address) {
  const host = new URL(address).host, go = () => location.assign(address);
  if (host === shown) return go();
  said.textContent = `${shown} sends you to ${host} to sign in. Go on only if you know that host.`;
  way.replaceChildren(button(`Go to ${host}`, go));
}
"""
)
SIGN_IN = (
    SHARED
    + """
present().then(now => now ? signedIn(now) : ways(asked));
form.addEventListener("submit", async event => {
  event.preventDefault();
  const {email, password} = Object.fromEntries(new FormData(form));
  const body = {email, password};
  if (asked) body.organization = asked;
  const [ok, answer] = await post("/auth/signIn", body);
  if (ok) signedIn(answer); else said.textContent = answer.message;
});
"""
)
COMPLETE = (
    SHARED
    + """
if (token) post("/auth/completeSignIn", {code: token}).then(([ok, body]) => {
  if (!ok) said.textContent = body.message;
  else if (!body.invitation) signedIn(body);
  else signedIn(body, body.invitation.problem ?? form.dataset.done);
}); else location.assign("/auth/signIn");
"""
)
ACCEPT = (
    SHARED
    + """
async function accept(now) {
  const [ok, body] = await post("/auth/acceptInvitation", {token}, now.token);
  signedIn(now, ok ? form.dataset.done : `${body.message} (You are signed in as ${now.account.email}.)`);
}
post("/auth/lookUpInvitation", {token}).then(async ([ok, found]) => {
  if (!ok) {
    said.textContent = `This link does not work: ${found.message}. If you are a member already, sign in.`;
    kept.replaceChildren(link("Sign in", "signIn"));
    return;
  }
  const now = await present();
  if (now) { await accept(now); return; }
  said.textContent =
    `${found.invitedBy} invites ${found.emailHint} to ${found.organizationName} as ${found.role.toLowerCase()}.`;
  form.hidden = false;
  await ways(found.organizationId, token);
});
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
  if (ok) signedIn(body, body.invitation.problem ?? form.dataset.done); else said.textContent = body.message;
});
"""
)
WAYS = '<p id="ways"></p>'
PASSWORD = (
    "<details open><summary>With a password</summary>"
    '<p><label>E-mail<br><input type="email" name="email" autocomplete="username" required></label></p>'
    '<p><label>Password<br><input type="password" name="password" autocomplete="current-password" required></label>'
    '</p><p><button value="signIn">Sign in</button></p>{more}</details>'
)
LINKS = (
    '<p><a href="requestPasswordReset">Forgot your password?</a></p>'
    '<p>No account yet? <a href="signUp">Sign up</a></p>'
)
SIGN_UP = (
    '<p><label>Your name, for a new account<br><input name="name" autocomplete="name"></label></p>'
    '<p><button value="signUp">Make an account</button></p>'
    '<p><a href="requestPasswordReset">Forgot your password?</a></p>'
)
ABOUT = '<p><small><a href="..">About this service</a></small></p>'


@router.get("/signIn", include_in_schema=False)
async def sign_in_page(_: Anybody, request: Request) -> HTMLResponse:
    """Signing in with what is offered; `?organization=` names the organization whose options count."""
    return page("Sign in", "You are signed in.", _fields(request, LINKS), SIGN_IN, after=ABOUT)


@router.get("/signedIn", include_in_schema=False)
async def signed_in_page(_: Anybody) -> HTMLResponse:
    """The end of a way to a provider: exchanges the code after the `#` for the session."""
    return page("Sign in", "Welcome, you are a member now.", WAYS, COMPLETE, after=ABOUT)


@router.get("/invitation", include_in_schema=False)
async def invitation_page(_: Anybody, request: Request) -> HTMLResponse:
    """Signing in or up with the invitation in context. Somebody who is signed in accepts by opening it."""
    done, fields = "Welcome, you are a member now.", _fields(request, SIGN_UP)
    return page("Join an organization", done, fields, ACCEPT, after=ABOUT, is_told_first=True)


def _fields(request: Request, more: str) -> str:
    """The ways to sign in: a form for passwords only where the deployment takes them."""
    return WAYS + (PASSWORD.format(more=more) if services(request).offers_passwords else "")
