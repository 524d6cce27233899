"""Checks of this machine and of the settings of the deployment.

Add: a check whose message names the remedy. Keep out: what runs left (`state`, `sources`).
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator

from api.control.organizations import warehouse_engines
from api.operator.settings import DeploymentKind, RootSigner, operator_settings
from api.operator.variables import (
    ADDRESS,
    ADMINISTRATOR,
    BILLING,
    CHECKOUT,
    KIND,
    LICENSE,
    NO_SUPPORT,
)
from ingest.errors import NoEngine
from ingest.git import native
from orchestration.build import spark_session
from orchestration.deployment import Deployment
from orchestration.doctor.findings import Finding
from orchestration.runtime.explanations import explain
from orchestration.state import entitlements
from orchestration.workers import run_queue

MIN_GIT_VERSION = (2, 25)
# GB for the clone, facts, warehouse and two published builds of a large repository.
MIN_FREE_GB = 5


def python(_: Deployment) -> Iterator[Finding]:
    """The interpreter: 3.11 or newer."""
    yield Finding("Python", sys.version_info >= (3, 11), f"{sys.version.split()[0]} at {sys.executable}")


def extraction(_: Deployment) -> Iterator[Finding]:
    """The engine that reads histories: compiled, or in Python with the reason."""
    try:
        engine = native.engine()
    except NoEngine as error:
        yield Finding("Extraction", False, str(error))
        return
    detail = "compiled" if engine.name == "native" else f"in Python, because {engine.reason}"
    yield Finding("Extraction", None, detail)


def git(_: Deployment) -> Iterator[Finding]:
    """The version of Git."""
    program = shutil.which("git")
    if program is None:
        yield Finding("Git", False, "not found on the PATH; install Git")
        return
    answer = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout.split()
    version = tuple(int(part) for part in answer[2].split(".")[:2])
    hint = (
        ""
        if version >= MIN_GIT_VERSION
        else f"; {'.'.join(map(str, MIN_GIT_VERSION))} or newer is required for remotes"
    )
    yield Finding("Git", version >= MIN_GIT_VERSION, f"{answer[2]} at {program}{hint}")


def warehouse_engine(deployment: Deployment) -> Iterator[Finding]:
    """What the machine lacks for builds on Spark, where the settings or an organization's own choice want it."""
    with deployment.control() as control:
        own = warehouse_engines.own_engines(control)
    wanted = [slug for slug, engine in own.items() if engine == "spark"]
    if deployment.warehouse_engine == "spark":
        wanted = ["all organizations without an engine of their own", *wanted]
    if wanted:
        lack = spark_session.missing()
        yield Finding("Warehouse engine", lack is None, lack or f"Spark for {', '.join(wanted)}")


def run_queue_of_workers(_: Deployment) -> Iterator[Finding]:
    """The queue of runs, and the workers that take runs from it, where the settings name one."""
    subject = "Run queue"
    if not run_queue.is_used():
        return
    try:
        count = run_queue.count_workers()
    except run_queue.QueueUnreachable as error:
        yield Finding(subject, False, str(error))
        return
    if count == 0:
        detail = "no worker takes runs; start `eas worker` on this machine"
        yield Finding(subject, None, detail, is_warning=True)
    else:
        yield Finding(subject, True, f"{count} {'worker takes' if count == 1 else 'workers take'} runs")


def data(deployment: Deployment) -> Iterator[Finding]:
    """The data directory can be written and has room."""
    folder = deployment.settings.data_dir
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / ".doctor"
        probe.write_text("writable")
        probe.unlink()
    except OSError as error:
        yield Finding("Data directory", False, explain(error))
        return
    free = shutil.disk_usage(folder).free / 1e9
    hint = "" if free >= MIN_FREE_GB else f"; a large repository needs at least {MIN_FREE_GB} GB"
    yield Finding("Data directory", True, f"{folder} is writable")
    yield Finding("Disk", free >= MIN_FREE_GB, f"{free:.1f} GB free{hint}")


def raw_lake(deployment: Deployment) -> Iterator[Finding]:
    """The raw lake, where it is outside of the data directory; an object store can be written."""
    root, lake = deployment.settings.raw_root, deployment.lake
    if not lake.is_local:
        probe = f"{lake.root}/.doctor"
        lake.write_bytes(probe, b"writable")
        lake.remove(probe)
        yield Finding("Raw lake", True, f"{root} is writable")
    else:
        yield Finding("Raw lake", None, root)


def kind(_: Deployment) -> Iterator[Finding]:
    """The kind of deployment, and the keys that sign root logins."""
    settings = operator_settings()
    yield Finding("Deployment", None, f"of the kind {settings.deployment}")
    named = {
        RootSigner.ADMINISTRATOR: f"your key {settings.administrator_key} ({ADMINISTRATOR})",
        RootSigner.SERVICE: f"the key of the service's support ({NO_SUPPORT}=true closes that)",
    }
    signers = [named[one] for one in RootSigner if one in settings.root_keys.values()]
    if settings.offers_support and not settings.has_own_address:
        yield Finding(
            "Support",
            None,
            f"the key of the service's support signs nobody in: set {ADDRESS} to the public address, which its"
            f" credentials name (many deployments share the default), or {NO_SUPPORT}=true",
            is_warning=True,
        )
    nobody = "no key; `eas root-login new-key` makes one where it is needed"
    yield Finding("Root logins", None, f"signed by {' and by '.join(signers) or nobody}")


def license_of_deployment(_: Deployment) -> Iterator[Finding]:
    """The license, also one that the kind of deployment does not use."""
    yield from map(_finding, entitlements.of_operator())
    settings = operator_settings()
    if settings.license_key is not None and settings.deployment is not DeploymentKind.SELF_HOSTED:
        yield Finding(
            "License",
            None,
            f"{LICENSE} is set, and a deployment of the kind {settings.deployment} does not use it;"
            f" set {KIND}=self_hosted for a self-hosted deployment, or remove the license",
            is_warning=True,
        )


def billing(_: Deployment) -> Iterator[Finding]:
    """Settings that a cloud deployment lacks for payments."""
    settings = operator_settings()
    if settings.deployment is not DeploymentKind.CLOUD:
        return
    if not settings.billing_secrets:
        yield _missing(BILLING, "this deployment takes no events of a payment system, so no payment counts")
    if settings.checkout_url is None:
        yield _missing(CHECKOUT, "owners who ask for an upgrade get no address to pay at")


def _missing(name: str, effect: str) -> Finding:
    return Finding("Billing", None, f"{name} is not set: {effect}", is_warning=True)


def plans_and_payments(deployment: Deployment) -> Iterator[Finding]:
    """Plans that are used up, and open payments."""
    yield from map(_finding, entitlements.of_customers(deployment))


def _finding(one: entitlements.Entitlement) -> Finding:
    return Finding(one.subject, None if one.is_warning else not one.is_failure, one.message, one.is_warning)
