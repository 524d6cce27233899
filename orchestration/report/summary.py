"""The summary that `eas summary` prints: the stored text, else one of the published facts.

Keep out: the command (cli/summaries.py), the wording (`api.presentation.summaries`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import date
from difflib import get_close_matches

from api.control.list_pages import ListQuery
from api.control.organizations import organizations
from api.control.store import ControlStore
from api.control.summaries import summaries
from api.control.summaries.kinds import Author, Period, ScopeKind, SummaryKey
from api.control.summaries.summaries import Selection
from api.control.visibility import smallest_group
from api.presentation.summaries.composing import compose
from api.presentation.summaries.document import Document
from api.presentation.summaries.facts import Fact
from api.presentation.summaries.formats.renderers import Format, render
from api.presentation.summaries.notes import annotated
from api.presentation.summaries.visibility import of_enough_people, visible, visible_restated
from orchestration.deployment import Deployment
from orchestration.report import snapshot
from orchestration.runtime.explanations import Explained
from orchestration.summaries import build_facts
from orchestration.summaries.build_facts import BuildFacts
from orchestration.summaries.periods import end_of, last_complete, start_of

MAX_NAMES = 10


class NoSummary(Explained):
    """There is no such summary; the message says what there is."""


def find(
    deployment: Deployment,
    organization: str,
    kind: ScopeKind,
    name: str | None,
    period: Period,
    *,
    day: date | None = None,
    is_draft: bool = False,
) -> Document:
    """The summary of the period that has the day; by default the newest completed one, with `is_draft` the running one.

    It has no figures of fewer people than the organization shows. Raises NoSummary, NotFound for an unknown
    organization.
    """
    with deployment.control() as control:
        organization_id = control.organization(organization).id
        minimum = smallest_group(organizations.settings(control, organization_id))
        with _opened(deployment, organization_id) as build:
            if is_draft:
                start = start_of(period, build.today)
            else:
                start = start_of(period, day) if day else last_complete(period, build.today)[0]
            key = SummaryKey(kind, _scope(build, kind, name), period, start, end_of(period, start))
            stored = None if is_draft else _stored(control, organization_id, key, minimum)
            return stored or _composed(build, key, minimum)


def printed(document: Document, name: str) -> bytes:
    """The document in the format of this name, in any case."""
    return render(document, Format[name.upper()])


@contextmanager
def _opened(deployment: Deployment, organization_id: str) -> Iterator[BuildFacts]:
    """The published build. Raises NoSummary before the first one."""
    try:
        with snapshot.opened(deployment.settings.published_dir, organization_id) as opened:
            yield build_facts.of(opened.connection, opened.build_id)
    except snapshot.NothingPublished as error:
        raise NoSummary(str(error)) from error


def _scope(build: BuildFacts, kind: ScopeKind, name: str | None) -> str:
    """The id of a scope by its name or its id."""
    if kind is ScopeKind.ORGANIZATION:
        return build.organization_id
    known = {scope: called for (of_kind, scope), called in build.names.items() if of_kind == kind.value}
    found = [scope for scope, called in known.items() if name in (scope, called)]
    if len(found) > 1:
        raise NoSummary(
            f"more than one {kind.value} is called {name!r}; use an id: {', '.join(sorted(found)[:MAX_NAMES])}"
        )
    if not found:
        raise NoSummary(f"no {kind.value} is called {name!r}; {_near(name or '', known.values())}")
    return found[0]


def _near(name: str, names: Iterable[str]) -> str:
    """The names that are most like one, else the first ones, and how many there are."""
    listed = sorted(set(names))
    near = get_close_matches(name, listed, MAX_NAMES)
    if near:
        return f"near names are {', '.join(near)}"
    rest = len(listed) - MAX_NAMES
    return f"there are {', '.join(listed[:MAX_NAMES]) or 'none'}{f' and {rest} more' if rest > 0 else ''}"


def _stored(control: ControlStore, organization_id: str, key: SummaryKey, minimum: int) -> Document | None:
    chosen = Selection(
        scope_kinds=[key.scope_kind],
        scope_ids=[key.scope_id],
        periods=[key.period],
        start_on=key.period_start,
        end_on=key.period_end,
    )
    for one in summaries.list_summaries(control, organization_id, ListQuery(1), chosen).items:
        content = summaries.content(control, organization_id, one.id, one.revision_count)
        written, facts = content.revision, [Fact.from_json(fact) for fact in content.facts]
        return annotated(
            visible(Document.from_json(content.document), facts, minimum),
            restated=visible_restated(content.restated_facts, facts, minimum),
            facts=facts,
            model=written.model if written.written_by is Author.MODEL else None,
            failure=written.failure,
        )
    return None


def _composed(build: BuildFacts, key: SummaryKey, minimum: int) -> Document:
    facts = [of_enough_people(fact, minimum) for fact in build.facts(key)]
    if facts:
        return visible(compose(facts, build.name(key)), facts, minimum)
    starts = sorted(
        one.period_start
        for one in build.digests
        if (one.scope_kind, one.scope_id, one.period) == (key.scope_kind, key.scope_id, key.period)
    )
    reach = f"; completed ones begin from {starts[0]} to {starts[-1]}" if starts else ""
    raise NoSummary(
        f"{key.scope_kind.value} {build.name(key)} has no facts of the {key.period.value} from {key.period_start}"
        f"{reach}"
    )
