"""What a reader is told about a stored text beside the text."""

from api.presentation.summaries.document import Document, Kind
from api.presentation.summaries.formats.plain_text import to_text
from api.presentation.summaries.notes import annotated

EMPTY = Document(Kind.WEEKLY, "Acme", "week", is_draft=False, sections=())


def test_a_text_that_a_model_could_not_write_says_so_in_a_whole_sentence() -> None:
    told = to_text(annotated(EMPTY, failure="it did not answer: the server answers 500"))
    expected = "Rules wrote this text, because a model could not: it did not answer: the server answers 500."
    assert " ".join(told.split()).endswith(expected)
    assert "could not" not in to_text(annotated(EMPTY, model="small"))
