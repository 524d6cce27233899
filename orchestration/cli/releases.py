"""The command that verifies a release."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from orchestration.cli.context import refused
from orchestration.releases.contents import KeyUnusable, ReleaseBroken
from orchestration.releases.verification import verify
from orchestration.runtime.terminal import plain


def verify_release(
    folder: Annotated[Path, typer.Argument(help="The folder of the release, as it was published.")],
    key: Annotated[
        Path, typer.Option("--key", help="The public key of releases, from another place than the release.")
    ],
) -> None:
    """Verify a release before it is installed: signature, provenance, bill of materials and digests.

    Exits with 1 if a part was changed or is not signed by the key, with 2 if the key is none.
    """
    try:
        for sentence in verify(folder, key):
            typer.echo(f"{plain(sentence)}.")
    except KeyUnusable as error:
        raise refused(str(error)) from error
    except ReleaseBroken as error:
        typer.echo(f"Do not install this release: {plain(str(error))}.", err=True)
        raise typer.Exit(1) from error
    typer.echo("The release may be installed.")
