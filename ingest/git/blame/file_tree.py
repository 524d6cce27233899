"""Line ids of all files of a commit, in nested dictionaries shaped like Git's trees.

Commits share the nodes of folders that they do not change. Keep out: which lines a file has (`ownership`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Union

import numpy as np
from numpy.typing import NDArray

LineIds = NDArray[np.int32]
Node = dict[str, Union["Node", LineIds]]

NO_LINES: LineIds = np.zeros(0, np.int32)


@dataclass(slots=True)
class Draft:
    """A root under construction. Only nodes made for this commit may be written; all others are shared."""

    root: Node
    own: set[int] = field(default_factory=set)

    def put(self, path: str, ids: LineIds) -> None:
        *folders, name = path.split("/")
        self._writable(folders)[name] = ids

    def remove(self, path: str) -> None:
        *folders, name = path.split("/")
        self._writable(folders).pop(name, None)

    def _writable(self, folders: Sequence[str]) -> Node:
        """The node of a folder, copied where it is shared."""
        node = self.root
        for folder in folders:
            child = node.get(folder)
            if not isinstance(child, dict) or id(child) not in self.own:
                child = dict(child) if isinstance(child, dict) else {}
                self.own.add(id(child))
                node[folder] = child
            node = child
        return node


def lookup(root: Node, path: str) -> LineIds:
    """Line ids of a file; empty where it does not exist or has no text."""
    *folders, name = path.split("/")
    node = root
    for folder in folders:
        child = node.get(folder)
        if not isinstance(child, dict):
            return NO_LINES
        node = child
    found = node.get(name)
    return NO_LINES if found is None or isinstance(found, dict) else found


def files(root: Node, prefix: str = "") -> Iterable[tuple[str, LineIds]]:
    """Every file below a root, in path order."""
    for name in sorted(root):
        child = root[name]
        if isinstance(child, dict):
            yield from files(child, f"{prefix}{name}/")
        else:
            yield f"{prefix}{name}", child
