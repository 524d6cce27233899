import subprocess
from pathlib import Path
from typing import Any

import pytest

from ingest.settings import Settings
from orchestration.deployment import LOCAL_ORGANIZATION, Deployment
from orchestration.report.capex_export import CapexExport, ExportFailed

start_process = subprocess.Popen


@pytest.fixture
def deployment(tmp_path: Path) -> Deployment:
    return Deployment(Settings(data_dir=tmp_path))


def exports(deployment: Deployment) -> dict[str, str]:
    return {file.name: file.read_text() for file in deployment.settings.exports_dir.iterdir()}


def replace_exporter(monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    def start(command: list[str], **options: Any) -> "subprocess.Popen[bytes]":
        process: subprocess.Popen[bytes] = start_process(["/bin/sh", "-c", script], **options)
        return process

    monkeypatch.setattr(subprocess, "Popen", start)


def test_an_exporter_without_a_build_says_so_in_one_line_and_keeps_the_file(deployment: Deployment) -> None:
    file = deployment.settings.exports_dir / "capex-local.csv"
    file.parent.mkdir(parents=True)
    file.write_text("of the build before")
    with pytest.raises(ExportFailed, match="no published build") as caught:
        CapexExport(deployment, LOCAL_ORGANIZATION, "b").finished()
    assert "Traceback" not in str(caught.value)
    assert exports(deployment) == {"capex-local.csv": "of the build before"}


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("kill -9 $$", "-9"),
        (r"printf 'Traceback (most recent call last):\n  File x\nBroken: it\n' >&2; exit 1", "^Broken: it$"),
    ],
)
def test_a_defect_of_the_exporter_is_told_without_its_stack(
    deployment: Deployment, monkeypatch: pytest.MonkeyPatch, script: str, message: str
) -> None:
    replace_exporter(monkeypatch, script)
    export = CapexExport(deployment, LOCAL_ORGANIZATION, "b")
    with pytest.raises(ExportFailed, match=message):
        export.finished()
    assert export._output.closed


def test_an_export_that_outlives_its_run_does_not_write_into_the_next_file(
    deployment: Deployment, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace_exporter(monkeypatch, "sleep 1; echo late")
    late = CapexExport(deployment, LOCAL_ORGANIZATION, "a")
    replace_exporter(monkeypatch, "echo whole")
    assert CapexExport(deployment, LOCAL_ORGANIZATION, "b").finished().read_text() == "whole\n"
    assert exports(deployment) == {"capex-local.csv": "whole\n"}
    assert late.finished().read_text() == "late\n"
