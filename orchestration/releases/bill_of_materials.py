"""The software bill of materials of an image, as CycloneDX 1.6 (https://cyclonedx.org/docs/1.6/json/).

Keep out: which packages an image has (packages.py).
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from cyclonedx.model import HashAlgorithm, HashType
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.output.json import JsonV1Dot6
from packageurl import PackageURL

from orchestration.releases.contents import NAME
from orchestration.releases.packages import Package


def bill_of_materials(
    version: str, python: Iterable[Package], debian: Iterable[Package], scripts: Iterable[Package]
) -> Any:
    """The document: each package of Python, of Debian and of npm that the image has, with its address and hash."""
    bom = Bom()
    bom.metadata.component = Component(
        name=NAME, version=version, type=ComponentType.APPLICATION, bom_ref=NAME
    )
    for kind, namespace, packages in (
        ("pypi", None, python),
        ("deb", "debian", debian),
        ("npm", None, scripts),
    ):
        for package in packages:
            url = PackageURL(kind, namespace, package.name, package.version)
            bom.components.add(
                Component(
                    name=package.name,
                    version=package.version,
                    type=ComponentType.LIBRARY,
                    purl=url,
                    bom_ref=str(url),
                    # A package with one file has one hash. Which of several wheels was installed the platform decides.
                    hashes=[HashType(alg=HashAlgorithm.SHA_256, content=package.hashes[0])]
                    if len(package.hashes) == 1
                    else None,
                )
            )
    bom.register_dependency(bom.metadata.component, bom.components)
    return json.loads(JsonV1Dot6(bom).output_as_string())
