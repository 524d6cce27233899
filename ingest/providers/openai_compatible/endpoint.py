"""A model endpoint with OpenAI's interface: its login, its refusals, and the check of a connection.

Keep out: questions (`chat`), what is asked (`orchestration.summaries`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

from ingest.connections.model import Checked, Connection, Provider, Stream, WantedRepository
from ingest.connections.values import text
from ingest.errors import Permanent, ProviderRefused, Refusal
from ingest.http.answers import Answer
from ingest.http.client import Client, Login
from ingest.http.rate_limits import RateLimits
from ingest.json_paths import at
from ingest.providers.openai_compatible.capabilities import is_limit_of_answer
from ingest.providers.openai_compatible.chat import Chat, Question, Reply
from ingest.schemas.model_endpoints import MODEL_ENDPOINT

MODEL = "model"
CHECK_TOKENS = 16
MAX_NAMED = 5


def _code(answer: Answer) -> Any:
    return at(answer.body, ("error", "code")) or at(answer.body, ("error", "type"))


def _has_no_quota(answer: Answer) -> bool:
    return answer.status == 429 and _code(answer) == "insufficient_quota"


def _refusal(answer: Answer) -> ProviderRefused | None:
    """The refusals that have a remedy of their own."""
    if _has_no_quota(answer) or answer.status == 402:
        return ProviderRefused(
            Refusal.PLAN_REQUIRED,
            "The account of this key has no quota left: add credit, or raise its limit, at the provider.",
        )
    if answer.status == 401:
        return ProviderRefused(
            Refusal.UNAUTHORIZED,
            "The endpoint does not accept the key: create a new one at the provider, and paste it alone.",
        )
    if answer.status == 403:
        return ProviderRefused(
            Refusal.FORBIDDEN,
            "The endpoint refuses the key this model: allow the key, or its project, to use the model.",
        )
    return None


class OpenAiCompatible(Provider):
    kind = "OPENAI_COMPATIBLE"
    title = "OpenAI-compatible endpoint"
    category = MODEL_ENDPOINT
    needs_secret = False
    options: ClassVar = {MODEL: "Name of the model that writes, as the endpoint lists it."}
    rate_limits = RateLimits(refusal=_refusal, lasts=_has_no_quota)

    def login(self, connection: Connection) -> Login:
        key = connection.secret.strip().removeprefix("Bearer ").strip()
        return Login.bearer(connection.address, key) if key else Login(connection.address, {})

    def check(self, client: Client, connection: Connection) -> Checked:
        if connection.secret and connection.address.startswith("http://"):
            raise ProviderRefused(
                Refusal.BAD_ADDRESS,
                "A key is only sent encrypted: give an address that starts with https://, or no key.",
            )
        listed = _listed(client)
        model = str(connection.options.get(MODEL) or "").strip()
        if not model:
            raise Permanent(f"Name the model in the option {MODEL}{_of(listed)}.")
        question = Question(model, [{"role": "user", "content": "Answer with the word ready."}], CHECK_TOKENS)
        try:
            answered: Reply | None = Chat(client).ask(question)
        except ProviderRefused as refused:
            if refused.refusal is Refusal.NOT_FOUND:
                raise _unknown(connection, model, listed, refused) from refused
            if not is_limit_of_answer(refused):
                raise
            answered = None
        return Checked((answered and answered.model) or model)

    def streams(
        self, client: Client, connection: Connection, repositories: Sequence[WantedRepository]
    ) -> Iterator[Stream]:
        """None: nothing of an endpoint is read."""
        return iter(())


def _listed(client: Client) -> list[str]:
    """The models that the endpoint lists. Some list none."""
    try:
        body = client.get("models").body
    except ProviderRefused as refused:
        if refused.status in (404, 405, 501):
            return []
        raise
    rows = at(body, ("data",))
    names = (text(at(one, ("id",))) for one in rows) if isinstance(rows, list) else ()
    return [name for name in names if name is not None]


def _unknown(
    connection: Connection, model: str, listed: Sequence[str], refused: ProviderRefused
) -> ProviderRefused:
    """The refusal of a question that found nothing: of the model where the address answers, else of the address."""
    code = at(refused.body, ("error", "code"))
    if listed or code == "model_not_found" or model in refused.message:
        return ProviderRefused(
            Refusal.INVALID,
            f"The endpoint has no {MODEL} {model}{_of(listed)}.",
            refused.status,
        )
    return ProviderRefused(
        Refusal.NOT_FOUND,
        f"{connection.address} has no chat: give the address before /chat/completions, which usually ends with /v1.",
        refused.status,
    )


def _of(listed: Sequence[str]) -> str:
    """The models to choose from, in a sentence."""
    if not listed:
        return ""
    more = f" and {len(listed) - MAX_NAMED} more" if len(listed) > MAX_NAMED else ""
    return f"; it lists {', '.join(listed[:MAX_NAMED])}{more}"
