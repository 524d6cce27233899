"""Runs every check of `eas doctor` and prints its findings.

Keep out: the checks. They create the data directory and write nothing else that stays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from rich.console import Console

from orchestration.deployment import Deployment
from orchestration.doctor import identity_providers, machine, mails, sources, state, telemetry, variables
from orchestration.doctor.findings import Finding
from orchestration.runtime.explanations import explain
from orchestration.runtime.terminal import plain

CHECKS: list[Callable[[Deployment], Iterator[Finding]]] = [
    machine.python,
    machine.extraction,
    machine.git,
    machine.data,
    machine.raw_lake,
    machine.kind,
    machine.license_of_deployment,
    machine.billing,
    identity_providers.identity_providers,
    state.deployment_conditions,
    state.control_database,
    machine.warehouse_engine,
    machine.run_queue_of_workers,
    machine.plans_and_payments,
    state.published_builds,
    state.organization_conditions,
    state.locks,
    sources.repositories,
    sources.connections,
    telemetry.telemetry,
    identity_providers.of_organizations,
    mails.mails,
    state.unearned_work,
]


def examine(deployment: Deployment, console: Console) -> bool:
    """Print every finding. Returns whether no check failed."""
    all_passed = True
    defects: set[str] = set()
    for check in CHECKS:
        try:
            findings = list(check(deployment))
        except Exception as error:  # noqa: BLE001 - an error in a check is itself a finding
            reason = explain(error)
            # One cause, such as a folder that cannot be written, stops several checks.
            subject = check.__name__.replace("_", " ").capitalize()
            findings = [] if reason in defects else [Finding(subject, False, reason)]
            defects.add(reason)
        for finding in findings:
            _show(finding, console)
            all_passed = all_passed and finding.passed is not False
    return all_passed


def examine_settings(console: Console) -> bool:
    """Print the findings about the settings. Returns whether the service starts with them."""
    findings = list(variables.settings())
    for finding in findings:
        _show(finding, console)
    return all(finding.passed is not False for finding in findings)


def _show(finding: Finding, console: Console) -> None:
    mark = {True: "ok  ", False: "FAIL", None: "    "}[finding.passed]
    style = "bold red" if finding.passed is False else None
    if finding.is_warning:
        mark, style = "warn", "yellow"
    line = f"{mark} {plain(finding.subject)}: {plain(finding.detail)}"
    console.print(line, style=style, markup=False, highlight=False, soft_wrap=True)
