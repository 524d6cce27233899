"""The languages: how each is recognised, and its syntax as far as the lexer needs it.

To add one: a `Language` in the module of its family, its extensions in
`names.py`, a line in the table of the tests.
"""

from ingest.git.lexing.languages.data import TEMPLATE_LANGUAGES, UNKNOWN
from ingest.git.lexing.languages.model import Language, Names
from ingest.git.lexing.languages.names import LANGUAGES, language_of

__all__ = ["LANGUAGES", "TEMPLATE_LANGUAGES", "UNKNOWN", "Language", "Names", "language_of"]
