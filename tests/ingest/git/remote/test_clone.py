from __future__ import annotations

import fcntl
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ingest.errors import IngestError, MirrorFailed, SourceBusy
from ingest.git.remote import clone, url
from ingest.git.remote.command import Git
from ingest.git.repository_source import resolve
from ingest.settings import Settings
from tests.git_repository import GitRepository
from tests.ingest.git.remote.http_remote import HttpRemote

ORGANIZATION = "0190d3b0-0000-7000-8000-000000000001"
RUN = """
import sys
from pathlib import Path
from ingest.git.remote import clone, url
from ingest.git.remote.command import Git
clone.synchronize(Path(sys.argv[1]), Git("remote", url.parse(sys.argv[2])))
"""


@pytest.fixture
def upstream(new_repository: Callable[..., GitRepository]) -> GitRepository:
    repository = new_repository("served/project.git", bare=True)
    repository.commit({"a.py": "a = 1\n"})
    return repository


@pytest.fixture
def remote(tmp_path: Path, upstream: GitRepository) -> Iterator[HttpRemote]:
    with HttpRemote(tmp_path / "served") as server:
        yield server


@pytest.fixture
def mirror(tmp_path: Path) -> Path:
    return tmp_path / "mirrors" / "0a1b2c3d.git"


@pytest.fixture
def git(remote: HttpRemote) -> Git:
    return Git("remote", url.parse(remote.url("project.git")))


