"""Reads of `/api/v1` with the key of the caller: permissions, filters, paging and errors are those of REST.

Keep out: what of an answer a tool shows (projection.py).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import httpx

from api.http.media_types import JSON


class Refused(Exception):
    """REST refused the read, with a message for the one who asked."""


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads one organization of a deployment. `app_url` has no slash at its end."""

    client: httpx.AsyncClient
    organization: str
    app_url: str

    async def read(
        self, path: str, asked: Mapping[str, Any], accept: str = JSON
    ) -> tuple[dict[str, Any], str]:
        """The answer of a path below the organization, and its address. A text is the field `text`.

        Raises Refused with the reason and the remedy.
        """
        # Without a path it is the organization itself.
        root = f"/api/v1/organizations/{quote(self.organization, safe='')}"
        try:
            url = httpx.URL(f"{root}/{path}".rstrip("/"), params=_texts(asked))
        except UnicodeEncodeError as error:
            raise Refused("an argument has half of a surrogate pair; send whole characters") from error
        except httpx.InvalidURL as error:
            raise Refused(
                "the arguments are too long, or have a control character; ask for less at once"
            ) from error
        try:
            answer = await self.client.get(url, headers={"Accept": accept})
        except httpx.TransportError as error:
            raise Refused(f"the service at {self.app_url} does not answer; try again later") from error
        if answer.is_error:
            raise Refused(_reason(answer))
        if not answer.headers.get("content-type", "").startswith(accept):
            # A proxy in between answers with a page of its own.
            raise Refused(f"another program answers at {self.app_url}; tell the operator, or try again later")
        return answer.json() if accept == JSON else {"text": answer.text}, f"{self.app_url}{url}"


def _texts(asked: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments as REST takes them: a list repeats its parameter, and true is `true`."""
    return {name: str(value).lower() if isinstance(value, bool) else value for name, value in asked.items()}


def _reason(answer: httpx.Response) -> str:
    """The message of a google.rpc.Status, with the fields that it names."""
    if not answer.headers.get("content-type", "").startswith(JSON):
        # Of a proxy in between.
        return f"the service answered {answer.status_code}; try again later"
    status = answer.json()
    named = [
        f"{one['field']}: {one['description']}"
        for detail in status.get("details", [])
        for one in detail.get("fieldViolations", [])
    ]
    message = str(status["message"])
    return "; ".join([message, *(one for one in named if one not in message)])
