"""One request of a directory, answered by the SCIM library. Importing this imports the library.

Keep out: HTTP and its errors (endpoint.py), what is stored (storage.py), limits (limits.py).
"""

import random
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import orjson
from scim2_models import PreconditionFailedException, SCIMException
from scim2_server.handler import ScimHandler
from scim2_server.requests import ScimRequest
from scim2_server.responses import ScimResponse
from sqlalchemy.exc import IntegrityError

from api.control import errors as control
from api.control.principals import Principal
from api.control.store import ControlStore
from api.http.statuses import api_error_of
from api.scim.limits import checked_query, readable
from api.scim.service import service
from api.scim.storage import DirectoryStorage

# Times that a change is made after another one came between its read and its write, and the longest pause before each
# further one in seconds: a writer that is slower than the others would lose each time.
MAX_TRIES, MAX_PAUSE = 10, 0.1


@dataclass(frozen=True, slots=True)
class Answer:
    """Status, body and headers of an answer; an empty body has no media type."""

    status: int
    body: bytes
    headers: dict[str, str]


def answer(
    store: ControlStore,
    directory: Principal,
    *,
    method: str,
    base_url: str,
    path: str,
    query: Mapping[str, str],
    headers: Sequence[tuple[str, str]],
    body: bytes,
) -> Answer:
    """Answer a request. Raises ApiError for what the protocol has no error for."""
    try:
        asked = ScimRequest(
            method=method,
            base_url=base_url,
            path=path,
            query=checked_query(dict(query)),
            headers=headers,
            body=readable(body),
            subject=directory,
        )
        made = _handled(store, directory, asked)
    except SCIMException as error:
        made = service().error_response(error)
    except control.ControlError as error:
        raise (api_error_of(error) or error) from error
    given = {"Cache-Control": "no-store", **made.headers}
    if made.body is None:
        del given["Content-Type"]
        return Answer(int(made.status), b"", given)
    return Answer(int(made.status), orjson.dumps(made.body), given)


def _handled(store: ControlStore, directory: Principal, asked: ScimRequest) -> ScimResponse:
    """Serve a request. A change that lost against another one is made again, unless the client named a version."""
    # The answer to a PATCH of a group is empty, unless it asks for attributes.
    answers_members = asked.method != "PATCH" or bool(asked.query)
    handler = ScimHandler(service(), DirectoryStorage(store, directory, answers_members=answers_members))
    for left in reversed(range(MAX_TRIES)):
        try:
            return handler.handle(asked)
        except (PreconditionFailedException, IntegrityError):
            if asked.header("If-Match") is not None or not left:
                raise
        # No secret: it only keeps two writers apart.
        time.sleep(random.uniform(0, MAX_PAUSE))
    raise AssertionError
