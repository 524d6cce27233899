"""Pages of HTML whose text is mostly sentences: tutorials, terms and manuals outside the folders of documents.

Keep out: pages in folders of documents (`roles`) and pages that tools make (`machine_text`).
"""

import re
from typing import Final

_LEAST_BYTES: Final = 600
# Of the sources of 80 histories only texts have so large a share: manuals and one tutorial (.50 to .70), samples of a
# library and a project's page of text (.37 to .43). The pages of programs have at most .30, most of them .05.
_SENTENCES: Final = 0.45
_FEWEST_SENTENCES: Final = 5
_WORDS: Final = 8
"""Words of a run of text, with a full stop, from which on it counts for sentences."""

_BEGINS: Final = (b"<", b"---\n", b"---\r\n")
# Signs of templates and of pages on which somebody acts.
_PROGRAM: Final = re.compile(
    rb"(?i)\{\{|\{%|<%|<\?(?:php|=)|\$\{|<(?:form|input|button|select|textarea|router-\w+|app-[\w-]+|[a-z]{1,9}:\w)"
    rb"|\s(?:ng-\w|v-\w|x-\w|th:|wicket:|jsf:|on[a-z]{3,12}=|\*ng|\[\w|\(\w{2,20}\)=|@click|data-(?:ng|bind|action|controller))"
)
_UNREAD: Final = re.compile(
    rb"(?i)<!--[\s\S]*?(?:-->|\Z)|<(script|style|head|svg)\b[\s\S]*?(?:</\1|\Z)|\A---\r?\n[\s\S]*?\n---"
)
_INLINE: Final = re.compile(
    rb"(?i)</?(?:a|abbr|b|br|code|em|i|kbd|q|small|span|strong|sub|sup|tt|u|var)\b[^<>]*>?"
)
_TAG: Final = re.compile(rb"<[^<>]*>?")
_STOP: Final = re.compile(rb"[.:!?]|\xe3\x80\x82")


def is_text_page(path: str, head: bytes) -> bool:
    """Whether a page of HTML holds mostly sentences, by its first bytes (`marks.MARK_BYTES`)."""
    # The pages of a component belong to its program.
    if len(head) < _LEAST_BYTES or path.endswith(".component.html") or _PROGRAM.search(head) is not None:
        return False
    if not head.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(_BEGINS):
        return False
    read = _UNREAD.sub(b"<>", head)
    runs = [run.split() for run in _TAG.split(_INLINE.sub(b" ", read))]
    sentences = [b" ".join(words) for words in runs if len(words) >= _WORDS]
    sentences = [text for text in sentences if _STOP.search(text) is not None]
    size = len(b" ".join(read.split()))
    return len(sentences) >= _FEWEST_SENTENCES and sum(map(len, sentences)) >= _SENTENCES * size
