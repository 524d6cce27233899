"""Stored summaries as callers read them over HTTP and in mails: one way to find one, and to hide what they may not see.

Keep out: formats (presentation/summaries/formats), mails (api/mail).
"""

from dataclasses import dataclass

from api.control.store import ControlStore
from api.control.summaries import summaries
from api.control.summaries.kinds import Author, RevisionContent, SummaryRecord
from api.control.visibility import Visibility
from api.presentation.summaries.document import Document
from api.presentation.summaries.notes import annotated
from api.read.summaries.texts import SeenText


@dataclass(frozen=True, slots=True)
class StoredText:
    """A text of a summary as a caller may see it."""

    summary: SummaryRecord
    content: RevisionContent
    seen: SeenText

    @property
    def document(self) -> Document:
        """The text with its notes, as people read it."""
        written = self.content.revision
        return annotated(
            self.seen.document,
            restated=self.seen.restated,
            facts=self.seen.facts,
            model=written.model if written.written_by is Author.MODEL else None,
            failure=written.failure,
        )


def stored_text(
    store: ControlStore, organization_id: str, seen: Visibility, wanted: str, number: int | None = None
) -> StoredText:
    """A text of a summary, by default the newest. Raises NotFound; NotAllowed for a lead and another team's."""
    record = summaries.summary(store, organization_id, wanted, seen.team_ids)
    chosen = record.revision_count if number is None else number
    content = summaries.content(store, organization_id, record.id, chosen)
    return StoredText(record, content, SeenText.stored(content, seen.minimum_group_size))
