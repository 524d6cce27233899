"""API keys, SCIM tokens and ingest tokens: each is shown once, and revoked here."""

from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from api.callers.dependencies import AnybodyAtAll
from api.errors import InvalidArgument
from api.web.drawing.forms import Act, Fields
from api.web.frame import Place, framed, submitted
from api.web.reading import FORBIDDEN

router = APIRouter(include_in_schema=False)

MOST = 100
"""Tokens of a kind on the page."""
SCOPES = (("READ", "Reads"), ("WRITE", "Reads and changes"))


def _new(*names: str) -> Any:
    """The body of a new token: its name, the end of its last day, and further fields."""

    def body(fields: Fields) -> dict[str, Any]:
        given = {name: fields[name].strip() for name in names if fields.get(name, "").strip()}
        return {
            "name": fields.get("name", "").strip(),
            "expiresAt": _end(fields.get("expiresAt", "")),
        } | given

    return body


def _end(day: str) -> str | None:
    """The end of a day in UTC, as an instant; None for none. Raises InvalidArgument."""
    if not day.strip():
        return None
    try:
        after = date.fromisoformat(day.strip()) + timedelta(days=1)
    except (ValueError, OverflowError) as error:
        raise InvalidArgument("expiresAt", "must be a day, such as 2027-01-31") from error
    return datetime.combine(after, time(), UTC).isoformat().replace("+00:00", "Z")


REVOKED = "It is revoked. The service refuses it from now on."
ACTS = {
    "key": Act("POST", "tokens", "", _new("scope"), shows=True),
    "scim": Act("POST", "scimTokens", "", _new(), shows=True),
    "ingest": Act("POST", "ingestTokens", "", _new("developerEmail"), shows=True),
    "revoke-key": Act("DELETE", "tokens/{chosen}", REVOKED),
    "revoke-scim": Act("DELETE", "scimTokens/{chosen}", REVOKED),
    "revoke-ingest": Act("DELETE", "ingestTokens/{chosen}", REVOKED),
}
KINDS = (
    (
        "key",
        "tokens",
        "API keys",
        "Programs and assistants read with a key what its maker may read. It ends with the membership of its maker.",
    ),
    (
        "ingest",
        "ingestTokens",
        "Ingest tokens",
        "AI tools send their telemetry with one. It reads nothing, and works on when its maker leaves.",
    ),
    (
        "scim",
        "scimTokens",
        "SCIM tokens",
        "A directory keeps members and groups up to date with one. It works on when its maker leaves.",
    ),
)


@router.get("/organizations/{organization}/tokens")
async def tokens(_: AnybodyAtAll, request: Request, organization: str) -> Response:
    """The keys and tokens that the person may see."""
    return await framed(request, organization, _content, ACTS)


@router.post("/organizations/{organization}/tokens")
async def change_tokens(_: AnybodyAtAll, request: Request, organization: str) -> Response:
    """Make a key or token, which the answer shows once, or revoke one."""
    return await submitted(request, organization, ACTS, _content)


async def _content(place: Place) -> Response:
    query = place.request.query_params
    answers = await place.reads.all(
        *(
            place.reads.read(path, pageSize=MOST, pageToken=query.get(f"{name}Page", ""))
            for name, path, _, _ in KINDS
        )
    )
    if not answers[0].is_there:
        return await place.refuse("tokens", "Tokens", answers[0])
    kinds: list[dict[str, Any]] = [
        {"name": name, "title": title, "about": about, "rows": answer.rows(path), "page": answer.body or {}}
        for (name, path, title, about), answer in zip(KINDS, answers, strict=True)
        if answer.status != FORBIDDEN
    ]
    rows = [row for kind in kinds for row in kind["rows"]]
    return await place.show(
        "settings/tokens.html",
        "tokens",
        "Tokens",
        kinds=kinds,
        scopes=SCOPES,
        lede=_lede(rows),
    )


def _lede(rows: list[dict[str, Any]]) -> str:
    working = sum(row["state"] in ("ACTIVE", "EXPIRING_SOON") for row in rows)
    soon = sum(row["state"] == "EXPIRING_SOON" for row in rows)
    told = f"{working} {'key or token works' if working == 1 else 'keys and tokens work'}"
    return f"{told}, {soon} of them until next week at most." if soon else f"{told}."
