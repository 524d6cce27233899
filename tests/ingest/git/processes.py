"""Processes below one, as the kernel lists them."""

from __future__ import annotations

from pathlib import Path


def descendants(pid: int) -> list[int]:
    found: list[int] = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        for child in (task / "children").read_text().split():
            found += [int(child), *descendants(int(child))]
    return found


def workers_of(pid: int) -> list[int]:
    """The processes that a fork server made for this one. Its other children are servers, which have none."""
    children = (Path(f"/proc/{pid}/task/{pid}/children").read_text().split()) if is_alive(pid) else []
    return [worker for child in children for worker in descendants(int(child))]


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
