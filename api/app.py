"""The application. It assembles routers, middleware, error handlers and services."""

import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import datetime
from functools import partial
from importlib import import_module
from typing import Any

import anyio
import anyio.to_thread
import duckdb
from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from sqlalchemy.exc import DataError, DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from starlette.exceptions import HTTPException

from api import errors, startup
from api.auth.routers import ROUTERS as SIGN_IN
from api.billing import events as billing_events
from api.control.accounts.passwords import Passwords
from api.control.accounts.tokens import signing_key
from api.control.checks.standings import Standings
from api.control.database import refuse_lost
from api.control.errors import ControlError
from api.control.identity_providers.deployment import deployment_providers
from api.control.organizations.first_steps import first_step
from api.control.store import open_store, utc_now
from api.http import error_handlers
from api.http.clone_lines import CloneLines
from api.http.credentials import Authenticator
from api.http.intake import Intake
from api.http.methods import Methods, OfferedMethods
from api.http.middleware import BodySize, OperationHeader
from api.http.openapi import texts
from api.http.openapi.document import DescribedApi
from api.http.paging import PageTokens
from api.http.parameters import CamelCaseQuery
from api.http.responses import Reads
from api.http.route_index import RouteIndex
from api.identity_providers.providers import of_deployment
from api.identity_providers.sign_in import SignIn
from api.mail.delivery import MailDelivery
from api.mail.transport import place_of, transport
from api.mcp import endpoint as mcp
from api.monitoring import control_database
from api.monitoring.requests import ObservedRequests, Templates
from api.operator.license import license_status
from api.operator.release import release
from api.otlp import telemetry
from api.pages import docs, health
from api.scim import endpoint as scim
from api.services import Services
from api.settings import ApiSettings
from api.snapshot.builds import DAMAGED
from api.snapshot.empty_build import empty_build
from api.snapshot.fetching import Fetching
from api.snapshot.warehouse import Warehouse
from api.threads import ThreadSlots
from api.v1.connections.checks import ALL_ORGANIZATIONS, EACH_ORGANIZATION
from api.v1.routers import ROUTERS
from api.web.compression import CompressedPages
from api.web.frame_answers import STATE as FRAME_ANSWERS
from api.web.frame_answers import FrameAnswers
from api.web.missing_pages import render_missing
from api.web.routers import ROUTERS as DASHBOARD
from ingest.probe import Reach

# Passwords that are hashed at once, each over EAS_PASSWORD_MEMORY_KIB.
HASHES_AT_ONCE = 2
# Looks at the database for /readyz, which a frozen one keeps for as long as a statement may take.
PROBES_AT_ONCE = 4
# Seconds between two questions at the start whether the newest builds are there.
FETCH_LOOK_SECONDS = 0.05


Lifespan = Callable[[FastAPI], AbstractAsyncContextManager[dict[str, Any]]]


def create_app(
    settings: ApiSettings | None = None,
    *,
    warms_up: bool = False,
    is_ending: Callable[[], bool] = lambda: False,
) -> FastAPI:
    """An application over the data directory of `settings` (default: the environment's).

    The control database is opened and migrated when the application starts, not here. `warms_up`: the process
    that draws and the newest builds are there before somebody waits for them, which takes seconds of a core. The start
    waits for no download once the process `is_ending`.
    """
    chosen = settings or ApiSettings()
    life = services_of(chosen, warms_up=warms_up, is_ending=is_ending)
    return with_routes(life if chosen.grpc_port is None else _with_grpc(life, chosen), chosen.app_url)


def _with_fetched_builds(life: Lifespan, fetching: Fetching, is_ending: Callable[[], bool]) -> Lifespan:
    """The same life with the builds of another machine, which begins with the newest ones."""

    @asynccontextmanager
    async def running(app: FastAPI) -> AsyncIterator[dict[str, Any]]:
        fetching.start()
        try:
            while not (fetching.has_looked.is_set() or is_ending()):
                await anyio.sleep(FETCH_LOOK_SECONDS)
            async with life(app) as state:
                yield state
        finally:
            fetching.stop()

    return running


def _with_grpc(life: Lifespan, chosen: ApiSettings) -> Lifespan:
    """The same life, in which a server of gRPC asks the application too."""
    # It takes half a second to import, which only deployments with a port for it spend.
    server = import_module("api.grpc.server")
    host = f"[{chosen.host}]" if ":" in chosen.host else chosen.host

    @asynccontextmanager
    async def running(app: FastAPI) -> AsyncIterator[dict[str, Any]]:
        async with (
            life(app) as state,
            server.grpc_server(app, state, f"{host}:{chosen.grpc_port}", chosen.trusted_proxies),
        ):
            yield state

    return running


def services_of(
    chosen: ApiSettings,
    *,
    now: Callable[[], datetime] = utc_now,
    warms_up: bool = False,
    is_ending: Callable[[], bool] = lambda: False,
) -> Lifespan:
    """The life of the services over a data directory, with `now` as their clock.

    Requests find the services in the state that the server keeps for its application's life (`services`).
    """
    life = _services_over_builds(chosen, now, warms_up=warms_up)
    if chosen.published_from is None:
        return life
    return _with_fetched_builds(life, Fetching(chosen.published_from, chosen.published_root), is_ending)