def head(path: Path) -> str:
    command = ["git", f"--git-dir={path}", "rev-parse", "main"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def living(mirror: Path) -> list[int]:
    """Processes that work on the mirror."""
    found = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if mirror.stem.encode() in file.read_bytes():
                found.append(int(file.parent.name))
        except OSError:
            continue
    return found


def run_until_pack_is_wanted(remote: HttpRemote, mirror: Path) -> threading.Event:
    """Kill a run as `kill -9` does while its Git waits for the pack; the event lets that Git continue."""
    wanted, release = threading.Event(), threading.Event()

    def wait() -> None:
        wanted.set()
        release.wait(30)

    remote.before_pack = wait
    run = subprocess.Popen([sys.executable, "-c", RUN, str(mirror), remote.url("project.git")])
    assert wanted.wait(20)
    run.send_signal(signal.SIGKILL)
    run.wait()
    remote.before_pack = lambda: None
    return release


@pytest.mark.skipif(not Path("/proc").exists(), reason="orphans are told by /proc")
@pytest.mark.parametrize("is_first", [True, False])
def test_a_run_that_was_killed_does_not_stop_the_next_one(
    remote: HttpRemote, upstream: GitRepository, mirror: Path, git: Git, is_first: bool
) -> None:
    if not is_first:
        clone.synchronize(mirror, git)
        upstream.commit({"a.py": "a = 2\n"})
    release = run_until_pack_is_wanted(remote, mirror)
    try:
        assert living(mirror)  # the orphaned Git
        assert mirror.exists() is not is_first
        clone.synchronize(mirror, git)
        assert head(mirror) == upstream.heads["main"]
        assert not living(mirror)
    finally:
        release.set()
    assert {p.name for p in mirror.parent.iterdir()} == {mirror.name, f"{mirror.stem}.lock"}


def test_lock_files_and_halves_of_packs_are_cleared_away(
    upstream: GitRepository, mirror: Path, git: Git
) -> None:
    clone.synchronize(mirror, git)
    leftovers = ["packed-refs.lock", "refs/heads/main.lock", "config.lock", "HEAD.lock", "shallow.lock"]
    leftovers += ["objects/pack/tmp_pack_x1", "objects/pack/tmp_idx_x1", "objects/incoming-x/pack/a"]
    for name in leftovers:
        (mirror / name).parent.mkdir(parents=True, exist_ok=True)
        (mirror / name).write_text("")
    upstream.commit({"a.py": "a = 2\n"})
    clone.synchronize(mirror, git)
    assert head(mirror) == upstream.heads["main"]
    assert not [name for name in leftovers if (mirror / name).exists()]


def test_two_runs_do_not_fetch_at_once(mirror: Path, git: Git) -> None:
    mirror.parent.mkdir()
    with mirror.with_suffix(".lock").open("a") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(SourceBusy, match="remote"):
            clone.synchronize(mirror, git)
    clone.synchronize(mirror, git)


def test_a_process_that_only_has_the_noted_number_is_left_alone(mirror: Path, git: Git) -> None:
    bystander = subprocess.Popen(["sleep", "30"], start_new_session=True)
    try:
        mirror.parent.mkdir()
        mirror.with_suffix(".lock").write_text(str(bystander.pid))
        clone.synchronize(mirror, git)
        assert bystander.poll() is None
    finally:
        bystander.kill()
        bystander.wait()


def test_many_packs_become_few_and_lose_nothing(
    upstream: GitRepository, mirror: Path, git: Git, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clone, "PACKS_BEFORE_COMPACTION", 3)
    heads = []
    for number in range(6):
        heads.append(upstream.commit({"a.py": f"a = {number}\n"}))
        if number == 2:
            upstream.reset("main", heads[0])  # a forced push
        clone.synchronize(mirror, git)
    assert len(list((mirror / "objects" / "pack").glob("*.pack"))) <= 4
    for sha in heads:
        if sha != heads[2]:  # pushed away before it was ever fetched
            subprocess.run(["git", f"--git-dir={mirror}", "cat-file", "-e", sha], check=True)
    subprocess.run(["git", f"--git-dir={mirror}", "fsck", "--strict"], check=True, capture_output=True)


def test_a_commit_that_was_pushed_away_stays_readable(
    upstream: GitRepository, mirror: Path, git: Git
) -> None:
    first = upstream.heads["main"]
    gone = upstream.commit({"a.py": "a = 2\n"})
    clone.synchronize(mirror, git)
    upstream.reset("main", first)
    clone.synchronize(mirror, git)
    assert head(mirror) == first
    subprocess.run(["git", f"--git-dir={mirror}", "cat-file", "-e", gone], check=True)


def write_nonsense_refs(mirror: Path) -> None:
    for file in (mirror / "packed-refs", mirror / "refs" / "heads" / "main"):
        file.unlink(missing_ok=True)
        file.write_text("nonsense\n")


def delete_packs(mirror: Path) -> None:
    shutil.rmtree(mirror / "objects")
    (mirror / "objects").mkdir()


def replace_by_file(mirror: Path) -> None:
    shutil.rmtree(mirror)
    mirror.write_text("no clone\n")


DAMAGES: dict[str, Callable[[Path], object]] = {
    "refs": write_nonsense_refs,
    "packs": delete_packs,
    "head": lambda mirror: (mirror / "HEAD").unlink(),
    "configuration": lambda mirror: (mirror / "config").write_bytes(b"\x00[["),
    "a file": replace_by_file,
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_clone_is_replaced_by_a_new_one(
    upstream: GitRepository, mirror: Path, git: Git, damage: str
) -> None:
    clone.synchronize(mirror, git)
    DAMAGES[damage](mirror)
    upstream.commit({"a.py": "a = 2\n"})
    clone.synchronize(mirror, git)
    assert head(mirror) == upstream.heads["main"]
    subprocess.run(["git", f"--git-dir={mirror}", "fsck", "--strict"], check=True)


def test_a_clone_whose_newest_commit_is_damaged_is_replaced(
    upstream: GitRepository, remote: HttpRemote, tmp_path: Path
) -> None:
    settings = Settings(data_dir=tmp_path)
    first = resolve(remote.url("project.git"), settings, ORGANIZATION)
    delete_packs(first.path)
    assert resolve(remote.url("project.git"), settings, ORGANIZATION) == first
    assert head(first.path) == upstream.heads["main"]


def test_a_damaged_clone_stays_while_the_host_cannot_be_reached(
    mirror: Path, git: Git, remote: HttpRemote
) -> None:
    clone.synchronize(mirror, git)
    write_nonsense_refs(mirror)
    remote.__exit__(None, None, None)
    with pytest.raises(IngestError):
        clone.synchronize(mirror, git)
    assert mirror.is_dir()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written_names_the_setting(tmp_path: Path, git: Git) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(MirrorFailed, match="EAS_DATA_DIR"):
        clone.synchronize(tmp_path / "mirrors" / "x.git", git)


def test_a_file_in_place_of_the_folder_names_the_setting(tmp_path: Path, git: Git) -> None:
    (tmp_path / "mirrors").write_text("")
    with pytest.raises(MirrorFailed, match="EAS_DATA_DIR"):
        clone.synchronize(tmp_path / "mirrors" / "x.git", git)


def test_the_caller_s_own_git_variables_do_not_reach_git(
    upstream: GitRepository, mirror: Path, git: Git, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """As in a hook, where Git sets them for the repository that it works on."""
    for name in ("GIT_DIR", "GIT_OBJECT_DIRECTORY", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_NAMESPACE"):
        monkeypatch.setenv(name, str(tmp_path / "elsewhere"))
    monkeypatch.setenv("GIT_TRACE", str(tmp_path / "trace"))
    clone.synchronize(mirror, git)
    for name in (
        "GIT_DIR",
        "GIT_OBJECT_DIRECTORY",
        "GIT_WORK_TREE",
        "GIT_INDEX_FILE",
        "GIT_NAMESPACE",
        "GIT_TRACE",
    ):
        monkeypatch.delenv(name)
    assert head(mirror) == upstream.heads["main"]
    assert not (tmp_path / "elsewhere").exists()
    assert not (tmp_path / "trace").exists()


def test_hooks_of_the_user_s_configuration_do_not_run(
    mirror: Path, git: Git, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    hook = tmp_path / "hooks" / "reference-transaction"
    hook.parent.mkdir()
    hook.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    hook.chmod(0o755)
    configuration = tmp_path / "gitconfig"
    configuration.write_text(f"[core]\n\thooksPath = {hook.parent}\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(configuration))
    clone.synchronize(mirror, git)
    assert not (tmp_path / "ran").exists()


def test_a_run_with_nothing_new_is_quick(mirror: Path, git: Git) -> None:
    clone.synchronize(mirror, git)
    times = []
    for _ in range(5):
        began = time.perf_counter()
        clone.synchronize(mirror, git)
        times.append(time.perf_counter() - began)
    assert sorted(times)[2] < 2


def test_a_malformed_object_is_whole_and_a_damaged_one_is_not(upstream: GitRepository) -> None:
    malformed = upstream._write(b"tree", b"100644 no end")
    damaged = upstream._write(b"blob", b"content\n" * 100)
    assert clone.has_objects(upstream.path, [malformed, damaged])
    file = upstream._object(damaged)
    file.chmod(0o644)
    file.write_bytes(file.read_bytes()[:-9])
    assert clone.has_objects(upstream.path, [malformed])
    assert not clone.has_objects(upstream.path, [damaged])
    assert not clone.has_objects(upstream.path, ["5" * 40])
