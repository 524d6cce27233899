"""`/auth/start/…` and `/auth/callback/…`: where a browser leaves for an identity provider, and where it comes back.

Every failure is a page. Keep out: the routes of programs, which begin and end a sign-in as well
(auth/identity_providers.py); the session (providers.py).
"""

from typing import Any

from anyio.to_thread import run_sync
from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from api.auth import sign_in_failures
from api.auth.allowances import PROVIDERS_FROM_HERE
from api.auth.browser import hand_over, known_browser, remember_browser
from api.auth.identity_providers import MAX_CODE_LENGTH, UNKNOWN, ProviderPath, begun, provider_of
from api.auth.sign_in_failures import FAILURES, Failed
from api.callers.dependencies import Anybody
from api.control.accounts import throttles
from api.control.accounts.throttles import Try
from api.control.identity_providers import flows, joining
from api.errors import NotFound
from api.http.client_networks import client_network
from api.identity_providers.failures import ProviderWrong, refuse_error
from api.identity_providers.providers import SignInProvider
from api.services import services
from api.web.sessions.entry import Carried, shown

router = APIRouter(include_in_schema=False, prefix="/auth")


@router.get("/start/{provider}")
async def start(_: Anybody, provider: ProviderPath, request: Request) -> Response:
    """Redirect to a provider of the deployment.

    Those of an organization begin at the page only: an address of this service must not lead wherever an admin of some
    organization says.
    """
    app = services(request)
    found = app.sign_in.deployment.get(provider)
    try:
        await run_sync(throttles.take, app.store, Try(PROVIDERS_FROM_HERE, client_network(request)))
        if found is None:
            raise NotFound(UNKNOWN)
        device = request.headers.get("user-agent", "")
        address, browser = await begun(app, request, found, device, None)
    except FAILURES as error:
        return await _failed(request, error, "start", found)
    return remember_browser(app, _redirect(address), browser)


@router.get("/callback/{provider}")
async def callback(_: Anybody, provider: ProviderPath, request: Request) -> Response:
    """The return of a browser from a provider. Every failure is a page, and begins no session."""
    app = services(request)
    given = request.query_params
    browser = known_browser(app, request)
    found = None
    try:
        await run_sync(throttles.take, app.store, Try(PROVIDERS_FROM_HERE, client_network(request)))
        found = await provider_of(app, provider)
        # Used up first, so that nobody tries several codes with a state.
        state = given.get("state", "")[: flows.MAX_SECRET_LENGTH]
        flow = await run_sync(flows.end_flow, app.store, found.signed_in_by, state, browser)
        refuse_error(found.name, given.get("error"))
        code = given.get("code", "")
        if not code or len(code) > MAX_CODE_LENGTH or not code.isprintable():
            raise ProviderWrong(f"{found.name} sent your browser back without a code; begin again")
        secrets = await run_sync(flows.secrets_of, app.store, state)
        identity = await app.sign_in.identity(found, secrets, code, given.get("iss"))
        made = await run_sync(
            joining.recognize_identity, app.store, found.organization, identity, flow, browser, app.ways
        )
    except FAILURES as error:
        return await _failed(request, error, "callback", found)
    return hand_over(app, _redirect(f"{app.sign_in.app_url}/signedIn#{made}"), made)


async def _failed(request: Request, error: Failed, step: str, provider: SignInProvider | None) -> Response:
    """The page of a failure, which leads to the sign-in page of the organization concerned."""
    found = await sign_in_failures.failure(services(request), error, step, provider)
    content: dict[str, Any] = {"message": found.message, "reference": found.reference}
    made = shown(
        request,
        "failed",
        "Signing in failed",
        Carried(organization=found.organization or ""),
        status=found.status,
        way_on="Sign in another way" if found.has_other_way else "Begin again",
        **content,
    )
    made.headers.update(found.headers)
    # The address has the code and the state of the provider.
    made.headers["Referrer-Policy"] = "no-referrer"
    return made


def _redirect(address: str) -> Response:
    headers = {"Cache-Control": "no-store", "Referrer-Policy": "no-referrer"}
    return RedirectResponse(address, 303, headers=headers)