def _services_over_builds(chosen: ApiSettings, now: Callable[[], datetime], *, warms_up: bool) -> Lifespan:

    @asynccontextmanager
    async def running(_: FastAPI) -> AsyncIterator[dict[str, Any]]:
        refuse_lost(chosen.data_dir)
        store = open_store(chosen.data_dir, url=chosen.control_url, now=now)
        control_database.observe(store.engine)
        startup.renew_encryption(store)
        startup.log_license(license_status(now()))
        authenticator = Authenticator(store)
        warehouse = Warehouse(chosen.published_root, chosen.read_memory_mb)
        reads = Reads(
            warehouse,
            PageTokens(signing_key(store, "page_tokens")),
            chosen.read_threads,
            chosen.response_cache_mb,
            lambda organization: empty_build(store.organization(organization), now()),
            partial(first_step, store),
        )
        mail = MailDelivery(
            store,
            transport(chosen.mail_server, chosen.outbox),
            app_url=chosen.app_url,
            sender=chosen.mail_from,
            place=place_of(chosen.mail_server, chosen.outbox),
        )
        services = Services(
            store,
            Standings(store),
            authenticator,
            reads,
            Passwords(chosen.password_memory_kib),
            mail,
            anyio.CapacityLimiter(HASHES_AT_ONCE),
            anyio.CapacityLimiter(PROBES_AT_ONCE),
            Reach(*chosen.private_hosts),
            ThreadSlots(EACH_ORGANIZATION, ALL_ORGANIZATIONS),
            chosen.app_url,
            SignIn(
                tuple(of_deployment(one) for one in deployment_providers()),
                Reach(*chosen.private_hosts),
                app_url=chosen.app_url.rstrip("/"),
                now=now,
            ),
            chosen.offers_passwords,
            Intake(chosen.spool),
            CloneLines(chosen.data_dir / "mirrors"),
        )
        kept_frames = FrameAnswers(store.engine)
        startup.log_ways(store, services.ways)
        if chosen.delivers_mails:
            mail.start()
        try:
            async with anyio.create_task_group() as beside:
                if warms_up:
                    beside.start_soon(reads.start_drawing)
                    beside.start_soon(
                        partial(anyio.to_thread.run_sync, warehouse.open_newest, abandon_on_cancel=True)
                    )
                yield {"services": services, FRAME_ANSWERS: kept_frames}
                beside.cancel_scope.cancel()
        finally:
            kept_frames.close()
            mail.close()
            services.intake.close()
            warehouse.close()
            authenticator.close()
            store.close()

    return running


def with_routes(lifespan: Lifespan, app_url: str) -> FastAPI:
    """An application with every route, for services of any data directory, whose document names `app_url`."""
    app = DescribedApi(
        title="Engineering Analytics Service",
        version=release(),
        description=texts.DESCRIPTION,
        lifespan=lifespan,
        # The framework's pages load scripts from a CDN; pages/docs.py serves its own.
        docs_url=None,
        redoc_url=None,
        openapi_tags=texts.TAGS,
        servers=[{"url": app_url.rstrip("/"), "description": "This deployment, as EAS_APP_URL names it."}],
        generate_unique_id_function=texts.operation_id,
        responses=texts.ERRORS,
        redirect_slashes=False,
    )
    app.include_router(health.router)
    app.include_router(docs.router)
    for router in SIGN_IN:
        app.include_router(router, prefix="/auth")
    app.include_router(billing_events.router)
    app.include_router(telemetry.router, prefix="/otlp/v1")
    app.include_router(mcp.router)
    app.include_router(scim.router)
    for router in DASHBOARD:
        app.include_router(router)
    for router in ROUTERS:
        app.include_router(router, prefix="/api/v1")
    app.add_exception_handler(errors.ApiError, error_handlers.render_api_error)
    app.add_exception_handler(ControlError, error_handlers.render_control_error)
    app.add_exception_handler(RequestValidationError, error_handlers.render_validation_error)
    app.add_exception_handler(HTTPException, render_missing)
    for odd in (UnicodeEncodeError, DataError):
        app.add_exception_handler(odd, error_handlers.render_odd_text)
    for broken in (DBAPIError, PoolTimeout, sqlite3.Error):
        app.add_exception_handler(broken, error_handlers.render_control_database)
    for missing in (duckdb.CatalogException, duckdb.BinderException):
        app.add_exception_handler(missing, error_handlers.render_other_release)
    for damaged in DAMAGED:
        app.add_exception_handler(damaged, error_handlers.render_damaged_build)
    app.add_exception_handler(duckdb.OutOfMemoryException, error_handlers.render_out_of_memory)
    app.add_exception_handler(Exception, error_handlers.render_unexpected)
    app.state.methods = Methods(app)
    app.add_middleware(CompressedPages)
    app.add_middleware(OfferedMethods, methods=app.state.methods)
    app.add_middleware(CamelCaseQuery)
    app.add_middleware(OperationHeader)
    app.add_middleware(BodySize)
    app.add_middleware(ObservedRequests, templates=Templates(app))
    app.router.routes.insert(0, RouteIndex(app.router.routes))
    _prepare(app)
    return app


def _prepare(app: FastAPI) -> None:
    """Let the framework prepare the routes of every router.

    It would do so when a request first passes the router, and the process would answer nobody for 1.5 seconds.
    """
    for route in app.routes:
        route.matches({"type": "http", "method": "GET", "path": "/", "root_path": "", "headers": []})
